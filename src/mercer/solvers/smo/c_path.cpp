#include "mercer/solvers/smo/c_path.h"

#include <algorithm>
#include <cmath>

#include "mercer/dense/vector_ops.h"
#include "mercer/solvers/smo/pair_loop.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer::smo {
namespace {

constexpr index min_working_set = 128;
constexpr std::size_t max_working_set = 768;

index padded(index n) {
    const index width = best_pair_loop().padding;
    return (n + width - 1) / width * width;
}

}  // namespace

padded_matrix::padded_matrix(index n) : n_(n), values_(n, padded(n)) {}

void padded_matrix::finish() {
    diagonal_.assign(static_cast<std::size_t>(stride()), 1.0f);
    for (index i = 0; i < n_; ++i) {
        diagonal_[static_cast<std::size_t>(i)] = values_(i, i);
        std::fill(values_.row(i) + n_, values_.row(i) + stride(), 0.0f);
    }
}

c_path::c_path(const padded_matrix& K, std::span<const double> sign, std::span<const double> weight)
    : K_(K), p_(sign.begin(), sign.end()), F_up_low_(3, K.stride()) {
    for (const double s : sign) {
        low_side_.push_back(s < 0 ? -1.0 : 0.0);
        high_side_.push_back(s > 0 ? 1.0 : 0.0);
    }
    allocate(weight);
}

c_path::c_path(const padded_matrix& K, std::span<const double> y, std::span<const std::uint8_t> is_training,
               double epsilon, std::span<const double> weight)
    : K_(K), epsilon_(epsilon), F_up_low_(3, K.stride()) {
    for (std::size_t i = 0; i < y.size(); ++i) {
        p_.push_back(is_training[i] ? y[i] : 0.0);
        low_side_.push_back(is_training[i] ? -1.0 : 0.0);
        high_side_.push_back(is_training[i] ? 1.0 : 0.0);
    }
    allocate(weight);
}

void c_path::allocate(std::span<const double> weight) {
    F_ = F_up_low_.row(0), up_ = F_up_low_.row(1), low_ = F_up_low_.row(2);
    std::ranges::copy(p_, F_);
    weight_.assign(weight.begin(), weight.end());
    if (weight_.empty()) weight_.assign(p_.size(), 1.0);
    const auto all = static_cast<std::size_t>(K_.stride());
    for (auto* each : {&p_, &low_side_, &high_side_, &weight_, &alpha_, &lower_, &upper_}) each->resize(all, 0.0);
}

// Scales α for the new C. The objective ½s²αᵀKα - s·(pᵀα - ε Σ|α|) is minimal at s = (pᵀα - ε Σ|α|)/αᵀKα. That is 1 if
// no α is at its bound, and it is clamped to at most C/(last C).
void c_path::scale_to(double C) {
    double linear = 0, quadratic = 0;
    for (std::size_t i = 0; i < p_.size(); ++i) {
        linear += p_[i] * alpha_[i] - epsilon_ * std::abs(alpha_[i]);
        quadratic += alpha_[i] * (p_[i] - F_[i]);
    }
    if (linear > 0) {
        const double most = C / C_, best = quadratic > 0 ? linear / quadratic : most;
        const double s = std::clamp(best, 1.0, most);
        for (std::size_t i = 0; i < p_.size(); ++i) {
            const bool at_bound = alpha_[i] != 0 && std::abs(alpha_[i]) == C_ * weight_[i];
            alpha_[i] = s == most && at_bound ? (alpha_[i] > 0 ? C : -C) * weight_[i] : s * alpha_[i];
            F_[i] = p_[i] - s * (p_[i] - F_[i]);
        }
    }
    C_ = C;
}

void c_path::update_masks(std::size_t i) {
    up_[i] = alpha_[i] < upper_[i] ? (alpha_[i] < 0 ? epsilon_ : -epsilon_) : -infinity;
    low_[i] = alpha_[i] > lower_[i] ? (alpha_[i] > 0 ? -epsilon_ : epsilon_) : infinity;
}

void c_path::set_bounds() {
    for (std::size_t i = 0; i < p_.size(); ++i) {
        lower_[i] = low_side_[i] * C_ * weight_[i];
        upper_[i] = high_side_[i] * C_ * weight_[i];
        alpha_[i] = std::clamp(alpha_[i], lower_[i], upper_[i]);
        update_masks(i);
    }
}

void c_path::compute_gap() {
    double top = -infinity, bottom = infinity;
    for (std::size_t i = 0; i < p_.size(); ++i) {
        top = std::max(top, F_[i] + up_[i]);
        bottom = std::min(bottom, F_[i] + low_[i]);
    }
    gap_ = std::max(top - bottom, 0.0);
}

void c_path::solve(double C, double tol, std::int64_t max_steps) {
    scale_to(C);
    set_bounds();
    steps_ = 0;
    // This number of steps among all examples takes as long as a working set of a few hundred.
    const std::int64_t soon = 200 + K_.size() / 4;
    const bool blocks = K_.size() > 2 * min_working_set;
    solve_all(tol, blocks ? std::min(soon, max_steps) : max_steps);
    while (blocks && gap_ > tol && steps_ < max_steps)
        if (!solve_block(std::max(0.1 * gap_, 0.3 * tol), max_steps - steps_) &&
            !solve_all(tol, std::min(soon, max_steps - steps_)))
            break;
    compute_offset();
}

// Optimises pairs among all examples. Returns false if no step was taken.
bool c_path::solve_all(double tol, std::int64_t max_steps) {
    pair_problem<double> p;
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
    p.target_gap = tol;
    p.max_steps = max_steps;
    p.tube = epsilon_;
    best_pair_loop().solve_double(p);
    steps_ += p.steps;
    gap_ = std::max(p.gap, 0.0);
    return p.steps > 0;
}

// The violating examples, at most `max_working_set`: free ones first, then by the size of the violation.
std::vector<index> c_path::choose_block() const {
    double top = -infinity, bottom = infinity;
    for (std::size_t i = 0; i < p_.size(); ++i) {
        top = std::max(top, F_[i] + up_[i]);
        bottom = std::min(bottom, F_[i] + low_[i]);
    }
    std::vector<std::pair<double, index>> worst;
    std::vector<index> out;
    for (std::size_t i = 0; i < p_.size(); ++i) {
        const double rises = F_[i] + up_[i] - bottom, falls = top - F_[i] - low_[i];
        const double violation = std::max(rises, falls);
        if (!(violation > 0)) continue;
        const bool free = alpha_[i] > lower_[i] && alpha_[i] < upper_[i] && alpha_[i] != 0;
        worst.emplace_back(-violation - (free ? gap_ : 0), static_cast<index>(i));
    }
    const auto count = std::min<std::size_t>(worst.size(), max_working_set);
    std::nth_element(worst.begin(), worst.begin() + static_cast<std::ptrdiff_t>(count), worst.end());
    for (std::size_t i = 0; i < count; ++i) out.push_back(worst[i].second);
    std::ranges::sort(out);
    return out;
}

// Chooses and solves a working set, and updates F of all examples. Returns false if no step was taken.
bool c_path::solve_block(double enough, std::int64_t max_steps) {
    const std::vector<index> rows = choose_block();
    const auto count = static_cast<index>(rows.size()), stride = padded(count);
    if (block_.rows() < stride) block_ = matrix<float>(stride, stride), block_F_up_low_ = matrix<float>(3, stride);
    pair_problem<float> p;
    p.size = p.stride = stride;
    float* F = block_F_up_low_.data();
    float *up = F + stride, *low = up + stride;
    std::vector<float> diagonal(static_cast<std::size_t>(stride), 1.0f);
    std::vector<double> alpha(diagonal.size()), lower(diagonal.size()), upper(diagonal.size());
    // Subtracting the mean from F does not change the problem, and leaves numbers that float represents well enough.
    double middle = 0;
    for (const index i : rows) middle += F_[i] / static_cast<double>(count);
    for (index r = 0; r < stride; ++r) {
        const auto at = static_cast<std::size_t>(r);
        if (r >= count) {
            F[r] = 0, up[r] = static_cast<float>(-infinity), low[r] = static_cast<float>(infinity);
            continue;
        }
        const index i = rows[at];
        const auto from = static_cast<std::size_t>(i);
        F[r] = static_cast<float>(F_[i] - middle);
        up[r] = static_cast<float>(up_[i]), low[r] = static_cast<float>(low_[i]);
        alpha[at] = alpha_[from], lower[at] = lower_[from], upper[at] = upper_[from];
        diagonal[at] = K_.diagonal()[from];
        const float* source = K_.data() + i * K_.stride();
        float* to = block_.data() + r * stride;
        for (index c = 0; c < count; ++c) to[c] = source[rows[static_cast<std::size_t>(c)]];
        std::fill(to + count, to + stride, 0.0f);
    }
    p.K = block_.data();
    p.diagonal = diagonal.data();
    p.F = F, p.up = up, p.low = low;
    p.alpha = alpha.data(), p.lower = lower.data(), p.upper = upper.data();
    p.end[0] = stride;
    p.target_gap = enough;
    p.max_steps = max_steps;
    p.tube = epsilon_;
    best_pair_loop().solve_float(p);
    steps_ += p.steps;
    std::vector<const float*> moved;
    std::vector<double> by;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto i = static_cast<std::size_t>(rows[r]);
        if (alpha[r] == alpha_[i]) continue;
        moved.push_back(K_.data() + rows[r] * K_.stride());
        by.push_back(alpha[r] - alpha_[i]);
        alpha_[i] = alpha[r];
        update_masks(i);
    }
    best_vector_ops().subtract_rows(F_, moved.data(), by.data(), static_cast<std::int64_t>(moved.size()), K_.stride());
    compute_gap();
    return p.steps > 0;
}

bool c_path::has_bounded_alpha() const {
    for (std::size_t i = 0; i < p_.size(); ++i)
        if (alpha_[i] != 0 && std::abs(alpha_[i]) >= C_ * weight_[i]) return true;
    return false;
}

// The offset is the mean over the free examples, or the middle of the interval that the others allow.
void c_path::compute_offset() {
    double sum = 0, high = -infinity, low = infinity;
    index free = 0;
    for (std::size_t i = 0; i < p_.size(); ++i) {
        const bool rises = std::isfinite(up_[i]), falls = std::isfinite(low_[i]);
        if (rises && falls && up_[i] == low_[i]) sum += F_[i] + up_[i], ++free;
        if (rises) high = std::max(high, F_[i] + up_[i]);
        if (falls) low = std::min(low, F_[i] + low_[i]);
    }
    if (free > 0)
        offset_ = sum / static_cast<double>(free);
    else
        offset_ = std::isfinite(high) && std::isfinite(low) ? (high + low) / 2 : std::isfinite(high) ? high : low;
}

double c_path::objective() const {
    double sum = 0;
    for (std::size_t i = 0; i < p_.size(); ++i)
        sum += epsilon_ * std::abs(alpha_[i]) - 0.5 * alpha_[i] * (p_[i] + F_[i]);
    return sum;
}

}  // namespace mercer::smo
