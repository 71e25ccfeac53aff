// All common substrings: Σ over strings u of decay^(2|u|)·count_u(s)·count_u(t) (Vishwanathan and Smola 2004).
//
// O(|s| + |t|) for a pair: the suffix automaton of s (Blumer et al. 1985) reads t. After each letter, its state gives
// the longest suffix of the letters read so far that is a substring of s, and with it the sum over all such suffixes.
#pragma once

#include "mercer/data/strings.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct all_substrings {
    double decay = 0.5;

    static kernel_info info() {
        return {"all_substrings",
                {"common_substrings"},
                "sum over strings u of length >= 1 of decay^(2|u|)*count_u(s)*count_u(t)",
                strings::kind,
                {{"decay", "0.5", "0 < decay <= 1", "weight factor per letter of a substring"}},
                "all substrings: the inner product of weighted counts of all substrings",
                true,
                {}};
    }
    static all_substrings from(const mercer::arguments& given) { return {given.number("decay", 0.5)}; }
    void check() const { require(decay >= 1e-100 && decay <= 1, "all_substrings", "0 < decay <= 1", decay); }
    std::vector<argument> arguments() const { return {decay}; }
    int emit(plan_builder& code) const;
};

}  // namespace mercer
