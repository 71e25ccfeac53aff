#include "mercer/solvers/linear_svm/hinge_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"

namespace mercer {

void check(const hinge_problem& problem, const char* owner) { check(problem.x.rows(), problem.y, problem.C, owner); }

void check(index examples, std::span<const double> y, std::span<const double> C, const char* owner) {
    const auto n = static_cast<std::size_t>(examples);
    if (n == 0) fail(errc::data, fmt::format("{}: there are no examples", owner));
    if (y.size() != n || C.size() != n)
        fail(errc::invalid_argument,
             fmt::format("{}: {} examples, but {} labels and {} values of C", owner, n, y.size(), C.size()));
    for (std::size_t i = 0; i < n; ++i) {
        if (y[i] != 1 && y[i] != -1)
            fail(errc::data, fmt::format("{}: labels must be 1 or -1, got {} for example {}", owner, y[i], i));
        if (!(C[i] > 0) || !std::isfinite(C[i]))
            fail(errc::invalid_argument,
                 fmt::format("{}: must satisfy 0 < C < infinity, got {} for example {}", owner, C[i], i));
    }
}

double hinge_loss(std::span<const double> f, double b, std::span<const double> y, std::span<const double> C) {
    double sum = 0;
    for (std::size_t i = 0; i < f.size(); ++i) sum += C[i] * std::max(0.0, 1 - y[i] * (f[i] + b));
    return sum;
}

offset_choice best_offset(std::span<const double> f, std::span<const double> y, std::span<const double> C,
                          bool with_alpha) {
    offset_choice found;
    const std::size_t n = f.size();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto at = [&](std::size_t i) { return y[i] - f[i]; };
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return at(a) != at(b) ? at(a) < at(b) : a < b; });
    double slope = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (y[i] > 0) slope -= C[i];
        size += C[i];
    }
    std::size_t k = 0;
    const double rounding = 1e-14 * size;
    while (k + 1 < n && slope + C[order[k]] < -rounding) slope += C[order[k++]];
    found.low = found.high = at(order[k]);
    // If the slope is zero to the right of this point, the loss is constant up to the next one.
    if (std::abs(slope + C[order[k]]) <= rounding && k + 1 < n) found.high = at(order[k + 1]);
    found.b = found.low + (found.high - found.low) / 2;
    if (!with_alpha) return found;
    found.alpha.assign(n, 0.0);
    for (std::size_t place = 0; place < n; ++place) {
        const std::size_t i = order[place];
        if (place == k)
            found.alpha[i] = std::clamp(y[i] > 0 ? C[i] + slope : -slope, 0.0, C[i]);
        else if ((place > k) == (y[i] > 0))
            found.alpha[i] = C[i];
    }
    return found;
}

double evaluate_dual(const hinge_problem& problem, std::vector<double>& alpha, bool balanced) {
    double sums[2] = {0, 0};
    for (std::size_t i = 0; i < alpha.size(); ++i) {
        alpha[i] = std::clamp(alpha[i], 0.0, problem.C[i]);
        sums[problem.y[i] > 0] += alpha[i];
    }
    const double least = std::min(sums[0], sums[1]);
    std::vector<double> v(static_cast<std::size_t>(problem.x.dims()), 0.0);
    double total = 0;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
        const double mine = sums[problem.y[i] > 0];
        if (balanced && mine > least) alpha[i] *= least / mine;
        total += alpha[i];
        if (alpha[i] != 0) problem.x.add(static_cast<index>(i), alpha[i] * problem.y[i], v.data());
    }
    return total - std::inner_product(v.begin(), v.end(), v.begin(), 0.0) / 2;
}

void scaled_vector::scale_by(double by) {
    scale_ *= by;
    // When the scale becomes small, normalise it to 1, and first add share·v to rest. A smaller scale would lose
    // digits: additions are divided by the scale, and share·v and rest would cancel.
    if (std::abs(scale_) >= 1e-4) return;
    for (std::size_t i = 0; i < rest_.size(); ++i) rest_[i] += share_ * v_[i];
    share_ = 0;
    for (double& each : v_) each *= scale_;
    scale_ = 1;
}

void scaled_vector::reset_average() {
    std::fill(rest_.begin(), rest_.end(), 0.0);
    share_ = total_ = 0;
}

std::vector<double> scaled_vector::value() const {
    std::vector<double> out = v_;
    for (double& each : out) each *= scale_;
    return out;
}

std::vector<double> scaled_vector::mean() const {
    if (total_ == 0) return value();
    std::vector<double> out(v_.size());
    for (std::size_t i = 0; i < v_.size(); ++i) out[i] = (share_ * v_[i] + rest_[i]) / total_;
    return out;
}

void shuffle(std::vector<index>& order, splitmix64& random) {
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(static_cast<index>(i)))]);
}

}  // namespace mercer
