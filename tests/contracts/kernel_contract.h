// The contract of every kernel. All registered kernels and random composites of them are tested with this suite.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "contracts/dense_oracle.h"
#include "contracts/reference.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/evaluation/evaluator.h"

namespace mercer::testing {

inline dataset data_for(const kernel_case& s, const objects& some, storage how = storage::dense, bool single = false) {
    if (s.k.kind() == strings::kind) return strings_of(some);
    if (s.k.kind() == sets::kind) return sets_of(some);
    if (s.k.kind() == graphs::kind) return graphs_of(some);
    if (s.k.kind() == multisets::kind) return multisets_of(some);
    if (s.k.kind() == points::kind) return points_of(some);
    if (s.k.kind() == series::kind) return series_of(some);
    if (s.k.kind() == images::kind) return images_of(some);
    if (s.k.kind() == trees::kind) return trees_of(some);
    return single ? vectors_of<float>(some, how) : vectors_of<double>(some, how);
}

inline objects objects_for(const kernel_case& s, generator& random, index count, vector_style style = {}) {
    style.non_negative = style.non_negative || s.non_negative;
    if (s.k.kind() == strings::kind) return random_strings(random, count);
    if (s.k.kind() == sets::kind) return random_sets(random, count);
    if (s.k.kind() == graphs::kind) return random_graphs(random, count);
    if (s.k.kind() == multisets::kind) return random_multisets(random, count);
    if (s.k.kind() == points::kind) return random_clouds(random, count);
    if (s.k.kind() == series::kind) return random_series(random, count);
    if (s.k.kind() == images::kind) return random_images(random, count);
    if (s.k.kind() == trees::kind) return random_trees(random, count);
    return random_vectors(random, count, style);
}

template <class T>
matrix<T> block_of(const evaluator<T>& e, const row_set& rows, const row_set& cols) {
    matrix<T> out(rows.size(), cols.size());
    e.block(rows, cols, out.view());
    return out;
}
template <class T>
matrix<T> block_of(const evaluator<T>& e) {
    return block_of(e, row_set(0, e.rows()), row_set(0, e.cols()));
}

// Returns true if the matrices are bit-identical, NaN included.
template <class T>
bool same_bits(const matrix<T>& a, const matrix<T>& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() &&
           (a.rows() * a.cols() == 0 ||
            std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.rows() * a.cols()) * sizeof(T)) == 0);
}

// Factor by which a derived first-order bound may be exceeded, because of terms of second order and the last roundings.
inline constexpr long double slack = 4;

template <class T>
::testing::AssertionResult close(T got, const approx& want) {
    const long double allowed = slack * (want.error + std::abs(want.value)) * (std::numeric_limits<T>::epsilon() / 2) +
                                want.flushed * std::numeric_limits<T>::min();
    if (std::abs(static_cast<long double>(got) - want.value) <= allowed) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << got << " is not " << want.value << " ± " << allowed;
}

// The values of the definition for all pairs, row by row.
inline std::vector<approx> reference_values(const kernel_case& s, const objects& x, const objects& z) {
    std::vector<approx> out;
    out.reserve(x.size() * z.size());
    for (const auto& left : x)
        for (const auto& right : z) out.push_back(s.f(left, right));
    return out;
}

template <class T>
void expect_values(const kernel_case& s, const std::vector<approx>& want, const matrix<T>& got,
                   const std::string& what) {
    ASSERT_EQ(got.rows() * got.cols(), static_cast<index>(want.size()));
    for (index i = 0; i < got.rows(); ++i)
        for (index j = 0; j < got.cols(); ++j)
            ASSERT_TRUE(close(got(i, j), want[static_cast<std::size_t>(i * got.cols() + j)]))
                << s.k.text() << ", " << what << ", (" << i << ", " << j << ")";
}

template <class T>
void expect_reference(const kernel_case& s, const objects& x, const objects& z, const matrix<T>& got,
                      const std::string& what) {
    ASSERT_EQ(got.rows(), static_cast<index>(x.size()));
    ASSERT_EQ(got.cols(), static_cast<index>(z.size()));
    expect_values(s, reference_values(s, x, z), got, what);
}

// Compares blocks with the definition: in float and double, with dense and sparse storage on either side, for one and
// for two data sets.
inline void expect_definition(const kernel_case& s, const objects& x, const objects& z) {
    const bool vectors = s.k.kind() == object_kind::vectors || s.k.kind() == object_kind::any;
    const std::vector<approx> between = reference_values(s, x, z), within = reference_values(s, x, x);
    for (const storage left : {storage::dense, storage::sparse})
        for (const storage right : {storage::dense, storage::sparse}) {
            if (!vectors && (left == storage::sparse || right == storage::sparse)) continue;
            const std::string what = std::string(left == storage::dense ? "dense" : "sparse") + " and " +
                                     (right == storage::dense ? "dense" : "sparse");
            const auto expect_block = [&](const auto& e, const char* precisions) {
                ASSERT_EQ(e.rows(), static_cast<index>(x.size()));
                ASSERT_EQ(e.cols(), static_cast<index>(z.size()));
                expect_values(s, between, block_of(e), what + precisions);
            };
            // The precision of the storage and of the evaluation are independent.
            expect_block(evaluator<double>(s.k, data_for(s, x, left), data_for(s, z, right)), ", double");
            expect_block(evaluator<double>(s.k, data_for(s, x, left, true), data_for(s, z, right)),
                         ", double of float and double");
            expect_block(evaluator<float>(s.k, data_for(s, x, left, true), data_for(s, z, right, true)), ", float");
            expect_block(evaluator<float>(s.k, data_for(s, x, left), data_for(s, z, right, true)),
                         ", float of double and float");
            if (left != right) continue;
            expect_values(s, within, block_of(evaluator<double>(s.k, data_for(s, x, left))),
                          what + ", double, one data set");
            expect_values(s, within, block_of(evaluator<float>(s.k, data_for(s, x, left, true))),
                          what + ", float, one data set");
            if (::testing::Test::HasFatalFailure()) return;
        }
}

// Compares pair_value with the definition, one pair at a time.
inline void expect_pairs(const kernel_case& s, const objects& x, const objects& z, index step) {
    for (std::size_t i = 0; i < x.size(); i += static_cast<std::size_t>(step))
        for (std::size_t j = 0; j < z.size(); j += static_cast<std::size_t>(step))
            ASSERT_TRUE(close(pair_value(s.k, data_for(s, {x[i]}), data_for(s, {z[j]})), s.f(x[i], z[j])))
                << s.k.text() << " (" << i << ", " << j << ")";
}

template <class T>
void expect_symmetry(const kernel_case& s, const objects& x, storage how = storage::dense) {
    const evaluator<T> e(s.k, data_for(s, x, how));
    const matrix<T> k = block_of(e);
    for (index i = 0; i < k.rows(); ++i)
        for (index j = 0; j < i; ++j) ASSERT_EQ(k(i, j), k(j, i)) << s.k.text() << " (" << i << ", " << j << ")";
    matrix<T> all(k.rows(), k.cols());
    e.fill(all.view());
    EXPECT_TRUE(same_bits(all, k)) << s.k.text() << ": all() differs from block()";
}

template <class T>
void expect_diagonal(const kernel_case& s, const objects& x, storage how = storage::dense) {
    const evaluator<T> e(s.k, data_for(s, x, how));
    const matrix<T> k = block_of(e);
    std::vector<T> diagonal(x.size());
    e.diagonal(diagonal);
    const T few = 8 * std::numeric_limits<T>::epsilon();
    for (index i = 0; i < k.rows(); ++i) {
        ASSERT_NEAR(diagonal[i], k(i, i), few * std::abs(k(i, i)) * (1 + static_cast<T>(x[i].vector.size())))
            << s.k.text() << ", object " << i;
        if (s.k.properties().normalised) {
            ASSERT_NEAR(k(i, i), 1, few) << s.k.text() << ", object " << i;
        }
    }
}

// Any selection of rows and columns gives values that are bit-identical to the whole block, and no other memory is
// written.
template <class T>
void expect_selections(const kernel_case& s, const objects& x, const objects& z, generator& random,
                       storage how = storage::dense) {
    const evaluator<T> e(s.k, data_for(s, x, how), data_for(s, z, how)),
        kept(s.k, data_for(s, x, how), data_for(s, z, how), std::size_t{1} << 30);
    const matrix<T> k = block_of(e);
    EXPECT_TRUE(same_bits(k, block_of(kept))) << s.k.text() << ": kept panels differ";
    const auto check = [&](const row_set& rows, const row_set& cols) {
        const T untouched = static_cast<T>(-12345.5);
        for (const auto* which : {&e, &kept}) {
            matrix<T> out(rows.size() + 1, cols.size() + 3);
            std::fill_n(out.data(), out.rows() * out.cols(), untouched);
            which->block(rows, cols, out.view());
            for (index i = 0; i < out.rows(); ++i)
                for (index j = 0; j < out.cols(); ++j) {
                    const T want = i < rows.size() && j < cols.size() ? k(rows[i], cols[j]) : untouched;
                    ASSERT_EQ(out(i, j), want)
                        << s.k.text() << " (" << i << ", " << j << ") of " << rows.size() << "×" << cols.size();
                }
        }
    };
    for (const index m : {index{0}, index{1}, index{5}, index{11}, index{12}, index{13}, index{31}, index{32},
                          index{33}, index{255}, index{256}, index{257}, e.rows()})
        for (const index n : {index{0}, index{1}, index{15}, index{16}, index{17}, index{33}, index{128}, e.cols()}) {
            if (m > e.rows() || n > e.cols()) continue;
            check(row_set(0, m), row_set(0, n));
            check(row_set(e.rows() - m, m), row_set(e.cols() - n, n));
            std::vector<index> rows, cols;
            for (index i = 0; i < m; ++i) rows.push_back(below(random, e.rows()));
            for (index j = 0; j < n; ++j) cols.push_back(below(random, e.cols()));
            check(std::span<const index>(rows), std::span<const index>(cols));
            if (::testing::Test::HasFatalFailure()) return;
        }
    check(row_set(3, 7), row_set(32, std::min<index>(40, e.cols() - 32)));
}

template <class T>
void expect_same_for_threads(const kernel_case& s, const objects& x, storage how = storage::dense) {
    const int before = threads();
    std::vector<matrix<T>> blocks, wholes;
    for (const int count : {1, 2, 3}) {
        set_threads(count);
        const evaluator<T> e(s.k, data_for(s, x, how));
        blocks.push_back(block_of(e));
        wholes.emplace_back(e.rows(), e.cols());
        e.fill(wholes.back().view());
    }
    set_threads(before);
    for (std::size_t i = 1; i < blocks.size(); ++i) {
        EXPECT_TRUE(same_bits(blocks[0], blocks[i])) << s.k.text() << " with " << i + 1 << " threads";
        EXPECT_TRUE(same_bits(wholes[0], wholes[i])) << s.k.text() << ": all() with " << i + 1 << " threads";
    }
}

// Equal objects are indistinguishable: k(x, z) and k(x, x) are bit-identical, so that their distance in feature space
// is 0.
template <class T>
void expect_twins(const kernel_case& s, objects x, storage how = storage::dense) {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) x.push_back(x[i]);
    const matrix<T> k = block_of(evaluator<T>(s.k, data_for(s, x, how)));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(k(i, i), k(i, i + n)) << s.k.text() << ", object " << i;
}

// λ_min >= -n·u·‖K‖ for a kernel that is proven to be positive semidefinite.
inline void expect_positive_semidefinite(const kernel_case& s, const objects& x) {
    if (!s.k.proof().valid) return;
    const matrix<double> k = block_of(evaluator<double>(s.k, data_for(s, x)));
    const std::vector<double> values = eigenvalues_of(k);  // ascending
    const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
    EXPECT_GE(values.front(), -static_cast<double>(k.rows()) * std::numeric_limits<double>::epsilon() * largest)
        << s.k.text();
}

inline void expect_text_round_trip(const kernel_case& s, const objects& x) {
    const std::string text = s.k.text();
    const kernel again = kernel::parse(text);
    EXPECT_EQ(again.text(), text);
    EXPECT_EQ(again.kind(), s.k.kind());
    EXPECT_EQ(again.proof().valid, s.k.proof().valid) << text;
    expect_reference({again, s.f, s.non_negative}, x, x, block_of(evaluator<double>(again, data_for(s, x))),
                     "read back");
}

}  // namespace mercer::testing
