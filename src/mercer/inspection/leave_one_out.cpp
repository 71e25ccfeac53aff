#include "mercer/inspection/leave_one_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/inspection/binary_problems.h"

namespace mercer {
namespace {

// The classifier of one pair of classes of a multiclass model, as a model of two classes.
svm_model pair_of(const svm_model& all, index problem) {
    const auto [a, b] = classes_of_problem(all, problem);
    svm_model out;
    out.C = all.C;
    out.training_size = all.training_size;
    const double labels[] = {all.classes[static_cast<std::size_t>(a)], all.classes[static_cast<std::size_t>(b)]};
    out.classes.assign({std::min(labels[0], labels[1]), std::max(labels[0], labels[1])});
    const double sign = labels[0] < labels[1] ? 1 : -1;  // f > 0 is the first class
    const auto coefficients = problem_coefficients(all, problem);
    out.coef = matrix<double>(1, static_cast<index>(coefficients.size()));
    for (std::size_t s = 0; s < coefficients.size(); ++s) {
        out.support_rows.push_back(all.support_rows[static_cast<std::size_t>(coefficients[s].first)]);
        out.coef(0, static_cast<index>(s)) = sign * coefficients[s].second;
    }
    out.offset.push_back(sign * all.offset[static_cast<std::size_t>(problem)]);
    return out;
}

svm_options without_example(svm_options o, const std::vector<double>& weight, index i, const svm_model& start) {
    o.sample_weight = weight;
    o.sample_weight[static_cast<std::size_t>(i)] = 0;
    o.start = &start;
    o.progress = nullptr;
    o.checkpoint_file.clear();
    return o;
}

void check(index n, std::span<const double> y, const svm_options& options, const svm_model& fitted) {
    if (static_cast<index>(y.size()) != n)
        fail(errc::invalid_argument, fmt::format("leave-one-out: {} examples but {} labels", n, y.size()));
    if (!fitted.is_classifier() || options.task != svm_task::c_svc)
        fail(errc::unsupported,
             fmt::format(
                 "leave-one-out: expected a classifier with the task c_svc, got {}: use cross-validation instead "
                 "(for a nu_svc, pass the options that refit_options() returns)",
                 name(options.task)));
    if (fitted.training_size != n)
        fail(errc::invalid_argument,
             fmt::format("leave-one-out: the model was fitted on {} examples, got {}", fitted.training_size, n));
}

// Refits without one example, starting from the model that was fitted with it.
class refitter {
public:
    refitter(const shared_gram& K, std::span<const double> y, const svm_options& options, const svm_model& fitted,
             std::vector<double> weight, bool skip)
        : K_(K), y_(y), options_(options), from_(fitted), weight_(std::move(weight)), supports_(y.size()) {
        from_.task = svm_task::c_svc;
        from_.C = options.C;
        if (skip && from_.classes.size() > 2 && from_.scheme == multiclass::one_vs_one)
            for (index p = 0; p < from_.problems(); ++p) {
                pairs_.push_back(pair_of(from_, p));
                for (const index row : pairs_.back().support_rows)
                    supports_[static_cast<std::size_t>(row)].push_back(p);
            }
    }

    // The prediction for example i by a model fitted without it. Thread-safe.
    double predict_without(index i) {
        matrix<double> row(1, K_.size());
        K_.exact().row(i, row.data());
        if (pairs_.empty()) {
            const svm_model without = refit(without_example(options_, weight_, i, from_));
            return predict(without, decide_precomputed(without, row.view()).view())[0];
        }
        matrix<double> f = decide_precomputed(from_, row.view());
        for (const index p : supports_[static_cast<std::size_t>(i)]) f(0, p) = decide_pair_without(p, i, row);
        return predict(from_, f.view())[0];
    }

    inner_fits fit_outcomes{};  // how all fits so far ended

private:
    // f of pair p at example i, fitted without it.
    double decide_pair_without(index p, index i, const matrix<double>& row) {
        const svm_model& pair = pairs_[static_cast<std::size_t>(p)];
        svm_options o = without_example(options_, weight_, i, pair);
        for (std::size_t j = 0; j < y_.size(); ++j)
            if (y_[j] != pair.classes[0] && y_[j] != pair.classes[1]) o.sample_weight[j] = 0;
        o.sorted_classes = true;
        const svm_model without = refit(o);
        const double sign =
            without.classes[0] == from_.classes[static_cast<std::size_t>(classes_of_problem(from_, p).positive)] ? 1
                                                                                                                 : -1;
        return sign * decide_precomputed(without, row.view())(0, 0);
    }

    svm_model refit(const svm_options& o) {
        svm_model without = fit_svm(K_.fast(), K_.exact(), y_, o);
        const std::lock_guard hold(lock_);
        fit_outcomes.add(without);
        return without;
    }

    const shared_gram& K_;
    std::span<const double> y_;
    const svm_options& options_;
    svm_model from_;
    std::vector<double> weight_;
    // With many classes an example is a support vector of a few pairs only; the other pairs do not change without it.
    std::vector<svm_model> pairs_;
    std::vector<std::vector<index>> supports_;  // pairs that each example supports
    std::mutex lock_;                           // guards `fit_outcomes`
};

}  // namespace

error_estimate leave_one_out(const shared_gram& K, std::span<const double> y, const svm_options& options,
                             const svm_model& fitted, const std::function<void(double)>& progress, bool skip) {
    const index n = K.size();
    check(n, y, options, fitted);
    std::vector<double> weight = options.sample_weight;
    if (weight.empty()) weight.assign(static_cast<std::size_t>(n), 1.0);
    std::map<double, index> members;
    error_estimate out;
    out.method = "leave-one-out";
    std::vector<index> left_out;
    for (index i = 0; i < n; ++i)
        if (weight[static_cast<std::size_t>(i)] > 0)
            ++members[y[static_cast<std::size_t>(i)]], ++out.size, left_out.push_back(i);
    if (skip) left_out = fitted.support_rows;

    refitter again(K, y, options, fitted, std::move(weight), skip);
    std::atomic<index> wrong = 0, fits = 0, done = 0;
    std::mutex lock;  // guards `progress`
    const auto total = static_cast<index>(left_out.size());
    parallel_for(total, [&](index at) {
        const index i = left_out[static_cast<std::size_t>(at)];
        const double label = y[static_cast<std::size_t>(i)];
        if (members.at(label) == 1) {
            ++wrong;  // no other example has this class
        } else {
            wrong += again.predict_without(i) != label;
            ++fits;
        }
        const index so_far = ++done;
        if (progress) {
            const std::lock_guard hold(lock);
            progress(static_cast<double>(so_far) / static_cast<double>(total));
        }
    });
    out.wrong = wrong;
    out.fits = fits;
    out.fit_outcomes = again.fit_outcomes;
    return out;
}

error_estimate cross_validation(const shared_gram& K, std::span<const double> y, const svm_options& options, int folds,
                                std::uint64_t seed) {
    const std::vector<index> used = select_weighted_examples(static_cast<index>(y.size()), options.sample_weight);
    std::vector<double> labels;
    for (const index i : used) labels.push_back(y[static_cast<std::size_t>(i)]);
    const cross_predictions said =
        cross_predict(K, y, options, map_to_examples(stratified_folds(labels, folds, make_random_below(seed)), used));
    index wrong = 0;
    for (const index i : used) wrong += said.values[static_cast<std::size_t>(i)] != y[static_cast<std::size_t>(i)];
    return {fmt::format("{} folds", folds), wrong, static_cast<index>(used.size()), folds, said.fits};
}

svm_options refit_options(const svm_model& model, const margin_report& report, const margin_options& from) {
    if (model.task == svm_task::nu_svc && report.problems.size() > 1)
        fail(errc::unsupported,
             "a ν-classifier of more than two classes cannot be fitted again: its model file does not contain ν, and "
             "each pair of classes has its own C");
    svm_options o;
    o.task = svm_task::c_svc;  // ν-SVC: the equivalent C-classifier
    o.C = report.problems.front().C;
    o.classes = model.scheme;
    o.sorted_classes = std::ranges::is_sorted(model.classes);
    o.class_weight = from.class_weight;
    o.sample_weight = from.sample_weight;
    return o;
}

}  // namespace mercer
