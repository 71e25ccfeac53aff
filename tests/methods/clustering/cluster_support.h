// Data and checks shared by the tests of the methods that need only distances and projections.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "contracts/errors.h"
#include "contracts/paths.h"
#include "io/readers_support.h"
#include "kernel_analysis/random_matrices.h"
#include "mercer/data/all_kinds.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/io/libsvm.h"
#include "mercer/io/read.h"
#include "mercer/kernels/sets/set_kernels.h"
#include "mercer/kernels/strings/spectrum.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/kernels/vectors/matern.h"
#include "mercer/kernels/vectors/polynomial.h"
#include "mercer/methods/model_file.h"

namespace mercer::cluster_testing {

using mercer::testing::expect_error;
using mercer::testing::random_vectors;
using mercer::testing_support::data_file;
using mercer::testing_support::scratch_folder;
using nlohmann::json;

inline const json& oracle() {
    static const json all = [] {
        std::ifstream in(mercer::testing_support::tests_file("oracles/cluster.json"));
        return json::parse(in);
    }();
    return all;
}

struct sample {
    dense<double> x;
    std::vector<double> y;
    dense<double> fresh;  // every 7th example plus 0.1·√(column number + 2)
};

inline sample load(const std::string& name) {
    const table read = read_libsvm(data_file(name));
    sample s{as_dense<double>(read.x), read.y, {}};
    matrix<double> made((s.x.size() + 6) / 7, s.x.dims());
    for (index i = 0; i < made.rows(); ++i)
        for (index c = 0; c < made.cols(); ++c)
            made(i, c) = s.x.row(7 * i)[c] + 0.1 * std::sqrt(static_cast<double>(c + 2));
    s.fresh = dense<double>(std::move(made));
    return s;
}

inline std::vector<double> test_weights(index n) {
    std::vector<double> w;
    for (index i = 0; i < n; ++i) w.push_back(0.5 + 0.5 * static_cast<double>(i % 4));
    return w;
}

// Each object repeated as often as its weight.
inline std::vector<index> repeated(const std::vector<double>& weight) {
    std::vector<index> out;
    for (std::size_t i = 0; i < weight.size(); ++i)
        out.insert(out.end(), static_cast<std::size_t>(weight[i]), static_cast<index>(i));
    return out;
}

inline matrix<double> all_of(const gram<double>& k) {
    matrix<double> out(k.rows(), k.cols());
    k.block(row_set(0, k.rows()), row_set(0, k.cols()), out.view());
    return out;
}

inline dataset few_strings() { return strings({"abcabc", "abcab", "bcabca", "zzzz", "zzyz", "yzzz", "abzz"}); }
inline dataset few_sets() { return sets({{1, 2, 3}, {1, 2}, {2, 3, 4}, {10, 11}, {10, 11, 12}, {}, {1, 2, 3, 4}}); }

// A model is equal after saving and loading, and damaged files are refused: truncated, one byte changed, a newer
// version, another format.
template <class Model>
Model round_trip(const Model& model) {
    const auto parse = parse_model<Model>;
    const std::string bytes = model_bytes(model);
    Model back = parse(bytes, "m");
    EXPECT_EQ(model_bytes(back), bytes);
    for (const std::size_t at :
         {std::size_t{0}, std::size_t{5}, bytes.size() / 3, bytes.size() / 2, bytes.size() - 1}) {
        EXPECT_THROW(parse(bytes.substr(0, at), "m"), error) << "cut at " << at;
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
        EXPECT_THROW(parse(damaged, "m"), error) << "changed at " << at;
    }
    EXPECT_THROW(parse(bytes + "x", "m"), error);
    std::string newer = bytes;
    const std::size_t version = newer.find(' ') + 1;
    newer.replace(version, newer.find(' ', version) - version, "9");
    expect_error(errc::parse, "newer", [&] { parse(newer, "m"); });
    expect_error(errc::parse, "not a model file", [&] { parse("libsvm", "m"); });
    scratch_folder folder;
    save_model(model, folder.path("a.model"));
    EXPECT_EQ(testing_support::contents(folder.path("a.model")), bytes);
    return back;
}

inline void expect_near(const matrix<double>& a, const matrix<double>& b, double tolerance) {
    ASSERT_EQ(a.rows(), b.rows());
    ASSERT_EQ(a.cols(), b.cols());
    for (index i = 0; i < a.rows(); ++i)
        for (index j = 0; j < a.cols(); ++j) ASSERT_NEAR(a(i, j), b(i, j), tolerance) << i << ", " << j;
}

inline dense<double> with_nan() {
    matrix<double> x(3, 2);
    x(1, 1) = std::numeric_limits<double>::quiet_NaN();
    return dense<double>(std::move(x));
}

}  // namespace mercer::cluster_testing
