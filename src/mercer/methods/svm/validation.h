// Cross-validation: every example is decided by a model that has not seen it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mercer/methods/svm/svm.h"

namespace mercer {

// A whole number drawn uniformly from 0 … n-1.
using random_below = std::function<index(index n)>;
random_below seeded(std::uint64_t seed);

// Which examples are decided together: part i is order[start[i]] … order[start[i+1] - 1].
struct fold_plan {
    std::vector<index> order;
    std::vector<index> start;

    int folds() const { return static_cast<int>(start.size()) - 1; }
    std::span<const index> held_out(int fold) const { return std::span(order).subspan(from(fold), from(fold + 1) - from(fold)); }
    std::vector<index> training(int fold) const;  // the others, in order

private:
    std::size_t from(int fold) const { return static_cast<std::size_t>(start[static_cast<std::size_t>(fold)]); }
};

// 2 <= folds <= n. plain: a random order cut into parts of n/folds. stratified: each class is, so that all parts have its share; classes in
// the order in which they first appear (+1 before -1), as LIBSVM: with the same random numbers the parts are its own.
fold_plan plain_folds(index n, int folds, const random_below& random);
fold_plan stratified_folds(std::span<const double> y, int folds, const random_below& random);
// The examples of positive weight, which alone should be dealt to parts: all where no weights are given; in the order of their ranks where these are.
std::vector<index> weighted_examples(index n, std::span<const double> weight, std::span<const index> rank = {});
// Parts of 0 … which.size()-1 as parts of the examples `which`.
fold_plan of_examples(fold_plan plan, std::span<const index> which);

// A kernel matrix in float and in double for several fits: kernel values are computed once where `memory_bytes` can hold them all.
class shared_gram {
public:
    shared_gram(const kernel& k, const dataset& x, std::size_t memory_bytes);
    explicit shared_gram(matrix_view<const double> K);
    const gram<float>& fast() const { return *fast_; }
    const gram<double>& exact() const { return *exact_; }
    index size() const { return exact_->rows(); }
    std::size_t bytes() const { return bytes_; }

private:
    std::unique_ptr<gram<double>> exact_;
    std::unique_ptr<gram<float>> computed_, fast_;
    std::size_t bytes_ = 0;
};

// Calls visit(model, training examples, held-out examples, decisions of the latter) for each part. support_rows of a model count among its
// training examples. Sample weights follow their examples; the plan need not have all of them. A fit whose training part has only one class is visited with a model that has that
// class, no problems and a decision matrix without columns.
using fold_visit = std::function<void(svm_model& model, std::span<const index> training, std::span<const index> held_out, const matrix<double>& decisions)>;
// How the fits ended is the result.
[[nodiscard]] inner_fits cross_decide(const shared_gram& K, std::span<const double> y, const svm_options& options, const fold_plan& plan,
                                      const fold_visit& visit);

// The prediction for every example by the model that has not seen it.
struct cross_predictions {
    std::vector<double> values;
    inner_fits fits;
};
cross_predictions cross_predict(const shared_gram& K, std::span<const double> y, const svm_options& options, const fold_plan& plan);

// Of predictions v for targets y.
struct regression_score {
    double mean_squared_error = 0;
    double squared_correlation = 0;
};
regression_score score_regression(std::span<const double> y, std::span<const double> v);
index count_correct(std::span<const double> y, std::span<const double> v);

}  // namespace mercer
