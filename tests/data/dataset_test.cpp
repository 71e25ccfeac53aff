#include "mercer/data/dataset.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "contracts/errors.h"
#include "contracts/property.h"
#include "mercer/base/error.h"
#include "mercer/data/all_kinds.h"

namespace mercer {
namespace {

using testing::thrown_by;
using columns = std::vector<std::int32_t>;

void expect_message(const error& thrown, errc code, const std::string& part) {
    EXPECT_EQ(thrown.code(), code) << thrown.what();
    EXPECT_NE(std::string(thrown.what()).find(part), std::string::npos)
        << "\"" << thrown.what() << "\" lacks \"" << part << "\"";
}

template <class T>
dense<T> dense_of(const std::vector<std::vector<T>>& rows) {
    matrix<T> all(static_cast<index>(rows.size()), rows.empty() ? 0 : static_cast<index>(rows[0].size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy(rows[i].begin(), rows[i].end(), all.row(static_cast<index>(i)));
    return dense<T>(std::move(all));
}

// [0 1 0 2; 0 0 0 0; 3 0 0 4]
sparse<double> small_sparse() { return {{0, 2, 2, 4}, columns{1, 3, 0, 3}, std::vector<double>{1, 2, 3, 4}, 4}; }

TEST(dense_data, owns_or_borrows) {
    const std::vector<double> memory{1, 2, 3, 4, 5, 6};
    const dense<double> borrowed(matrix_view<const double>(memory.data(), 2, 2, 3));
    EXPECT_EQ(borrowed.size(), 2);
    EXPECT_EQ(borrowed.dims(), 2);
    EXPECT_EQ(borrowed.row(1), memory.data() + 3);

    const auto owned = dense_of<double>({{1, 2}, {3, 4}});
    const auto copy = owned;  // NOLINT(performance-unnecessary-copy-initialization): the copy is what is tested
    EXPECT_EQ(copy.row(0), owned.row(0)) << "copies share the storage";
}

TEST(dense_data, keeps_its_owner_alive) {
    auto memory = std::make_shared<std::vector<float>>(std::vector<float>{1, 2});
    const std::weak_ptr<const void> watch = memory;
    {
        const dense<float> data(matrix_view<const float>(memory->data(), 1, 2), memory);
        memory.reset();
        EXPECT_FALSE(watch.expired());
        EXPECT_EQ(data.row(0)[1], 2);
    }
    EXPECT_TRUE(watch.expired());
}

TEST(sparse_data, rows_and_sizes) {
    const auto data = small_sparse();
    EXPECT_EQ(data.size(), 3);
    EXPECT_EQ(data.dims(), 4);
    EXPECT_EQ(data.nonzeros(), 4);
    EXPECT_EQ(columns(data.cols(2).begin(), data.cols(2).end()), (columns{0, 3}));
    EXPECT_EQ(data.values(0)[1], 2);
    EXPECT_TRUE(data.cols(1).empty());
}

TEST(sparse_data, default_is_empty) {
    const sparse<double> none;
    EXPECT_EQ(none.size(), 0);
    EXPECT_EQ(none.nonzeros(), 0);
    EXPECT_EQ(gather(none, row_set(0, 0)).size(), 0);
}

TEST(sparse_data, refuses_what_is_not_compressed_rows) {
    const auto make = [](std::vector<index> start, columns col, std::size_t values, index dims) {
        return thrown_by(
            [&] { sparse<double>(std::move(start), std::move(col), std::vector<double>(values, 1.0), dims); });
    };
    expect_message(make({}, {}, 0, 3), errc::invalid_argument, "n + 1 row starts, got none");
    expect_message(make({-1, 0}, {}, 0, 3), errc::invalid_argument, "0 <= start, got -1");
    expect_message(make({0, 2, 1}, {0, 1}, 2, 3), errc::invalid_argument, "got 1 after 2 at row 1");
    expect_message(make({0, 1, 3}, {0, 1}, 2, 3), errc::invalid_argument,
                   "row 1 ends at entry 3, but the matrix has 2 entries");
    expect_message(make({0, 2}, {0, 1}, 1, 3), errc::invalid_argument,
                   "row 0 ends at entry 2, but the matrix has 1 entries");
    expect_message(make({0, 0, 2}, {2, 1}, 2, 3), errc::invalid_argument, "got 1 after 2 in row 1");
    expect_message(make({0, 2}, {1, 1}, 2, 3), errc::invalid_argument, "got 1 after 1 in row 0");
    expect_message(make({0, 1}, {-5}, 1, 3), errc::invalid_argument, "got -5");
    expect_message(make({0, 1, 2}, {0, 3}, 2, 3), errc::invalid_argument, "column < 3, got 3 in row 1");
}

TEST(sparse_data, borrowed_rows_are_checked_too) {
    const std::vector<index> start{0, 1};
    const columns col{9};
    const std::vector<float> val{1};
    expect_message(thrown_by([&] { sparse<float>(start, col, val, 9, nullptr); }), errc::invalid_argument,
                   "column < 9, got 9 in row 0");
    EXPECT_EQ(sparse<float>(start, col, val, 10, nullptr).cols(0).data(), col.data());
}

TEST(set_data, are_sorted_without_repeats) {
    const sets data({{3, 1, 3, 2, 1}, {}});
    EXPECT_EQ(data.size(), 2);
    EXPECT_EQ(std::vector<std::int64_t>(data[0].begin(), data[0].end()), (std::vector<std::int64_t>{1, 2, 3}));
    EXPECT_TRUE(data[1].empty());
}

TEST(data_set, knows_its_kind) {
    EXPECT_EQ(dataset(dense_of<float>({{1, 2, 3}})).kind(), object_kind::vectors);
    EXPECT_EQ(dataset(small_sparse()).kind(), object_kind::vectors);
    EXPECT_EQ(dataset(strings({"a"})).kind(), strings::kind);
    EXPECT_EQ(dataset(sets({{1, 2}, {3}})).kind(), sets::kind);
    EXPECT_TRUE(dataset(small_sparse()).is_sparse());
    EXPECT_FALSE(dataset(dense_of<float>({{1}})).is_sparse());
    EXPECT_EQ(dataset(dense_of<float>({{1, 2, 3}})).dims(), 3);
    EXPECT_EQ(dataset(strings({"abc"})).dims(), 0);
    EXPECT_EQ(dataset().size(), 0);
}

TEST(gather, dense_in_the_order_of_the_list) {
    const dataset data = dense_of<double>({{1, 2}, {3, 4}, {5, 6}});
    const std::vector<index> list{2, 0, 2};
    const dataset some = gather(data, std::span<const index>(list));
    const auto* rows = some.as<dense<double>>();
    ASSERT_NE(rows, nullptr);
    ASSERT_EQ(rows->size(), 3);
    EXPECT_EQ(rows->row(0)[1], 6);
    EXPECT_EQ(rows->row(1)[0], 1);
    EXPECT_EQ(rows->row(2)[0], 5);
}

TEST(gather, sparse_keeps_empty_rows_and_dims) {
    const std::vector<index> list{1, 2};
    const dataset some = gather(small_sparse(), std::span<const index>(list));
    const auto* rows = some.as<sparse<double>>();
    ASSERT_NE(rows, nullptr);
    EXPECT_EQ(rows->dims(), 4);
    EXPECT_EQ(rows->nonzeros(), 2);
    EXPECT_TRUE(rows->cols(0).empty());
    EXPECT_EQ(rows->values(1)[1], 4);
}

TEST(gather, strings_and_sets) {
    const dataset words = gather(strings({"a", "b", "c"}), row_set(1, 2));
    EXPECT_EQ((*words.as<strings>())[1], "c");
    const dataset some = gather(sets({{1}, {2, 3}}), row_set(1, 1));
    EXPECT_EQ((*some.as<sets>())[0][1], 3);
}

TEST(gather, refuses_an_object_that_is_not_there) {
    const dataset data = dense_of<double>({{1}, {2}});
    expect_message(thrown_by([&] { gather(data, row_set(1, 2)); }), errc::invalid_argument,
                   "object 2 does not exist: there are 2 objects, counted from 0");
    expect_message(thrown_by([&] { gather(data, row_set(-1, 1)); }), errc::invalid_argument,
                   "object -1 does not exist");
}

TEST(concatenate, dense_needs_equal_dims) {
    const dataset two = dense_of<double>({{1, 2}});
    const dataset both = concatenate(two, dense_of<double>({{3, 4}, {5, 6}}));
    EXPECT_EQ(both.size(), 3);
    EXPECT_EQ(both.as<dense<double>>()->row(2)[1], 6);
    expect_message(thrown_by([&] {
                       concatenate(two, dense_of<double>({{1, 2, 3}}));
                   }),
                   errc::invalid_argument, "2 and of 3 features");
}

TEST(concatenate, sparse_takes_the_larger_dims) {
    const sparse<double> wide({0, 1}, {8}, {5.0}, 9);
    for (const bool wide_first : {true, false}) {
        const dataset both = wide_first ? concatenate(wide, small_sparse()) : concatenate(small_sparse(), wide);
        EXPECT_EQ(both.dims(), 9);
        EXPECT_EQ(both.size(), 4);
        EXPECT_EQ(both.as<sparse<double>>()->nonzeros(), 5);
        EXPECT_EQ(both.as<sparse<double>>()->values(wide_first ? 0 : 3)[0], 5.0);
    }
}

TEST(concatenate, refuses_different_storage) {
    const dataset words = strings({"a"});
    expect_message(thrown_by([&] { concatenate(words, sets({{1, 2}, {3}})); }), errc::unsupported, "strings and sets");
    expect_message(thrown_by([&] { concatenate(dense_of<double>({{1}}), dense_of<float>({{1}})); }), errc::unsupported,
                   "data sets of different kinds or storage cannot be joined, got");
    EXPECT_EQ(concatenate(words, strings({"b", "c"})).size(), 3);
}

TEST(as_dense, shares_what_is_dense_already) {
    const dataset data = dense_of<double>({{1, 2}});
    EXPECT_EQ(as_dense<double>(data).row(0), data.as<dense<double>>()->row(0));
}

TEST(as_dense, fills_the_zeros_of_sparse_rows) {
    const auto rows = as_dense<float>(small_sparse());
    const float expected[3][4] = {{0, 1, 0, 2}, {0, 0, 0, 0}, {3, 0, 0, 4}};
    ASSERT_EQ(rows.size(), 3);
    ASSERT_EQ(rows.dims(), 4);
    for (index i = 0; i < 3; ++i)
        for (index j = 0; j < 4; ++j) EXPECT_EQ(rows.row(i)[j], expected[i][j]) << i << ", " << j;
}

TEST(as_dense, converts_between_float_and_double) {
    EXPECT_EQ(as_dense<double>(dense_of<float>({{0.5F, 2}})).row(0)[0], 0.5);
    EXPECT_EQ(as_dense<float>(dense_of<double>({{0.5, 2}})).row(0)[1], 2.0F);
}

TEST(as_dense, refuses_what_are_not_vectors) {
    expect_message(thrown_by([] { as_dense<double>(strings({"a"})); }), errc::unsupported,
                   "expected vectors, got strings");
}

TEST(require_finite, names_row_and_column) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NO_THROW(require_finite(dense_of<double>({{1, 2}, {3, std::numeric_limits<double>::max()}})));
    expect_message(thrown_by([&] {
                       require_finite(dense_of<double>({{1, 2}, {nan, 4}}));
                   }),
                   errc::data, "row 1, column 0: nan is not a finite number");
    expect_message(thrown_by([&] {
                       require_finite(dense_of<float>({{1, -std::numeric_limits<float>::infinity()}}));
                   }),
                   errc::data, "row 0, column 1: -inf");
    // For a sparse row the error names the coordinate, not the position among the stored entries.
    expect_message(thrown_by([&] {
                       require_finite(sparse<double>({0, 0, 2}, {3, 7}, {1, infinity}, 8));
                   }),
                   errc::data, "row 1, column 7: inf");
}

TEST(require_finite, has_nothing_to_say_of_other_objects) {
    EXPECT_NO_THROW(require_finite(strings({"nan"})));
    EXPECT_NO_THROW(require_finite(sets({{1, 2}, {3}})));
}

// Gathering commutes with densifying: the rows of gather(sparse) are the rows of the dense matrix.
PROPERTY(data_set_property, gathering_commutes_with_densifying) {
    const auto dims = arbitrary::integer<index>(1, 9);
    const auto n = arbitrary::integer<index>(1, 9);
    std::vector<index> start{0};
    columns col;
    std::vector<double> val;
    for (index i = 0; i < n; ++i) {
        for (index j = 0; j < dims; ++j)
            if (arbitrary::coin()) {
                col.push_back(static_cast<std::int32_t>(j));
                val.push_back(arbitrary::integer(-100, 100));
            }
        start.push_back(static_cast<index>(col.size()));
    }
    const dataset data = sparse<double>(start, col, val, dims);
    const auto list = arbitrary::some_wholes(0, n);
    const auto one = as_dense<double>(gather(data, std::span<const index>(list)));
    const auto other = gather(as_dense<double>(data), std::span<const index>(list));
    MUST_HOLD(one.size() == static_cast<index>(list.size()));
    for (index i = 0; i < one.size(); ++i)
        for (index j = 0; j < dims; ++j) MUST_HOLD(one.row(i)[j] == other.as<dense<double>>()->row(i)[j]);
}

}  // namespace
}  // namespace mercer
