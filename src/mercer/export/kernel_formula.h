// A kernel on vectors as a list of elementary steps, from which exporters write its formula in other languages. The
// formulas of the kernels are templates over the type of number. Applied to a symbolic number, they record their steps.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/kernel.h"

namespace mercer::api {

struct formula {
    // A transformation of vectors. Space 0 contains the vectors that are compared, space i + 1 the results of maps[i].
    struct map {
        enum class kind { columns, linear, circle } what;
        int from;                                 // the space to which it is applied
        index dims;                               // number of coordinates of the results
        std::vector<index> columns{};             // columns: x ↦ these coordinates
        std::vector<std::vector<double>> rows{};  // linear: x ↦ Mx, the rows of M
        double period = 0;                        // circle: x ↦ cos 2πxₐ/p for all a, then sin 2πxₐ/p for all a
    };
    enum class op {
        number,            // c
        dot,               // Σ xₐzₐ
        squared_distance,  // Σ (xₐ-zₐ)²
        manhattan,         // Σ |xₐ-zₐ|
        chi2,              // Σ (xₐ-zₐ)²/(xₐ+zₐ), 0/0 = 0
        min_sum,           // Σ min(xₐ, zₐ)
        product,           // ∏ (1 + xₐzₐ)
        add,
        subtract,
        multiply,
        divide,
        exp,
        log1p,
        sqrt,
        tanh,
        at_most,   // min(a, c)
        power,     // a^c
        over_root  // a/√b, 0 where b is not positive
    };
    // The arguments of a statistic: (x, z), (x, x) or (z, z).
    enum class pair { xz, xx, zz };
    struct step {
        op what;
        int a = -1, b = -1;  // earlier steps, whose values are the operands
        double c = 0;
        int space = 0;
        pair of = pair::xz;
        bool operator==(const step&) const = default;
    };
    static bool is_statistic(op what) { return what >= op::dot && what <= op::product; }

    std::vector<index> dims;  // number of coordinates in each space
    std::vector<map> maps;
    std::vector<step> steps;       // the last is k(x, z); every other step is an operand of a later one
    bool depends_on_pair() const;  // returns true if a statistic depends on x and z, so that k depends on the pair
};

// Returns the formula of k(x, z), or of k(x, x) for pair::xx. Throws errc::unsupported with the part of the kernel that
// has no formula of this form: kernels on other objects than vectors, and users' functions.
formula make_formula(const kernel_node& k, index dims, formula::pair of = formula::pair::xz);

}  // namespace mercer::api
