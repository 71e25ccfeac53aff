// Cells: the feature space is divided into Voronoi cells of a size that an exact method can handle, and a model is
// fitted in each cell (Bottou, Vapnik 1992; Thomann, Blaschzyk, Meister, Steinwart 2017: liquidSVM's approach for 10⁷
// examples). The cell of x is the cell whose centre c is nearest, by ‖φ(x) - φ(c)‖.
//
// Cells overlap, which avoids jumps at their borders. Cell j covers x if
//     ρⱼ = ‖φ(x) - φ(cⱼ)‖/minᵢ ‖φ(x) - φ(cᵢ)‖ < 1 + overlap.
// Its model is trained on the examples that it covers, and its prediction for a covered x has the relative weight 1 -
// (ρⱼ - 1)/overlap, so the prediction is a continuous function of x if the models are. The number of examples that a
// cell takes from its neighbours is at most the number of its own. If covered examples are left out for this reason,
// the weight of the cell decreases to 0 at the nearest one of them: the `reach` of the cell replaces `overlap`, so that
// the cell does not predict in a region from which it has no examples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/method_info.h"
#include "mercer/methods/model_file.h"

namespace mercer {

// The division of the feature space into cells.
struct cell_division {
    std::shared_ptr<const kernel> k;
    dataset centres;
    double overlap = 0;
    std::vector<double> reach{};  // replaces overlap for each cell, 0 to overlap; empty: overlap

    // The cells that predict each object, ascending, and their weights, which sum to 1.
    struct share {
        index cell;
        double weight;
    };
    std::vector<std::vector<share>> shares(const dataset& x) const;
};

// Divides the examples into cells of about `size` examples, at most 2·size unless the kernel cannot distinguish them.
// Requires size >= 1 and 0 <= overlap <= 1.
cell_division divide_into_cells(const kernel& k, const dataset& x, index size, double overlap, std::uint64_t seed,
                                const progress_callback& progress = {});
// The training examples of each cell: its n own examples and at most n of its neighbours, the nearest ones. Sets
// cells.reach.
std::vector<std::vector<index>> cell_members(cell_division& cells, const dataset& x);

// The model of one cell, stored as the bytes of its file form.
struct cell_model {
    std::string bytes;  // empty: all examples of the cell have the same label
    double label = 0;   // this label
    index examples = 0;
};
// The models of all cells.
struct cells_model {
    cell_division cells;
    std::string machine;  // name of the method in the cells
    std::vector<cell_model> machines;
    std::vector<double> classes;  // labels, ascending; empty: regression
    index training_size = 0;
};

// The methods: cells_svc, cells_logistic, cells_svr, cells_ridge.

namespace detail {

inline constexpr const char* cells_format = "mercer-cells-model";

template <class V>
void cell_options(V& v, auto& m) {
    v.integer("size", m.size, 1, "approximate number of examples per cell, at most twice as many");
    v.number("overlap", m.overlap, up_to(at_least(0), 1),
             "overlap of neighbouring cells, relative to the distance to the nearest centre");
    v.flag("tune", m.tune, "tune the kernel parameters and C or alpha in each cell by cross-validation");
    v.integer("seed", m.seed, 0, "random seed of the centres of the cells");
}

}  // namespace detail

// The methods as values for fit() of mercer.h: the options of the machine, `size` and `overlap` of the cells.
struct cells_svc {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    index size = 4000;
    double overlap = 0.1;
    bool tune = false;
    index seed = 0;

    static constexpr const char* machine = "svc";
    static method_info info() {
        return {"cells_svc",
                {"cells"},
                method_family::classification,
                "support vector classification, one model per cell, for millions of examples",
                "f(x) = Σⱼ wⱼ(x)fⱼ(x), fⱼ an svc fitted in Voronoi cell j",
                detail::cells_format,
                target_kind::classes};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), option_text::penalty_parameter);
        detail::cell_options(v, *this);
    }
};

struct cells_logistic {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    index size = 4000;
    double overlap = 0.1;
    bool tune = false;
    index seed = 0;

    static constexpr const char* machine = "kernel_logistic";
    static method_info info() {
        return {"cells_logistic",
                {},
                method_family::classification,
                "kernel logistic regression, one model per cell, for millions of examples",
                "p(x) = Σⱼ wⱼ(x)pⱼ(x), pⱼ by kernel_logistic in Voronoi cell j",
                detail::cells_format,
                target_kind::classes};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), option_text::penalty_parameter);
        detail::cell_options(v, *this);
    }
};

struct cells_svr {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1, epsilon = 0.1;
    index size = 4000;
    double overlap = 0.1;
    bool tune = false;
    index seed = 0;

    static constexpr const char* machine = "svr";
    static method_info info() {
        return {"cells_svr",
                {},
                method_family::regression,
                "support vector regression, one model per cell, for millions of examples",
                "f(x) = Σⱼ wⱼ(x)fⱼ(x), fⱼ an svr fitted in Voronoi cell j",
                detail::cells_format,
                target_kind::values};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), option_text::penalty_parameter);
        v.number("epsilon", epsilon, at_least(0), option_text::half_width);
        detail::cell_options(v, *this);
    }
};

struct cells_ridge {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double alpha = 1;
    index size = 4000;
    double overlap = 0.1;
    bool tune = false;
    index seed = 0;

    static constexpr const char* machine = "kernel_ridge";
    static method_info info() {
        return {"cells_ridge",
                {},
                method_family::regression,
                "kernel ridge regression, one model per cell, for millions of examples",
                "f(x) = Σⱼ wⱼ(x)fⱼ(x), fⱼ by kernel_ridge in Voronoi cell j",
                detail::cells_format,
                target_kind::values};
    }
    template <class V>
    void options(V& v) {
        v.number("alpha", alpha, above(0), option_text::penalty);
        detail::cell_options(v, *this);
    }
};

}  // namespace mercer
