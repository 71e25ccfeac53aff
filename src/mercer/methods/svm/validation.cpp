#include "mercer/methods/svm/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/methods/svm/svm_problems.h"
#include "mercer/gram/adaptors.h"
#include "mercer/gram/computed.h"
#include "mercer/gram/narrowed.h"
#include "mercer/gram/precomputed.h"

namespace mercer {
namespace {

void check_folds(index n, int folds) {
    if (folds < 2 || folds > n) fail(errc::invalid_argument, fmt::format("cross-validation: must satisfy 2 <= folds <= {} examples, got {}", n, folds));
}

void shuffle(std::span<index> items, const random_below& random) {
    const index n = static_cast<index>(items.size());
    for (index i = 0; i < n; ++i) std::swap(items[static_cast<std::size_t>(i)], items[static_cast<std::size_t>(i + random(n - i))]);
}

// The classes of the examples, in the order of LIBSVM's labels.
std::vector<std::vector<index>> group(std::span<const double> y) {
    std::map<double, std::size_t> place;
    std::vector<double> labels;
    std::vector<std::vector<index>> members;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto [at, fresh] = place.try_emplace(y[i], members.size());
        if (fresh) members.emplace_back(), labels.push_back(y[i]);
        members[at->second].push_back(static_cast<index>(i));
    }
    if (labels.size() == 2 && labels[0] == -1 && labels[1] == 1) std::swap(members[0], members[1]);
    return members;
}

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

random_below seeded(std::uint64_t seed) {
    // splitmix64: every seed gives a good sequence, on every machine the same
    return [state = seed](index n) mutable {
        state += 0x9E3779B97F4A7C15ull;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        z ^= z >> 31;
        return static_cast<index>(z % static_cast<std::uint64_t>(n));  // the bias, n/2⁶⁴, is nothing
    };
}

std::vector<index> fold_plan::training(int fold) const {
    std::vector<index> out(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(from(fold)));
    out.insert(out.end(), order.begin() + static_cast<std::ptrdiff_t>(from(fold + 1)), order.end());
    return out;
}

fold_plan plain_folds(index n, int folds, const random_below& random) {
    check_folds(n, folds);
    fold_plan plan;
    plan.order.resize(static_cast<std::size_t>(n));
    std::iota(plan.order.begin(), plan.order.end(), 0);
    shuffle(plan.order, random);
    for (index f = 0; f <= folds; ++f) plan.start.push_back(f * n / folds);
    return plan;
}

fold_plan stratified_folds(std::span<const double> y, int folds, const random_below& random) {
    check_folds(static_cast<index>(y.size()), folds);
    auto members = group(y);
    for (auto& each : members) shuffle(each, random);
    fold_plan plan;
    plan.start.push_back(0);
    for (index f = 0; f < folds; ++f) {
        for (const auto& each : members) {
            const index n = static_cast<index>(each.size());
            plan.order.insert(plan.order.end(), each.begin() + f * n / folds, each.begin() + (f + 1) * n / folds);
        }
        plan.start.push_back(static_cast<index>(plan.order.size()));
    }
    return plan;
}

std::vector<index> weighted_examples(index n, std::span<const double> weight, std::span<const index> rank) {
    std::vector<index> out(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) out[static_cast<std::size_t>(rank.empty() ? i : rank[static_cast<std::size_t>(i)])] = i;
    std::erase_if(out, [&](index i) { return !weight.empty() && weight[static_cast<std::size_t>(i)] == 0; });
    return out;
}

fold_plan of_examples(fold_plan plan, std::span<const index> which) {
    for (index& i : plan.order) i = which[static_cast<std::size_t>(i)];
    return plan;
}

shared_gram::shared_gram(const kernel& k, const dataset& x, std::size_t memory_bytes) {
    require_finite(x);
    exact_ = std::make_unique<computed<double>>(k, x);
    computed_ = std::make_unique<computed<float>>(k, x, evaluator_memory(memory_bytes / 4, memory_bytes / 4, true));
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
    if (K.rows != K.cols) fail(errc::invalid_argument, fmt::format("svm: a precomputed kernel matrix must be square, got {} × {}", K.rows, K.cols));
    exact_ = std::make_unique<precomputed<double>>(K);
    fast_ = std::make_unique<narrowed>(*exact_);
}

inner_fits cross_decide(const shared_gram& K, std::span<const double> y, const svm_options& options, const fold_plan& plan, const fold_visit& visit) {
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
            for (const index i : training) here.sample_weight.push_back(options.sample_weight[static_cast<std::size_t>(i)]);
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

cross_predictions cross_predict(const shared_gram& K, std::span<const double> y, const svm_options& options, const fold_plan& plan) {
    cross_predictions out{std::vector<double>(static_cast<std::size_t>(K.size())), {}};
    out.fits =
        cross_decide(K, y, options, plan, [&](svm_model& model, std::span<const index>, std::span<const index> held_out, const matrix<double>& decisions) {
            const std::vector<double> labels = predict(model, decisions.view());
            for (std::size_t i = 0; i < held_out.size(); ++i) out.values[static_cast<std::size_t>(held_out[i])] = labels[i];
        });
    return out;
}

regression_score score_regression(std::span<const double> y, std::span<const double> v) {
    const double n = static_cast<double>(y.size());
    double squares = 0, sv = 0, sy = 0, svv = 0, syy = 0, svy = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        squares += (v[i] - y[i]) * (v[i] - y[i]);
        sv += v[i], sy += y[i], svv += v[i] * v[i], syy += y[i] * y[i], svy += v[i] * y[i];
    }
    return {squares / n, (n * svy - sv * sy) * (n * svy - sv * sy) / ((n * svv - sv * sv) * (n * syy - sy * sy))};
}

index count_correct(std::span<const double> y, std::span<const double> v) {
    index correct = 0;
    for (std::size_t i = 0; i < y.size(); ++i) correct += y[i] == v[i];
    return correct;
}

}  // namespace mercer
