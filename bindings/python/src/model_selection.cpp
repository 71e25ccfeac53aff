// Parameter search by cross-validation, and learnt kernels.

#include <algorithm>

#include "convert.h"
#include "mercer/meta/learn_kernel.h"
#include "mercer/model_selection/nested_search.h"

namespace mercer::python {
namespace {

// Returns the result as JSON, the nested estimate as JSON (empty if not asked for), and whether Ctrl-C ended the
// search.
py::tuple tune(const std::string& method, const std::string& kernel, const api::settings& open, const dataset& x,
               const doubles& y, const py::dict& how, const py::object& n_jobs, const py::object& callback) {
    api::tune_options o;
    int nested = 0;
    for (const auto& [key, value] : how) {
        const auto name = key.cast<std::string>();
        if (name == "search") o.search = value.cast<std::string>();
        if (name == "metric") o.metric = value.cast<std::string>();
        if (name == "log") o.log = value.cast<std::string>();
        if (name == "points") o.points = value.cast<index>();
        if (name == "trials") o.trials = value.cast<index>();
        if (name == "folds") o.folds = value.cast<int>();
        if (name == "repeats") o.repeats = value.cast<int>();
        if (name == "groups") o.groups = value.cast<std::vector<std::int64_t>>();
        if (name == "by_time") o.by_time = value.cast<bool>();
        if (name == "one_standard_error") o.one_standard_error = value.cast<bool>();
        if (name == "race") o.race = value.cast<bool>();
        if (name == "max_rows") o.max_rows = value.cast<index>();
        if (name == "nested") nested = value.cast<int>();
        if (name == "seed") o.seed = value.cast<std::uint64_t>();
    }
    run_control run(callback, true);
    const progress_callback watch = run.progress_function();
    o.progress = [&](const api::tune_progress& now) {
        fit_progress shown;
        shown.phase = "settings";
        shown.done = now.done, shown.total = now.total, shown.value = now.best, shown.seconds = now.seconds;
        return !watch || watch(shown);
    };
    const table data{x, std::vector<double>(y.data(), y.data() + y.size()), {}, {}};
    fit_control control;
    control.threads = thread_count(n_jobs);
    const auto [found, estimate] = without_lock(0, [&] {
        const api::spec s{method, kernel, "", open};
        std::string best = api::to_json(api::tune(s, data, o, control));
        return std::pair(std::move(best),
                         nested > 0 ? api::to_json(api::nested_tune(s, data, nested, o, control)) : "");
    });
    run.throw_pending();
    return py::make_tuple(found, estimate, run.interrupted());
}

// Returns the learnt kernel as JSON, and whether Ctrl-C ended the computation.
py::tuple learn(const std::string& method, const std::string& kernel, const api::settings& given, const dataset& x,
                const doubles& y, const py::dict& how, const py::object& n_jobs, const py::object& callback) {
    api::learn_options o;
    fit_control control;
    for (const auto& [key, value] : how) {
        const auto name = key.cast<std::string>();
        if (name == "by") o.by = value.cast<std::string>();
        if (name == "norm") o.norm = value.cast<double>();
        if (name == "balance") o.balance = value.cast<bool>();
        if (name == "criterion") o.criterion = value.cast<std::string>();
        if (name == "tol") o.tol = value.cast<double>();
        if (name == "max_iter") o.max_iter = value.cast<index>();
        if (name == "max_rows") o.max_rows = value.cast<index>();
        if (name == "max_seconds") control.seconds = value.cast<double>();
        if (name == "seed") o.seed = value.cast<std::uint64_t>();
    }
    run_control run(callback, true);
    control.progress = run.progress_function();
    control.threads = thread_count(n_jobs);
    const table data{x, std::vector<double>(y.data(), y.data() + y.size()), {}, {}};
    const std::string found = without_lock(0, [&] {
        return api::to_json(api::learn({method, kernel, "", given}, data, o, control));
    });
    run.throw_pending();
    return py::make_tuple(found, run.interrupted());
}

}  // namespace

void bind_model_selection(py::module_& m) {
    m.def("tune", &tune);
    m.def("learn", &learn);
}

}  // namespace mercer::python
