// Support vector machines: classification, regression and one-class, with any kernel on any kind of object.
//
//   C-SVC        min ½‖w‖² + C Σ wᵢξᵢ              yᵢ(wᵀφ(xᵢ)+b) >= 1-ξᵢ, ξᵢ >= 0      (C = ∞: hard margin)
//   ν-SVC        min ½‖w‖² - νρ + (1/n) Σξᵢ       yᵢ(wᵀφ(xᵢ)+b) >= ρ-ξᵢ              (rescaled to margin 1 afterwards)
//   ε-SVR        min ½‖w‖² + C Σ wᵢ(ξᵢ+ξᵢ*)        |yᵢ - wᵀφ(xᵢ) - b| <= ε + ξ
//   ν-SVR        as ε-SVR, with ε found so that about νn examples are outside the tube
//   one-class    min ½‖w‖² - ρ + (1/νn) Σ ξᵢ       wᵀφ(xᵢ) >= ρ-ξᵢ
//
// fit_svm solves the duals by solvers/smo (svm_solvers.h has other solvers for the C-SVC). The model is
// f(x) = Σ coefᵢ k(xᵢ, x) + b. More than two classes are predicted one-versus-one (votes, as in LIBSVM) or
// one-versus-rest (the largest f).
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/context.h"
#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/model_file.h"
#include "mercer/methods/svm/calibration.h"

namespace mercer {

// The binary problems of a model for k classes, and their order:
//
//   one-versus-one    problems (0,1), (0,2), …, (0,k-1), (1,2), …; in problem (a, b), a < b, class a is positive
//   one-versus-rest   problem a: class a against all others
//
// Two classes are one problem in both schemes.
enum class multiclass { one_vs_one, one_vs_rest };

// The numbers of the problems and of the rows of their coefficients. One-versus-one coefficients are stored as LIBSVM's
// sv_coef: k-1 rows, in whose row m a support vector of class c has its coefficient against the m-th other class.
class class_problems {
public:
    // classes = 0: regression and one-class, which are one problem.
    class_problems(index classes, multiclass scheme)
        : k_(classes), rest_(scheme == multiclass::one_vs_rest && classes > 2) {}

    bool is_one_vs_rest() const { return rest_; }
    bool is_one_vs_one() const { return k_ > 2 && !rest_; }
    index count() const { return k_ == 0 ? 1 : rest_ ? k_ : k_ * (k_ - 1) / 2; }
    index coefficient_rows() const { return k_ == 0 ? 1 : rest_ ? k_ : k_ - 1; }

    // The problem of the classes a < b.
    index problem_of(index a, index b) const { return a * k_ - a * (a + 1) / 2 + (b - a - 1); }
    // The problem of row m of the coefficients, for a support vector of class c.
    index problem_of_row(index c, index m) const {
        if (!is_one_vs_one()) return m;
        const index other = m < c ? m : m + 1;
        return problem_of(c < other ? c : other, c < other ? other : c);
    }

    struct sides {
        index first, second;  // second: -1 if it is all other classes
    };
    sides operator[](index problem) const {
        if (rest_) return {problem, -1};
        // The first problem of class a is problem_of(a, a + 1) = a(2k-1-a)/2. Solved for a, and corrected for rounding
        // errors.
        const double twice = static_cast<double>(2 * k_ - 1);
        auto a = static_cast<index>((twice - std::sqrt(twice * twice - 8 * static_cast<double>(problem))) / 2);
        while (a > 0 && problem_of(a, a + 1) > problem) --a;
        while (a + 2 < k_ && problem_of(a + 1, a + 2) <= problem) ++a;
        return {a, a + 1 + problem - problem_of(a, a + 1)};
    }

    // Calls visit(problem, a, b) for each problem, with b = -1 if it is all other classes.
    template <class Visit>
    void for_each(Visit visit) const {
        index problem = 0;
        for (index a = 0; a < k_; ++a) {
            if (rest_) visit(problem++, a, index{-1});
            for (index b = a + 1; !rest_ && b < k_; ++b) visit(problem++, a, b);
        }
    }

private:
    index k_;
    bool rest_;
};

enum class svm_task { c_svc, nu_svc, one_class, epsilon_svr, nu_svr };  // in the order of LIBSVM's -s
const char* name(svm_task task) noexcept;

// The result of the solver for one binary problem.
struct svm_report {
    fit_status status = fit_status::converged;  // `stationary` also if the kernel is not proven to be p.s.d.
    double gap = 0;                             // KKT violation, in units of f (ν-classification: of f/ρ)
    double objective = 0;                       // dual objective, to be minimised: ½αᵀKα - pᵀα, p as in smo.h
    std::int64_t steps = 0, rounds = 0;
    std::int64_t flat_steps = 0, concave_steps = 0;
    index size = 0;  // number of examples
    // b is the mean over `margin_vectors` free support vectors, or the middle of [offset_low, offset_high] if there are
    // none. That interval contains the optimal offsets, to within the gap.
    index margin_vectors = 0;
    double offset_low = 0, offset_high = 0;
    double epsilon = 0;  // ν-SVR: the ε of the solution
    double seconds = 0;
    // ν-classification: true if no ρ > 0 was found, because the classes overlap too much for this ν. Then f was not
    // divided by ρ.
    bool no_margin = false;
    double C = 0;  // ν-classification: 1/ρ, the C of the C-classification with the same f (1 without a margin);
                   // 0: not known, in models of earlier versions
};

// A model of more binary problems than this (257 classes one-versus-one) has one summary instead of a report for each
// problem: a report takes about 120 bytes, more than the coefficients of two small classes.
inline constexpr index max_reports = 32768;
// Adds the report of another problem to a summary: the worst status and gap, the sums of the objectives, counts and
// seconds, and the smallest interval that contains both intervals of offsets.
void add_to_summary(svm_report& summary, const svm_report& another);

// A fitted support vector machine of any task.
struct svm_model {
    svm_task task = svm_task::c_svc;
    multiclass scheme = multiclass::one_vs_one;
    std::string kernel_text;                  // empty: fitted on a kernel matrix
    std::shared_ptr<const mercer::kernel> k;  // null: fitted on a kernel matrix
    std::vector<double> classes;              // the label of each class; empty for regression and one-class
    std::vector<std::string> class_names;     // names of the labels 0, 1, …, if the data had names
    dataset support;                          // the support vectors, sorted by class; empty if k is null
    std::vector<index> support_rows;          // positions of the support vectors in the training data; -1: the row is w
    std::vector<index> class_support;         // number of support vectors of each class
    matrix<double> coef;                      // a column per support vector, rows as in class_problems
    std::vector<double> offset;               // b of each binary problem
    std::vector<svm_report> reports;          // one per binary problem; one summary for more than max_reports problems
    index training_size = 0;
    index dims = 0;
    double C = 1;
    std::optional<calibration> probability;
    prepared_support ready{};  // prepared data of the support vectors, for repeated predictions

    index problems() const { return static_cast<index>(offset.size()); }  // number of binary problems
    class_problems pairs() const { return {static_cast<index>(classes.size()), scheme}; }
    bool is_classifier() const { return task == svm_task::c_svc || task == svm_task::nu_svc; }
    fit_status worst_status() const;
    // The report of problem p, or nullptr if there is none for each problem.
    const svm_report* report_of(index p) const {
        return std::ssize(reports) == problems() ? &reports[static_cast<std::size_t>(p)] : nullptr;
    }
    bool lacks_margin() const;  // ν-classification: returns true if some binary problem has no margin
    double largest_gap() const;
};

// Sets the kernel and the support vectors of a model that was fitted on Gram matrices of k and x. If k is not proven to
// be positive semidefinite, the problem need not be convex, and its first-order conditions may also hold at points that
// are not minima: the status `converged` then becomes `stationary`.
void attach(svm_model& model, const kernel& k, const dataset& x);
// fast: kernel values in float (relative error about 1e-6), sums in double. exact: everything in double, at about half
// the speed.
enum class arithmetic { fast, exact };

// Returns the decision values: one row per object, one column per binary problem, in the order of class_problems. Uses
// a few MB of memory beside the result. Throws errc::unsupported if the model was fitted on a kernel matrix.
matrix<double> decide(const svm_model& model, const dataset& x, arithmetic numbers = arithmetic::fast);
// Returns the decision values of the objects of rows `rows` of a Gram matrix K. Column column_of[s] of K has the kernel
// values with support vector s.
matrix<double> decide(const svm_model& model, const gram<float>& K, const row_set& rows,
                      std::span<const index> column_of);
// Returns the decision values of objects whose kernel values K (in double) are known: a row for each object, a column
// for each training example or for each support vector.
matrix<double> decide_precomputed(const svm_model& model, matrix_view<const double> K);
// Returns one prediction per row of decision values: a class label (classification), a value (regression), or 1
// (inside) and -1 (one-class).
std::vector<double> predict(const svm_model& model, matrix_view<const double> decisions);
// Returns one prediction per object: a class label (classification), a value (regression), or 1 (inside) and -1
// (one-class). Throws errc::unsupported if the model was fitted on a kernel matrix. Classes and sides are those that
// decisions in double give: decisions may be computed in float first, and are computed again in double where the error
// of float could change the class. Values are computed in double.
std::vector<double> predict(const svm_model& model, const dataset& x);
// predict_exactly() computes all decision values in double; predict_precomputed() predicts from kernel values as in
// decide_precomputed(). For one-versus-one models of more than max_reports problems, votes are counted without storing
// the decisions.
std::vector<double> predict_exactly(const svm_model& model, const dataset& x);
std::vector<double> predict_precomputed(const svm_model& model, matrix_view<const double> K);

// One score per class from one-versus-one decisions: the votes of the class plus s/(3(|s|+1)), where s is the sum of
// its decision values. That term lies within ±1/3, so it decides only between equal votes. A decision of 0 votes for
// the first class of the pair, as in scikit-learn. Needs more than two classes. One-versus-rest decisions are the
// scores.
matrix<double> class_scores(const svm_model& model, matrix_view<const double> decisions);

// Calls visit(support vector, problem, coefficient) for every nonzero coefficient, in the order of the support vectors.
template <class Visit>
void for_each_coefficient(const svm_model& model, Visit visit) {
    const class_problems pairs = model.pairs();
    index c = 0, end = pairs.is_one_vs_one() ? model.class_support[0] : model.coef.cols();
    for (index s = 0; s < model.coef.cols(); ++s) {
        while (s == end) end += model.class_support[static_cast<std::size_t>(++c)];
        for (index m = 0; m < model.coef.rows(); ++m)
            if (const double coef = model.coef(m, s); coef != 0) visit(s, pairs.problem_of_row(c, m), coef);
    }
}

// The weights w of every binary problem (rows) of a model with the linear kernel: f(x) = wᵀx + b. Throws
// errc::unsupported for other kernels.
matrix<double> linear_weights(const svm_model& model);

// Reads a model file of this library (methods/model_file.h) or of LIBSVM; the first bytes decide. `zero_based`: as in
// libsvm_model.h; the columns of a model in the format of this library are shifted by one.
svm_model parse_any_model(std::string_view bytes, const std::string& name, bool zero_based = false);
bool is_model_prefix(std::string_view text);  // returns true if `text` may be the beginning of such a file
svm_model load_any_model(const std::string& path, bool zero_based = false);

}  // namespace mercer
