// Support vector machines: classification, regression and one-class, with any kernel on any kind of object.
//
//   C-SVC        min ½‖w‖² + C Σ wᵢξᵢ              yᵢ(wᵀφ(xᵢ)+b) >= 1-ξᵢ, ξᵢ >= 0      (C = ∞: hard margin)
//   ν-SVC        min ½‖w‖² - νρ + (1/n) Σξᵢ       yᵢ(wᵀφ(xᵢ)+b) >= ρ-ξᵢ              (rescaled to margin 1 afterwards)
//   ε-SVR        min ½‖w‖² + C Σ wᵢ(ξᵢ+ξᵢ*)        |yᵢ - wᵀφ(xᵢ) - b| <= ε + ξ
//   ν-SVR        the same, with ε found so that about νn examples are outside the tube
//   one-class    min ½‖w‖² - ρ + (1/νn) Σ ξᵢ       wᵀφ(xᵢ) >= ρ-ξᵢ
//
// All are solved through their duals by solvers/smo; f(x) = Σ coefᵢ k(xᵢ, x) + b. More than two classes: one-versus-one
// (votes, as LIBSVM) or one-versus-rest (the largest f).
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/ready_rows.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/svm/calibration.h"
#include "mercer/methods/svm/class_problems.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer {

enum class svm_task { c_svc, nu_svc, one_class, epsilon_svr, nu_svr };  // in the order of LIBSVM's -s
const char* name(svm_task task) noexcept;

struct svm_model;

struct svm_progress {
    smo_progress solver;
    index problem = 0;  // of the binary problems, this one
    index problems = 1;
};

struct svm_options {
    svm_task task = svm_task::c_svc;
    double C = 1;  // infinity: hard margin
    double nu = 0.5;
    double epsilon = 0.1;
    double tol = 1e-3;
    multiclass classes = multiclass::one_vs_one;
    bool sorted_classes = true;                           // else in the order in which they first appear, as LIBSVM
    std::vector<std::pair<double, double>> class_weight;  // label → factor of C; labels not named have 1
    bool class_weight_of_C = false;  // ν-classification: weights are factors of C = 1/ρ, found without them first, and
                                     // not of the bounds in ν's dual
    std::vector<double> sample_weight;                  // empty: all 1. 2 = the example twice, 0 = absent
    std::size_t memory_bytes = std::size_t{200} << 20;  // for the kernel rows kept while fitting
    bool shrinking = true;
    std::int64_t most_steps = std::numeric_limits<std::int64_t>::max();  // per binary problem
    double most_seconds = std::numeric_limits<double>::infinity();       // for the whole fit
    std::function<bool(const svm_progress&)> progress;                   // false: stop and keep what there is
    bool any_order = false;  // sort the examples first: the answer is then the same in whatever order they come (not
                             // for given matrices)
    const svm_model* start =
        nullptr;  // a model of the same examples: its α, scaled to this C, is where the solver starts
    // Write α to this file every so many seconds, and start from it when it is there and fits.
    std::string checkpoint_file;
    double checkpoint_seconds = 60;
};

// What was reached on one binary problem.
struct svm_report {
    fit_status status = fit_status::converged;  // stationary, too, where the kernel is not proven to be one
    double gap = 0;                             // in terms of f: ν-classification's is that of f/ρ
    double objective = 0;                       // of the dual as a minimum: ½αᵀKα - pᵀα
    std::int64_t steps = 0, rounds = 0;
    std::int64_t flat_steps = 0, concave_steps = 0;
    index size = 0;
    // b is the mean over `margin_vectors` free support vectors, or the middle of [offset_low, offset_high] when there
    // are none. offset_low <= b <= offset_high: the optimal offsets, to within the gap.
    index margin_vectors = 0;
    double offset_low = 0, offset_high = 0;
    double epsilon = 0;  // ν-SVR: the width found
    double seconds = 0;
    bool no_margin = false;  // ν-classification: no ρ > 0 was found, for the classes overlap too much for this ν; f was
                             // not divided by it
    double C = 0;  // ν-classification: 1/ρ, the C of the C-classification with the same f (1 where there is no margin);
                   // 0: not known, in models of earlier versions
};

// More binary problems than this (those of 257 classes one-versus-one) have one summary in the place of their reports:
// a report takes about 120 bytes, the coefficients of a pair of small classes less.
inline constexpr index most_reports = 32768;
// Adds what was reached on another problem: the worst status and gap, the sums of the objectives, of the counts and of
// the seconds, and the widest interval of offsets.
void add_to_summary(svm_report& summary, const svm_report& another);

struct svm_model {
    svm_task task = svm_task::c_svc;
    multiclass scheme = multiclass::one_vs_one;
    std::string kernel_text;  // empty: precomputed
    std::shared_ptr<const mercer::kernel> k;
    std::vector<double> classes;           // labels; class i of the model. Empty for regression and one-class
    std::vector<std::string> class_names;  // names of the labels 0, 1, …, where the data had names
    dataset support;                       // the support objects, class by class; empty for precomputed
    std::vector<index> support_rows;       // their numbers among the training examples; -1: w itself (svm_solvers.h)
    std::vector<index> class_support;      // support vectors of each class
    matrix<double> coef;                   // of the support vectors, in the rows that class_problems says
    std::vector<double> offset;            // b of each binary problem, in its order
    std::vector<svm_report> reports;  // likewise; one summary (add_to_summary) where there are more than most_reports
    index training_size = 0;
    index dims = 0;
    double C = 1;
    std::optional<calibration> probability;
    ready_rows ready{};  // of the support objects, for those who ask again and again

    index problems() const { return static_cast<index>(offset.size()); }
    class_problems pairs() const { return {static_cast<index>(classes.size()), scheme}; }
    bool is_classifier() const { return task == svm_task::c_svc || task == svm_task::nu_svc; }
    fit_status worst_status() const;
    // What was reached on problem p; nullptr where only a summary is known, or nothing.
    const svm_report* report_of(index p) const {
        return std::ssize(reports) == problems() ? &reports[static_cast<std::size_t>(p)] : nullptr;
    }
    bool lacks_margin() const;  // ν-classification: some binary problem has none
    double largest_gap() const;
};

// Two classes need labels of two kinds; regression takes any y; one-class ignores it.
svm_model fit_svm(const kernel& k, const dataset& x, std::span<const double> y, const svm_options& options);
// K is the n × n matrix of training kernel values.
svm_model fit_svm_precomputed(matrix_view<const double> K, std::span<const double> y, const svm_options& options);
// From the same n × n matrix in float and in double, whatever it is made of: what validation and calibration share
// between fits. The model holds no kernel and no objects.
svm_model fit_svm(const gram<float>& fast, const gram<double>& exact, std::span<const double> y,
                  const svm_options& options);
// Gives such a model the kernel and the objects that its matrices were made of. Where nothing says that the problem is
// convex, meeting the first-order conditions does not make it the minimum: what has converged with a kernel that is not
// proven to be one becomes stationary.
void attach(svm_model& model, const kernel& k, const dataset& x);
// Bytes that fit_svm will need beside the data, at most.
std::size_t fit_memory(const kernel& k, const dataset& x, const svm_options& options);

// fast: kernel values in float (relative error about 1e-6), sums in double. exact: everything in double, at about half
// the speed.
enum class arithmetic { fast, exact };

// Decision values, one row per object: one column per binary problem. Memory stays within a few MB beside the result.
matrix<double> decide(const svm_model& model, const dataset& x, arithmetic numbers = arithmetic::fast);
// For rows of a Gram matrix whose columns are training examples; `column_of` says which column support vector s is.
matrix<double> decide(const svm_model& model, const gram<float>& K, const selection& rows,
                      std::span<const index> column_of);
// From kernel values K(x, training examples), all training examples or the support vectors only as columns.
matrix<double> decide_precomputed(const svm_model& model, matrix_view<const double> K);
// Labels (classification), values (regression), ±1 (one-class) from decision values.
std::vector<double> predict(const svm_model& model, matrix_view<const double> decisions);
// Classes are those of exact arithmetic: decisions are taken fast, and again in double where rounding could change the
// class. Values of regression are exact.
std::vector<double> predict(const svm_model& model, const dataset& x);
// The same from exact decisions for all rows, and from kernel values as decide_precomputed takes them. Where a
// one-versus-one model has more than most_reports problems, votes are counted without keeping the decisions.
std::vector<double> predict_exactly(const svm_model& model, const dataset& x);
std::vector<double> predict_precomputed(const svm_model& model, matrix_view<const double> K);

}  // namespace mercer
