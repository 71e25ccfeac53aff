// Shared by all binding files: conversion of numpy arrays without copies, data sets from Python objects, and control of
// long runs.
#pragma once

#include <fmt/format.h>
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

// Keeps a Python object alive for C++ code, which may release it in any thread.
inline std::shared_ptr<const void> keep_alive(py::object object) {
    auto* kept = new py::object(std::move(object));
    return {kept, [](const void* p) {
                // An object that outlives the interpreter, such as a kernel in the registry, is not released: the lock
                // no longer exists.
                if (!Py_IsInitialized()) return;
                const py::gil_scoped_acquire gil;
                delete static_cast<const py::object*>(p);
            }};
}

// Moves the memory of a matrix or vector into a numpy array, without a copy.
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
// Copies a matrix that remains a member of a model.
template <class T>
py::array_t<T> copy_to_numpy(matrix_view<const T> from) {
    py::array_t<T> out({from.rows, from.cols});
    for (index i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, out.mutable_data() + i * from.cols);
    return out;
}

// Views the rows of a 2-D array of T without a copy. The caller's Python code has made the columns contiguous.
template <class T>
matrix_view<const T> rows_of(const py::array& from) {
    const auto item = static_cast<py::ssize_t>(sizeof(T));
    if (from.ndim() != 2 || !py::isinstance<py::array_t<T>>(from))
        throw py::type_error(fmt::format(
            "expected a two-dimensional array of float32 or float64, got one of {} dimensions", from.ndim()));
    if ((from.shape(1) > 1 && from.strides(1) != item) || (from.shape(0) > 1 && from.strides(0) % item != 0))
        throw py::type_error("the rows of the array must be contiguous");
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
    if (K.ndim() != 2) throw py::value_error(fmt::format("expected a matrix, got an array of {} dimensions", K.ndim()));
    return {K.data(), K.shape(0), K.shape(1)};
}

// Binds the class Data: the objects that an argument called X holds.
void bind_data(py::module_& m);
void bind_kernels(py::module_& m);
void bind_kernel_analysis(py::module_& m);
void bind_models(py::module_& m);
void bind_text_features(py::module_& m);
void bind_model_selection(py::module_& m);
void bind_communicator(py::module_& m);
void bind_inspection(py::module_& m);

// Returns the objects of a data set as Python values: an array, (indptr, indices, data, columns), a list of str, or a
// list of frozensets.
py::object objects_of(const dataset& x);

// Converts the parameter n_jobs to the number of threads of this call; 0: all threads.
int thread_count(const py::object& n_jobs);

// Returns the argument of a callback.
py::dict progress_dict(const fit_progress& now);

// Controls a long run of this thread: checks for Ctrl-C and calls the caller's callback.
//
// The run calls should_continue() at every step, in any thread, and ends with its best solution when should_continue()
// returns false. During a long step, or if there is no solution to return, the loops check for cancellation (context.h)
// and end 1 s after should_continue() has returned false. A second Ctrl-C within `second_interrupt_seconds` seconds of
// the first ends everything at once, even if the first ended another run. So does every Ctrl-C after
// set_interrupt("raise").
class run_control {
public:
    // keeps: true if an unfinished run has a result.
    run_control() : run_control(py::none(), false) {}
    // shared: other ranks wait for this run, so that it ends together with them at a step and is never cancelled alone.
    run_control(py::object callback, bool keeps, bool shared = false);
    ~run_control();
    run_control(const run_control&) = delete;
    run_control& operator=(const run_control&) = delete;

    // `describe` makes the argument of the callback.
    bool should_continue(const std::function<py::object()>& describe);
    progress_callback progress_function() {
        return
            [this](const fit_progress& now) { return should_continue([&] { return py::object(progress_dict(now)); }); };
    }
    // Throws the exception that the callback or a signal raised, and KeyboardInterrupt if Ctrl-C has to end more than
    // this run.
    void throw_pending();
    bool interrupted() const { return interrupted_; }
    // Throws the reason why a run ended without a result: the exception of a callback or signal, or TimeoutError.
    // Returns if the callback stopped the run.
    void throw_reason(const error& problem);
    static run_control* current();

private:
    void check_signals();
    void record_exception(py::error_already_set problem);
    bool should_cancel();

    py::object callback_;
    const bool keeps_, shared_;
    double stop_time_ = 0;
    bool stopped_ = false, interrupted_ = false, ends_all_ = false;
    std::unique_ptr<py::error_already_set> raised_;
    run_control* before_;
    cancellation_scope scope_;
};
void bind_interrupt(py::module_& m);

// Runs work() without the interpreter's lock, with at most `threads` threads (0: no limit), under the current
// run_control or a new one.
template <class Work>
auto without_lock(int threads, Work work) {
    std::optional<run_control> own;
    if (!run_control::current()) own.emplace();
    try {
        const py::gil_scoped_release release;
        const thread_limit limit(threads);
        return work();
    } catch (const error& problem) {
        if (problem.code() == errc::cancelled) run_control::current()->throw_reason(problem);
        throw;
    }
}

// Calls on_objects(data) if X is Data, or on_matrix(values) if X is a precomputed kernel matrix, without the
// interpreter's lock.
template <class Objects, class Matrix>
auto visit_input(const py::object& x, int threads, Objects on_objects, Matrix on_matrix) {
    if (py::isinstance<dataset>(x)) {
        const dataset data = x.cast<dataset>();
        return without_lock(threads, [&] { return on_objects(data); });
    }
    const auto K = x.cast<matrix_in>();
    const auto values = view_of(K);
    return without_lock(threads, [&] { return on_matrix(values); });
}

// Converts integers to a numpy array of int64.
template <class From>
py::array_t<std::int64_t> as_int64(const From& from) {
    return to_numpy(std::vector<std::int64_t>(from.begin(), from.end()));
}

}  // namespace mercer::python
