#include "mercer/insight/leave_one_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"

namespace mercer {

error_estimate leave_one_out(const shared_gram& K, std::span<const double> y, const svm_options& options, const svm_model& fitted,
                             const std::function<void(double)>& progress, bool skip) {
    const index n = K.size();
    if (static_cast<index>(y.size()) != n) fail(errc::invalid_argument, fmt::format("leave-one-out: {} examples but {} labels", n, y.size()));
    if (!fitted.is_classifier() || options.task != svm_task::c_svc)
        fail(errc::unsupported,
             "leave-one-out: only for c_svc, or the c_svc that a nu_svc is equal to: in ν-problems every example moves the others. Use folds");
    svm_model from = fitted;
    from.task = svm_task::c_svc;
    from.C = options.C;
    if (fitted.training_size != n)
        fail(errc::invalid_argument, fmt::format("leave-one-out: the model was trained on {} examples, got {}", fitted.training_size, n));
    std::vector<double> weight = options.sample_weight;
    if (weight.empty()) weight.assign(static_cast<std::size_t>(n), 1.0);
    std::map<double, index> members;
    error_estimate out;
    out.method = "leave-one-out";
    for (std::size_t i = 0; i < weight.size(); ++i)
        if (weight[i] > 0) ++members[y[i]], ++out.size;

    std::vector<index> left_out = fitted.support_rows;
    if (!skip) {
        left_out.clear();
        for (index i = 0; i < n; ++i)
            if (weight[static_cast<std::size_t>(i)] > 0) left_out.push_back(i);
    }
    std::atomic<index> wrong = 0, fits = 0, done = 0;
    std::mutex lock;  // of out.ended and progress
    const auto total = static_cast<index>(left_out.size());
    parallel_for(total, [&](index at) {
        const index i = left_out[static_cast<std::size_t>(at)];
        const double label = y[static_cast<std::size_t>(i)];
        if (members.at(label) == 1) {
            ++wrong;  // nobody else knows this class
        } else {
            svm_options o = options;
            o.sample_weight = weight;
            o.sample_weight[static_cast<std::size_t>(i)] = 0;
            o.start = &from;
            o.progress = nullptr;
            o.checkpoint_file.clear();
            const svm_model without = fit_svm(K.fast(), K.exact(), y, o);
            matrix<double> row(1, n);
            K.exact().row(i, row.data());
            wrong += predict(without, decide_precomputed(without, row.view()).view())[0] != label;
            ++fits;
            const std::lock_guard hold(lock);
            out.ended.add(without);
        }
        const index so_far = ++done;
        if (progress) {
            const std::lock_guard hold(lock);
            progress(static_cast<double>(so_far) / static_cast<double>(total));
        }
    });
    out.wrong = wrong;
    out.fits = fits;
    return out;
}

error_estimate cross_validation(const shared_gram& K, std::span<const double> y, const svm_options& options, int folds, std::uint64_t seed) {
    const cross_predictions said = cross_predict(K, y, options, stratified_folds(y, folds, seeded(seed)));
    const auto n = static_cast<index>(y.size());
    return {fmt::format("{} folds", folds), n - count_correct(y, said.values), n, folds, said.fits};
}

svm_options refit_options(const svm_model& model, const margin_report& report, const margin_options& from) {
    if (model.task == svm_task::nu_svc && report.problems.size() > 1)
        fail(errc::unsupported,
             "a ν-classifier of more than two classes cannot be fitted again: its file does not hold ν, and each pair of classes has its own C");
    svm_options o;
    o.task = svm_task::c_svc;  // ν-SVC: the C-classification it is equal to
    o.C = report.problems.front().C;
    o.classes = model.scheme;
    o.sorted_classes = std::ranges::is_sorted(model.classes);
    o.class_weight = from.class_weight;
    o.sample_weight = from.sample_weight;
    return o;
}

}  // namespace mercer
