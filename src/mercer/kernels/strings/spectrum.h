// k-spectrum (Leslie, Eskin, Noble 2002): the inner product of the counts of all substrings of length k.
#pragma once

#include "mercer/data/strings.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/strings/string_features.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct spectrum {
    int k = 3;

    static kernel_info info() {
        return {"spectrum",
                {},
                "sum over strings u of length k of count_u(s)*count_u(t)",
                strings::kind,
                {{"k", "3", "integer, k >= 1", "length of the substrings"}},
                "spectrum: the inner product of counts of substrings",
                true,
                {}};
    }
    static spectrum from(const mercer::arguments& given) { return {given.whole("k", 3)}; }
    void check() const { require(k >= 1, "spectrum", "k >= 1", k); }
    std::vector<argument> arguments() const { return {static_cast<double>(k)}; }
    named_embedding embedding() const { return spectrum_counts(k); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
