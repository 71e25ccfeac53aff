// Support vector machines by a solver of the caller's choice.
#include "mercer/methods/svm/train.h"

#include "svm.h"

namespace mercer::python {
namespace {

template <class T>
void take(const py::dict& given, const char* name, T& to) {
    if (given.contains(name)) to = given[name].cast<T>();
}

train_options options_from(const py::dict& given) {
    train_options o;
    o.svm = svm_options_from(given);
    if (given.contains("one_vs_rest") && given["one_vs_rest"].cast<bool>()) o.svm.classes = multiclass::one_vs_rest;
    o.svm.most_steps = std::numeric_limits<std::int64_t>::max();
    // Without a limit each has its own: stochastic descent may take for ever to a tolerance that suits the others.
    if (const auto epochs = given["max_iter"].cast<std::int64_t>(); epochs >= 0) {
        o.qp.most_steps = std::min(epochs, o.qp.most_steps);
        o.coordinate.most_epochs = o.pegasos.most_epochs = epochs;
    }
    take(given, "program_bytes", o.qp_bytes);
    take(given, "descent_tol", o.coordinate.tol);
    take(given, "descent_tol", o.pegasos.tol);
    take(given, "seed", o.coordinate.seed);
    take(given, "seed", o.pegasos.seed);
    take(given, "constant", o.constant);
    take(given, "keep_examples", o.keep_examples);
    take(given, "l1_penalty", o.l1_penalty);
    take(given, "batch_size", o.pegasos.batch);
    take(given, "projection", o.pegasos.project);
    take(given, "average", o.pegasos.average);
    if (given.contains("squared") && given["squared"].cast<bool>()) o.coordinate.loss = hinge_power::l2;
    if (given.contains("offset") && !given["offset"].cast<bool>()) o.pegasos.offset = offset_rule::none;
    return o;
}

// (model, was it interrupted)
py::tuple fit(const dataset& x, const kernel& k, const doubles& y, const std::string& solver, const py::dict& given) {
    train_options options = options_from(given);
    const svm_solver which = svm_solver_named(solver);
    run_control control(given["callback"]);
    options.svm.progress = [&](const svm_progress& now) { return control.go_on([&] { return progress_dict(now); }); };
    const auto targets = as_span(y);
    auto model = std::make_unique<svm_model>(without_lock(thread_count(given["n_jobs"]), [&] { return fit_svm_with(which, k, x, targets, options).model; }));
    control.finish();
    return py::make_tuple(std::move(model), control.interrupted());
}

}  // namespace

void bind_train(py::module_& m) { m.def("svm_train", &fit); }

}  // namespace mercer::python
