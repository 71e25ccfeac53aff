// Weighted degree with shifts (Rätsch, Sonnenburg, Schölkopf 2005): common substrings whose positions differ by at most
// S.
//
// Why it is a kernel: for each length and substring it is uᵀCv, with u and v the 0/1 vectors of the positions of the
// substring in s and t, and C the Toeplitz matrix of c₀ = 1, cⱼ = 1/(2(j+1)) for 1 <= j <= S, 0 for j > S. Its symbol
// 1 + Σⱼ cos(jθ)/(j+1) is at least 1/2 for every S (Rogosinski and Szegő 1928: 1/2 + Σⱼ cos(jθ)/(j+1) >= 0), so C is
// positive definite.
#pragma once

#include "mercer/kernels/strings/weighted_degree.h"

namespace mercer {

struct weighted_degree_shifts {
    int d = 3;
    int shifts = 1;

    static kernel_info info() {
        return {"weighted_degree_shifts",
                {},
                "sum over l = 1..d and positions i, j with |i-j| <= shifts of 2(d-l+1)/(d(d+1))*c(|i-j|)*[s at i and t "
                "at j have the same l letters], c(0) = 1, c(r) = 1/(2(r+1))",
                strings::kind,
                {{"d", "3", "integer, 1 <= d <= 1000", "largest length of the substrings"},
                 {"shifts", "1", "integer, 0 <= shifts <= 100000", "largest difference of positions"}},
                "weighted degree with shifts: the weights c(|i-j|) are a positive definite Toeplitz matrix "
                "(Rogosinski and Szegő)",
                true,
                {}};
    }
    static weighted_degree_shifts from(const mercer::arguments& given) {
        return {given.whole("d", 3), given.whole("shifts", 1)};
    }
    void check() const {
        require(d >= 1 && d <= 1000, "weighted_degree_shifts", "1 <= d <= 1000", d);
        require(shifts >= 0 && shifts <= 100000, "weighted_degree_shifts", "0 <= shifts <= 100000", shifts);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(d), static_cast<double>(shifts)}; }
    int emit(plan_builder& code) const { return emit_weighted_degree(code, "weighted_degree_shifts", d, shifts); }
};

}  // namespace mercer
