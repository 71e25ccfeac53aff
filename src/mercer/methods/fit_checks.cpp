#include "mercer/methods/fit_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

std::vector<double> checked_weights(const std::vector<double>& given, index n, index positive,
                                    const std::string& owner) {
    if (given.empty()) {
        if (positive > n)
            fail(errc::invalid_argument,
                 fmt::format("{}: at least {} examples are needed, got {}", owner, positive, n));
        return std::vector<double>(static_cast<std::size_t>(n), 1.0);
    }
    if (static_cast<index>(given.size()) != n)
        fail(errc::invalid_argument, fmt::format("{}: {} examples but {} sample weights", owner, n, given.size()));
    index above = 0;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (!(given[i] >= 0) || !std::isfinite(given[i]))
            fail(errc::data,
                 fmt::format("{}: sample weight {} must satisfy 0 <= weight < infinity, got {}", owner, i, given[i]));
        above += given[i] > 0;
    }
    if (above < positive)
        fail(errc::invalid_argument,
             fmt::format("{}: at least {} examples of positive weight are needed, got {}", owner, positive, above));
    return given;
}

void require_objects(const dataset& x, const std::string& owner) {
    if (x.size() == 0) fail(errc::data, fmt::format("{}: there are no examples", owner));
    if (x.kind() == object_kind::vectors) require_finite(x);
}

std::vector<double> checked_diagonal(const gram<double>& k, const std::string& owner) {
    if (k.rows() != k.cols())
        fail(errc::invalid_argument,
             fmt::format("{}: the matrix must be square, got {} × {}", owner, k.rows(), k.cols()));
    if (k.rows() == 0) fail(errc::data, fmt::format("{}: there are no examples", owner));
    std::vector<double> self(static_cast<std::size_t>(k.rows()));
    k.diagonal(self);
    for (std::size_t i = 0; i < self.size(); ++i)
        if (!std::isfinite(self[i]))
            fail(errc::data, fmt::format("{}: k(x, x) of example {} is {}, not a finite number", owner, i, self[i]));
    return self;
}

std::vector<double> distinct_labels(std::span<const double> y, index n, const std::string& owner) {
    if (static_cast<index>(y.size()) != n)
        fail(errc::invalid_argument, fmt::format("{}: {} examples but {} targets", owner, n, y.size()));
    for (std::size_t i = 0; i < y.size(); ++i)
        if (!std::isfinite(y[i]))
            fail(errc::data, fmt::format("{}: target {} is {}, not a finite number", owner, i, y[i]));
    std::vector<double> classes(y.begin(), y.end());
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    return classes;
}

std::vector<index> class_indices(std::span<const double> y, const std::vector<double>& classes) {
    std::vector<index> places;
    places.reserve(y.size());
    for (const double label : y)
        places.push_back(std::lower_bound(classes.begin(), classes.end(), label) - classes.begin());
    return places;
}

void check_targets(const std::string& owner, index n, matrix_view<const double> y) {
    if (n == 0) fail(errc::data, fmt::format("{}: there are no examples", owner));
    if (y.rows != n)
        fail(errc::invalid_argument, fmt::format("{}: {} examples but {} rows of targets", owner, n, y.rows));
    if (y.cols < 1) fail(errc::invalid_argument, fmt::format("{}: targets must have at least one column", owner));
    for (index i = 0; i < n; ++i)
        for (index c = 0; c < y.cols; ++c)
            if (!std::isfinite(y(i, c)))
                fail(errc::data,
                     fmt::format("{}: target {}, column {} is {}, not a finite number", owner, i, c, y(i, c)));
}

void check_weights(const std::string& owner, index n, std::span<const double> weight) {
    if (static_cast<index>(weight.size()) != n)
        fail(errc::invalid_argument, fmt::format("{}: {} examples but {} sample weights", owner, n, weight.size()));
    for (std::size_t i = 0; i < weight.size(); ++i)
        if (!(weight[i] >= 0) || !std::isfinite(weight[i]))
            fail(errc::data,
                 fmt::format("{}: sample weight {} must satisfy 0 <= weight < infinity, got {}", owner, i, weight[i]));
}

std::vector<double> checked_weights(const std::string& owner, index n, std::span<const double> weight) {
    if (weight.empty()) return std::vector<double>(static_cast<std::size_t>(n), 1.0);
    check_weights(owner, n, weight);
    if (std::ranges::none_of(weight, [](double w) { return w > 0; }))
        fail(errc::data, fmt::format("{}: all sample weights are zero", owner));
    return {weight.begin(), weight.end()};
}

std::vector<index> positive_indices(std::span<const double> weight) {
    std::vector<index> used;
    for (std::size_t i = 0; i < weight.size(); ++i)
        if (weight[i] > 0) used.push_back(static_cast<index>(i));
    return used;
}

std::string format_bytes(double bytes) {
    const char* const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
    return unit == 0 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

void check_budget(const std::string& owner, double needed, std::size_t budget, const std::string& why) {
    if (needed > static_cast<double>(budget))
        fail(errc::memory,
             fmt::format("{}: {:.0f} bytes ({}) are needed {}, but memory_bytes allows {} ({}): raise the memory limit",
                         owner, needed, format_bytes(needed), why, budget, format_bytes(static_cast<double>(budget))));
}

}  // namespace mercer
