// The definitions of the kernels on series, by which the contract of kernels checks them, and cases of their own.
#include <gtest/gtest.h>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "kernels/value_of.h"

namespace mercer::testing {
namespace {

using real = long double;

real distance_at(const one_series& x, index i, const one_series& y, index j) {
    real sum = 0;
    for (index d = 0; d < x.dims; ++d) {
        const real difference = static_cast<real>(x.at(i)[d]) - y.at(j)[d];
        sum += difference * difference;
    }
    return sum;
}

// Enumerates every alignment from (i, j) on; passes the distance of each cell to `join` and the complete alignment to
// `end`.
template <class Join, class End>
void each_alignment(const one_series& x, index i, const one_series& y, index j, real so_far, Join join, End end) {
    const real here = join(so_far, distance_at(x, i, y, j));
    if (i + 1 == x.size() && j + 1 == y.size()) return end(here);
    if (i + 1 < x.size()) each_alignment(x, i + 1, y, j, here, join, end);
    if (j + 1 < y.size()) each_alignment(x, i, y, j + 1, here, join, end);
    if (i + 1 < x.size() && j + 1 < y.size()) each_alignment(x, i + 1, y, j + 1, here, join, end);
}

real alignment_sum(const one_series& x, const one_series& y, real sigma) {
    if (x.size() == 0 || y.size() == 0) return x.size() == y.size();
    real sum = 0;
    each_alignment(
        x, 0, y, 0, 1,
        [&](real product, real distance) {
            const real g = std::exp(-distance / (2 * sigma * sigma));
            return product * g / (2 - g);
        },
        [&](real product) { sum += product; });
    return sum;
}

real least_warping(const one_series& x, const one_series& y) {
    if (x.size() == 0 || y.size() == 0) return x.size() == y.size() ? 0 : INFINITY;
    real least = INFINITY;
    each_alignment(
        x, 0, y, 0, 0, [](real sum, real distance) { return sum + distance; },
        [&](real sum) { least = std::min(least, sum); });
    return least;
}

const definition aligned_series("global_alignment", [] {
    std::vector<kernel_case> made;
    for (const double sigma : {1.0, 0.25, 4.0})
        made.push_back({kernel::parse("global_alignment(" + std::to_string(sigma) + ")"),
                        [sigma](const object& x, const object& y) {
                            if (x.times.values == y.times.values) return approx{1, 0};
                            const real xy = alignment_sum(x.times, y.times, sigma),
                                       xx = alignment_sum(x.times, x.times, sigma),
                                       yy = alignment_sum(y.times, y.times, sigma), value = xy / std::sqrt(xx * yy);
                            return approx{value, xy == 0 ? 0
                                                         : value * (100 + std::abs(std::log(xy)) +
                                                                    std::abs(std::log(xx)) + std::abs(std::log(yy)))};
                        }});
    return made;
});

const definition warped_series("time_warp", [] {
    std::vector<kernel_case> made;
    for (const double gamma : {1.0, 0.125})
        made.push_back(
            {kernel::parse("time_warp(" + std::to_string(gamma) + ")"), [gamma](const object& x, const object& y) {
                 const real least = least_warping(x.times, y.times);
                 return std::isinf(least) ? approx{} : decay({least, 16 * least}, gamma);
             }});
    return made;
});

one_series wave(index length, double phase) {
    one_series made;
    for (index t = 0; t < length; ++t) made.values.push_back(std::sin(0.1 * static_cast<double>(t) + phase));
    return made;
}

TEST(series_kernels, one_value_each) {
    const double g = std::exp(-0.5 * 9 / 4);
    EXPECT_NEAR(value_of("global_alignment(2)", one_series{{1}, 1}, one_series{{4}, 1}), g / (2 - g), 1e-15);
    EXPECT_DOUBLE_EQ(value_of("time_warp(0.5)", one_series{{1}, 1}, one_series{{4}, 1}), std::exp(-4.5));
}

TEST(series_kernels, vectors_and_different_lengths) {
    generator random(5);
    for (int round = 0; round < 20; ++round) {
        object x, y;
        for (auto* one : {&x.times, &y.times}) {
            one->dims = 3;
            for (index n = 3 * (1 + below(random, 5)); n > 0; --n) one->values.push_back(uniform(random, -1, 1));
        }
        const real want = alignment_sum(x.times, y.times, 0.5) /
                          std::sqrt(alignment_sum(x.times, x.times, 0.5) * alignment_sum(y.times, y.times, 0.5));
        EXPECT_NEAR(value_of("global_alignment(0.5)", x.times, y.times), static_cast<double>(want), 1e-13);
        EXPECT_NEAR(value_of("time_warp(0.5)", x.times, y.times),
                    static_cast<double>(std::exp(-0.5L * least_warping(x.times, y.times))), 1e-14);
    }
    expect_error(errc::data, "series must have the same number of values per time, got 2 and 3", [] {
        value_of("time_warp()", one_series{{1, 2}, 2}, one_series{{1, 2, 3}, 3});
    });
}

// Sums over 10^400 alignments and products of 10^-100000 remain within range, and k(x, x) = 1.
TEST(series_kernels, no_length_and_no_width_is_too_large) {
    const one_series x = wave(600, 0), late = wave(500, 0.3);
    for (const char* k : {"global_alignment(10)", "global_alignment(0.5)", "global_alignment(0.001)"}) {
        EXPECT_DOUBLE_EQ(value_of(k, x, x), 1) << k;
        const double near = value_of(k, x, late);
        EXPECT_TRUE(near >= 0 && near < 1) << k << " " << near;
    }
    EXPECT_GT(value_of("global_alignment(10)", x, wave(599, 0)), value_of("global_alignment(10)", x, wave(400, 2)));
    EXPECT_EQ(value_of("global_alignment(1e-150)", one_series{{1e150}, 1}, one_series{{-1e150}, 1}), 0);
    EXPECT_EQ(value_of("time_warp()", one_series{{1e300}, 1}, one_series{{-1e300}, 1}), 0);
}

TEST(series_kernels, empty_series) {
    EXPECT_EQ(value_of("global_alignment()", one_series{}, one_series{}), 1);
    EXPECT_EQ(value_of("global_alignment()", one_series{}, one_series{{1}, 1}), 0);
    EXPECT_EQ(value_of("time_warp()", one_series{}, one_series{}), 1);
    EXPECT_EQ(value_of("time_warp()", one_series{}, one_series{{1}, 1}), 0);
}

}  // namespace
}  // namespace mercer::testing
