// Losses of n rows with one or several functions f a row, as a pass sees them: band by band of rows, from several
// threads at once.
//
//     columns   Σᵢ wᵢ Σ_c ℓ(y(i, c), f(i, c))              several targets; one class against the rest
//     softmax   -Σᵢ wᵢ log p(i, yᵢ),  p = softmax of f(i, :)    several classes
//
// Where several processes share the rows, a process has the targets of its own, from row `first` on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/dense/vector_ops.h"
#include "mercer/solvers/newton/loss.h"

namespace mercer {

class process_group;

// Labels and weights of some rows, and who has them.
struct rows_taken {
    std::vector<index> label;
    std::vector<double> weight;
};

class row_losses {
public:
    virtual ~row_losses() = default;
    // Those of this process: their first number, and how many there are.
    virtual index first() const = 0;
    virtual index rows() const = 0;
    virtual index functions() const = 0;
    virtual bool quadratic() const { return false; }
    // A sum of losses of each function by itself. If not, adding the same to all functions of a row changes nothing.
    virtual bool independent() const = 0;
    // The second derivative is not continuous.
    virtual bool jumps() const { return false; }
    // f(i, :) of rows first … becomes the derivative of their loss; its value is added to sums, one for each
    // independent function, and what curvature() needs is kept.
    virtual void derive(index first, matrix_view<double> f, double* sums) = 0;
    // d(i, :) becomes Dᵢd(i, :), Dᵢ the second derivative where derive() was called last.
    virtual void curve(index first, matrix_view<double> d) const = 0;
    // The mean of Dᵢ's diagonal, and entry c of it.
    virtual double mean_curvature(index row) const = 0;
    virtual double curvature(index row, index c) const = 0;
    // A bound on them.
    virtual double largest_curvature() const = 0;
    // Where the loss of a row is least, of quadratic ones, and a bound on |goal|.
    virtual double goal(index, index) const { return 0; }
    virtual double largest_goal() const { return 0; }
    // Rows that count are not all of one class.
    virtual bool differ() const { return true; }
    // Those of some rows, of all processes and at each, numbered from 0; null where targets are numbers.
    virtual std::unique_ptr<row_losses> of(std::span<const index> rows, const process_group* group) const = 0;
};

// Targets of n rows: numbers, or +1 for the class of a row and -1 for the others.
class column_losses final : public row_losses {
public:
    column_losses(loss l, matrix_view<const double> y, std::span<const double> weight, index first = 0);
    column_losses(loss l, std::span<const index> label, index classes, std::span<const double> weight, index first = 0);
    index first() const override { return first_; }
    index rows() const override { return n_; }
    index functions() const override { return functions_; }
    bool quadratic() const override { return loss_.kind == loss_kind::squared; }
    bool independent() const override { return true; }
    bool jumps() const override { return loss_.kind == loss_kind::squared_hinge; }
    void derive(index first, matrix_view<double> f, double* sums) override;
    void curve(index first, matrix_view<double> d) const override;
    double mean_curvature(index row) const override;
    double curvature(index row, index c) const override {
        return quadratic() ? weight(row - first_) : second_[(row - first_) * functions_ + c];
    }
    double largest_curvature() const override;
    double goal(index row, index c) const override { return target(row - first_, c); }
    double largest_goal() const override;
    bool differ() const override;
    std::unique_ptr<row_losses> of(std::span<const index> rows, const process_group* group) const override;

private:
    double weight(index i) const { return weight_.empty() ? 1.0 : weight_[static_cast<std::size_t>(i)]; }
    double target(index i, index c) const {
        if (label_.empty()) return y_(i, c);
        const index mine = label_[static_cast<std::size_t>(i)];
        return mine == (functions_ == 1 ? 1 : c) ? 1.0 : -1.0;
    }
    loss loss_;
    index n_, functions_, first_;
    matrix_view<const double> y_;
    std::span<const index> label_;
    std::span<const double> weight_;
    buffer<double> second_;  // unless it is the weight
    std::shared_ptr<const rows_taken> own_;
};

class softmax_losses final : public row_losses {
public:
    softmax_losses(std::span<const index> label, index classes, std::span<const double> weight, index first = 0);
    index first() const override { return first_; }
    index rows() const override { return std::ssize(label_); }
    index functions() const override { return classes_; }
    bool independent() const override { return false; }
    void derive(index first, matrix_view<double> f, double* sums) override;
    void curve(index first, matrix_view<double> d) const override;
    double mean_curvature(index row) const override;
    double curvature(index row, index c) const override {
        const double p = p_[(row - first_) * classes_ + c];
        return weight(row - first_) * p * (1 - p);
    }
    double largest_curvature() const override;
    bool differ() const override;
    std::unique_ptr<row_losses> of(std::span<const index> rows, const process_group* group) const override;

private:
    double weight(index i) const { return weight_.empty() ? 1.0 : weight_[static_cast<std::size_t>(i)]; }
    std::span<const index> label_;
    index classes_, first_;
    std::span<const double> weight_;
    buffer<double> p_;
    std::shared_ptr<const rows_taken> own_;
};

// A few rows whose curvature stands for that of all. With Dᵢ the second derivative of the loss of row i and tᵢ its
// trace, row i is taken with probability min(1, tᵢ/θ) and then counts max(1, θ/tᵢ) times, so that ΣᵢφᵢDᵢφᵢᵀ over those
// taken has the sum over all as its expectation; and no row that was left to chance counts for more than θ. Where θ is
// a small share of λ/‖φ‖², what chance changes is small beside λI (matrix Chernoff bounds, Tropp 2012): Newton's
// equations may be solved for these rows, while values and gradients are of all (Byrd, Chin, Neveitt, Nocedal 2011).
// Where most rows are far from any doubt, as in easy problems of many rows, few are taken.

class thinned_rows {
public:
    // Of the losses where they were derived last. θ = 0: all rows, each as it is; so too where hardly fewer would do. A
    // smaller θ where hardly any would be taken.
    void draw(const row_losses& losses, double theta, std::uint64_t seed, index all_rows, const process_group* group);
    bool all() const { return share_ == 1; }  // the same at all processes
    double share() const { return share_; }   // of all rows, whoever has them
    // How often a row of this process counts; 0: it was not taken.
    double times(index row) const { return all() ? 1.0 : times_[static_cast<std::size_t>(row - first_)]; }

private:
    index first_ = 0;
    double share_ = 1;
    std::vector<float> times_;
};

}  // namespace mercer
