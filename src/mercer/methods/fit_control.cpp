#include "mercer/methods/fit_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {
namespace {

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

bool few_examples(index n, std::span<const double> sample_weight) {
    constexpr index few = 1000;
    return (sample_weight.empty() ? n : n - std::ranges::count(sample_weight, 0.0)) <= few;
}

fit_watch::fit_watch(const fit_control& control) : control_(control), started_(seconds_now()) {}

progress_callback fit_watch::callback() {
    if (!control_.progress && std::isinf(control_.seconds)) return {};
    return [this](fit_progress now) {
        now.seconds = seconds_now() - started_;
        late_ = now.seconds > control_.seconds;
        return !late_ && (!control_.progress || control_.progress(now));
    };
}

void report(const progress_callback& progress, const fit_progress& now, const std::string& owner) {
    if (progress && !progress(now))
        fail(errc::cancelled, fmt::format("{}: stopped by the caller before there was a model", owner));
}

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
    if (x.kind() == domain::vectors) require_finite(x);
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

std::vector<index> label_places(std::span<const double> y, const std::vector<double>& classes) {
    std::vector<index> places;
    places.reserve(y.size());
    for (const double label : y)
        places.push_back(std::lower_bound(classes.begin(), classes.end(), label) - classes.begin());
    return places;
}

}  // namespace mercer
