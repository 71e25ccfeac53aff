// Fits shared by the ranks of an mpi4py communicator: each rank has its own rows.
#include "mercer/base/communicator.h"

#include "mercer/data/vectors.h"
#include "mercer/methods/nystroem/training_rows.h"
#include "models.h"

namespace mercer::python {
namespace {

// Runs work(). If it fails in this rank only, ends the job, because the other ranks would wait forever.
template <class Work>
auto abort_all_on_failure(const communicator& group, Work work) {
    try {
        return work();
    } catch (const std::exception& problem) {
        const std::string why = problem.what();
        const py::gil_scoped_release release;
        abort_unless_all_failed(group, why);
        throw;
    }
}

// A rank without rows may pass None.
dataset rows_of_process(const py::object& x) { return x.is_none() ? dataset() : x.cast<dataset>(); }

// Returns (model, was this rank interrupted). The arguments are those of fit() in models.cpp.
py::tuple fit_shared(const communicator& group, const std::string& name, const py::dict& options, const py::object& x,
                     const kernel& k, const doubles& y, const py::object& sample_weight, const py::object& class_weight,
                     const std::pair<std::size_t, std::size_t>& memory, const py::object& time_limit,
                     const py::object& n_jobs, const py::object& callback, const std::string& factors,
                     const std::pair<std::string, double>& checkpoint) {
    run_control run(callback, true, true);
    python_model made{abort_all_on_failure(group, [&] {
        const api::method& m = api::find_method(name);
        const api::option_values values = values_of(m, options);
        fit_control control = control_of(memory, time_limit, n_jobs, checkpoint, run);
        if (factors != "auto") control.factors = factors == "local" ? factor_choice::local : factor_choice::distributed;
        if (control.threads == 0) control.threads = threads_per_rank(group);
        const dataset rows = rows_of_process(x);
        const std::vector<double> weight = as_vector(sample_weight);
        const auto weights = class_weights(class_weight);
        return without_lock(0, [&] {
            const shared_examples all = distribute_rows(group, rows, targets_of(y), weight);
            return api::fit(m, values, api::streamed_task{shared_rows(k, all), all.y.view(), all.weight, weights},
                            control);
        });
    })};
    run.throw_pending();
    return py::make_tuple(std::move(made), run.interrupted());
}

double shared_variance(const communicator& group, const py::object& x, const py::object& sample_weight) {
    return abort_all_on_failure(group, [&] {
        const dataset rows = rows_of_process(x);
        const std::vector<double> weight = as_vector(sample_weight);
        return without_lock(0, [&] { return entry_variance(rows, weight, &group); });
    });
}

// Factors A = RᵀR in place; all ranks hold A. Returns False if A is not positive definite, None if the ranks cannot
// factor a matrix together.
py::object shared_factor(const communicator& group, py::array_t<double, py::array::c_style> a) {
    const auto n = static_cast<std::size_t>(a.shape(0));
    double* upper = a.mutable_data();
    if (!group.can_factor(n)) return py::none();
    return py::bool_(
        abort_all_on_failure(group, [&] { return without_lock(0, [&] { return group.factor(upper, n); }); }));
}

}  // namespace

void bind_communicator(py::module_& m) {
    m.def("require_communicators", &require_same_mpi);
    py::class_<communicator>(m, "Processes", "The processes of a communicator of MPI.")
        .def(py::init([](int handle, const std::string& library) {
            // pybind11 cannot hold a pointer to a constant object.
            return std::unique_ptr<communicator>(
                const_cast<communicator*>(open_communicator(handle, library).release()));
        }))
        .def("fit", &fit_shared)
        .def("entry_variance", &shared_variance)
        .def("factor", &shared_factor, py::arg("a").noconvert());
}

}  // namespace mercer::python
