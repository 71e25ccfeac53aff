// The loops of every instruction set of this processor, compared with each other and with plain loops.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/simd_level.h"
#include "mercer/kernels/expression/all_kernels.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer {
namespace {

template <class T>
std::vector<const tile_ops<T>*> all_ops() {
    std::vector<const tile_ops<T>*> found{&baseline::ops<T>()};
#if defined(MERCER_SIMD_X86)
    if (best_simd() >= simd_level::avx2) found.push_back(&avx2::ops<T>());
    if (best_simd() >= simd_level::avx512) found.push_back(&avx512::ops<T>());
#endif
    return found;
}

template <class T>
class simd : public ::testing::Test {
protected:
    using limits = std::numeric_limits<T>;
    std::mt19937 random{5};
    T number(T low = -2, T high = 2) { return std::uniform_real_distribution<T>(low, high)(random); }
    buffer<T> numbers(index count, T low = -2, T high = 2) {
        buffer<T> made(count);
        for (T& each : made) each = number(low, high);
        return made;
    }
};
using precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(simd, precisions);

TYPED_TEST(simd, describes_itself) {
    for (const auto* ops : all_ops<TypeParam>()) {
        EXPECT_EQ(ops->panel % ops->lanes, 0) << ops->name;
        EXPECT_EQ(ops->sparse_panel % ops->panel, 0) << ops->name;
        EXPECT_GE(ops->block_rows, 1) << ops->name;
    }
    bool known = false;
    for (const auto* ops : all_ops<TypeParam>()) known = known || ops == &best_tile_ops<TypeParam>();
    EXPECT_TRUE(known);
}

TYPED_TEST(simd, statistics_are_the_sums_they_stand_for) {
    using T = TypeParam;
    for (const auto* ops : all_ops<T>())
        for (const index depth : {0, 1, 2, 7, 33, 100})
            for (const auto what : {pair_statistic::dot, pair_statistic::manhattan, pair_statistic::min_sum,
                                    pair_statistic::chi2, pair_statistic::product}) {
                const bool positive = what == pair_statistic::chi2 || what == pair_statistic::min_sum;
                const T size = what == pair_statistic::product ? T(0.3) : T(2);
                buffer<T> block = this->numbers(ops->block_rows * depth, positive ? 0 : -size, size),
                          panel = this->numbers(ops->panel * depth, positive ? 0 : -size, size);
                if (what == pair_statistic::chi2 && depth > 1)
                    std::fill_n(block.data(), ops->block_rows, T(0)),
                        std::fill_n(panel.data(), ops->panel, T(0));  // 0/0
                const index stride = ops->panel + 3;
                matrix<T> out(ops->block_rows, stride);
                ops->dense(what, block.data(), panel.data(), depth, out.data(), stride, false);
                for (index r = 0; r < ops->block_rows; ++r)
                    for (index j = 0; j < ops->panel; ++j) {
                        long double sum = what == pair_statistic::product, total = 1;
                        for (index k = 0; k < depth; ++k) {
                            const long double x = block[k * ops->block_rows + r], z = panel[k * ops->panel + j];
                            const long double term = what == pair_statistic::dot         ? x * z
                                                     : what == pair_statistic::manhattan ? std::abs(x - z)
                                                     : what == pair_statistic::min_sum   ? std::min(x, z)
                                                     : x + z == 0                        ? 0
                                                                                         : (x - z) * (x - z) / (x + z);
                            total += std::abs(term);
                            if (what == pair_statistic::product)
                                sum *= 1 + x * z, total = std::max(total, std::abs(sum));
                            else
                                sum += term;
                        }
                        ASSERT_NEAR(out(r, j), sum,
                                    static_cast<double>((depth + 3) * total) * std::numeric_limits<T>::epsilon())
                            << ops->name << " depth " << depth;
                    }
                // In two parts: the second call continues the sums of the first.
                if (depth < 2) continue;
                matrix<T> parts(ops->block_rows, stride);
                ops->dense(what, block.data(), panel.data(), 1, parts.data(), stride, false);
                ops->dense(what, block.data() + ops->block_rows, panel.data() + ops->panel, depth - 1, parts.data(),
                           stride, true);
                ASSERT_EQ(std::memcmp(parts.data(), out.data(),
                                      sizeof(T) * static_cast<std::size_t>(ops->block_rows * stride)),
                          0)
                    << ops->name;
            }
}

// Dense tiles, sparse tiles and norms use the same chain of operations, which makes distances of equal vectors exactly
// zero.
TYPED_TEST(simd, norms_and_sparse_rows_have_the_bits_of_dense_tiles) {
    using T = TypeParam;
    for (const auto* ops : all_ops<T>()) {
        const index depth = 57;
        std::vector<std::vector<T>> vectors(static_cast<std::size_t>(ops->sparse_panel), std::vector<T>(depth));
        for (auto& each : vectors)
            for (auto& v : each) v = this->number(0, 1) < T(0.5) ? this->number() : T(0);
        std::vector<const T*> rows;
        for (const auto& each : vectors) rows.push_back(each.data());
        buffer<T> panel(depth * ops->panel), sparse_panel(depth * ops->sparse_panel), block(depth * ops->block_rows),
            norms(ops->panel), dots(ops->sparse_panel);
        ops->pack(rows.data(), ops->panel, depth, nullptr, panel.data(), ops->panel);
        ops->pack(rows.data(), ops->sparse_panel, depth, nullptr, sparse_panel.data(), ops->sparse_panel);
        ops->pack(rows.data(), ops->block_rows, depth, nullptr, block.data(), ops->block_rows);
        ops->panel_norms(panel.data(), depth, norms.data());
        matrix<T> tile(ops->block_rows, ops->panel);
        ops->dense(pair_statistic::dot, block.data(), panel.data(), depth, tile.data(), ops->panel, false);
        for (index r = 0; r < std::min(ops->block_rows, ops->panel); ++r) {
            std::vector<std::int32_t> cols;
            std::vector<T> values;
            for (index k = 0; k < depth; ++k)
                if (vectors[r][k] != 0) cols.push_back(static_cast<std::int32_t>(k)), values.push_back(vectors[r][k]);
            ops->sparse_dot(cols.data(), values.data(), static_cast<index>(cols.size()), sparse_panel.data(),
                            dots.data());
            ASSERT_EQ(tile(r, r), norms[r]) << ops->name;
            ASSERT_EQ(ops->sparse_norm(values.data(), static_cast<index>(values.size())), norms[r]) << ops->name;
            for (index j = 0; j < ops->panel; ++j) ASSERT_EQ(dots[j], tile(r, j)) << ops->name;
        }
    }
}

TYPED_TEST(simd, packs_and_transposes_exactly) {
    using T = TypeParam;
    for (const auto* ops : all_ops<T>())
        for (const index rows : {0, 1, 3, 4, 5, 8, 16})
            for (const index depth : {0, 1, 3, 4, 31, 32, 33, 70}) {
                const index width = 16;
                matrix<T> data(rows, depth);
                for (index i = 0; i < rows * depth; ++i) data.data()[i] = this->number();
                std::vector<const T*> pointers;
                for (index r = 0; r < rows; ++r) pointers.push_back(data.row(r));
                const buffer<T> shift = this->numbers(depth);
                for (const T* by : {static_cast<const T*>(nullptr), shift.data()}) {
                    buffer<T> packed = this->numbers(depth * width);
                    ops->pack(pointers.data(), rows, depth, by, packed.data(), width);
                    for (index k = 0; k < depth; ++k)
                        for (index r = 0; r < width; ++r)
                            ASSERT_EQ(packed[k * width + r], r >= rows ? T(0)
                                                             : by      ? data(r, k) - shift[k]
                                                                       : data(r, k))
                                << ops->name;
                }
                matrix<T> turned(depth, rows + 2);
                std::fill_n(turned.data(), depth * (rows + 2), T(-77));
                ops->transpose(data.data(), depth, turned.data(), rows + 2, rows, depth);
                for (index k = 0; k < depth; ++k)
                    for (index r = 0; r < rows + 2; ++r)
                        ASSERT_EQ(turned(k, r), r < rows ? data(r, k) : T(-77)) << ops->name;
            }
}

// Formulas evaluated in scalar type compared with long double.
TYPED_TEST(simd, maps_are_the_formulas) {
    using T = TypeParam;
    using L = long double;
    const auto check = [&](const formula_call& formula, T low, T high, auto want, L units) {
        for (const auto* ops : all_ops<T>()) {
            const index width = 8 * ops->lanes;
            buffer<T> in = this->numbers(width, low, high), out(width);
            in[0] = low, in[1] = high;
            T* row = out.data();
            tile_map<T> call{};
            call.formula = formula, call.input = map_input::value, call.in = in.data(), call.in_stride = width,
            call.out = &row, call.rows = 1, call.width = width;
            ops->map(call);
            for (index j = 0; j < width; ++j) {
                const L exact = want(static_cast<L>(in[j]));
                ASSERT_NEAR(out[j], exact,
                            static_cast<double>(units * (1 + std::abs(static_cast<L>(in[j]))) * std::abs(exact) *
                                                (std::numeric_limits<T>::epsilon() / 2)) +
                                std::numeric_limits<T>::min())
                    << ops->name << " map " << formula.place << " of " << in[j];
            }
        }
    };
    const L root3 = std::sqrt(3.0L), root5 = std::sqrt(5.0L);
    check(
        formula_call_of(linear{}), -2, 2, [](L t) { return t; }, 0);
    check(
        formula_call_of(gaussian{0.5}), 0, 150, [](L t) { return std::exp(-t / 2); }, 4);
    check(
        formula_call_of(laplacian{0.25}), 0, 150, [](L t) { return std::exp(-t / 4); }, 4);
    check(
        formula_call_of(chi2{2}), 0, 40, [](L t) { return std::exp(-2 * t); }, 6);
    check(
        formula_call_of(set_exp{}), 0, 80, [](L t) { return std::exp(t); }, 4);
    check(
        formula_call_of(sigmoid{0.5, 0.25}), -40, 40, [](L t) { return std::tanh(t / 2 + 0.25L); }, 8);
    check(
        formula_call_of(polynomial{5, 0.5, 1}), 0, 3, [](L t) { return std::pow(t / 2 + 1, 5.0L); }, 12);
    check(
        formula_call_of(matern{0.5, 2}), 0, 900, [](L t) { return std::exp(-std::sqrt(t) / 2); }, 4);
    check(
        formula_call_of(matern{1.5, 2}), 0, 900,
        [=](L t) {
            const L r = root3 * std::sqrt(t) / 2;
            return (1 + r) * std::exp(-r);
        },
        8);
    check(
        formula_call_of(matern{2.5, 2}), 0, 900,
        [=](L t) {
            const L r = root5 * std::sqrt(t) / 2;
            return (1 + r + r * r / 3) * std::exp(-r);
        },
        8);
    check(
        formula_call_of(rational_quadratic{0.75, 2}), 0, 900, [](L t) { return std::pow(1 + t / 6, -0.75L); }, 12);
}

TYPED_TEST(simd, arithmetic_on_tiles) {
    using T = TypeParam;
    for (const auto* ops : all_ops<T>()) {
        const index count = 4 * ops->lanes;
        const buffer<T> a = this->numbers(count), b = this->numbers(count), positive = this->numbers(count, T(0.1), 3);
        const T u = std::numeric_limits<T>::epsilon();
        const auto run = [&](const buffer<T>& from, auto operation, auto want, T units) {
            buffer<T> to = from;
            operation(to.data());
            for (index i = 0; i < count; ++i) {
                const long double exact = want(static_cast<long double>(from[i]), i);
                ASSERT_NEAR(to[i], exact, static_cast<double>(units * u * (1 + std::abs(exact)))) << ops->name;
            }
        };
        run(
            a, [&](T* t) { ops->binary(tile_binary::add, t, b.data(), count); },
            [&](long double x, index i) { return x + b[i]; }, 1);
        run(
            a, [&](T* t) { ops->binary(tile_binary::multiply, t, b.data(), count); },
            [&](long double x, index i) { return x * b[i]; }, 1);
        run(
            a, [&](T* t) { ops->affine(t, 2.5, -1, count); }, [&](long double x, index) { return 2.5L * x - 1; }, 2);
        run(
            a, [&](T* t) { ops->power(t, 3, count); }, [&](long double x, index) { return x * x * x; }, 3);
        run(
            a, [&](T* t) { ops->power(t, 0, count); }, [&](long double, index) { return 1.0L; }, 0);
        run(
            a, [&](T* t) { ops->power(t, 1, count); }, [&](long double x, index) { return x; }, 0);
        run(
            positive, [&](T* t) { ops->power(t, -1.5, count); },
            [&](long double x, index) { return std::pow(x, -1.5L); }, 4);
        const double c[] = {1, -2, 0.5, 3};
        run(
            a, [&](T* t) { ops->polynomial(t, c, 4, count); },
            [&](long double x, index) { return 1 - 2 * x + x * x / 2 + 3 * x * x * x; }, 40);
        run(
            a, [&](T* t) { ops->polynomial(t, c, 1, count); }, [&](long double, index) { return 1.0L; }, 0);
        run(
            a, [&](T* t) { ops->exponential(t, count); }, [&](long double x, index) { return std::exp(x); }, 3);
        const T rows[] = {T(0.5), T(-2)};
        run(
            a, [&](T* t) { ops->outer(tile_binary::multiply, t, count / 2, rows, b.data(), 2, count / 2); },
            [&](long double x, index i) { return x * rows[i / (count / 2)] * b[i % (count / 2)]; }, 3);
        run(
            a, [&](T* t) { ops->outer(tile_binary::add, t, count / 2, rows, b.data(), 2, count / 2); },
            [&](long double x, index i) { return x + rows[i / (count / 2)] + b[i % (count / 2)]; }, 3);
    }
}

// All magnitudes between the smallest normal number and infinity, on both sides of every boundary between intervals of
// the series; NaN stays NaN.
TYPED_TEST(simd, exponential_has_all_digits) {
    using T = TypeParam;
    const T u = std::numeric_limits<T>::epsilon(), most = std::log(std::numeric_limits<T>::max()),
            least = std::log(std::numeric_limits<T>::min());
    std::mt19937_64 random(3);
    std::uniform_real_distribution<T> anywhere(least, most), near_zero(-2, 2), off(-4, 4);
    std::uniform_int_distribution<int> seam(static_cast<int>(least * 23), static_cast<int>(most * 23));
    for (const auto* ops : all_ops<T>()) {
        buffer<T> x(400 * ops->lanes);
        for (int round = 0; round < 30; ++round) {
            for (index i = 0; i < x.size(); ++i)
                x[i] = i % 3 == 0   ? anywhere(random)
                       : i % 3 == 1 ? near_zero(random)
                                    : static_cast<T>(seam(random) * std::log(2.0) / 32) * (1 + off(random) * u);
            buffer<T> t = x;
            ops->exponential(t.data(), t.size());
            for (index i = 0; i < t.size(); ++i) {
                const long double exact = std::exp(static_cast<long double>(x[i]));
                if (exact > std::numeric_limits<T>::max() || exact < std::numeric_limits<T>::min()) continue;
                ASSERT_NEAR(static_cast<double>(t[i] / exact), 1, 2 * u) << ops->name << " e^" << x[i];
            }
        }
        std::fill_n(x.data(), x.size(), std::numeric_limits<T>::quiet_NaN());
        ops->exponential(x.data(), x.size());
        for (index i = 0; i < x.size(); ++i) ASSERT_TRUE(std::isnan(x[i])) << ops->name;
        std::fill_n(x.data(), x.size(), std::numeric_limits<T>::infinity());
        ops->exponential(x.data(), x.size());
        ASSERT_EQ(x[0], std::numeric_limits<T>::infinity()) << ops->name;
    }
}

// The result is zero exactly below the smallest normal number.
TYPED_TEST(simd, exponential_reaches_the_smallest_normal_number) {
    using T = TypeParam;
    const long double smallest = std::log(static_cast<long double>(std::numeric_limits<T>::min()));
    const auto ulp = static_cast<T>(-smallest) * std::numeric_limits<T>::epsilon();
    for (const auto* ops : all_ops<T>()) {
        buffer<T> t(4 * ops->lanes);
        for (index i = 0; i < t.size(); ++i) t[i] = static_cast<T>(smallest) + static_cast<T>(2 + i) * ulp;
        const buffer<T> above = t;
        ops->exponential(t.data(), t.size());
        for (index i = 0; i < t.size(); ++i) {
            const long double exact = std::exp(static_cast<long double>(above[i]));
            ASSERT_NEAR(static_cast<double>(t[i] / exact), 1, 4 * std::numeric_limits<T>::epsilon())
                << ops->name << " e^" << above[i];
        }
        for (index i = 0; i < t.size(); ++i) t[i] = static_cast<T>(smallest) - static_cast<T>(1 + i * i) * ulp;
        ops->exponential(t.data(), t.size());
        for (index i = 0; i < t.size(); ++i) ASSERT_EQ(t[i], 0) << ops->name;
    }
}

}  // namespace
}  // namespace mercer
