#include "mercer/preprocess/column_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/communicator.h"
#include "mercer/base/copy_bytes.h"
#include "mercer/base/error.h"
#include "mercer/base/order_free.h"

namespace mercer {
namespace {

using range = scaling::range;

// Calls visit(column, value) for every stored coordinate.
template <class Visit>
void each_value(const dataset& x, Visit&& visit) {
    std::visit(
        [&](const auto& some) {
            if constexpr (requires { some.row(0); }) {
                for (index i = 0; i < some.size(); ++i)
                    for (index j = 0; j < some.dims(); ++j) visit(j, static_cast<double>(some.row(i)[j]));
            } else if constexpr (requires { some.cols(0); }) {
                for (index i = 0; i < some.size(); ++i) {
                    const auto cols = some.cols(i);
                    const auto values = some.values(i);
                    for (std::size_t k = 0; k < cols.size(); ++k) visit(cols[k], static_cast<double>(values[k]));
                }
            } else {
                fail(errc::unsupported, fmt::format("scaling needs vectors, got {}", name(x.kind())));
            }
        },
        x.items());
}

// min and max of each column, how often it is stored, and the number of rows.
struct column_extremes {
    std::vector<range> columns;
    std::vector<index> stored;
    index rows = 0;

    void widen(index dims) {
        constexpr double inf = std::numeric_limits<double>::infinity();
        if (static_cast<index>(stored.size()) >= dims) return;
        columns.resize(static_cast<std::size_t>(dims), range{inf, -inf});
        stored.resize(columns.size(), 0);
    }
    void take(std::size_t j, double low, double high, index count) {
        columns[j] = {std::min(columns[j].first, low), std::max(columns[j].second, high)};
        stored[j] += count;
    }
    // Of the rows of all processes.
    void join(const process_group& group) {
        std::string mine(sizeof(index) + stored.size() * (sizeof(range) + sizeof(index)), '\0');
        copy_bytes(mine.data(), &rows, sizeof rows);
        copy_bytes(mine.data() + sizeof rows, columns.data(), columns.size() * sizeof(range));
        copy_bytes(mine.data() + sizeof rows + columns.size() * sizeof(range), stored.data(),
                   stored.size() * sizeof(index));
        *this = {};
        for (const std::string& each : group.all(mine)) {
            const std::size_t dims = (each.size() - sizeof rows) / (sizeof(range) + sizeof(index));
            std::vector<range> theirs(dims);
            std::vector<index> counts(dims);
            index more = 0;
            copy_bytes(&more, each.data(), sizeof more);
            copy_bytes(theirs.data(), each.data() + sizeof rows, dims * sizeof(range));
            copy_bytes(counts.data(), each.data() + sizeof rows + dims * sizeof(range), dims * sizeof(index));
            widen(static_cast<index>(dims));
            for (std::size_t j = 0; j < dims; ++j) take(j, theirs[j].first, theirs[j].second, counts[j]);
            rows += more;
        }
    }
};

// Columns that do not store all n coordinates also hold a zero.
column_extremes extremes(const scaling::batch_pass& pass, const process_group* group) {
    column_extremes out;
    pass([&](const dataset& x) {
        out.widen(x.dims());
        out.rows += x.size();
        each_value(x, [&](index j, double value) { out.take(static_cast<std::size_t>(j), value, value, 1); });
    });
    if (group) out.join(*group);
    for (std::size_t j = 0; j < out.stored.size(); ++j)
        if (out.stored[j] < out.rows) out.take(j, 0.0, 0.0, 0);
    return out;
}

void add_up(const process_group* group, std::vector<order_free_sum>& sums) {
    static_assert(sizeof(order_free_sum) == 3 * sizeof(double));
    if (group && !sums.empty()) group->add(sums.front().parts, 3 * sums.size());
}

// mean and sd of each column in two passes, both in units of the largest magnitude so that no sum can overflow.
std::vector<range> moments(const scaling::batch_pass& pass, const process_group* group) {
    const column_extremes between = extremes(pass, group);
    const std::size_t dims = between.columns.size();
    const auto n = static_cast<double>(between.rows);
    const auto every_value = [&pass](const auto& visit) { pass([&](const dataset& x) { each_value(x, visit); }); };
    std::vector<double> unit(dims);
    for (std::size_t j = 0; j < dims; ++j)
        unit[j] = std::max({std::abs(between.columns[j].first), std::abs(between.columns[j].second),
                            std::numeric_limits<double>::min()});
    std::vector<order_free_sum> sum(dims);
    every_value([&](index j, double value) {
        sum[static_cast<std::size_t>(j)].add(value / unit[static_cast<std::size_t>(j)]);
    });
    add_up(group, sum);
    // Distances to the mean in units of the largest: tiny ones beside a large mean keep their digits.
    std::vector<double> mean(dims), reach(dims);
    for (std::size_t j = 0; j < dims; ++j) {
        mean[j] = sum[j].value() / n;
        reach[j] =
            std::max({std::abs(between.columns[j].first / unit[j] - mean[j]),
                      std::abs(between.columns[j].second / unit[j] - mean[j]), std::numeric_limits<double>::min()});
    }
    std::vector<order_free_sum> square(dims);
    every_value([&](index column, double value) {
        const auto j = static_cast<std::size_t>(column);
        const double distance = (value / unit[j] - mean[j]) / reach[j];
        square[j].add(distance * distance);
    });
    add_up(group, square);
    std::vector<range> columns(dims);
    for (std::size_t j = 0; j < dims; ++j) {
        const double zeros = n - static_cast<double>(between.stored[j]);
        // What the distances add up to: 0 but for the rounding of the mean. Taking it out corrects the sum of squares
        // to second order.
        const auto& [high, middle, low] = sum[j].parts;
        const double residual = (std::fma(-n, mean[j], high) + (middle + low)) / reach[j];
        const double zero = mean[j] / reach[j];  // columns that are not stored hold a zero, so within reach
        const double squares = square[j].value() + zeros * zero * zero;
        const double variance = std::max(0.0, (squares - residual * residual / n) / n);
        if (between.columns[j].first == between.columns[j].second)
            columns[j] = {between.columns[j].first, 0.0};
        else
            columns[j] = {mean[j] * unit[j], std::sqrt(variance) * reach[j] * unit[j]};
    }
    return columns;
}

}  // namespace

std::vector<range> fit_columns(const scaling::batch_pass& pass, scaling_method method, const process_group* group) {
    return method == scaling_method::minmax ? extremes(pass, group).columns : moments(pass, group);
}

}  // namespace mercer
