// k(s, t) = e^(-gamma·d), d the edit distance of Levenshtein: the minimum number of insertions, deletions and
// replacements of letters that turn s into t. It is not positive semidefinite in general (Cortes, Haffner, Mohri 2004).
// The distance is computed with the bit vectors of Myers (1999) in blocks of 64 letters (Hyyrö 2003): |s|·|t|/64 steps.
#pragma once

#include <cmath>

#include "mercer/data/strings.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct levenshtein {
    double gamma = 1;

    static kernel_info info() {
        return {"levenshtein",
                {},
                "exp(-gamma*(edit distance of s and t))",
                strings::kind,
                {{"gamma", "1", "gamma > 0", "how fast the kernel decreases with the distance"}},
                "no rule: the edit distance is not conditionally negative definite, so exp(-gamma*distance) need not "
                "be a kernel",
                false,
                {.stationary = false, .radial = false, .normalised = true}};
    }
    static levenshtein from(const mercer::arguments& given) { return {given.number("gamma", 1)}; }
    void check() const { require(gamma > 0 && std::isfinite(gamma), "levenshtein", "gamma > 0", gamma); }
    std::vector<argument> arguments() const { return {gamma}; }
    int emit(plan_builder& code) const;
};

}  // namespace mercer
