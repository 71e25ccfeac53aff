// Machines in cells, as values: cells_svc, cells_logistic, cells_svr, cells_ridge.
#pragma once

#include <optional>
#include <string>

#include "mercer/base/matrix_view.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"

namespace mercer {
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
