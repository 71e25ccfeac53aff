// Cross-validation of support vector machines: every example is predicted by a model fitted without it. cross_decide()
// fits a model for each fold, decide_along_c_path() and predict_along_c_path() a path over C for one fold.
//
// Example:
//
//     #include <mercer/methods/svm/fit_svm.h>
//     #include <mercer/metrics/metrics.h>
//
//     const table data = read_table("data/heart_scale.svm");
//     const shared_gram K(gaussian{0.1}, data.x, gibibytes(1));
//     const fold_plan plan = stratified_folds(data.y, 5, make_random_below(1));
//     const cross_predictions held_out = cross_predict(K, data.y, svm_options{}, plan);
//     assert(count_correct(data.y, held_out.values) > 200);  // of 270
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"
#include "mercer/data/folds.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/solvers/smo/c_path.h"

namespace mercer {

struct svm_model;

// How the binary problems of several fits ended, for instance of the fits of a cross-validation.
struct inner_fits {
    index fits = 0;                            // number of binary problems
    index unfinished = 0;                      // number of problems that did not reach the tolerance
    double worst_gap = 0;                      // largest svm_report::gap of the unfinished problems
    fit_status worst = fit_status::converged;  // status of the problem with the largest gap

    void add(const svm_model& model);
    void add(const inner_fits& others);
    // "3 of 5 fits did not converge (the worst: stalled at a gap of 37)"; empty if all fits converged.
    std::string warning() const;
};

// A kernel matrix in float and in double for several fits. Its float values are computed once and stored if they fit
// into half of `memory_bytes`. A matrix K that is given must outlive this object.
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

// Called for each fold with its model, training examples, held-out examples and the decisions of the held-out examples.
// support_rows of the model are positions in `training`. If the training examples have only one class, the model has
// that class and no problems, and `decisions` has no columns.
using fold_visit = std::function<void(svm_model& model, std::span<const index> training,
                                      std::span<const index> held_out, const matrix<double>& decisions)>;
// Fits a model for each fold of the plan, which need not contain all examples, and calls visit. Returns how the fits
// ended.
[[nodiscard]] inner_fits cross_decide(const shared_gram& K, std::span<const double> y, const svm_options& options,
                                      const fold_plan& plan, const fold_visit& visit);

// The prediction of every example by the model of its fold, which was fitted without it; 0 for examples that the plan
// does not hold out.
struct cross_predictions {
    std::vector<double> values;
    inner_fits fits;
};
cross_predictions cross_predict(const shared_gram& K, std::span<const double> y, const svm_options& options,
                                const fold_plan& plan);

// Options of decide_along_c_path() and predict_along_c_path(), which predict the held-out examples of one fold for many
// C on one kernel matrix in memory: the inner loop of a search over C and the parameters of the kernel. Problems of
// several classes are split into binary problems as in multiclass.h, and each is solved along its path over C
// (solvers/smo/c_path.h). Kernel values are float: accurate enough to compare scores, but not for a model.
struct c_path_options {
    multiclass scheme = multiclass::one_vs_one;
    std::span<const double> weight{};  // weight of each example; empty: all 1
    double tol = 1e-2;
    index max_steps_each = 100;  // limit of the pair steps, per example
};

// The predictions for one C.
struct c_path_prediction {
    std::vector<double> predicted;
    matrix<double> decisions;  // a row for each held-out example, a column for each binary problem
    inner_fits fits;
};

// Classification: returns one c_path_prediction per C, in the order of C. y has one label per row of K; `training` and
// `held_out` are rows of K. The values of C must be ascending. Throws errc::data if the training examples have only one
// class.
std::vector<c_path_prediction> decide_along_c_path(const smo::padded_matrix& K, std::span<const double> y,
                                                   std::span<const index> training, std::span<const index> held_out,
                                                   std::span<const double> C, const c_path_options& options = {});
// ε-regression: returns one c_path_prediction per C, in the order of C; y has one value per row of K. options.tol is in
// units of the standard deviation of the training targets.
std::vector<c_path_prediction> predict_along_c_path(const smo::padded_matrix& K, std::span<const double> y,
                                                    std::span<const index> training, std::span<const index> held_out,
                                                    std::span<const double> C, double epsilon,
                                                    const c_path_options& options = {});

}  // namespace mercer
