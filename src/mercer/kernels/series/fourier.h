// Fourier features of series. Every series is scaled to one unit of time, whatever its number T of values:
//
//     c_j = 1/T Σ_t x_t e^(-2πi jt/T) for j = 0 … terms and j <= T/2, 0 beyond.
//
// phases=0: the inner product of (c_0, w_1|c_1|, w_2|c_2|, …), which is invariant under cyclic shifts of a series.
// phases=1: the inner product of (c_0, w_1 Re c_1, w_1 Im c_1, …), the mean over time of the product of the two series
// restricted to frequencies up to `terms`. w_j = √2, but w_{T/2} = 1, so that for terms >= T/2 both give the mean of
// x_t² for k(x, x) (Parseval). If the values are vectors, every coordinate has its own features. Other kernels on the
// same features: pullback(fourier(terms=8), rbf(gamma=1)). O(T·terms) for a series.
#pragma once

#include "mercer/data/series.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct fourier {
    int terms = 16;
    int phases = 0;

    static kernel_info info() {
        return {"fourier",
                {},
                "c_0(x)*c_0(z) + 2*sum over j = 1..terms of |c_j(x)|*|c_j(z)|, c_j Fourier coefficients",
                series::kind,
                {{"terms", "16", "integer, 1 <= terms <= 100000", "highest frequency, in periods per series"},
                 {"phases", "0", "phases = 0 or 1", "0: amplitudes; 1: sine and cosine coefficients"}},
                "Fourier: the inner product of Fourier coefficients or their amplitudes",
                true,
                {}};
    }
    static fourier from(const mercer::arguments& given) { return {given.whole("terms", 16), given.whole("phases", 0)}; }
    void check() const {
        require(terms >= 1 && terms <= 100000, "fourier", "1 <= terms <= 100000", terms);
        require(phases == 0 || phases == 1, "fourier", "phases = 0 or 1", phases);
    }
    std::vector<argument> arguments() const { return {static_cast<double>(terms), static_cast<double>(phases)}; }
    named_embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
