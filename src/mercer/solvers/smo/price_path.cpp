#include "mercer/solvers/smo/price_path.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/solvers/smo/vector_ops.h"

namespace mercer::smo {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

index padded(index n) {
    const index width = best_vector_ops().padding;
    return (n + width - 1) / width * width;
}

}  // namespace

padded_matrix::padded_matrix(index n) : n_(n), values_(n, padded(n)) {}

void padded_matrix::filled() {
    diagonal_.assign(static_cast<std::size_t>(stride()), 1.0f);
    for (index i = 0; i < n_; ++i) {
        diagonal_[static_cast<std::size_t>(i)] = values_(i, i);
        std::fill(values_.row(i) + n_, values_.row(i) + stride(), 0.0f);
    }
}

price_path::price_path(const padded_matrix& K, std::span<const double> sign, std::span<const double> weight)
    : K_(K),
      sign_(sign.begin(), sign.end()),
      weight_(weight.begin(), weight.end()),
      three_(3, K.stride()),
      F_(three_.row(0)),
      up_(three_.row(1)),
      low_(three_.row(2)) {
    std::ranges::copy(sign, F_);
    const auto all = static_cast<std::size_t>(K.stride());
    sign_.resize(all, 0.0);
    if (weight_.empty()) weight_.assign(sign.size(), 1.0);
    weight_.resize(all, 0.0);
    for (auto* each : {&alpha_, &lower_, &upper_}) each->assign(all, 0.0);
}

// ½s²αᵀKα - s·yᵀα is least at s = yᵀα / αᵀKα: 1 where no bound holds α, and beyond C/(last C) where all are at theirs.
void price_path::grow(double C) {
    double linear = 0, quadratic = 0;
    for (std::size_t i = 0; i < sign_.size(); ++i) {
        linear += std::abs(alpha_[i]);
        quadratic += alpha_[i] * (sign_[i] - F_[i]);
    }
    if (linear > 0) {
        const double most = C / C_, best = quadratic > 0 ? linear / quadratic : most;
        const double s = std::clamp(best, 1.0, most);
        for (std::size_t i = 0; i < sign_.size(); ++i) {
            const bool at_bound = std::abs(alpha_[i]) == C_ * weight_[i];
            alpha_[i] = s == most && at_bound ? sign_[i] * C * weight_[i] : s * alpha_[i];
            F_[i] = sign_[i] - s * (sign_[i] - F_[i]);
        }
    }
    C_ = C;
}

void price_path::set_bounds() {
    for (std::size_t i = 0; i < sign_.size(); ++i) {
        const double most = C_ * weight_[i];
        lower_[i] = sign_[i] < 0 ? -most : 0.0;
        upper_[i] = sign_[i] > 0 ? most : 0.0;
        alpha_[i] = std::clamp(alpha_[i], lower_[i], upper_[i]);
        up_[i] = alpha_[i] < upper_[i] ? 0.0 : -infinity;
        low_[i] = alpha_[i] > lower_[i] ? 0.0 : infinity;
    }
}

void price_path::solve(double C, double tol, std::int64_t most_steps) {
    grow(C);
    set_bounds();
    inner_problem<double> p;
    p.size = p.stride = K_.stride();
    p.K = K_.data();
    p.diagonal = K_.diagonal().data();
    p.F = F_;
    p.up = up_;
    p.low = low_;
    p.alpha = alpha_.data();
    p.lower = lower_.data();
    p.upper = upper_.data();
    p.end[0] = p.size;
    p.enough = tol;
    p.most_steps = most_steps;
    best_vector_ops().solve_double(p);
    steps_ = p.steps;
    gap_ = std::max(p.gap, 0.0);
    find_offset();
}

bool price_path::at_a_bound() const {
    for (std::size_t i = 0; i < sign_.size(); ++i)
        if (sign_[i] != 0 && std::abs(alpha_[i]) >= C_ * weight_[i]) return true;
    return false;
}

// The mean of F over the free examples, or the middle of what the others allow.
void price_path::find_offset() {
    double sum = 0, high = -infinity, low = infinity;
    index free = 0;
    for (std::size_t i = 0; i < sign_.size(); ++i) {
        const bool rises = up_[i] == 0, falls = low_[i] == 0;
        if (rises && falls) sum += F_[i], ++free;
        if (rises) high = std::max(high, F_[i]);
        if (falls) low = std::min(low, F_[i]);
    }
    if (free > 0)
        offset_ = sum / static_cast<double>(free);
    else
        offset_ = std::isfinite(high) && std::isfinite(low) ? (high + low) / 2 : std::isfinite(high) ? high : low;
}

double price_path::objective() const {
    double sum = 0;
    for (std::size_t i = 0; i < sign_.size(); ++i) sum -= 0.5 * alpha_[i] * (sign_[i] + F_[i]);
    return sum;
}

}  // namespace mercer::smo
