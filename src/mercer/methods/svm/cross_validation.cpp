#include "mercer/methods/svm/cross_validation.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/narrowed.h"
#include "mercer/gram/precomputed.h"
#include "mercer/methods/svm/multiclass.h"

namespace mercer {
namespace {

// A classifier of one class, for a part that saw no other.
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
        computed_->all(all.view());
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
    fast_ = std::make_unique<narrowed>(*exact_);
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
        std::vector<double> seen;  // of those that count
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

}  // namespace mercer
