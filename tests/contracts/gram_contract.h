// The contract of every Gram matrix: blocks, diagonal and products agree with one dense matrix.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <span>
#include <vector>

#include "mercer/base/threads.h"
#include "mercer/gram/gram.h"

namespace mercer::testing {

// `want` is K in double; the entries of K may differ from it by `tolerance`.
template <class T>
void expect_gram_contract(const gram<T>& k, const matrix<double>& want, double tolerance) {
    ASSERT_EQ(k.rows(), want.rows());
    ASSERT_EQ(k.cols(), want.cols());
    const index n = k.rows(), m = k.cols();
    std::mt19937_64 random(1);
    const T untouched = static_cast<T>(-4321);
    const auto expect_block = [&](const row_set& rows, const row_set& cols) {
        matrix<T> out(rows.size() + 1, cols.size() + 1);
        std::fill_n(out.data(), out.rows() * out.cols(), untouched);
        k.block(rows, cols, out.view());
        for (index i = 0; i <= rows.size(); ++i)
            for (index j = 0; j <= cols.size(); ++j) {
                if (i == rows.size() || j == cols.size())
                    ASSERT_EQ(out(i, j), untouched) << "written outside of the block";
                else
                    ASSERT_NEAR(out(i, j), want(rows[i], cols[j]), tolerance) << rows[i] << ", " << cols[j];
            }
        // The same block with output rows in reverse order.
        matrix<T> apart(rows.size(), cols.size());
        std::vector<T*> places;
        for (index i = 0; i < rows.size(); ++i) places.push_back(apart.row(rows.size() - 1 - i));
        k.block(rows, cols, row_pointers<T>(places.data()));
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j)
                ASSERT_EQ(apart(rows.size() - 1 - i, j), out(i, j)) << "scattered rows differ";
    };
    expect_block(row_set(0, n), row_set(0, m));
    const matrix_view<const T> memory = k.stored();
    ASSERT_LE(memory.rows, n);
    for (index i = 0; i < memory.rows; ++i) {
        std::vector<T> row(static_cast<std::size_t>(m));
        k.row(i, row.data());
        ASSERT_EQ(memory.cols, m);
        for (index j = 0; j < m; ++j)
            ASSERT_EQ(memory(i, j), row[static_cast<std::size_t>(j)]) << "what lies in memory is something else";
    }
    expect_block(row_set(0, 0), row_set(0, m));
    expect_block(row_set(0, n), row_set(0, 0));
    if (n == 0 || m == 0) return;
    expect_block(row_set(n - 1, 1), row_set(0, m));
    expect_block(row_set(n / 3, n / 2), row_set(m / 4, m / 3));
    for (int repeat = 0; repeat < 5; ++repeat) {
        std::vector<index> rows, cols;
        for (int i = 0; i < 17; ++i) rows.push_back(static_cast<index>(random() % static_cast<std::uint64_t>(n)));
        for (int j = 0; j < 23; ++j) cols.push_back(static_cast<index>(random() % static_cast<std::uint64_t>(m)));
        expect_block(std::span<const index>(rows), std::span<const index>(cols));
        expect_block(std::span<const index>(rows), row_set(0, m));
        expect_block(row_set(0, n), std::span<const index>(cols));
    }

    matrix<T> all(n, m);
    k.fill(all.view());
    std::vector<T> row(static_cast<std::size_t>(m));
    k.row(n / 2, row.data());
    for (index j = 0; j < m; ++j) ASSERT_EQ(row[j], all(n / 2, j));
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < m; ++j) ASSERT_NEAR(all(i, j), want(i, j), tolerance);

    std::vector<T> diagonal(static_cast<std::size_t>(n));
    if (n == m) {
        k.diagonal(diagonal);
        for (index i = 0; i < n; ++i) ASSERT_NEAR(diagonal[i], want(i, i), tolerance) << i;
    } else {
        EXPECT_ANY_THROW(k.diagonal(diagonal));
    }

    // square() equals block() of a symmetric matrix, for rows in any order and with repetitions.
    bool symmetric = n == m;
    for (index i = 0; symmetric && i < n; ++i)
        for (index j = 0; j < i; ++j) symmetric = symmetric && std::abs(want(i, j) - want(j, i)) <= tolerance;
    for (int repeat = 0; symmetric && repeat < 4; ++repeat) {
        std::vector<index> which;
        for (index i = 0; i < (repeat == 0 ? n : 19); ++i)
            which.push_back(repeat == 0 ? i : static_cast<index>(random() % static_cast<std::uint64_t>(n)));
        const auto size = static_cast<index>(which.size());
        matrix<T> square(size, size);
        std::fill_n(square.data(), size * size, T(99));
        k.symmetric_block(std::span<const index>(which), square.view());
        for (index i = 0; i < size; ++i)
            for (index j = 0; j < size; ++j)
                ASSERT_NEAR(square(i, j), want(which[i], which[j]), tolerance)
                    << "square, " << which[i] << ", " << which[j];
        // Row pointers with equal spacing except one: the row `elsewhere` is stored last, and its regular place must
        // not be written.
        const index elsewhere = size > 2 ? size / 2 : size;
        matrix<T> apart(size + 1, size + 1);
        std::fill_n(apart.data(), apart.rows() * apart.cols(), untouched);
        std::vector<T*> places;
        for (index i = 0; i < size; ++i) places.push_back(apart.row(i == elsewhere ? size : i));
        k.symmetric_block(std::span<const index>(which), row_pointers<T>(places.data()));
        for (index i = 0; i < size; ++i)
            for (index j = 0; j < size; ++j)
                ASSERT_EQ(places[static_cast<std::size_t>(i)][j], square(i, j)) << "scattered rows of a square differ";
        for (index i = 0; i <= size; ++i)
            for (index j = i == elsewhere || (i == size && elsewhere == size) ? 0 : size; j <= size; ++j)
                ASSERT_EQ(apart(i, j), untouched) << "written outside of the rows of a square";
    }

    // One and several right-hand sides, sums in double; results are bit-identical for any number of threads.
    for (const index columns : {index{1}, index{3}}) {
        matrix<double> v(m, columns), out(n, columns), again(n, columns);
        std::normal_distribution<double> normal;
        for (index i = 0; i < m * columns; ++i) v.data()[i] = normal(random);
        std::fill_n(out.data(), n * columns, 99.0);
        k.multiply(v.view(), out.view());
        for (index i = 0; i < n; ++i)
            for (index s = 0; s < columns; ++s) {
                double sum = 0, size = 0;
                for (index j = 0; j < m; ++j)
                    sum += want(i, j) * v(j, s),
                        size += std::abs(v(j, s)) * (tolerance + 1e-15 * std::abs(want(i, j)) * static_cast<double>(m));
                ASSERT_NEAR(out(i, s), sum, size) << i << ", " << s;
            }
        const int before = threads();
        set_threads(3);
        k.multiply(v.view(), again.view());
        set_threads(before);
        for (index i = 0; i < n * columns; ++i) ASSERT_EQ(out.data()[i], again.data()[i]);
    }
    matrix<double> wrong(m + 1, 1), out(n, 1);
    EXPECT_ANY_THROW(k.multiply(wrong.view(), out.view()));
}

}  // namespace mercer::testing
