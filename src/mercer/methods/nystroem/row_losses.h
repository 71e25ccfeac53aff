// Losses of n rows with one or several functions f per row, in the form that a pass needs: tile by tile of rows, from
// several threads at once.
//
//     columns   Σᵢ wᵢ Σ_c ℓ(y(i, c), f(i, c))                  several targets, or one class against the rest
//     softmax   -Σᵢ wᵢ log p(i, yᵢ),  p = softmax of f(i, :)   several classes
//
// If several processes share the rows, each process has the targets of its own rows, from row `first` on.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/dense/vector_ops.h"
#include "mercer/solvers/newton/loss.h"

namespace mercer {

class communicator;

// Owned labels and weights of a subset of rows.
struct owned_labels {
    std::vector<index> label;
    std::vector<double> weight;
};

class row_losses {
public:
    virtual ~row_losses() = default;
    // The rows of this process: the number of the first one, and their count.
    virtual index first() const = 0;
    virtual index rows() const = 0;
    virtual index functions() const = 0;
    virtual bool is_quadratic() const { return false; }
    // Returns true if the loss is a sum of losses of the single functions. Otherwise adding the same number to all
    // functions of a row does not change it.
    virtual bool is_independent() const = 0;
    // Returns true if the second derivative is discontinuous.
    virtual bool has_discontinuous_curvature() const { return false; }
    // Replaces f(i, :) of rows first … by the derivative of their loss. Adds the values of the loss to `sums` (one per
    // independent function) and stores what curvature() needs.
    virtual void derive(index first, matrix_view<double> f, double* sums) = 0;
    // Replaces d(i, :) by Dᵢd(i, :), with Dᵢ the second derivative at the last call of derive().
    virtual void apply_curvature(index first, matrix_view<double> d) const = 0;
    // The mean of the diagonal of Dᵢ, and its entry c.
    virtual double mean_curvature(index row) const = 0;
    virtual double curvature(index row, index c) const = 0;
    // Returns an upper bound on all curvatures.
    virtual double max_curvature() const = 0;
    // For quadratic losses: the prediction that minimises the loss of a row, and an upper bound on its absolute value
    // over all rows.
    virtual double minimiser(index, index) const { return 0; }
    virtual double max_minimiser() const { return 0; }
    // Returns false if all rows of positive weight belong to one class.
    virtual bool has_several_classes() const { return true; }
    // Returns the losses of some rows of all processes, on every process, with rows numbered from 0; null if the
    // targets are numbers.
    virtual std::unique_ptr<row_losses> select_rows(std::span<const index> rows, const communicator* group) const = 0;
};

// Losses of separate functions. The targets of n rows are numbers or, for classes, +1 for the class of a row and -1 for
// the others.
class column_losses final : public row_losses {
public:
    column_losses(loss l, matrix_view<const double> y, std::span<const double> weight, index first = 0);
    column_losses(loss l, std::span<const index> label, index classes, std::span<const double> weight, index first = 0);
    index first() const override { return first_; }
    index rows() const override { return n_; }
    index functions() const override { return functions_; }
    bool is_quadratic() const override { return loss_.kind == loss_kind::squared; }
    bool is_independent() const override { return true; }
    bool has_discontinuous_curvature() const override { return loss_.kind == loss_kind::squared_hinge; }
    void derive(index first, matrix_view<double> f, double* sums) override;
    void apply_curvature(index first, matrix_view<double> d) const override;
    double mean_curvature(index row) const override;
    double curvature(index row, index c) const override {
        return is_quadratic() ? weight(row - first_) : second_[(row - first_) * functions_ + c];
    }
    double max_curvature() const override;
    double minimiser(index row, index c) const override { return target(row - first_, c); }
    double max_minimiser() const override;
    bool has_several_classes() const override;
    std::unique_ptr<row_losses> select_rows(std::span<const index> rows, const communicator* group) const override;

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
    buffer<double> second_;  // second derivatives; empty for squared loss, whose curvature is the weight
    std::shared_ptr<const owned_labels> own_;
};

class softmax_losses final : public row_losses {
public:
    softmax_losses(std::span<const index> label, index classes, std::span<const double> weight, index first = 0);
    index first() const override { return first_; }
    index rows() const override { return std::ssize(label_); }
    index functions() const override { return classes_; }
    bool is_independent() const override { return false; }
    void derive(index first, matrix_view<double> f, double* sums) override;
    void apply_curvature(index first, matrix_view<double> d) const override;
    double mean_curvature(index row) const override;
    double curvature(index row, index c) const override {
        const double p = p_[(row - first_) * classes_ + c];
        return weight(row - first_) * p * (1 - p);
    }
    double max_curvature() const override;
    bool has_several_classes() const override;
    std::unique_ptr<row_losses> select_rows(std::span<const index> rows, const communicator* group) const override;

private:
    double weight(index i) const { return weight_.empty() ? 1.0 : weight_[static_cast<std::size_t>(i)]; }
    std::span<const index> label_;
    index classes_, first_;
    std::span<const double> weight_;
    buffer<double> p_;
    std::shared_ptr<const owned_labels> own_;
};

// A weighted sample of rows whose curvature approximates that of all rows. Let Dᵢ be the second derivative of the loss
// of row i and tᵢ its trace. Row i is taken with probability min(1, tᵢ/θ) and then has weight max(1, θ/tᵢ), so that
// ΣᵢφᵢDᵢφᵢᵀ over the sample is an unbiased estimate of the sum over all rows, and no randomly chosen row contributes
// more than θ. If θ is a small fraction of λ/‖φ‖², the sampling error is small compared with λI (matrix Chernoff
// bounds, Tropp 2012). Newton's equations may therefore be solved for the sample, while values and gradients use all
// rows (Byrd, Chin, Neveitt, Nocedal 2011). If most rows have small curvatures, as in easy problems with many rows, the
// sample is small.

class curvature_sample {
public:
    // Draws the sample from the curvatures at the last call of derive(). θ = 0 takes all rows with weight 1, and so
    // does a sample that would contain more than 0.7 of them. θ is reduced if fewer than 500 rows would be taken.
    void draw(const row_losses& losses, double theta, std::uint64_t seed, index all_rows, const communicator* group);
    bool has_all_rows() const { return share_ == 1; }  // the same on all processes
    double share() const { return share_; }            // sampled fraction of the rows of all processes
    // Returns the weight of a row of this process; 0 if it was not taken.
    double weight(index row) const { return has_all_rows() ? 1.0 : weights_[static_cast<std::size_t>(row - first_)]; }

private:
    index first_ = 0;
    double share_ = 1;
    std::vector<float> weights_;
};

}  // namespace mercer
