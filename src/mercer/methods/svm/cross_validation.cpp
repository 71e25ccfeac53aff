#include "mercer/methods/svm/cross_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/methods/svm/multiclass.h"

namespace mercer {
namespace {

// A classifier of one class, for a fold whose training examples have no other.
svm_model single_class(const svm_options& options, double label, index n) {
    svm_model model;
    model.task = options.task;
    model.scheme = options.classes;
    model.classes = {label};
    model.class_support = {0};
    model.coef = matrix<double>(0, 0);
    model.training_size = n;
    model.C = options.C;
    return model;
}

}  // namespace

shared_gram::shared_gram(const kernel& k, const dataset& x, std::size_t memory_bytes) {
    require_finite(x);
    exact_ = make_gram<double>(k, x);
    computed_ = make_gram<float>(k, x, evaluator_memory(memory_bytes / 4, memory_bytes / 4, true));
    const auto n = static_cast<std::size_t>(x.size());
    if (n > 0 && n <= memory_bytes / 2 / sizeof(float) / n) {
        matrix<float> all(x.size(), x.size());
        computed_->fill(all.view());
        bytes_ = n * n * sizeof(float);
        fast_ = std::make_unique<precomputed<float>>(std::move(all));
    } else {
        fast_ = std::move(computed_);
    }
}

shared_gram::shared_gram(matrix_view<const double> K) {
    if (K.rows != K.cols)
        fail(errc::invalid_argument,
             fmt::format("svm: a precomputed kernel matrix must be square, got {} × {}", K.rows, K.cols));
    exact_ = std::make_unique<precomputed<double>>(K);
    fast_ = std::make_unique<float_gram>(*exact_);
}

inner_fits cross_decide(const shared_gram& K, std::span<const double> y, const svm_options& options,
                        const fold_plan& plan, const fold_visit& visit) {
    require_feasible_nu(K.size(), y, options);
    inner_fits ended;
    for (int fold = 0; fold < plan.folds(); ++fold) {
        const std::vector<index> training = plan.training(fold);
        const auto held_out = plan.held_out(fold);
        svm_options here = options;
        here.start = nullptr;
        here.checkpoint_file.clear();
        here.memory_bytes -= std::min(here.memory_bytes / 2, K.bytes());
        std::vector<double> targets;
        for (const index i : training) targets.push_back(y.empty() ? 0.0 : y[static_cast<std::size_t>(i)]);
        if (!options.sample_weight.empty()) {
            here.sample_weight.clear();
            for (const index i : training)
                here.sample_weight.push_back(options.sample_weight[static_cast<std::size_t>(i)]);
        }
        const bool classifier = options.task == svm_task::c_svc || options.task == svm_task::nu_svc;
        svm_model model;
        std::vector<double> seen;  // targets of the examples of positive weight
        for (std::size_t i = 0; i < targets.size(); ++i)
            if (here.sample_weight.empty() || here.sample_weight[i] > 0) seen.push_back(targets[i]);
        if (classifier && !seen.empty() && std::ranges::adjacent_find(seen, std::not_equal_to{}) == seen.end()) {
            model = single_class(options, seen[0], static_cast<index>(training.size()));
        } else {
            const subset<float> fast(K.fast(), training);
            const subset<double> exact(K.exact(), training);
            model = fit_svm(fast, exact, targets, here);
        }
        std::vector<index> columns;
        for (const index s : model.support_rows) columns.push_back(training[static_cast<std::size_t>(s)]);
        const matrix<double> decisions = decide(model, K.fast(), held_out, columns);
        ended.add(model);
        visit(model, training, held_out, decisions);
    }
    return ended;
}

cross_predictions cross_predict(const shared_gram& K, std::span<const double> y, const svm_options& options,
                                const fold_plan& plan) {
    cross_predictions out{std::vector<double>(static_cast<std::size_t>(K.size())), {}};
    out.fits = cross_decide(K, y, options, plan,
                            [&](svm_model& model, std::span<const index>, std::span<const index> held_out,
                                const matrix<double>& decisions) {
                                const std::vector<double> labels = predict(model, decisions.view());
                                for (std::size_t i = 0; i < held_out.size(); ++i)
                                    out.values[static_cast<std::size_t>(held_out[i])] = labels[i];
                            });
    return out;
}

void inner_fits::add(const svm_model& model) {
    for (const svm_report& report : model.reports) {
        const bool failed = !is_optimal(report.status);
        // add() counts a NaN gap as the worst.
        add(inner_fits{1, failed ? 1 : 0, failed ? report.gap : 0, failed ? report.status : fit_status::converged});
    }
}

void inner_fits::add(const inner_fits& others) {
    if (others.unfinished > 0 && (unfinished == 0 || !(others.worst_gap <= worst_gap)))
        worst_gap = others.worst_gap, worst = others.worst;
    fits += others.fits;
    unfinished += others.unfinished;
}

std::string inner_fits::warning() const {
    if (unfinished == 0) return {};
    return fmt::format("{} of {} fits did not converge (the worst: {} at a KKT violation of {:.3g})", unfinished, fits,
                       display_text(worst), worst_gap);
}

namespace {

// Solves along the path over C and fills column `problem` of every answer.
void solve_path(smo::c_path& path, index n, std::span<const index> decided, index problem, std::span<const double> C,
                double tol, const c_path_options& options, std::vector<c_path_prediction>& answers) {
    for (std::size_t c = 0; c < C.size(); ++c) {
        throw_if_cancelled();
        path.solve(C[c], tol, options.max_steps_each * n);
        for (std::size_t i = 0; i < decided.size(); ++i)
            answers[c].decisions(static_cast<index>(i), problem) = path.decision(decided[i]);
        inner_fits& fits = answers[c].fits;
        ++fits.fits;
        if (path.gap() <= tol) continue;
        ++fits.unfinished;
        fits.worst_gap = std::max(fits.worst_gap, path.gap());
        fits.worst = fit_status::step_limit;
    }
}

// The path over C of the binary problems of one fold.
class binary_path {
public:
    binary_path(const smo::padded_matrix& K, std::span<const double> y, std::span<const index> training,
                std::span<const index> held_out, std::span<const double> weight)
        : all_(K), y_(y), training_(training), held_out_(held_out), weight_(weight) {}

    // Class `first` against `*second`, or against all others if `second` is null. Fills column `problem` of the
    // answers, of which there is one for each C.
    void solve(double first, const double* second, index problem, std::span<const double> C,
               const c_path_options& options, std::vector<c_path_prediction>& answers) const {
        std::vector<index> taken;
        std::vector<double> sign;
        for (const index i : training_) {
            const double label = y_[static_cast<std::size_t>(i)];
            if (label != first && second && label != *second) continue;
            taken.push_back(i);
            sign.push_back(label == first ? 1.0 : -1.0);
        }
        // A problem of all training examples uses the matrix itself; for a problem of some of them a copy pays.
        if (taken.size() == training_.size()) {
            std::vector<double> signs(static_cast<std::size_t>(all_.size()), 0.0);
            for (std::size_t t = 0; t < taken.size(); ++t) signs[static_cast<std::size_t>(taken[t])] = sign[t];
            run(all_, signs, weight_, held_out_, problem, C, options, answers);
            return;
        }
        std::vector<index> both = taken, places;
        for (const index i : held_out_) places.push_back(static_cast<index>(both.size())), both.push_back(i);
        const smo::padded_matrix part = copy_submatrix(both, static_cast<index>(taken.size()));
        sign.resize(both.size(), 0.0);
        std::vector<double> weight;
        for (const index i : both)
            if (!weight_.empty()) weight.push_back(weight_[static_cast<std::size_t>(i)]);
        run(part, sign, weight, places, problem, C, options, answers);
    }

private:
    // Copies the submatrix of the examples `which`. Only the first `rows` rows and the diagonal are needed.
    smo::padded_matrix copy_submatrix(const std::vector<index>& which, index rows) const {
        smo::padded_matrix out(static_cast<index>(which.size()));
        for (index r = 0; r < out.size(); ++r) {
            const float* from = all_.view().row(which[static_cast<std::size_t>(r)]);
            float* to = out.view().row(r);
            to[r] = from[which[static_cast<std::size_t>(r)]];
            for (std::size_t c = 0; r < rows && c < which.size(); ++c) to[c] = from[which[c]];
        }
        out.finish();
        return out;
    }

    static void run(const smo::padded_matrix& K, std::span<const double> sign, std::span<const double> weight,
                    std::span<const index> decided, index problem, std::span<const double> C,
                    const c_path_options& options, std::vector<c_path_prediction>& answers) {
        smo::c_path path(K, sign, weight);
        solve_path(path, K.size(), decided, problem, C, options.tol, options, answers);
    }

    const smo::padded_matrix& all_;
    std::span<const double> y_;
    std::span<const index> training_, held_out_;
    std::span<const double> weight_;
};

}  // namespace

std::vector<c_path_prediction> decide_along_c_path(const smo::padded_matrix& K, std::span<const double> y,
                                                   std::span<const index> training, std::span<const index> held_out,
                                                   std::span<const double> C, const c_path_options& options) {
    svm_model machine;
    machine.scheme = options.scheme;
    for (const index i : training) machine.classes.push_back(y[static_cast<std::size_t>(i)]);
    std::ranges::sort(machine.classes);
    machine.classes.erase(std::unique(machine.classes.begin(), machine.classes.end()), machine.classes.end());
    if (machine.classes.size() < 2)
        fail(errc::data, "the training part of a fold has a single class: take fewer folds");

    const class_problems problems = machine.pairs();
    std::vector<c_path_prediction> answers(C.size());
    for (c_path_prediction& each : answers)
        each.decisions = matrix<double>(static_cast<index>(held_out.size()), problems.count());
    const binary_path path(K, y, training, held_out, options.weight);
    problems.for_each([&](index p, index a, index b) {
        path.solve(machine.classes[static_cast<std::size_t>(a)],
                   b < 0 ? nullptr : &machine.classes[static_cast<std::size_t>(b)], p, C, options, answers);
    });
    for (c_path_prediction& each : answers) each.predicted = predict(machine, each.decisions.view());
    return answers;
}

std::vector<c_path_prediction> predict_along_c_path(const smo::padded_matrix& K, std::span<const double> y,
                                                    std::span<const index> training, std::span<const index> held_out,
                                                    std::span<const double> C, double epsilon,
                                                    const c_path_options& options) {
    std::vector<std::uint8_t> is_training(y.size(), 0);
    double mean = 0, squares = 0;
    const auto n = static_cast<double>(training.size());
    for (const index i : training)
        is_training[static_cast<std::size_t>(i)] = 1, mean += y[static_cast<std::size_t>(i)] / n;
    for (const index i : training) squares += std::pow(y[static_cast<std::size_t>(i)] - mean, 2) / n;
    const double spread = squares > 0 ? std::sqrt(squares) : 1;
    std::vector<c_path_prediction> answers(C.size());
    for (c_path_prediction& each : answers) each.decisions = matrix<double>(static_cast<index>(held_out.size()), 1);
    smo::c_path path(K, y, is_training, epsilon, options.weight);
    solve_path(path, K.size(), held_out, 0, C, options.tol * spread, options, answers);
    for (c_path_prediction& each : answers)
        each.predicted.assign(each.decisions.data(), each.decisions.data() + held_out.size());
    return answers;
}

}  // namespace mercer
