// Data and kernel formulas for the tests of support vector machines. The formulas are implemented independently of the
// library.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "contracts/errors.h"
#include "contracts/svm_contract.h"
#include "io/readers_support.h"
#include "mercer/base/threads.h"
#include "mercer/io/read.h"
#include "mercer/methods/svm/fit_svm.h"

namespace mercer::svm_testing {

using mercer::testing::expect_error;
using svm_contract::statement;
using testing_support::data_file;
using testing_support::failure;
using point = std::vector<double>;
inline constexpr double infinity = std::numeric_limits<double>::infinity();

struct sample {
    std::vector<point> x;
    std::vector<double> y;
    index size() const { return static_cast<index>(x.size()); }
};

inline sample load(const std::string& file) {
    const table t = read_table(data_file(file));
    const dense<double> rows = as_dense<double>(t.x);
    sample s;
    s.y = t.y;
    for (index i = 0; i < rows.size(); ++i) s.x.emplace_back(rows.row(i), rows.row(i) + rows.dims());
    return s;
}

inline sample every(const sample& s, std::size_t step) {
    sample out;
    for (std::size_t i = 0; i < s.x.size(); i += step) out.x.push_back(s.x[i]), out.y.push_back(s.y[i]);
    return out;
}

inline sample standardised(sample s) {
    for (std::size_t c = 0; c < s.x[0].size(); ++c) {
        double mean = 0, square = 0;
        for (const auto& x : s.x) mean += x[c] / static_cast<double>(s.x.size());
        for (const auto& x : s.x) square += (x[c] - mean) * (x[c] - mean) / static_cast<double>(s.x.size());
        for (auto& x : s.x) x[c] = square > 0 ? (x[c] - mean) / std::sqrt(square) : 0.0;
    }
    return s;
}

template <class T = double>
dataset dense_data(const std::vector<point>& x) {
    matrix<T> rows(static_cast<index>(x.size()), x.empty() ? 0 : static_cast<index>(x[0].size()));
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x[i].size(); ++j)
            rows(static_cast<index>(i), static_cast<index>(j)) = static_cast<T>(x[i][j]);
    return dense<T>(std::move(rows));
}

template <class T = double>
dataset sparse_data(const std::vector<point>& x) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<T> val;
    for (const auto& row : x) {
        for (std::size_t j = 0; j < row.size(); ++j)
            if (row[j] != 0) col.push_back(static_cast<std::int32_t>(j)), val.push_back(static_cast<T>(row[j]));
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<T>(std::move(start), std::move(col), std::move(val), x.empty() ? 0 : static_cast<index>(x[0].size()));
}

// ---- kernels by their formulas ----

using pair_formula = std::function<double(const point&, const point&)>;
struct formula {
    std::string text;
    pair_formula value;
};

inline double dot(const point& a, const point& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}
inline double squared_distance(const point& a, const point& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}
inline std::string number(double v) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", v);
    return text;
}
inline formula rbf(double gamma) {
    return {"rbf(gamma=" + number(gamma) + ")",
            [=](const point& a, const point& b) { return std::exp(-gamma * squared_distance(a, b)); }};
}
inline formula linear_kernel() { return {"linear()", dot}; }
inline formula poly(int degree, double gamma, double coef0) {
    return {"poly(degree=" + std::to_string(degree) + ", gamma=" + number(gamma) + ", coef0=" + number(coef0) + ")",
            [=](const point& a, const point& b) { return std::pow(gamma * dot(a, b) + coef0, degree); }};
}
inline formula laplacian_kernel(double gamma) {
    return {"laplacian(gamma=" + number(gamma) + ")", [=](const point& a, const point& b) {
                double sum = 0;
                for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
                return std::exp(-gamma * sum);
            }};
}
// 0.5 rbf·poly + 0.1 linear, and a normalised polynomial: sums, products, scales and a node that needs k(x, x).
inline formula composite(double gamma) {
    const formula g = rbf(gamma), p = poly(2, gamma, 1);
    return {"0.5*" + g.text + "*" + p.text + " + 0.1*linear()",
            [=](const point& a, const point& b) { return 0.5 * g.value(a, b) * p.value(a, b) + 0.1 * dot(a, b); }};
}
inline formula normalised_poly(double gamma) {
    const formula p = poly(3, gamma, 1);
    return {"normalize(" + p.text + ")",
            [=](const point& a, const point& b) { return p.value(a, b) / std::sqrt(p.value(a, a) * p.value(b, b)); }};
}

template <class Value>
matrix<double> gram_matrix(index n, Value value) {
    matrix<double> K(n, n);
    for (index i = 0; i < n; ++i)
        for (index j = 0; j <= i; ++j) K(i, j) = K(j, i) = value(i, j);
    return K;
}
inline matrix<double> gram_matrix(const std::vector<point>& x, const formula& k) {
    return gram_matrix(static_cast<index>(x.size()), [&](index i, index j) {
        return k.value(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
    });
}

// Count of shared substrings of length k, with multiplicity.
inline double spectrum_value(std::string_view a, std::string_view b, std::size_t k) {
    double count = 0;
    for (std::size_t i = 0; i + k <= a.size(); ++i)
        for (std::size_t j = 0; j + k <= b.size(); ++j) count += a.substr(i, k) == b.substr(j, k);
    return count;
}
inline double common_items(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    double count = 0;
    for (const auto item : a) count += std::find(b.begin(), b.end(), item) != b.end();
    return count;
}

// ---- random problems ----

// Two overlapping clouds; `noise` is the fraction of wrong labels.
inline sample clouds(index n, index dims, double distance, double noise, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0, 1);
    sample s;
    for (index i = 0; i < n; ++i) {
        const double label = i % 2 == 0 ? 1 : -1;
        point x;
        for (index d = 0; d < dims; ++d) x.push_back(normal(random) + (d == 0 ? label * distance / 2 : 0));
        s.x.push_back(std::move(x));
        s.y.push_back(uniform(random) < noise ? -label : label);
    }
    return s;
}
// A wave with noise.
inline sample wave(index n, index dims, unsigned seed) {
    sample s = clouds(n, dims, 0, 0, seed);
    std::mt19937_64 random(seed + 1);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        double y = 0.2 * normal(random);
        for (const double v : s.x[i]) y += std::sin(2 * v);
        s.y[i] = y;
    }
    return s;
}

inline svm_options options_for(svm_task task, double C = 1, double tol = 1e-3) {
    svm_options o;
    o.task = task;
    o.C = C;
    o.tol = tol;
    o.nu = 0.2;
    o.max_seconds = 60;  // a safeguard: a test that reaches it fails because of the status
    return o;
}

inline svm_model fit(const formula& k, const sample& s, const svm_options& o) {
    return fit_svm(kernel::parse(k.text), dense_data(s.x), s.y, o);
}

// Fits a model and checks the whole contract.
inline svm_model fit_and_check(const formula& k, const sample& s, const svm_options& o) {
    SCOPED_TRACE(k.text);
    const svm_model model = fit(k, s, o);
    const matrix<double> K = gram_matrix(s.x, k);
    const statement question{o, s.y, K.view()};
    svm_contract::check_svm(model, question);
    svm_contract::check_decisions(model, question, decide(model, dense_data(s.x)));
    return model;
}

}  // namespace mercer::svm_testing
