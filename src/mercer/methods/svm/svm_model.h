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

// The binary problems of a machine for k classes, and where their numbers stand.
//
//   one-versus-one    problems (0,1), (0,2), …, (0,k-1), (1,2), …: class a on the positive side, class b > a on the
//   negative one one-versus-rest   problem a: class a against all others
//
// Two classes are one problem in both schemes. Coefficients of one-versus-one lie as LIBSVM's sv_coef: k-1 rows, and a
// support vector of class c has in row m its coefficient against the m-th other class.
enum class multiclass { one_vs_one, one_vs_rest };

class class_problems {
public:
    // No classes: regression and one-class, which are one problem.
    class_problems(index classes, multiclass scheme)
        : k_(classes), rest_(scheme == multiclass::one_vs_rest && classes > 2) {}

    bool against_rest() const { return rest_; }
    bool by_pairs() const { return k_ > 2 && !rest_; }
    index count() const { return k_ == 0 ? 1 : rest_ ? k_ : k_ * (k_ - 1) / 2; }
    index coefficient_rows() const { return k_ == 0 ? 1 : rest_ ? k_ : k_ - 1; }

    // The problem of two classes a < b.
    index of(index a, index b) const { return a * k_ - a * (a + 1) / 2 + (b - a - 1); }
    // The problem that row m of the coefficients belongs to, for a support vector of class c.
    index of_row(index c, index m) const {
        if (!by_pairs()) return m;
        const index other = m < c ? m : m + 1;
        return of(c < other ? c : other, c < other ? other : c);
    }

    struct sides {
        index first, second;  // second: -1 where it is all others
    };
    sides operator[](index problem) const {
        if (rest_) return {problem, -1};
        // The first problem of class a is of(a, a + 1) = a(2k-1-a)/2: solved for a, and put right where rounding errs.
        const double twice = static_cast<double>(2 * k_ - 1);
        auto a = static_cast<index>((twice - std::sqrt(twice * twice - 8 * static_cast<double>(problem))) / 2);
        while (a > 0 && of(a, a + 1) > problem) --a;
        while (a + 2 < k_ && of(a + 1, a + 2) <= problem) ++a;
        return {a, a + 1 + problem - of(a, a + 1)};
    }

    // visit(problem, a, b) for each of them, b = -1 where it is all others.
    template <class Visit>
    void each(Visit visit) const {
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

// Gives such a model the kernel and the objects that its matrices were made of. Where nothing says that the problem is
// convex, meeting the first-order conditions does not make it the minimum: what has converged with a kernel that is not
// proven to be one becomes stationary.
void attach(svm_model& model, const kernel& k, const dataset& x);
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

// One score per class from the decisions of one-versus-one: its votes, and where votes are equal the sum s of its
// decision values, squeezed to s/(3(|s|+1)), which lies within ±1/3 and so never outweighs a vote. A decision of 0
// votes for the first of both classes, as in scikit-learn. Needs more than two classes; those of one-versus-rest are
// their own scores.
matrix<double> class_scores(const svm_model& model, matrix_view<const double> decisions);

// visit(support vector, problem, coefficient) for every coefficient that is not zero, in the order of the support
// vectors.
template <class Visit>
void each_coefficient(const svm_model& model, Visit visit) {
    const class_problems pairs = model.pairs();
    index c = 0, end = pairs.by_pairs() ? model.class_support[0] : model.coef.cols();
    for (index s = 0; s < model.coef.cols(); ++s) {
        while (s == end) end += model.class_support[static_cast<std::size_t>(++c)];
        for (index m = 0; m < model.coef.rows(); ++m)
            if (const double coef = model.coef(m, s); coef != 0) visit(s, pairs.of_row(c, m), coef);
    }
}

// w of every binary problem, for a model of the linear kernel: f(x) = wᵀx + b.
matrix<double> linear_weights(const svm_model& model);

// Files of fitted machines, in this library's own format (methods/model_file.h) or in LIBSVM's.

// This format or LIBSVM's, by the first bytes. `zero_based`: see libsvm_model.h; in this format columns are only moved
// by it.
svm_model parse_any_model(std::string_view bytes, const std::string& name, bool zero_based = false);
bool begins_any_model(std::string_view text);  // whether it may be the beginning of such a file
svm_model load_any_model(const std::string& path, bool zero_based = false);

}  // namespace mercer
