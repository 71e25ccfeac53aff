#include "mercer/model_selection/cross_validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/lapack.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/estimator.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/regression/kernel_ridge_path.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/methods/training_gram.h"

namespace mercer::api {
namespace {

constexpr double not_run = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t default_memory = std::size_t{1} << 30;

const std::string* find_option(const spec& s, std::string_view option) {
    for (const auto& [name, value] : s.options)
        if (name == option) return &value;
    return nullptr;
}

// The number of an option of a setting, or `otherwise`.
double option_number(const spec& s, std::string_view option, double otherwise = 1) {
    const std::string* text = find_option(s, option);
    if (text) std::from_chars(text->data(), text->data() + text->size(), otherwise);
    return otherwise;
}

// Returns true if only the kernel and these options are open.
bool has_only_open(const spec& open, std::initializer_list<std::string_view> options) {
    return std::ranges::all_of(open.options, [&](const auto& each) {
        return std::ranges::find(options, each.first) != options.end() || each.second.find('?') == std::string::npos;
    });
}

// The scores or probabilities that the metric needs in addition to predictions, a column for each class.
matrix<double> metric_scores(const metric& m, const estimator& by, const dataset& x,
                             std::span<const double> predicted) {
    if (m.needs == metric::input::predictions) return {};
    if (m.needs == metric::input::probabilities) return by.probabilities(x);
    auto found = estimator_scores(by, x, predicted);
    if (!found)
        fail(errc::unsupported, fmt::format("metric '{}' needs scores of the classes, but the model has none", m.name));
    return std::move(*found);
}

// The settings grouped by kernel, each group sorted by the number of `option`.
std::vector<std::vector<setting*>> group_by_kernel(const std::vector<setting*>& which, std::string_view option) {
    std::map<std::string, std::vector<setting*>> groups;
    std::vector<std::string> order;
    for (setting* each : which) {
        auto& group = groups[each->what.kernel];
        if (group.empty()) order.push_back(each->what.kernel);
        group.push_back(each);
    }
    const auto number = [&](const setting* s) { return option_number(s->what, option); };
    std::vector<std::vector<setting*>> out;
    for (const std::string& kernel : order) {
        std::ranges::stable_sort(groups[kernel], {}, number);
        out.push_back(std::move(groups[kernel]));
    }
    return out;
}

}  // namespace

double score_model(const metric& by, const model& m, const table& data, std::vector<double>* predicted) {
    const dataset x = m.preprocess(data.x);
    std::vector<double> said = m.inner().predict(x);
    const matrix<double> scores = metric_scores(by, m.inner(), x, said);
    const double value = by.value({data.y, said, scores.view(), m.inner().classes()});
    if (predicted) *predicted = std::move(said);
    return value;
}

trial_runner::trial_runner(const spec& open, const table& data, const tune_options& options, const fit_control& control)
    : method_(find_method(open.method)), data_(data), control_(control) {
    seed_ = options.seed;
    metric_ = options.metric.empty() ? &default_metric(method_.targets) : &find_metric(options.metric, method_.targets);
    const double n = static_cast<double>(data.x.size());
    const std::size_t memory = control.memory_bytes ? control.memory_bytes : default_memory;
    const bool fits = 4 * n * n <= static_cast<double>(memory);
    const std::string* solver = find_option(open, "solver");
    uses_c_path_ = method_.search == path_over::C && fits && std::isfinite(option_number(open, "C")) &&
                   (!solver || *solver == "smo") && !find_option(open, "probability") &&
                   has_only_open(open, {"C", "epsilon"}) && metric_->needs == metric::input::predictions;
    const bool ridge =
        method_.search == path_over::lambda && has_only_open(open, {"alpha"}) && !find_option(open, "alphas") && n > 0;
    uses_leave_one_out_ = ridge && options.folds >= n && options.groups.empty() && !options.by_time &&
                          (metric_->name == "rmse" || metric_->name == "mse" || metric_->name == "r2");
    uses_ridge_folds_ = ridge && !uses_leave_one_out_ && 16 * n * n <= static_cast<double>(ridge_memory()) &&
                        (!solver || *solver != "cg") && metric_->needs == metric::input::predictions;
    if (!uses_leave_one_out_) make_folds(options);
}

void trial_runner::make_folds(const tune_options& options) {
    each_ = options.folds;
    repeats_ = options.repeats;
    by_time_ = options.by_time;
    grouped_ = !options.groups.empty();
    stratified_ = method_.targets == target_kind::classes && !grouped_ && !by_time_;
    for (int r = 0; r < options.repeats; ++r) {
        const random_below random = make_random_below(options.seed + static_cast<std::uint64_t>(r));
        const index n = data_.x.size();
        const fold_plan plan = by_time_      ? time_folds(n, options.folds)
                               : grouped_    ? grouped_folds(options.groups, options.folds, random)
                               : stratified_ ? stratified_folds(data_.y, options.folds, random)
                                             : plain_folds(n, options.folds, random);
        for (int f = by_time_ ? 1 : 0; f < plan.folds(); ++f) {
            part made;
            const auto out = plan.held_out(f);
            made.held_out.assign(out.begin(), out.end());
            if (by_time_)
                for (index i = 0; i < made.held_out.front(); ++i) made.training.push_back(i);
            else
                made.training = plan.training(f);
            if (!made.held_out.empty()) parts_.push_back(std::move(made));
        }
        constexpr index fewest = 300;
        if (r == 0 && uses_ridge_folds_ && !by_time_ && options.folds > 2 && n >= fewest)
            for (int f = 0; f < plan.folds(); ++f)
                for (const index i : plan.held_out(f))
                    (f < options.folds / 2 ? race_part_.training : race_part_.held_out).push_back(i);
    }
}

std::string trial_runner::describe() const {
    if (uses_leave_one_out_) return "leave-one-out, in closed form";
    std::string out = fmt::format("{} folds", each_);
    if (stratified_) out += ", stratified";
    if (grouped_) out += ", groups kept together";
    if (by_time_) out = fmt::format("{} pieces in order of time, each judged by what came before", each_);
    if (repeats_ > 1) out += fmt::format(", {} times", repeats_);
    return out;
}

std::string trial_runner::fingerprint() const {
    double sum = 0;
    for (std::size_t i = 0; i < data_.y.size(); ++i) sum += data_.y[i] * std::cos(static_cast<double>(i));
    return fmt::format("{} of {} {} by {}, {}, seed {}, targets {:.12g}", method_.name, data_.x.size(),
                       name(data_.x.kind()), metric_->name, describe(), seed_, sum);
}

void trial_runner::run(const std::vector<setting*>& which, const std::vector<int>& folds,
                       const std::function<void()>& on_progress) const {
    for (setting* each : which) {
        each->score.resize(static_cast<std::size_t>(this->folds()), not_run);
        each->loss.resize(each->score.size());
    }
    if (uses_leave_one_out_) return run_ridge_paths(which, on_progress);
    if (uses_c_path_) return run_c_path(which, folds, on_progress);
    if (uses_ridge_folds_) return run_ridge_folds(which, folds, on_progress);
    run_one_by_one(which, folds, on_progress);
}

void trial_runner::record_scores(setting& s, int fold, std::span<const double> predicted,
                                 matrix_view<const double> scores, std::span<const double> classes) const {
    const auto place = static_cast<std::size_t>(std::max(fold, 0));
    std::vector<double> y;
    for (const index i : fold_part(fold).held_out) y.push_back(data_.y[static_cast<std::size_t>(i)]);
    s.score[place] = metric_->value({y, predicted, scores, classes});
    auto& loss = s.loss[place];
    loss.resize(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double miss = y[i] - predicted[i];
        loss[i] = static_cast<float>(method_.targets == target_kind::classes ? miss != 0 : miss * miss);
    }
}

// Fits the whole path over C for several kernels at a time: all threads fill the kernel matrices, then each fold of
// each kernel is one task. Problems that the pair steps do not solve (unscaled columns, values beyond float range) are
// left to complete fits.
void trial_runner::run_c_path(const std::vector<setting*>& which, const std::vector<int>& folds,
                              const std::function<void()>& on_progress) const {
    const index n = data_.x.size();
    const double one = 4.0 * static_cast<double>(n) * static_cast<double>(n);
    const double memory = static_cast<double>(control_.memory_bytes ? control_.memory_bytes : default_memory);
    const auto at_once = static_cast<std::size_t>(std::clamp(memory / std::max(one, 1.0), 1.0, 6.0));
    c_path_options how;
    if (const std::string* scheme = which.empty() ? nullptr : find_option(which[0]->what, "multiclass"); scheme)
        how.scheme = *scheme == "ovr" ? multiclass::one_vs_rest : multiclass::one_vs_one;
    const auto groups = group_by_kernel(which, "C");
    for (std::size_t first = 0; first < groups.size(); first += at_once) {
        const std::size_t here = std::min(at_once, groups.size() - first);
        std::vector<smo::padded_matrix> K;
        for (std::size_t g = 0; g < here; ++g) {
            K.emplace_back(n);
            make_gram<float>(kernel::parse(groups[first + g][0]->what.kernel), data_.x,
                             {std::size_t{128} << 20, std::size_t{128} << 20, true})
                ->fill(K.back().view());
            K.back().finish();
        }
        std::mutex one_at_a_time;
        std::map<int, std::vector<setting*>> unfinished;
        parallel_for(static_cast<index>(here * folds.size()), [&](index item) {
            const smo::padded_matrix& values = K[static_cast<std::size_t>(item) / folds.size()];
            const int fold = folds[static_cast<std::size_t>(item) % folds.size()];
            const part& p = parts_[static_cast<std::size_t>(fold)];
            std::map<double, std::vector<setting*>> of_width;  // settings by ε; classification has one group
            for (setting* s : groups[first + static_cast<std::size_t>(item) / folds.size()])
                of_width[option_number(s->what, "epsilon", 0.1)].push_back(s);
            for (const auto& [epsilon, group] : of_width) {
                std::vector<double> C;
                for (const setting* s : group) C.push_back(option_number(s->what, "C"));
                const auto said_of =
                    method_.targets == target_kind::classes
                        ? decide_along_c_path(values, data_.y, p.training, p.held_out, C, how)
                        : predict_along_c_path(values, data_.y, p.training, p.held_out, C, epsilon, how);
                const std::lock_guard guard(one_at_a_time);
                for (std::size_t c = 0; c < group.size(); ++c) {
                    if (said_of[c].fits.unfinished > 0)
                        unfinished[fold].push_back(group[c]);
                    else
                        record_scores(*group[c], fold, said_of[c].predicted, {}, {});
                }
            }
        });
        for (const auto& [fold, some] : unfinished) run_one_by_one(some, {fold}, on_progress);
        on_progress();
    }
}

std::size_t trial_runner::ridge_memory() const {
    return control_.memory_bytes ? control_.memory_bytes : kernel_ridge_options{}.memory_bytes;
}

// Fits all λ for several kernels at a time; each fold of each kernel is one task. With 3000 examples or more, kernels
// and folds follow one another, and each uses all threads.
void trial_runner::run_ridge_folds(const std::vector<setting*>& which, const std::vector<int>& folds,
                                   const std::function<void()>& on_progress) const {
    constexpr index large = 3000;
    const index n = data_.x.size();
    const auto groups = group_by_kernel(which, "alpha");
    const std::size_t at_once = n < large ? 6 : 1, memory = ridge_memory() / 4 / at_once;
    std::mutex one_at_a_time;
    const auto unless_impossible = [&](const std::vector<setting*>& group, const auto& step) {
        try {
            step();
        } catch (const error& problem) {
            if (problem.code() == errc::cancelled) throw;
            const std::lock_guard guard(one_at_a_time);
            for (setting* s : group) s->warning = problem.what();
        }
    };
    for (std::size_t first = 0; first < groups.size(); first += at_once) {
        const std::size_t here = std::min(at_once, groups.size() - first);
        std::vector<std::unique_ptr<gram<double>>> K(here);
        for (std::size_t g = 0; g < here; ++g)
            unless_impossible(groups[first + g], [&] {
                K[g] = training_gram(kernel::parse(groups[first + g][0]->what.kernel), data_.x, memory);
            });
        const auto item = [&](index i) {
            const std::size_t g = static_cast<std::size_t>(i) / folds.size();
            const auto& group = groups[first + g];
            const int fold = folds[static_cast<std::size_t>(i) % folds.size()];
            std::vector<double> lambdas;
            for (const setting* s : group) lambdas.push_back(option_number(s->what, "alpha"));
            if (!K[g]) return;
            unless_impossible(group, [&] {
                const part& p = fold_part(fold);
                const auto predicted = predict_along_penalties(*K[g], data_.y, p.training, p.held_out, lambdas);
                const std::lock_guard guard(one_at_a_time);
                for (std::size_t l = 0; l < group.size(); ++l)
                    if (!predicted[l].empty())
                        record_scores(*group[l], fold, predicted[l], {}, {});
                    else
                        group[l]->warning = "K + alpha*I is not positive definite: take larger alphas";
            });
        };
        const auto items = static_cast<index>(here * folds.size());
        if (n < large)
            blas::parallel_calls(items, item);
        else
            for (index i = 0; i < items; ++i) item(i);
        on_progress();
    }
}

void trial_runner::run_ridge_paths(const std::vector<setting*>& which, const std::function<void()>& on_progress) const {
    double mean = 0, spread = 0;
    const auto n = static_cast<double>(data_.y.size());
    for (const double y : data_.y) mean += y / n;
    for (const double y : data_.y) spread += (y - mean) * (y - mean) / n;
    for (const auto& group : group_by_kernel(which, "alpha")) {
        ridge_path_options path;
        path.score = ridge_score::loo;
        if (control_.memory_bytes) path.memory_bytes = control_.memory_bytes;
        for (const setting* s : group) path.alphas.push_back(option_number(s->what, "alpha"));
        try {
            const kernel_ridge_path found =
                fit_kernel_ridge_path(kernel::parse(group[0]->what.kernel), data_.x,
                                      matrix_view<const double>(data_.y.data(), data_.x.size(), 1), path);
            for (std::size_t a = 0; a < group.size(); ++a) {
                const double mse = found.loo[a];
                group[a]->score[0] = metric_->name == "mse"    ? mse
                                     : metric_->name == "rmse" ? std::sqrt(mse)
                                     : spread > 0              ? 1 - mse / spread
                                                               : 0.0;
            }
        } catch (const error& problem) {
            if (problem.code() == errc::cancelled) throw;
            for (setting* s : group) s->warning = problem.what();
        }
        on_progress();
    }
}

void trial_runner::run_one_by_one(const std::vector<setting*>& which, const std::vector<int>& folds,
                                  const std::function<void()>& on_progress) const {
    for (const int fold : folds) {
        const part& p = parts_[static_cast<std::size_t>(fold)];
        const auto taken = [&](const std::vector<index>& rows) {
            table out{gather(data_.x, std::span<const index>(rows)), {}, data_.class_names, {}};
            for (const index i : rows) out.y.push_back(data_.y[static_cast<std::size_t>(i)]);
            return out;
        };
        const table training = taken(p.training), held_out = taken(p.held_out);
        for (setting* s : which) {
            try {
                spec plain = s->what;
                plain.scale.clear();
                plain.text.clear();
                const model m = fit(plain, training, control_);
                const std::vector<double> predicted = m.predict(held_out.x);
                const matrix<double> scores = metric_scores(*metric_, m.inner(), held_out.x, predicted);
                record_scores(*s, fold, predicted, scores.view(), m.inner().classes());
                if (const std::string wrong = m.inner().warning(); !wrong.empty()) s->warning = wrong;
            } catch (const error& problem) {
                if (problem.code() == errc::cancelled) throw;
                s->warning = problem.what();
            }
            on_progress();
        }
    }
}

}  // namespace mercer::api
