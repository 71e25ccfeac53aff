#include "mercer/methods/nystroem/row_losses.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/communicator.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/solvers/newton/solve_softmax.h"

namespace mercer {
namespace {

// Returns the largest weight, 0 without rows: the weights of the other processes may all be below 1.
double max_weight(index rows, std::span<const double> weight) {
    if (rows == 0) return 0;
    return weight.empty() ? 1.0 : std::ranges::max(weight);
}

bool has_different_labels(std::span<const index> label, std::span<const double> weight) {
    index seen = -1;
    for (std::size_t i = 0; i < label.size(); ++i) {
        if (!weight.empty() && !(weight[i] > 0)) continue;
        if (seen >= 0 && label[i] != seen) return true;
        seen = label[i];
    }
    return false;
}

// Collects labels and weights of rows by number; each row belongs to one process, whose rows begin at `first`.
std::shared_ptr<const owned_labels> collect_labels(std::span<const index> rows, index first,
                                                   std::span<const index> label, std::span<const double> weight,
                                                   const communicator* group) {
    std::vector<double> all(2 * rows.size(), 0.0);  // labels, then weights
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const index i = rows[r] - first;
        if (i < 0 || i >= std::ssize(label)) continue;
        all[r] = static_cast<double>(label[static_cast<std::size_t>(i)]);
        all[rows.size() + r] = weight.empty() ? 1.0 : weight[static_cast<std::size_t>(i)];
    }
    if (group) group->all_sum(all.data(), all.size());
    const auto middle = all.begin() + std::ssize(rows);
    return std::make_shared<const owned_labels>(owned_labels{{all.begin(), middle}, {middle, all.end()}});
}

}  // namespace

column_losses::column_losses(loss l, matrix_view<const double> y, std::span<const double> weight, index first)
    : loss_(std::move(l)), n_(y.rows), functions_(y.cols), first_(first), y_(y), weight_(weight) {
    if (!is_quadratic()) second_.resize(n_ * functions_);
}

column_losses::column_losses(loss l, std::span<const index> label, index classes, std::span<const double> weight,
                             index first)
    : loss_(std::move(l)),
      n_(std::ssize(label)),
      functions_(classes == 2 ? 1 : classes),
      first_(first),
      label_(label),
      weight_(weight) {
    second_.resize(n_ * functions_);
}

void column_losses::derive(index first, matrix_view<double> f, double* sums) {
    for (index c = 0; c < functions_; ++c) {
        double sum = 0;
        for (index r = 0; r < f.rows; ++r) {
            const index i = first - first_ + r;
            const double w = weight(i), y = target(i, c), at = f(r, c);
            if (w > 0) sum += w * loss_.value(y, at);
            f(r, c) = w > 0 ? w * loss_.first(y, at) : 0.0;
            if (!is_quadratic()) second_[i * functions_ + c] = w * loss_.second(y, at);
        }
        sums[c] += sum;
    }
}

void column_losses::apply_curvature(index first, matrix_view<double> d) const {
    for (index r = 0; r < d.rows; ++r)
        for (index c = 0; c < functions_; ++c) d(r, c) *= curvature(first + r, c);
}

double column_losses::mean_curvature(index row) const {
    double sum = 0;
    for (index c = 0; c < functions_; ++c) sum += curvature(row, c);
    return sum / static_cast<double>(functions_);
}

double column_losses::max_curvature() const {
    // the squared hinge has curvature 2
    return max_weight(n_, weight_) * (loss_.kind == loss_kind::squared ? 1.0 : 2.0);
}
double column_losses::max_minimiser() const {
    double out = 0;
    for (index i = 0; i < n_; ++i)
        for (index c = 0; c < functions_; ++c) out = std::max(out, std::abs(target(i, c)));
    return out;
}

bool column_losses::has_several_classes() const { return y_.cols > 0 || has_different_labels(label_, weight_); }
bool softmax_losses::has_several_classes() const { return has_different_labels(label_, weight_); }

std::unique_ptr<row_losses> column_losses::select_rows(std::span<const index> rows, const communicator* group) const {
    if (y_.cols > 0) return nullptr;
    auto own = collect_labels(rows, first_, label_, weight_, group);
    auto out = std::make_unique<column_losses>(loss_, own->label, functions_ == 1 ? 2 : functions_, own->weight);
    out->own_ = std::move(own);
    return out;
}
std::unique_ptr<row_losses> softmax_losses::select_rows(std::span<const index> rows, const communicator* group) const {
    auto own = collect_labels(rows, first_, label_, weight_, group);
    auto out = std::make_unique<softmax_losses>(own->label, classes_, own->weight);
    out->own_ = std::move(own);
    return out;
}

double softmax_losses::max_curvature() const { return 0.25 * max_weight(std::ssize(label_), weight_); }

softmax_losses::softmax_losses(std::span<const index> label, index classes, std::span<const double> weight, index first)
    : label_(label), classes_(classes), first_(first), weight_(weight) {
    p_.resize(std::ssize(label) * classes);
}

void softmax_losses::derive(index first, matrix_view<double> f, double* sums) {
    double sum = 0;
    for (index r = 0; r < f.rows; ++r) {
        const index i = first - first_ + r, mine = label_[static_cast<std::size_t>(i)];
        double* p = p_.data() + i * classes_;
        const double w = weight(i);
        softmax({f.row(r), static_cast<std::size_t>(classes_)}, {p, static_cast<std::size_t>(classes_)});
        // -log p(mine) = log Σ e^(f_c - f_mine), computed without cancellation if p is close to 1
        double top = f(r, 0);
        for (index c = 1; c < classes_; ++c) top = std::max(top, f(r, c));
        double others = 0;
        for (index c = 0; c < classes_; ++c)
            if (c != mine) others += std::exp(f(r, c) - top);
        const double own = std::exp(f(r, mine) - top);
        sum += w * (own > 0.5 ? std::log1p(others / own) : std::log(own + others) + (top - f(r, mine)));
        for (index c = 0; c < classes_; ++c) f(r, c) = w * (c == mine ? p[c] - 1 : p[c]);
    }
    sums[0] += sum;
}

// Dᵢ = wᵢ(diag p - ppᵀ).
void softmax_losses::apply_curvature(index first, matrix_view<double> d) const {
    for (index r = 0; r < d.rows; ++r) {
        const double* p = p_.data() + (first - first_ + r) * classes_;
        const double w = weight(first - first_ + r);
        double mean = 0;
        for (index c = 0; c < classes_; ++c) mean += p[c] * d(r, c);
        for (index c = 0; c < classes_; ++c) d(r, c) = w * p[c] * (d(r, c) - mean);
    }
}

double softmax_losses::mean_curvature(index row) const {
    double sum = 0;
    for (index c = 0; c < classes_; ++c) sum += curvature(row, c);
    return sum / static_cast<double>(classes_);
}

void curvature_sample::draw(const row_losses& losses, double theta, std::uint64_t seed, index all_rows,
                            const communicator* group) {
    constexpr double hardly_fewer = 0.7, hardly_any = 500;
    weights_.clear(), share_ = 1, first_ = losses.first();
    if (!(theta > 0)) return;
    weights_.resize(static_cast<std::size_t>(losses.rows()));
    const auto functions = static_cast<double>(losses.functions());
    double taken = 0;
    for (int tries = 0; tries < 8 && taken < hardly_any && theta >= std::numeric_limits<double>::min(); ++tries) {
        if (tries > 0) theta /= 16;
        parallel_chunks(losses.rows(), 4096, [&](index from, index end) {
            for (index i = from; i < end; ++i) {
                const std::uint64_t bits = counter_hash(seed, static_cast<std::uint64_t>(first_ + i));
                const double trace = functions * losses.mean_curvature(first_ + i),
                             chance = std::ldexp(static_cast<double>(bits >> 11), -53);
                weights_[static_cast<std::size_t>(i)] =
                    !(trace > chance * theta) ? 0.0F : static_cast<float>(std::max(1.0, theta / trace));
            }
        });
        taken = static_cast<double>(std::ranges::count_if(weights_, [](float each) { return each > 0; }));
        if (group) group->all_sum(&taken, 1);
    }
    share_ = taken / static_cast<double>(std::max<index>(all_rows, 1));
    if (share_ > hardly_fewer) weights_ = {}, share_ = 1;
}

}  // namespace mercer
