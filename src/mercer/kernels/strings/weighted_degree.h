// Weighted degree: common substrings at the same place, counted from the start of the strings (Rätsch and Sonnenburg
// 2004), of lengths up to d with the weights b_l = 2(d-l+1)/(d(d+1)), which add up to 1.
#pragma once

#include "mercer/data/strings.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

// With shifts up to `shifts` places: a substring s places further on in one string counts 1/(2(s+1)) as much. For
// `weighted_degree` and `weighted_degree_shifts`.
int emit_weighted_degree(plan_builder& code, const char* owner, int d, int shifts);

struct weighted_degree {
    int d = 3;

    static kernel_info info() {
        return {"weighted_degree",
                {},
                "sum over l = 1..d of 2(d-l+1)/(d(d+1))*(number of places where s and t have the same l letters)",
                strings::where,
                {{"d", "3", "1 <= d <= 1000, whole", "longest substrings"}},
                "weighted degree: the inner product of the indicators of (place, substring), weighted",
                true,
                {}};
    }
    static weighted_degree from(const mercer::arguments& given) { return {given.whole("d", 3)}; }
    void check() const { require(d >= 1 && d <= 1000, "weighted_degree", "1 <= d <= 1000", d); }
    std::vector<argument> arguments() const { return {static_cast<double>(d)}; }
    int emit(plan_builder& code) const { return emit_weighted_degree(code, "weighted_degree", d, 0); }
    // (place, substring there) with the value √b_l: so many that pairs are compared directly, few enough for linear
    // machines.
    named_feature features() const;
};

}  // namespace mercer
