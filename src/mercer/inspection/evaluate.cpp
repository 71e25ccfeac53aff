#include "mercer/inspection/evaluate.h"

#include <fmt/format.h>

#include "mercer/base/error.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/class_scores.h"

namespace mercer::api {
namespace {

void require_judgeable(const model& m, const table& data) {
    const method& how = find_method(m.method_name());
    const answer what = m.gives();
    if (what == answer::none || what == answer::clusters || how.family == method_family::density)
        fail(errc::unsupported,
             fmt::format("{} answers with {}, which no target says to be right or wrong", m.method_name(),
                         what == answer::clusters ? "clusters"
                         : what == answer::none   ? "coordinates"
                                                  : "densities"));
    if (data.y.empty()) fail(errc::data, "an evaluation needs targets, and the data have none: name their column");
    if (static_cast<index>(data.y.size()) != data.x.size())
        fail(errc::invalid_argument, fmt::format("{} objects, but {} targets", data.x.size(), data.y.size()));
    if (what != answer::sides) return;
    for (std::size_t i = 0; i < data.y.size(); ++i)
        if (data.y[i] != 1 && data.y[i] != -1)
            fail(errc::data, fmt::format("row {}: {} answers 1 (inside) or -1, so targets must be 1 or -1, got {}", i,
                                         m.method_name(), number_text(data.y[i])));
}

std::vector<double> classes_of(const model& m) {
    return m.gives() == answer::sides ? std::vector<double>{-1, 1} : m.inner().classes();
}

matrix<double> scores_of(const model& m, const dataset& prepared, std::span<const double> predicted) {
    if (m.gives() != answer::sides) return scores_of_classes(m.inner(), prepared, predicted).value_or(matrix<double>());
    const matrix<double> f = m.inner().decide(prepared);  // positive inside
    matrix<double> out(f.rows(), 2);
    for (index i = 0; i < f.rows(); ++i) out(i, 0) = -f(i, 0), out(i, 1) = f(i, 0);
    return out;
}

// The metric of the importance; what a model lacks is said at once.
const metric& metric_of(const model_answers& a, const std::string& name) {
    const metric& by = name.empty() ? default_metric(a.of) : find_metric(name, a.of);
    if (by.from == metric::wants::scores && a.scores.cols() == 0)
        fail(errc::unsupported, fmt::format("{} needs scores of the classes, and the model has none", by.name));
    if (by.from == metric::wants::probabilities && a.probabilities.cols() == 0)
        fail(errc::unsupported, fmt::format("{} needs probabilities, and the model has none", by.name));
    return by;
}

std::vector<feature_importance> importance_of(const model& m, const table& data, const model_answers& a,
                                              const metric& by, const importance_options& options) {
    // Two classes share one function whose sign is read off the predictions: a block of rows of one class shows it as
    // well as all of them.
    const asked ask = [&](const dataset& x) {
        const dataset prepared = m.prepared(x);
        said out{m.inner().predict(prepared)};
        if (by.from == metric::wants::scores) out.scores = scores_of(m, prepared, out.predicted);
        if (by.from == metric::wants::probabilities) out.scores = m.inner().probabilities(prepared);
        return out;
    };
    return permutation_importance(data.x, data.y, a.classes, by, ask, options);
}

}  // namespace

evaluation evaluate(const model& m, const table& data, const evaluate_options& options) {
    require_judgeable(m, data);
    const dataset x = m.prepared(data.x);
    model_answers a{m.gives() == answer::values ? answer::values : answer::classes, data.y, m.inner().predict(x)};
    if (a.of == answer::classes) {
        a.classes = classes_of(m);
        a.scores = scores_of(m, x, a.predicted);
        if (m.gives() == answer::classes)
            a.probabilities = probabilities_of_classes(m.inner(), x).value_or(matrix<double>());
    }
    const metric* by = options.importance ? &metric_of(a, options.metric) : nullptr;
    evaluation out = mercer::evaluate(a, options.figures);
    for (std::size_t c = 0; c < out.names.size(); ++c) out.names[c] = m.class_text(out.table.labels[c]);
    if (by) {
        out.importance = importance_of(m, data, a, *by, options.shuffles);
        out.importance_metric = by->name;
        out.features = m.feature_names();
    }
    return out;
}

}  // namespace mercer::api
