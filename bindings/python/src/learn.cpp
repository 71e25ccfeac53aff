// Learnt kernels.
#include "convert.h"
#include "mercer/meta/learn_kernel.h"

namespace mercer::python {
namespace {

// The answer as JSON, and whether Ctrl-C ended it.
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
        if (name == "most_rows") o.most_rows = value.cast<index>();
        if (name == "max_seconds") control.seconds = value.cast<double>();
        if (name == "seed") o.seed = value.cast<std::uint64_t>();
    }
    run_control run(callback, true);
    control.progress = run.watching();
    control.threads = thread_count(n_jobs);
    const table data{x, std::vector<double>(y.data(), y.data() + y.size()), {}, {}};
    const std::string found = without_lock(0, [&] {
        return api::to_json(api::learn({method, kernel, "", given}, data, o, control));
    });
    run.finish();
    return py::make_tuple(found, run.interrupted());
}

}  // namespace

void bind_learn(py::module_& m) { m.def("learn", &learn); }

}  // namespace mercer::python
