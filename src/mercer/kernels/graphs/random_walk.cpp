#include "mercer/kernels/graphs/random_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "mercer/base/context.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {
namespace {

// An upper bound of the largest eigenvalue of the adjacency matrix A: maxᵥ (Ax)ᵥ/xᵥ for any x > 0 (Collatz, Wielandt).
// Power iteration with I + A makes the bound converge to the eigenvalue.
double eigenvalue_bound(const graph& g) {
    const auto n = static_cast<std::size_t>(g.nodes());
    std::vector<double> x(n, 1.0), y(n);
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 200; ++round) {
        double most = 0, least = std::numeric_limits<double>::infinity(), largest = 0;
        for (std::size_t v = 0; v < n; ++v) {
            double sum = 0;
            for (const std::int32_t w : g.neighbours(static_cast<index>(v))) sum += x[static_cast<std::size_t>(w)];
            most = std::max(most, sum / x[v]);
            least = std::min(least, sum / x[v]);
            y[v] = x[v] + sum;
            largest = std::max(largest, y[v]);
        }
        best = std::min(best, most);
        if (most - least <= 1e-6 * most) break;
        for (std::size_t v = 0; v < n; ++v) x[v] = std::max(y[v] / largest, 1e-200);  // the bound holds for any x > 0
    }
    return n == 0 ? 0 : best;
}

// The product graph as lists of neighbours (compressed rows).
class product_graph {
public:
    product_graph(const graph& a, const graph& b) {
        const auto columns = static_cast<std::size_t>(b.nodes());
        std::unordered_map<std::int64_t, std::vector<std::int32_t>> by_label;
        for (index v = 0; v < b.nodes(); ++v) by_label[b.label(v)].push_back(static_cast<std::int32_t>(v));
        // Memory for the number of each pair of nodes, and for 8 numbers of the solver for each pair with equal labels.
        constexpr std::size_t per_place = sizeof(std::int32_t), per_pair = 64;
        std::size_t same_labels = 0;
        for (index u = 0; u < a.nodes(); ++u)
            if (const auto same = by_label.find(a.label(u)); same != by_label.end()) same_labels += same->second.size();
        held_.grow_to(static_cast<std::size_t>(a.nodes()) * columns * per_place + same_labels * per_pair);
        std::vector<std::int32_t> place(static_cast<std::size_t>(a.nodes()) * columns, -1);
        std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
        for (index u = 0; u < a.nodes(); ++u)
            if (const auto same = by_label.find(a.label(u)); same != by_label.end())
                for (const std::int32_t v : same->second) {
                    place[static_cast<std::size_t>(u) * columns + static_cast<std::size_t>(v)] =
                        static_cast<std::int32_t>(pairs.size());
                    pairs.emplace_back(static_cast<std::int32_t>(u), v);
                }
        start_.push_back(0);
        cancellation_check stop_check;
        for (const auto& [u, v] : pairs) {
            const auto left = a.neighbours(u), right = b.neighbours(v);
            stop_check.count(left.size() * right.size());
            const auto left_labels = a.edge_labels(u), right_labels = b.edge_labels(v);
            for (std::size_t k = 0; k < left.size(); ++k)
                for (std::size_t l = 0; l < right.size(); ++l) {
                    const std::int32_t at =
                        place[static_cast<std::size_t>(left[k]) * columns + static_cast<std::size_t>(right[l])];
                    const std::int64_t x = left_labels.empty() ? 0 : left_labels[k],
                                       z = right_labels.empty() ? 0 : right_labels[l];
                    if (at >= 0 && x == z) to_.push_back(at);
                }
            start_.push_back(to_.size());
        }
    }
    std::size_t size() const { return start_.size() - 1; }
    // y = A× x
    void multiply(const std::vector<double>& x, std::vector<double>& y) const {
        for (std::size_t v = 0; v < size(); ++v) {
            double sum = 0;
            for (std::size_t k = start_[v]; k < start_[v + 1]; ++k) sum += x[static_cast<std::size_t>(to_[k])];
            y[v] = sum;
        }
    }

private:
    workspace held_;
    std::vector<std::size_t> start_;
    std::vector<std::int32_t> to_;
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// 1ᵀx with (I - λA×)x = 1 by conjugate gradients from x = 0. The error of 1ᵀx is rᵀ(I - λA×)⁻¹r <= rᵀr/(1-q) with the
// residual r and q >= λρ(A×).
double solve_geometric_series(const product_graph& g, double lambda, double q) {
    const std::size_t n = g.size();
    std::vector<double> x(n), r(n, 1.0), p(n, 1.0), Mp(n);
    double rr = static_cast<double>(n), sum = 0;
    cancellation_check stop_check;
    for (std::size_t round = 0; round < 10 * n + 100 && rr > 1e-17 * (1 - q) * sum; ++round) {
        stop_check.count(10 * n);
        g.multiply(p, Mp);
        for (std::size_t v = 0; v < n; ++v) Mp[v] = p[v] - lambda * Mp[v];
        const double step = rr / dot(p, Mp), before = rr;
        for (std::size_t v = 0; v < n; ++v) x[v] += step * p[v], r[v] -= step * Mp[v];
        rr = dot(r, r);
        for (std::size_t v = 0; v < n; ++v) p[v] = r[v] + rr / before * p[v];
        sum = 0;
        for (const double value : x) sum += value;
    }
    return sum;
}

// The sum of the series. Its terms satisfy t(a+b) <= t(a)·t(b), so the terms from the first t(s) = δ < 1 on add up to
// at most δ/(1-δ) of the sum of the terms before it.
double sum_geometric_series(const product_graph& g, double lambda) {
    std::vector<double> v(g.size(), 1.0), next(g.size());
    double sum = 0, term = static_cast<double>(g.size());
    while (term > 1e-17) {
        sum += term;
        g.multiply(v, next);
        term = 0;
        for (double& value : next) term += value *= lambda;
        v.swap(next);
    }
    return sum;
}

struct prepared_graph {
    graph g;
    double largest = 0;  // an upper bound of the largest eigenvalue
};

double common_walks(const prepared_graph& x, const prepared_graph& z, double lambda) {
    const bool swapped = x.g > z.g;  // so that k(x, z) and k(z, x) are bit-identical
    const product_graph product = swapped ? product_graph(z.g, x.g) : product_graph(x.g, z.g);
    return x.g.directed() || z.g.directed() ? sum_geometric_series(product, lambda)
                                            : solve_geometric_series(product, lambda, lambda * x.largest * z.largest);
}

std::vector<prepared_graph> prepare_graphs(const dataset& from, const row_set& which) {
    const graphs& some = objects_of<graphs>(from, "random_walk");
    std::vector<prepared_graph> out(static_cast<std::size_t>(which.size()));
    parallel_for(which.size(), [&](index i) {
        out[static_cast<std::size_t>(i)] = {some[which[i]], eigenvalue_bound(some[which[i]])};
    });
    return out;
}

void check_bound(const std::vector<prepared_graph>& x, const std::vector<prepared_graph>& z, double lambda) {
    const auto largest = [](const std::vector<prepared_graph>& some) {
        double most = 0;
        for (const prepared_graph& one : some) most = std::max(most, one.largest);
        return most;
    };
    const double rho_x = largest(x), rho_z = largest(z);
    if (lambda * rho_x * rho_z >= 1)
        fail(errc::invalid_argument,
             fmt::format(
                 "random_walk: lambda must satisfy lambda < 1/(rho(G)*rho(H)) = {:.6g}, got {} (rho, the largest "
                 "eigenvalue of a graph, is up to {:.6g} and {:.6g} in these data)",
                 1 / (rho_x * rho_z), lambda, rho_x, rho_z));
}

}  // namespace

int emit_random_walk(plan_builder& code, double lambda) {
    const auto block = [lambda](const dataset& x, const row_set& rows, const dataset& z, const row_set& cols,
                                matrix_view<double> out) {
        const std::vector<prepared_graph> left = prepare_graphs(x, rows), right = prepare_graphs(z, cols);
        check_bound(left, right, lambda);
        parallel_for(out.rows * out.cols, [&](index pair) {
            const index i = pair / out.cols, j = pair % out.cols;
            out(i, j) = common_walks(left[static_cast<std::size_t>(i)], right[static_cast<std::size_t>(j)], lambda);
        });
    };
    instruction step;
    step.operation = instruction::op::map;
    step.a = code.use_statistic({pair_statistic::user, code.use_embedding({}), false, block});
    return code.push(std::move(step));
}

}  // namespace mercer
