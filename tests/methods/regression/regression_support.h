// Shared by the tests of the regression methods: the stored results of scikit-learn, matrices from the definition, and
// brute force.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>

#include "contracts/paths.h"
#include "mercer/dense/gemm.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/methods/kernel_expansion.h"
#include "methods/svm/svm_support.h"

namespace mercer::regression_testing {

using namespace svm_testing;
using nlohmann::json;

inline const json& oracle(const char* part) {
    static const json all = [] {
        std::ifstream in(mercer::testing_support::tests_file("oracles/regression.json"));
        return json::parse(in);
    }();
    return all.at(part);
}

inline sample oracle_sample(const json& c) { return every(standardised(load(c.at("data"))), c.at("step")); }

inline std::vector<point> oracle_points(const json& c, const sample& s) {
    std::vector<point> out;
    for (const std::size_t row : c.at("rows").get<std::vector<std::size_t>>()) {
        out.push_back(s.x[row]);
        for (double& v : out.back()) v *= 0.9;
    }
    return out;
}

inline std::vector<double> oracle_weights(const json& c, index n) {
    std::vector<double> out;
    for (index i = 0; i < n && c.at("weighted").get<bool>(); ++i) out.push_back(0.5 + 0.5 * static_cast<double>(i % 4));
    return out;
}

// The targets of the oracle: y, its square root and a sine of it.
inline matrix<double> targets(const std::vector<double>& y, int outputs = 1) {
    matrix<double> out(static_cast<index>(y.size()), outputs);
    for (index i = 0; i < out.rows(); ++i) {
        const double v = y[static_cast<std::size_t>(i)];
        const double all[] = {v, std::sqrt(std::abs(v)), std::sin(v)};
        for (index c = 0; c < outputs; ++c) out(i, c) = all[c];
    }
    return out;
}

inline matrix<double> column(const std::vector<double>& y) { return targets(y, 1); }

inline double largest(const matrix<double>& a) { return max_abs_entry(a.view()); }

// |a - b| <= tolerance · max|b|, entry by entry.
inline void expect_close(const matrix<double>& a, const matrix<double>& b, double tolerance) {
    ASSERT_EQ(a.rows(), b.rows());
    ASSERT_EQ(a.cols(), b.cols());
    const double scale = std::max(largest(b), 1e-300);
    for (index i = 0; i < a.rows(); ++i)
        for (index c = 0; c < a.cols(); ++c)
            ASSERT_NEAR(a(i, c), b(i, c), tolerance * scale) << "row " << i << ", column " << c;
}
inline void expect_close(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
    expect_close(column(a), column(b), tolerance);
}
inline void expect_close(const matrix<double>& a, const json& b, double tolerance) {
    matrix<double> other(static_cast<index>(b.size()), static_cast<index>(b.at(0).size()));
    for (index i = 0; i < other.rows(); ++i)
        for (index c = 0; c < other.cols(); ++c)
            other(i, c) = b.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(c));
    expect_close(a, other, tolerance);
}

inline matrix<double> gram_of(const kernel& k, const dataset& x) {
    matrix<double> K(x.size(), x.size());
    evaluator<double>(k, x).fill(K.view());
    return K;
}

// Repeats row i `times[i]` times.
inline sample repeated(const sample& s, const std::vector<int>& times) {
    sample out;
    for (std::size_t i = 0; i < s.x.size(); ++i)
        for (int t = 0; t < times[i]; ++t) out.x.push_back(s.x[i]), out.y.push_back(s.y[i]);
    return out;
}
inline std::vector<int> some_times(index n) {
    std::vector<int> out;
    for (index i = 0; i < n; ++i) out.push_back(static_cast<int>(i * 7 % 4));
    return out;
}

inline sample without(const sample& s, std::size_t row) {
    sample out = s;
    out.x.erase(out.x.begin() + static_cast<std::ptrdiff_t>(row));
    out.y.erase(out.y.begin() + static_cast<std::ptrdiff_t>(row));
    return out;
}

// Solves Az = b by elimination with pivoting, the reference for the library's decompositions.
inline matrix<double> eliminated(matrix<double> a, matrix<double> b) {
    const index n = a.rows();
    for (index k = 0; k < n; ++k) {
        index top = k;
        for (index i = k + 1; i < n; ++i)
            if (std::abs(a(i, k)) > std::abs(a(top, k))) top = i;
        for (index j = 0; j < n; ++j) std::swap(a(k, j), a(top, j));
        for (index j = 0; j < b.cols(); ++j) std::swap(b(k, j), b(top, j));
        for (index i = k + 1; i < n; ++i) {
            const double factor = a(i, k) / a(k, k);
            for (index j = k; j < n; ++j) a(i, j) -= factor * a(k, j);
            for (index j = 0; j < b.cols(); ++j) b(i, j) -= factor * b(k, j);
        }
    }
    for (index k = n - 1; k >= 0; --k)
        for (index j = 0; j < b.cols(); ++j) {
            for (index i = k + 1; i < n; ++i) b(k, j) -= a(k, i) * b(i, j);
            b(k, j) /= a(k, k);
        }
    return b;
}

// Every prefix of the file, and the file with one byte changed, must be refused.
template <class Parse>
void expect_damage_is_noticed(const std::string& bytes, Parse parse) {
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 40)
        EXPECT_THROW(parse(bytes.substr(0, size)), error) << size;
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 40) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
        EXPECT_THROW(parse(damaged), error) << at;
    }
    EXPECT_THROW(parse(bytes + "x"), error);
}

}  // namespace mercer::regression_testing
