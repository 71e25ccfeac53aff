#include "mercer/preprocess/scaling.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "contracts/property.h"
#include "io/readers_support.h"
#include "mercer/data/all_kinds.h"
#include "mercer/io/libsvm.h"

namespace mercer {
namespace {

using namespace testing_support;
using matrix_rows = std::vector<std::vector<double>>;

template <class T = double>
dense<T> make(const std::vector<std::vector<T>>& values) {
    matrix<T> m(static_cast<index>(values.size()), static_cast<index>(values.front().size()));
    for (index i = 0; i < m.rows(); ++i)
        std::copy(values[static_cast<std::size_t>(i)].begin(), values[static_cast<std::size_t>(i)].end(), m.row(i));
    return dense<T>(std::move(m));
}

const scaling_options minmax{.method = scaling_method::minmax, .lower = -1, .upper = 1};

TEST(scaling, standardise_by_hand) {
    // column 1: mean 3, sd² = (4 + 0 + 4) / 3; column 2 is constant
    const dataset x = make({{1, 7}, {3, 7}, {5, 7}});
    const scaling s = scaling::fit(x);
    const double sd = std::sqrt(8.0 / 3.0);
    const auto got = rows<double>(s.apply(x));
    EXPECT_DOUBLE_EQ(got[0][0], -2 / sd);
    EXPECT_DOUBLE_EQ(got[1][0], 0);
    EXPECT_DOUBLE_EQ(got[2][0], 2 / sd);
    for (const auto& row : got) EXPECT_EQ(row[1], 0);
    const auto back = rows<double>(s.inverse(s.apply(x)));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_DOUBLE_EQ(back[i][0], 1 + 2 * static_cast<double>(i));
        EXPECT_EQ(back[i][1], 7);
    }
    EXPECT_DOUBLE_EQ(rows<double>(s.apply(make({{9, 8}})))[0][1], 1);  // a constant column only loses its mean
}

TEST(scaling, standardise_survives_large_offsets_and_large_numbers) {
    const scaling near = scaling::fit(make({{1e9 + 1}, {1e9 + 2}, {1e9 + 3}}));
    EXPECT_NEAR(near.columns()[0].second, std::sqrt(2.0 / 3.0), 1e-6);
    const scaling huge = scaling::fit(make({{1e308}, {-1e308}, {1e308}, {-1e308}}));
    EXPECT_EQ(huge.columns()[0].first, 0);
    EXPECT_DOUBLE_EQ(huge.columns()[0].second, 1e308);
}

TEST(scaling, minmax_by_hand) {
    const dataset x = make({{0, 7, -1e308}, {10, 7, 1e308}, {4, 7, 0}});
    const scaling s = scaling::fit(x, {.method = scaling_method::minmax, .lower = 0, .upper = 5});
    EXPECT_EQ(rows<double>(s.apply(x)), (matrix_rows{{0, 0, 0}, {5, 0, 5}, {2, 0, 2.5}}));
    EXPECT_EQ(rows<double>(s.inverse(s.apply(x))), (matrix_rows{{0, 7, -1e308}, {10, 7, 1e308}, {4, 7, 0}}));
    EXPECT_EQ(rows<double>(s.apply(make({{20, 9, 0}})))[0],
              (std::vector<double>{10, 0, 2.5}));  // beyond the range seen
}

TEST(scaling, minmax_of_sparse_data_is_svm_scale) {
    const table in = read_libsvm(test_file("svmscale_in.svm"));
    const table out = read_libsvm(test_file("svmscale_out.svm"));  // svm-scale -l -0.5 -u 2 -y -1 1
    const scaling_options options{.method = scaling_method::minmax,
                                  .lower = -0.5,
                                  .upper = 2,
                                  .targets = true,
                                  .target_lower = -1,
                                  .target_upper = 1};
    const scaling s = scaling::fit(in.x, in.y, options);
    const auto six_digits = [](double value) {
        return std::stod(fmt::format("{:g}", value));
    };  // the output of svm-scale
    auto got = entries<double>(s.apply(in.x));
    for (entry& one : got) one.value = six_digits(one.value);
    EXPECT_EQ(got, entries<double>(out.x));
    EXPECT_EQ(s.apply_targets(in.y), out.y);  // printed with all digits
    // the same as dense
    EXPECT_EQ(rows<double>(s.apply(as_dense<double>(in.x))), rows<double>(as_dense<double>(s.apply(in.x))));
    EXPECT_EQ(scaling::fit(as_dense<double>(in.x), in.y, options).to_json(), s.to_json());
}

TEST(scaling, sparse_zeros_stay_zeros_without_the_mean) {
    const dataset x = parse_libsvm("1 1:3\n1 3:4\n1 1:-3\n", "f").x;
    EXPECT_EQ(failure([&] { scaling::fit(x); }),
              "unsupported: standardising sparse vectors would make every zero nonzero: use with_mean = false, min-max "
              "scaling, or dense vectors");
    const scaling s = scaling::fit(x, {.with_mean = false});
    const auto got = entries<double>(s.apply(x));
    ASSERT_EQ(got.size(), 3u);
    EXPECT_DOUBLE_EQ(got[0].value, 3 / std::sqrt(6.0));                  // 9 + 0 + 9 over 3
    EXPECT_DOUBLE_EQ(got[1].value, 4 / std::sqrt(16.0 / 3 - 16.0 / 9));  // E x² - (E x)²
    EXPECT_EQ(s.columns()[1].second, 0);                                 // an empty column
    EXPECT_EQ(scaling::fit(as_dense<double>(x), {.with_mean = false}).to_json(), s.to_json());
    EXPECT_EQ(failure([&] {
                  scaling::fit(make({{1}, {2}})).apply(parse_libsvm("1 1:3\n", "f").x);
              }),
              "unsupported: standardising sparse vectors would make every zero nonzero: use with_mean = false, min-max "
              "scaling, or dense vectors");
}

TEST(scaling, storage_is_kept) {
    const scaling s = scaling::fit(make<float>({{1, 2}, {3, 5}}), minmax);
    EXPECT_EQ(rows<float>(s.apply(make<float>({{1, 2}, {2, 5}}))), (std::vector<std::vector<float>>{{-1, -1}, {0, 1}}));
    EXPECT_EQ(entries<float>(s.apply(parse_libsvm("1 1:1 2:2\n", "f", {.numbers = precision::f32}).x)),
              (std::vector<entry>{{0, 0, -1}, {0, 1, -1}}));
}

TEST(scaling, dims_must_fit) {
    const scaling s = scaling::fit(make({{1, 2}, {3, 5}}), minmax);
    EXPECT_EQ(failure([&] {
                  s.apply(make({{1, 2, 3}}));
              }),
              "invalid argument: the scaling was fitted on 2 columns, got vectors of 3 columns");
    EXPECT_EQ(failure([&] { s.apply(make(matrix_rows{{1}})); }),
              "invalid argument: the scaling was fitted on 2 columns, got vectors of 1 columns");
    EXPECT_EQ(failure([&] { s.inverse(parse_libsvm("1 3:1\n", "f").x); }),
              "invalid argument: the scaling was fitted on 2 columns, got vectors of 3 columns");
    const dataset narrow = s.apply(parse_libsvm("1 1:3\n", "f").x);  // its second coordinate is a zero
    EXPECT_EQ(narrow.dims(), 2);
    EXPECT_EQ(rows<double>(as_dense<double>(narrow)), rows<double>(s.apply(make({{3, 0}}))));
}

TEST(scaling, wrong_input_is_refused) {
    EXPECT_EQ(failure([] {
                  scaling::fit(make({{1}, {NAN}}));
              }),
              "bad data: row 1, column 0: nan is not a finite number");
    EXPECT_EQ(failure([] {
                  scaling::fit(make(matrix_rows{{1}}), {.method = scaling_method::minmax, .lower = 1, .upper = 1});
              }),
              "invalid argument: min-max scaling needs finite lower < upper, got 1 and 1");
    EXPECT_EQ(failure([] { scaling::fit(strings({"a"})); }), "unsupported: scaling needs vectors, got strings");
    EXPECT_EQ(failure([] { scaling::fit(make(matrix_rows{{1}}), {.targets = true}); }),
              "invalid argument: scaling of targets needs targets, got none");
    const std::vector<double> y{1, 2};
    EXPECT_EQ(failure([&] { scaling::fit(make(matrix_rows{{1}}), y, {.targets = true}); }),
              "invalid argument: expected one target per vector, got 2 targets for 1 vectors");
    const scaling tiny = scaling::fit(make({{0}, {1e-300}}), minmax);
    EXPECT_TRUE(failure([&] {
                    tiny.apply(make(matrix_rows{{1e300}}));
                }).starts_with("bad data: row 0, column 0: the scaled value inf"))
        << "2e600";
}

TEST(scaling, targets_come_back) {
    const std::vector<double> y{5, 15, 10};
    const scaling s = scaling::fit(make({{1}, {2}, {3}}), y, {.targets = true});
    const auto scaled = s.apply_targets(y);
    EXPECT_DOUBLE_EQ(scaled[1], 5 / std::sqrt(50.0 / 3));
    const auto back = s.inverse_targets(scaled);
    for (std::size_t k = 0; k < y.size(); ++k) EXPECT_DOUBLE_EQ(back[k], y[k]);
    EXPECT_EQ(scaling::fit(make(matrix_rows{{1}})).apply_targets(y), y);
}

TEST(scaling, file_holds_every_bit) {
    const scratch_folder folder;
    EXPECT_TRUE(arbitrary::holds("saved and loaded, a scaling is the same", [&] {
        const int d = arbitrary::integer(1, 6);
        matrix_rows values(3);
        for (auto& row : values) row = arbitrary::reals(static_cast<std::size_t>(d));
        const auto y = arbitrary::reals(3);
        scaling_options options = minmax;
        if (arbitrary::coin()) options = {.with_mean = arbitrary::coin()};
        options.targets = arbitrary::coin();
        const scaling s = scaling::fit(make(values), y, options);
        s.save(folder.path("scaling.json"));
        const scaling back = scaling::load(folder.path("scaling.json"));
        MUST_HOLD(std::equal(s.columns().begin(), s.columns().end(), back.columns().begin(), back.columns().end()));
        MUST_HOLD(s.target() == back.target());
        MUST_HOLD(s.to_json() == back.to_json());
        MUST_HOLD(rows<double>(s.apply(make(values))) == rows<double>(back.apply(make(values))));
    }));
}

TEST(scaling, inverse_undoes_apply) {
    EXPECT_TRUE(arbitrary::holds("inverse(apply(x)) = x up to the rounding of a few operations", [] {
        matrix_rows values;
        for (int i = 0; i < 4; ++i)
            values.push_back({arbitrary::integer(-1000, 1000) / 7.0, arbitrary::integer(-1000, 1000) * 1e5});
        const scaling s = scaling::fit(make(values), arbitrary::coin() ? minmax : scaling_options{});
        const auto back = rows<double>(s.inverse(s.apply(make(values))));
        for (std::size_t j = 0; j < 2; ++j) {
            double size = 0;
            for (const auto& row : values) size = std::max(size, std::abs(row[j]));
            for (std::size_t i = 0; i < values.size(); ++i)
                MUST_HOLD(std::abs(back[i][j] - values[i][j]) <= 16 * size * std::numeric_limits<double>::epsilon());
        }
    }));
}

TEST(scaling, bad_files_are_refused) {
    const auto bad = [](const std::string& text) { return failure([&] { scaling::from_json(text, "f"); }); };
    EXPECT_TRUE(bad("{").starts_with("parse error: f: not a scaling file: "));
    EXPECT_EQ(bad(R"({"format": "x"})"),
              "parse error: f: not a scaling file: the format must be mercer-scaling, got \"x\"");
    const std::string head =
        R"({"format": "mercer-scaling", "version": 1, "method": "minmax", "lower": 0, "upper": 1, )";
    EXPECT_EQ(bad(head + R"("min": [1], "max": [0]})"),
              "parse error: f: not a scaling file: must satisfy min <= max, got 1 and 0");
    EXPECT_EQ(bad(head + R"("min": [1], "max": []})"),
              "parse error: f: not a scaling file: 'min' and 'max' must be lists of the same length");
    EXPECT_TRUE(bad(head + R"("min": ["a"], "max": [0]})").starts_with("parse error: f: not a scaling file: "));
    EXPECT_EQ(
        bad(R"({"format": "mercer-scaling", "version": 1, "method": "standardise", "with_mean": true, "mean": [0], "sd": [-1]})"),
        "parse error: f: not a scaling file: must satisfy 0 <= sd, got -1");
    EXPECT_EQ(bad(head + R"("min": [0], "max": [1]})"), "no error");
}

TEST(scaling, does_not_fill_the_memory_for_columns_that_do_not_occur) {
    const sparse<double> hashed({0, 1, 2}, {5, 2147483646}, {1, 2}, 2147483647);
    scaling_options options;
    options.method = scaling_method::minmax;
    try {
        scaling::fit(hashed, options);
        FAIL();
    } catch (const error& caught) {
        EXPECT_EQ(caught.code(), errc::memory);
    }
}

}  // namespace
}  // namespace mercer
