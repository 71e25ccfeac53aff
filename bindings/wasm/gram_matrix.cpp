// The kernel matrix: entries, spectrum and distances, the Mercer test, and scores of several settings.
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/inspection/leave_one_out.h"
#include "mercer/kernel_analysis/geometry.h"
#include "mercer/kernel_analysis/mercer_test.h"
#include "mercer/kernel_analysis/spectrum.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/model_selection/cross_validate.h"
#include "session.h"

namespace mercer::page {
namespace {

constexpr index max_shown_rows = 600;  // largest number of rows shown

matrix<double> entries(const gram<double>& K) {
    matrix<double> out(K.rows(), K.cols());
    K.fill(out.view());
    return out;
}

// {"kernel", "centre", "normalise", "distances"}: returns the entries or the squared distances as float, the
// eigenvalues, the rank and the effective rank.
void gram_matrix(session& s, const request& r, reply& out) {
    require_data(s, 1);
    const index n = s.data.x.size();
    if (n > max_shown_rows)
        fail(errc::unsupported, "the matrix can be shown for at most " + std::to_string(max_shown_rows) +
                                    " examples, got " + std::to_string(n));
    const auto K = make_gram<double>(kernel_of(s, r), s.data.x);
    std::optional<normalised<double>> unit;
    std::optional<centred<double>> middle;
    const gram<double>* last = K.get();
    if (r.flag("normalise")) last = &unit.emplace(*last);
    if (r.flag("centre")) last = &middle.emplace(*last);
    const gram_spectrum found = decompose(*last, eigen_parts::values);
    out.body = {{"n", n},
                {"rank", found.rank()},
                {"negative", found.negative()},
                {"effective_rank", found.effective_rank()},
                {"tolerance", found.tolerance}};
    out.array<double>("eigenvalues", found.values);
    out.array<double>("share", found.cumulative_share());
    out.array<float>("entries", r.flag("distances") ? squared_distances(*last) : entries(*last));
}

void test_kernel(session& s, const request& r, reply& out) {
    require_data(s, 1);
    mercer_options options;
    options.eigenvalues = true;
    options.max_n = 1000;
    const mercer_result found = mercer_test(kernel_of(s, r), s.data.x, options);
    out.body = {{"verdict", name(found.verdict)},
                {"text", found.text()},
                {"proven", found.proven},
                {"tolerance", found.tolerance}};
    if (found.smallest) out.body["smallest"] = *found.smallest;
    if (found.largest) out.body["largest"] = *found.largest;
    if (found.witness)
        out.body["witness"] = {{"points", found.witness->points},
                               {"coefficients", found.witness->coefficients},
                               {"value", found.witness->value},
                               {"error_bound", found.witness->error_bound}};
}

// Cross-validation scores of several settings of one method: {"specs": [...], "folds"}. Settings with the same kernel
// share the kernel matrix. The score is NaN if a setting cannot be fitted.
void scores(session& s, const request& r, reply& out) {
    require_data(s, 2);
    api::tune_options options;
    options.folds = static_cast<int>(r.number("folds", 5));
    std::vector<api::setting> settings;
    for (const json& each : r.body.at("specs")) {
        settings.emplace_back();
        settings.back().what = api::parse_spec(each.dump());
    }
    if (settings.empty()) fail(errc::invalid_argument, "the request has no settings to score");
    const api::trial_runner runner(settings.front().what, s.data, options, r.control());
    std::vector<int> folds;
    for (int f = 0; f < runner.folds(); ++f) folds.push_back(f);
    std::vector<api::setting*> all;
    for (api::setting& each : settings) {
        each.score.assign(folds.size(), std::numeric_limits<double>::quiet_NaN());
        each.loss.resize(folds.size());
        all.push_back(&each);
    }
    runner.run(all, folds, [] {});
    std::vector<double> mean;
    for (const api::setting& each : settings) {
        double sum = 0, count = 0;
        for (const double one : each.score)
            if (!std::isnan(one)) sum += one, ++count;
        mean.push_back(count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN());
    }
    out.body = {{"metric", runner.scoring_metric().name},
                {"how", runner.describe()},
                {"larger_is_better", runner.scoring_metric().larger_is_better}};
    out.array<double>("scores", mean);
}

// The leave-one-out error of svc, {"by": "loo"}, or its bound #SV/n, {"by": "bound"}, for several settings.
void leave_one_out_scores(session& s, const request& r, reply& out) {
    require_data(s, 2);
    std::vector<double> found;
    for (const json& each : r.body.at("specs")) {
        const api::spec what = api::parse_spec(each.dump());
        svm_options options;
        for (const auto& [name, value] : what.options)
            if (name == "C") options.C = std::strtod(value.c_str(), nullptr);
        options.max_seconds = r.number("seconds", 10);
        const shared_gram K(kernel::parse(what.kernel), s.data.x, std::size_t{64} << 20);
        try {
            const svm_model m = fit_svm(K.fast(), K.exact(), s.data.y, options);
            found.push_back(r.text("by") == "bound"
                                ? static_cast<double>(m.coef.cols()) / static_cast<double>(s.data.x.size())
                                : leave_one_out(K, s.data.y, options, m).rate());
        } catch (const error&) {
            found.push_back(std::numeric_limits<double>::quiet_NaN());
        }
    }
    out.array<double>("scores", found);
}

}  // namespace

std::map<std::string, operation> matrix_operations() {
    return {{"gram", gram_matrix}, {"test", test_kernel}, {"scores", scores}, {"leave_one_out", leave_one_out_scores}};
}

}  // namespace mercer::page
