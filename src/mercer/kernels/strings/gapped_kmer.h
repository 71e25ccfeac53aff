// Gapped k-mers (Ghandi, Lee, Mohammad-Noori, Beer 2014): words of length g with letters at k positions and arbitrary
// letters at the other g-k. Two substrings that differ at d positions have C(g-d, k) gapped k-mers in common.
#pragma once

#include "mercer/data/strings.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/strings/string_features.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct gapped_kmer {
    int g = 6;
    int k = 4;
    static constexpr double max_choices = 1e5;  // limit of C(g, k)

    static kernel_info info() {
        return {"gapped_kmer",
                {"gkm"},
                "sum over words u of k letters and g-k gaps of count_u(s)*count_u(t)",
                strings::kind,
                {{"g", "6", "integer, 1 <= g <= 64", "length of the substrings"},
                 {"k", "4", "integer, 1 <= k <= g", "number of positions that are compared"}},
                "gapped k-mers: the inner product of counts of words with gaps",
                true,
                {}};
    }
    static gapped_kmer from(const mercer::arguments& given) { return {given.whole("g", 6), given.whole("k", 4)}; }
    void check() const {
        require(g >= 1 && g <= 64, "gapped_kmer", "1 <= g <= 64", g);
        require(k >= 1 && k <= g, "gapped_kmer", "1 <= k <= g", k);
        require(binomial_coefficient(g, k) <= max_choices, "gapped_kmer",
                "(number of choices of k of g places) <= 100000", binomial_coefficient(g, k));
    }
    std::vector<argument> arguments() const { return {static_cast<double>(g), static_cast<double>(k)}; }
    named_embedding embedding() const { return gapped_counts(g, k); }

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
