// Cells: the data divided into Voronoi cells in feature space, each about as large as an exact machine takes easily,
// and a machine in each (Bottou, Vapnik 1992; Thomann, Blaschzyk, Meister, Steinwart 2017: liquidSVM's way to 10⁷
// examples). The cell of x is that of the nearest centre by ‖φ(x) - φ(c)‖.
//
// Against jumps at the borders cells overlap: cell j has to do with x where
//     ρⱼ = ‖φ(x) - φ(cⱼ)‖/minᵢ ‖φ(x) - φ(cᵢ)‖ < 1 + overlap,
// learns from such examples, and answers for them with weight 1 - (ρⱼ - 1)/overlap among the others: a continuous
// function of x where the machines are. A cell learns from at most as many examples of its neighbours as of its own.
// Where that leaves examples out, the weight of the cell falls to 0 at the nearest of these, its `reach` in place of
// overlap: the cell does not answer for a region from which it has learned nothing.
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

struct cell_division {
    std::shared_ptr<const kernel> k;
    dataset centres;
    double overlap = 0;
    std::vector<double> reach{};  // of each cell, in place of overlap, 0 to overlap; empty: overlap

    // Which cells answer for each object, ascending, and with what weight; weights of an object add up to 1.
    struct share {
        index cell;
        double weight;
    };
    std::vector<std::vector<share>> shares(const dataset& x) const;
};

// size: examples of a cell, twice as many at most, but for examples that nothing tells apart. 0 <= overlap <= 1.
cell_division divide_into_cells(const kernel& k, const dataset& x, index size, double overlap, std::uint64_t seed,
                                const progress_callback& progress = {});
// The examples each cell learns from: its own, and of its neighbours' the nearest, as many again at most. Sets `reach`.
std::vector<std::vector<index>> cell_members(cell_division& cells, const dataset& x);

// A machine of any method in every cell, by the bytes of its file form.
struct cell_machine {
    std::string bytes;  // empty: all examples of the cell have the same label
    double label = 0;   // that one
    index examples = 0;
};
struct cells_model {
    cell_division cells;
    std::string machine;  // the method
    std::vector<cell_machine> machines;
    std::vector<double> classes;  // labels, ascending; none: regression
    index training_size = 0;
};

// Machines in cells, as values: cells_svc, cells_logistic, cells_svr, cells_ridge.

namespace detail {

inline constexpr const char* cells_format = "mercer-cells-model";

template <class V>
void cell_options(V& v, auto& m) {
    v.whole("size", m.size, 1, "examples of a cell, about; twice as many at most");
    v.number("overlap", m.overlap, up_to(at_least(0), 1),
             "a cell has to do with what is no farther from its centre than 1 + overlap times the nearest one's");
    v.flag("tune", m.tune, "the numbers of kernel and machine are chosen in every cell, by cross-validation");
    v.whole("seed", m.seed, 0, "of the centres");
}

}  // namespace detail

struct cells_svc {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};
    double C = 1;
    index size = 4000;
    double overlap = 0.1;
    bool tune = false;
    index seed = 0;

    static constexpr const char* machine = "svc";
    static method_facts facts() {
        return {"cells_svc",
                {"cells"},
                method_family::classification,
                "support vector machines in cells of the feature space, for millions of examples",
                "f(x) = Σⱼ wⱼ(x)fⱼ(x), fⱼ an svc fitted in Voronoi cell j",
                detail::cells_format,
                answer::classes};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "price of an error");
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
    static method_facts facts() {
        return {"cells_logistic",
                {},
                method_family::classification,
                "kernel logistic regression in cells of the feature space: probabilities for millions of examples",
                "p(x) = Σⱼ wⱼ(x)pⱼ(x), pⱼ by kernel_logistic in Voronoi cell j",
                detail::cells_format,
                answer::classes};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "1/λ");
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
    static method_facts facts() {
        return {"cells_svr",
                {},
                method_family::regression,
                "support vector regression in cells of the feature space, for millions of examples",
                "f(x) = Σⱼ wⱼ(x)fⱼ(x), fⱼ an svr fitted in Voronoi cell j",
                detail::cells_format,
                answer::values};
    }
    template <class V>
    void options(V& v) {
        v.number("C", C, above(0), "price of an error");
        v.number("epsilon", epsilon, at_least(0), "errors up to this cost nothing");
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
    static method_facts facts() {
        return {"cells_ridge",
                {},
                method_family::regression,
                "kernel ridge regression in cells of the feature space, for millions of examples",
                "f(x) = Σⱼ wⱼ(x)fⱼ(x), fⱼ by kernel_ridge in Voronoi cell j",
                detail::cells_format,
                answer::values};
    }
    template <class V>
    void options(V& v) {
        v.number("alpha", alpha, above(0), "λ, the price of large coefficients");
        detail::cell_options(v, *this);
    }
};

}  // namespace mercer
