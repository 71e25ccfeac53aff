// Cross-validation: every example is decided by a model that has not seen it.
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

// How the fits inside a larger task ended: the folds of a cross-validation, the fits behind probabilities, one fit for
// every example left out.

struct svm_model;

struct inner_fits {
    index fits = 0;                            // binary problems
    index unfinished = 0;                      // of them, those that did not reach the tolerance
    double worst_gap = 0;                      // of the unfinished
    fit_status worst = fit_status::converged;  // of the fit with that gap

    void add(const svm_model& model);
    void add(const inner_fits& others);
    // "3 of 5 fits did not converge (the worst: stalled at a gap of 37)"; empty where all did.
    std::string trouble() const;
};

// A kernel matrix in float and in double for several fits: kernel values are computed once where `memory_bytes` can
// hold them all.
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

// Calls visit(model, training examples, held-out examples, decisions of the latter) for each part. support_rows of a
// model count among its training examples. Sample weights follow their examples; the plan need not have all of them. A
// fit whose training part has only one class is visited with a model that has that class, no problems and a decision
// matrix without columns.
using fold_visit = std::function<void(svm_model& model, std::span<const index> training,
                                      std::span<const index> held_out, const matrix<double>& decisions)>;
// How the fits ended is the result.
[[nodiscard]] inner_fits cross_decide(const shared_gram& K, std::span<const double> y, const svm_options& options,
                                      const fold_plan& plan, const fold_visit& visit);

// The prediction for every example by the model that has not seen it.
struct cross_predictions {
    std::vector<double> values;
    inner_fits fits;
};
cross_predictions cross_predict(const shared_gram& K, std::span<const double> y, const svm_options& options,
                                const fold_plan& plan);

// Support vector classification and regression of the examples held out from a fold, for many prices C on one matrix in
// memory: the inner loop of a search over C and the kernel's parameters.
//
// Machines of several classes are cut into binary problems as in methods/svm; each is solved for one C after the other
// (solvers/smo/c_path). The problem is that of kernel values in float: for scores to compare, not for a model.

struct price_options {
    multiclass scheme = multiclass::one_vs_one;
    std::span<const double> weight{};  // of the examples; empty: all 1
    double tol = 1e-2;
    index most_steps_each = 100;  // pairs solved for every example, at most
};

// What the examples held out are said to be at one price.
struct price_answer {
    std::vector<double> predicted;
    matrix<double> decisions;  // a row for each, a column for each binary problem
    inner_fits fits;
};

// C ascending. Fails where the training part has a single class: nothing is learnt from that.
std::vector<price_answer> decide_along_prices(const smo::padded_matrix& K, std::span<const double> y,
                                              std::span<const index> training, std::span<const index> held_out,
                                              std::span<const double> C, const price_options& options = {});
// ε-regression; the tolerance is in standard deviations of the training targets.
std::vector<price_answer> predict_along_prices(const smo::padded_matrix& K, std::span<const double> y,
                                               std::span<const index> training, std::span<const index> held_out,
                                               std::span<const double> C, double epsilon,
                                               const price_options& options = {});

}  // namespace mercer
