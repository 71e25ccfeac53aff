#include "mercer/base/matrix_view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace mercer {
namespace {

bool is_aligned(const void* p) { return reinterpret_cast<std::uintptr_t>(p) % cache_line == 0; }

TEST(matrix_view, element_and_row_follow_the_stride) {
    std::vector<int> memory(3 * 5);
    std::iota(memory.begin(), memory.end(), 0);
    const matrix_view<int> view(memory.data(), 3, 4, 5);
    EXPECT_EQ(view(0, 0), 0);
    EXPECT_EQ(view(2, 3), 13);
    EXPECT_EQ(view.row(1), memory.data() + 5);
    view(1, 2) = -1;
    EXPECT_EQ(memory[7], -1);
}

TEST(matrix_view, stride_defaults_to_the_columns) {
    std::vector<int> memory(6);
    EXPECT_EQ(matrix_view<int>(memory.data(), 2, 3).stride, 3);
}

TEST(matrix_view, block_is_a_view_into_the_same_memory) {
    std::vector<int> memory(4 * 6);
    std::iota(memory.begin(), memory.end(), 0);
    const matrix_view<int> whole(memory.data(), 4, 6);
    const auto part = whole.block(1, 2, 2, 3);
    EXPECT_EQ(part.rows, 2);
    EXPECT_EQ(part.cols, 3);
    EXPECT_EQ(part.stride, 6);
    for (index i = 0; i < 2; ++i)
        for (index j = 0; j < 3; ++j) EXPECT_EQ(&part(i, j), &whole(1 + i, 2 + j));
    const auto inner = part.block(1, 1, 1, 2);
    EXPECT_EQ(&inner(0, 1), &whole(2, 4));
}

TEST(matrix_view, becomes_const_but_not_the_other_way) {
    static_assert(std::is_convertible_v<matrix_view<float>, matrix_view<const float>>);
    static_assert(!std::is_convertible_v<matrix_view<const float>, matrix_view<float>>);
    static_assert(!std::is_convertible_v<matrix_view<float>, matrix_view<const double>>);
    std::vector<float> memory{1, 2, 3, 4, 5, 6};
    const matrix_view<const float> view = matrix_view<float>(memory.data(), 2, 2, 3);
    EXPECT_EQ(view(1, 1), 5);
}

// Offsets are 64-bit: i * stride may pass 2^32. Only the address is formed, the memory is not touched.
TEST(matrix_view, offsets_do_not_overflow_32_bits) {
    const index n = 100'000;
    std::vector<char> memory(1);
    const matrix_view<char> view(memory.data(), n, n);
    const auto far = reinterpret_cast<std::uintptr_t>(view.row(n - 1));
    EXPECT_EQ(far - reinterpret_cast<std::uintptr_t>(memory.data()),
              static_cast<std::uintptr_t>(n - 1) * static_cast<std::uintptr_t>(n));
}

TEST(buffer, is_zero_and_aligned) {
    for (const index size : {1, 3, 17, 1000}) {
        const buffer<double> some(size);
        EXPECT_TRUE(is_aligned(some.data())) << size;
        EXPECT_EQ(some.size(), size);
        for (const double value : some) ASSERT_EQ(value, 0.0);
    }
}

TEST(buffer, empty_has_no_memory) {
    const buffer<float> none;
    EXPECT_EQ(none.size(), 0);
    EXPECT_EQ(none.begin(), none.end());
    const buffer<float> zero(0);
    EXPECT_EQ(zero.data(), nullptr);
    const buffer<float> copy(zero);  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
    EXPECT_EQ(copy.size(), 0);
}

TEST(buffer, copies_are_deep) {
    buffer<int> first(4);
    std::iota(first.begin(), first.end(), 1);
    buffer<int> second = first;
    second[0] = 100;
    EXPECT_EQ(first[0], 1);
    EXPECT_EQ(second[3], 4);
    first = second;
    EXPECT_EQ(first[0], 100);
    EXPECT_NE(first.data(), second.data());
}

TEST(buffer, moves_take_the_memory) {
    buffer<int> first(4);
    first[2] = 7;
    const int* where = first.data();
    const buffer<int> second = std::move(first);
    EXPECT_EQ(second.data(), where);
    EXPECT_EQ(second[2], 7);
    EXPECT_EQ(first.size(), 0);  // NOLINT(bugprone-use-after-move): what is left can be used again
    EXPECT_NE(first.at_least(4), nullptr);
}

TEST(buffer, resize_discards_and_zeroes) {
    buffer<int> some(3);
    some[0] = 5;
    some.resize(8);
    EXPECT_EQ(some.size(), 8);
    for (const int value : some) EXPECT_EQ(value, 0);
}

TEST(buffer, at_least_grows_and_never_shrinks) {
    buffer<int> some(10);
    const int* where = some.data();
    EXPECT_EQ(some.at_least(4), where);
    EXPECT_EQ(some.size(), 10);
    some.at_least(50);
    EXPECT_EQ(some.size(), 50);
    EXPECT_TRUE(is_aligned(some.data()));
}

TEST(buffer, is_a_span) {
    buffer<int> some(3);
    const std::span<int> span = some;
    span[1] = 9;
    EXPECT_EQ(some[1], 9);
    const std::span<const int> fixed = std::as_const(some);
    EXPECT_EQ(fixed.size(), 3U);
}

TEST(matrix, is_row_major_packed_and_zero) {
    matrix<double> some(2, 3);
    for (index k = 0; k < 6; ++k) EXPECT_EQ(some.data()[k], 0.0);
    some(1, 2) = 5;
    EXPECT_EQ(some.data()[5], 5);
    EXPECT_EQ(some.row(1), some.data() + 3);
    EXPECT_EQ(some.view().stride, 3);
    EXPECT_EQ(&some.view()(1, 0), &some(1, 0));
}

TEST(matrix, copies_are_deep) {
    matrix<int> first(2, 2);
    const matrix<int> second = first;
    first(0, 1) = 3;
    EXPECT_EQ(second(0, 1), 0);
}

TEST(selection, range) {
    const row_set some(10, 4);
    EXPECT_TRUE(some.is_range());
    EXPECT_EQ(some.size(), 4);
    EXPECT_EQ(some[0], 10);
    EXPECT_EQ(some[3], 13);
    const auto part = some.slice(1, 2);
    EXPECT_EQ(part.size(), 2);
    EXPECT_EQ(part[0], 11);
    EXPECT_EQ(part[1], 12);
}

TEST(selection, list) {
    const std::vector<index> list{7, 0, 7, 3};
    const row_set some{std::span<const index>(list)};
    EXPECT_FALSE(some.is_range());
    EXPECT_EQ(some.size(), 4);
    EXPECT_EQ(some[2], 7);
    const auto part = some.slice(1, 3);
    EXPECT_FALSE(part.is_range());
    ASSERT_EQ(part.size(), 3);
    for (index i = 0; i < 3; ++i) EXPECT_EQ(part[i], list[static_cast<std::size_t>(i) + 1]);
}

}  // namespace
}  // namespace mercer
