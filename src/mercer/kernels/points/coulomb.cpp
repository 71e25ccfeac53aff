#include "mercer/kernels/points/coulomb.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/laplacian.h"
#include "mercer/kernels/word_counts.h"

namespace mercer {
namespace {

matrix<double> coulomb_matrix(const point_cloud& of) {
    const index n = of.size();
    const auto charge = [&](index i) {
        const std::int32_t z = of.elements[static_cast<std::size_t>(i)];
        return z > 0 ? static_cast<double>(z) : 1.0;
    };
    matrix<double> out(n, n);
    for (index i = 0; i < n; ++i) {
        out(i, i) = 0.5 * std::pow(charge(i), 2.4);
        for (index j = 0; j < i; ++j) {
            const double value = charge(i) * charge(j) / of.distance(i, j);
            if (!std::isfinite(value))
                fail(errc::data,
                     fmt::format("coulomb: points {} and {} (counted from 1) have the same coordinates", j + 1, i + 1));
            out(i, j) = out(j, i) = value;
        }
    }
    return out;
}

// The sort key of a row: the squared norm, then the entries in descending order. The norm is summed in this order and
// all numbers are rounded to float, so that rows that are equal up to rounding have the same key for every order and
// rotation of the atoms.
std::vector<float> row_key(const double* row, index n) {
    std::vector<double> entries(row, row + n);
    std::ranges::sort(entries, std::greater<>());
    double norm = 0;
    for (const double each : entries) norm += each * each;
    std::vector<float> out{static_cast<float>(norm)};
    for (const double each : entries) out.push_back(static_cast<float>(each));
    return out;
}

}  // namespace

std::vector<double> sorted_coulomb_matrix(const point_cloud& of) {
    const index n = of.size();
    // Bytes of the matrix, the keys of its rows, and the result while its vector grows.
    const workspace held(static_cast<std::size_t>(n) * static_cast<std::size_t>(n) * 20);
    const matrix<double> m = coulomb_matrix(of);
    std::vector<std::vector<float>> key;
    cancellation_check stop_check;
    for (index i = 0; i < n; ++i) {
        stop_check.count(50 * static_cast<std::size_t>(n));
        key.push_back(row_key(m.row(i), n));
    }
    std::vector<index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), index{0});
    std::ranges::stable_sort(
        order, [&](index a, index b) { return key[static_cast<std::size_t>(a)] > key[static_cast<std::size_t>(b)]; });
    std::vector<double> out;
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = 0; j <= i; ++j) out.push_back(m(order[i], order[j]));
    return out;
}

int coulomb::emit(plan_builder& code) const {
    const embedding source = description_embedding<points>("coulomb", [](const point_cloud& of, index i) {
        description out;
        try {
            for (const double value : sorted_coulomb_matrix(of)) out.emplace_back(out.size(), value);
        } catch (const error& wrong) {
            if (wrong.code() != errc::data) throw;
            throw row_error(i, -1, wrong.what());
        }
        return out;
    });
    instruction step;
    step.operation = instruction::op::map;
    step.a = code.use_statistic(
        {norm == 1 ? pair_statistic::manhattan : pair_statistic::dot, code.use_embedding(source), norm == 2, {}});
    step.formula =
        norm == 1 ? formula_call_of(laplacian{1 / sigma}) : formula_call_of(gaussian{1 / (2 * sigma * sigma)});
    step.input = norm == 1 ? map_input::value : map_input::squared_distance;
    return code.push(std::move(step));
}

}  // namespace mercer
