// Weighted degree kernel (Rätsch and Sonnenburg 2004): the number of common substrings of length l at the same
// position, counted from the start of both strings, summed over l = 1 … d with the weights b_l = 2(d-l+1)/(d(d+1)),
// whose sum is 1.
#pragma once

#include "mercer/data/strings.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

// Emits the kernel of weighted_degree and weighted_degree_shifts: a common substring whose positions differ by
// r = 1 … shifts has its weight multiplied by 1/(2(r+1)). `owner` is the kernel's name for error messages.
int emit_weighted_degree(plan_builder& code, const char* owner, int d, int shifts);

struct weighted_degree {
    int d = 3;

    static kernel_info info() {
        return {"weighted_degree",
                {},
                "sum over l = 1..d of 2(d-l+1)/(d(d+1))*(number of positions where s and t have the same l letters)",
                strings::kind,
                {{"d", "3", "integer, 1 <= d <= 1000", "largest length of the substrings"}},
                "weighted degree: the inner product of weighted indicators of (position, substring)",
                true,
                {}};
    }
    static weighted_degree from(const mercer::arguments& given) { return {given.whole("d", 3)}; }
    void check() const { require(d >= 1 && d <= 1000, "weighted_degree", "1 <= d <= 1000", d); }
    std::vector<argument> arguments() const { return {static_cast<double>(d)}; }
    int emit(plan_builder& code) const { return emit_weighted_degree(code, "weighted_degree", d, 0); }
    // Returns the explicit features: one for each position and each substring at it of l = 1 … d letters, with the
    // value √b_l (b_l as above). Linear machines and explanations use the features. Kernel values are computed without
    // them, by comparing pairs of strings, because there are too many features.
    named_embedding features() const;
};

}  // namespace mercer
