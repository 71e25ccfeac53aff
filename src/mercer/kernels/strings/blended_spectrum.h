// Blended spectrum: the sum of the spectrum kernels of the lengths 1 … k, where a common substring of length l has the
// weight decay^(2l) (Shawe-Taylor and Cristianini 2004, section 11.2).
#pragma once

#include <cmath>

#include "mercer/data/strings.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/strings/string_features.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct blended_spectrum {
    int k = 3;
    double decay = 1;

    static kernel_info info() {
        return {"blended_spectrum",
                {},
                "sum over strings u of length 1..k of decay^(2|u|)*count_u(s)*count_u(t)",
                strings::kind,
                {{"k", "3", "integer, k >= 1", "largest length of the substrings"},
                 {"decay", "1", "decay > 0", "weight factor per letter of a substring"}},
                "blended spectrum: the inner product of weighted counts of substrings",
                true,
                {}};
    }
    static blended_spectrum from(const mercer::arguments& given) {
        return {given.whole("k", 3), given.number("decay", 1)};
    }
    void check() const {
        require(k >= 1, "blended_spectrum", "k >= 1", k);
        require(decay > 0 && std::isfinite(decay), "blended_spectrum", "decay > 0", decay);
        require(std::isnormal(std::pow(decay, 2.0 * k)), "blended_spectrum", "2.23e-308 <= decay^(2k) <= 1.79e308",
                decay);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(k), decay}; }
    named_embedding embedding() const { return blended_counts(k, decay); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
