// What all binding files share: numpy arrays in and out without copies, data sets from Python objects, control of long
// runs.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"
#include "mercer/base/threads.h"
#include "mercer/data/dataset.h"
#include "mercer/methods/fit_control.h"

namespace mercer::python {

namespace py = pybind11;

// A Python object held by C++ code that may let go of it in any thread.
inline std::shared_ptr<const void> hold(py::object object) {
    auto* kept = new py::object(std::move(object));
    return {kept, [](const void* p) {
                // What outlives the interpreter (a kernel in the registry) goes with the process: there is no lock to
                // wait for any more.
                if (!Py_IsInitialized()) return;
                const py::gil_scoped_acquire gil;
                delete static_cast<const py::object*>(p);
            }};
}

// Owners turned into arrays: the memory moves, nothing is copied.
template <class T>
py::array_t<T> to_numpy(matrix<T> from) {
    auto* kept = new matrix<T>(std::move(from));
    const py::capsule owner(kept, [](void* p) { delete static_cast<matrix<T>*>(p); });
    return py::array_t<T>({kept->rows(), kept->cols()}, kept->data(), owner);
}
template <class T>
py::array_t<T> to_numpy(std::vector<T> from) {
    auto* kept = new std::vector<T>(std::move(from));
    const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<T>*>(p); });
    return py::array_t<T>({static_cast<py::ssize_t>(kept->size())}, kept->data(), owner);
}
// A copy, for members of a model that lives on.
template <class T>
py::array_t<T> copied(matrix_view<const T> from) {
    py::array_t<T> out({from.rows, from.cols});
    for (index i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, out.mutable_data() + i * from.cols);
    return out;
}

// Rows of a 2-D array of T, borrowed: the caller's Python code has made the columns contiguous.
template <class T>
matrix_view<const T> rows_of(const py::array& from) {
    const auto item = static_cast<py::ssize_t>(sizeof(T));
    if (from.ndim() != 2 || !py::isinstance<py::array_t<T>>(from))
        throw py::type_error("a two-dimensional array of float32 or float64 is expected here");
    if ((from.shape(1) > 1 && from.strides(1) != item) || (from.shape(0) > 1 && from.strides(0) % item != 0))
        throw py::type_error("rows must be contiguous here");
    return {static_cast<const T*>(from.data()), from.shape(0), from.shape(1),
            from.shape(0) > 1 ? from.strides(0) / item : from.shape(1)};
}

using doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
inline std::span<const double> as_span(const doubles& from) {
    return {from.data(), static_cast<std::size_t>(from.size())};
}
inline std::vector<double> as_vector(const py::object& from) {
    if (from.is_none()) return {};
    const auto values = py::cast<doubles>(from);
    return {values.data(), values.data() + values.size()};
}

using matrix_in = py::array_t<double, py::array::c_style | py::array::forcecast>;
inline matrix_view<const double> view_of(const matrix_in& K) {
    if (K.ndim() != 2) throw py::value_error("a matrix is expected here");
    return {K.data(), K.shape(0), K.shape(1)};
}

// A data set as a Python value: the vectors, strings or sets of one argument called X.
void bind_data(py::module_& m);
void bind_kernels(py::module_& m);
void bind_kernel_analysis(py::module_& m);
void bind_models(py::module_& m);
void bind_text_features(py::module_& m);
void bind_model_selection(py::module_& m);
void bind_communicator(py::module_& m);
void bind_inspection(py::module_& m);

// The objects of a data set as Python gives them: an array, (indptr, indices, data, columns), a list of str, a list of
// frozensets.
py::object objects_of(const dataset& x);

// n_jobs of an estimator as threads of this call; 0: all there are.
int thread_count(const py::object& n_jobs);

// What a callback is told.
py::dict progress_dict(const fit_progress& now);

// Watches a long run of this thread while it lives: is Ctrl-C pressed, does the caller's callback want to go on?
//
// The run asks at every step, in whatever thread, by go_on(), and on a no ends with the best it has. Where a step is
// long, or there is nothing to keep, its loops ask (context.h) and end a moment after that no, or at once at a second
// Ctrl-C: within `interrupt_again` seconds of the first, whichever run that one ended, it ends everything, and so does
// every Ctrl-C after set_interrupt("raise").
class run_control {
public:
    // keeps: whether a part of the work is an answer.
    run_control() : run_control(py::none(), false) {}
    // shared: other processes wait for this one, so that it ends with them, at a step, and never by itself.
    run_control(py::object callback, bool keeps, bool shared = false);
    ~run_control();
    run_control(const run_control&) = delete;
    run_control& operator=(const run_control&) = delete;

    // `describe` makes the callback's argument.
    bool go_on(const std::function<py::object()>& describe);
    progress_callback watching() {
        return [this](const fit_progress& now) { return go_on([&] { return py::object(progress_dict(now)); }); };
    }
    // Raises what the callback or a signal raised, and KeyboardInterrupt where that is to end more than this run.
    void finish();
    bool interrupted() const { return interrupted_; }
    // Raises why a run was stopped that has nothing to show for it; returns where the callback wanted it so. Stopped by
    // neither it is out of time.
    void explain(const error& problem);
    static run_control* here();

private:
    void look_for_signals();
    void take(py::error_already_set problem);
    bool must_end();

    py::object callback_;
    const bool keeps_, shared_;
    double said_no_ = 0;
    bool stopped_ = false, interrupted_ = false, ends_all_ = false;
    std::unique_ptr<py::error_already_set> raised_;
    run_control* before_;
    stop_scope scope_;
};
void bind_interrupt(py::module_& m);

// Runs work() without the interpreter's lock, with at most `threads` threads (0: no limit), watched by the control
// there is or by one of its own.
template <class Work>
auto without_lock(int threads, Work work) {
    std::optional<run_control> own;
    if (!run_control::here()) own.emplace();
    try {
        const py::gil_scoped_release release;
        const thread_limit limit(threads);
        return work();
    } catch (const error& problem) {
        if (problem.code() == errc::cancelled) run_control::here()->explain(problem);
        throw;
    }
}

// X of an estimator is Data, or for a precomputed kernel a matrix of its values: on_objects(data) or on_matrix(values),
// without the lock.
template <class Objects, class Matrix>
auto on_input(const py::object& x, int threads, Objects on_objects, Matrix on_matrix) {
    if (py::isinstance<dataset>(x)) {
        const dataset data = x.cast<dataset>();
        return without_lock(threads, [&] { return on_objects(data); });
    }
    const auto K = x.cast<matrix_in>();
    const auto values = view_of(K);
    return without_lock(threads, [&] { return on_matrix(values); });
}

// Whole numbers as numpy counts with them.
template <class From>
py::array_t<std::int64_t> as_int64(const From& from) {
    return to_numpy(std::vector<std::int64_t>(from.begin(), from.end()));
}

}  // namespace mercer::python
