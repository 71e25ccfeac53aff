// A kernel on vectors as a list of steps, from which its formula is written in other languages. The steps come from the
// kernels' own formulas: those are functions of any type of number, and given a `term` they write themselves down.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/kernel.h"

namespace mercer::api {

struct formula {
    // Vectors made from others: space 0 are the objects themselves, space i+1 is maps[i].
    struct map {
        enum class kind { columns, linear, circle } what;
        int from;                                 // the space it is applied to
        index dims;                               // of the vectors it makes
        std::vector<index> columns{};             // x ↦ these coordinates
        std::vector<std::vector<double>> rows{};  // x ↦ Mx
        double period = 0;                        // x ↦ cos 2πxₐ/p of all coordinates, then sin 2πxₐ/p
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
    // Of which two objects a statistic is: x and z, or one of them twice.
    enum class pair { xz, xx, zz };
    struct step {
        op what;
        int a = -1, b = -1;  // earlier steps
        double c = 0;
        int space = 0;
        pair of = pair::xz;
        bool operator==(const step&) const = default;
    };
    static bool is_statistic(op what) { return what >= op::dot && what <= op::product; }

    std::vector<index> dims;  // of each space
    std::vector<map> maps;
    std::vector<step> steps;  // the last is k(x, z); every other is used by a later one
    bool sees_both() const;   // whether some statistic is of x and z: k is more than a constant
};

// Of k(x, z), or of k(x, x). Fails with errc::unsupported, naming the part of the kernel that has no such form: kernels
// on other objects, users' functions.
formula formula_of(const kernel_node& k, index dims, formula::pair of = formula::pair::xz);

}  // namespace mercer::api
