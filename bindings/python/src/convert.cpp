#include "convert.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "mercer/base/threads.h"
#include "mercer/data/dataset.h"
#include "mercer/data/vectors.h"
#include "object_kinds.h"

namespace mercer::python {
namespace {

template <class T>
dataset dense_of(const py::array& x) {
    return dense<T>(rows_of<T>(x), keep_alive(x));
}

dataset dense_data(const py::array& x) {
    if (py::isinstance<py::array_t<float>>(x)) return dense_of<float>(x);
    return dense_of<double>(x);
}

template <class T>
dataset sparse_of(const py::array_t<std::int64_t>& start, const py::array_t<std::int32_t>& column,
                  const py::array& value, index dims) {
    const auto size = [](const py::array& a) { return static_cast<std::size_t>(a.size()); };
    return sparse<T>(std::span(start.data(), size(start)), std::span(column.data(), size(column)),
                     std::span(static_cast<const T*>(value.data()), size(value)), dims,
                     keep_alive(py::make_tuple(start, column, value)));
}

// Makes sparse rows from a matrix in compressed sparse row format; columns must ascend within a row.
dataset sparse_data(const py::array_t<std::int64_t>& start, const py::array_t<std::int32_t>& column,
                    const py::array& value, index dims) {
    if (!(start.flags() & column.flags() & value.flags() & py::array::c_style))
        throw py::type_error("the arrays must be contiguous");
    if (py::isinstance<py::array_t<float>>(value)) return sparse_of<float>(start, column, value, dims);
    if (py::isinstance<py::array_t<double>>(value)) return sparse_of<double>(start, column, value, dims);
    throw py::type_error("the values must be float32 or float64");
}

// Returns (row, column, value) of the first coordinate that is NaN or infinite, or None.
py::object find_not_finite(const dataset& x) {
    const auto bad = without_lock(0, [&] { return find_non_finite(x); });
    return bad ? py::object(py::make_tuple(bad->row, bad->column, bad->value)) : py::none();
}

// Returns the distinct values of a list of labels, ascending, and for each label the index of its value. Returns None
// if a label is NaN or if there are too many distinct values for a linear search. One pass finds the values and one the
// indices; sorting all labels would take many times as long.
template <class T>
std::optional<std::pair<std::vector<T>, std::vector<std::int64_t>>> coded(std::span<const T> labels) {
    constexpr std::size_t most = 256;
    std::vector<T> classes;
    const T* last = nullptr;
    for (const T& label : labels) {
        if (label != label) return {};
        if (last && *last == label) continue;
        last = &label;
        const auto at = std::lower_bound(classes.begin(), classes.end(), label);
        if (at != classes.end() && *at == label) continue;
        if (classes.size() == most) return {};
        classes.insert(at, label);
    }
    std::vector<std::int64_t> places(labels.size());
    std::int64_t place = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (i == 0 || labels[i] != labels[i - 1])
            place = std::lower_bound(classes.begin(), classes.end(), labels[i]) - classes.begin();
        places[i] = place;
    }
    return std::pair(std::move(classes), std::move(places));
}

template <class T>
py::object label_codes(const py::array_t<T>& y) {
    auto found = coded(std::span<const T>(y.data(), static_cast<std::size_t>(y.size())));
    if (!found) return py::none();
    return py::make_tuple(to_numpy(std::move(found->first)), to_numpy(std::move(found->second)));
}

}  // namespace

py::object objects_of(const dataset& x) {
    return std::visit(
        [](const auto& some) -> py::object {
            if constexpr (requires { some.view(); }) {
                return copy_to_numpy(some.view());
            } else if constexpr (requires { some.values(0); }) {
                using T = std::remove_const_t<typename decltype(some.values(0))::value_type>;
                std::vector<index> start{0};
                std::vector<std::int32_t> column;
                std::vector<T> value;
                for (index i = 0; i < some.size(); ++i) {
                    column.insert(column.end(), some.cols(i).begin(), some.cols(i).end());
                    value.insert(value.end(), some.values(i).begin(), some.values(i).end());
                    start.push_back(static_cast<index>(column.size()));
                }
                return py::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(column)),
                                      to_numpy(std::move(value)), some.dims());
            } else {
                return as_list(some);
            }
        },
        x.items());
}

int thread_count(const py::object& n_jobs) {
    if (n_jobs.is_none()) return 0;
    const py::int_ wish(n_jobs);
    if (wish.equal(py::int_(0))) throw py::value_error("n_jobs must satisfy n_jobs != 0, got 0");
    int overflow = 0;
    const long long count = PyLong_AsLongLongAndOverflow(wish.ptr(), &overflow);
    if (overflow != 0 || std::abs(count) > max_threads)
        throw py::value_error("n_jobs must satisfy -" + std::to_string(max_threads) + " <= n_jobs <= " +
                              std::to_string(max_threads) + ", got " + py::str(n_jobs).cast<std::string>());
    // joblib's convention: -1 means all threads, -2 all but one.
    return count > 0 ? static_cast<int>(count) : std::max(1, threads() + 1 + static_cast<int>(count));
}

py::dict progress_dict(const fit_progress& now) {
    using py::literals::operator""_a;
    return py::dict("phase"_a = now.phase, "done"_a = now.done, "total"_a = now.total, "value"_a = now.value,
                    "gap"_a = now.value, "seconds"_a = now.seconds, "seconds_left"_a = now.seconds_left,
                    "problem"_a = now.problem, "problems"_a = now.problems, "steps"_a = now.steps,
                    "rounds"_a = now.rounds, "active"_a = now.active, "size"_a = now.size);
}

namespace {
constexpr double stop_grace_seconds = 1;  // seconds that a stopped run gets to end at its own next step
// seconds within which a second Ctrl-C ends everything, not only the current run
constexpr double second_interrupt_seconds = 10;

// Read and written only while the interpreter's lock is held.
bool every_interrupt_ends_all = false;
double last_interrupt = -1e9;
thread_local run_control* current_control = nullptr;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
}  // namespace

run_control::run_control(py::object callback, bool keeps, bool shared)
    : callback_(std::move(callback)), keeps_(keeps), shared_(shared), before_(current_control), scope_([this] {
          return should_cancel();
      }) {
    current_control = this;
}
run_control::~run_control() { current_control = before_; }
run_control* run_control::current() { return current_control; }

void run_control::check_signals() {
    if (PyErr_CheckSignals() != 0) record_exception(py::error_already_set());
}

// Records the exception that a signal handler or the callback raised.
void run_control::record_exception(py::error_already_set problem) {
    if (!stopped_) stop_time_ = seconds_now();
    stopped_ = true;
    if (!problem.matches(PyExc_KeyboardInterrupt)) {
        raised_ = std::make_unique<py::error_already_set>(std::move(problem));
        return;
    }
    interrupted_ = true;
    ends_all_ =
        ends_all_ || !keeps_ || every_interrupt_ends_all || seconds_now() - last_interrupt < second_interrupt_seconds;
    last_interrupt = seconds_now();
}

bool run_control::should_continue(const std::function<py::object()>& describe) {
    const py::gil_scoped_acquire gil;
    check_signals();
    if (stopped_ || callback_.is_none()) return !stopped_;
    try {
        stopped_ = callback_(describe()).ptr() == Py_False;
        stop_time_ = seconds_now();
    } catch (py::error_already_set& problem) {
        record_exception(std::move(problem));
    }
    return !stopped_;
}

bool run_control::should_cancel() {
    const py::gil_scoped_acquire gil;
    check_signals();
    return !shared_ && (ends_all_ || raised_ || (stopped_ && seconds_now() - stop_time_ > stop_grace_seconds));
}

void run_control::throw_pending() {
    if (raised_) throw py::error_already_set(*raised_);
    if (!ends_all_) return;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
}

void run_control::throw_reason(const error& problem) {
    ends_all_ = ends_all_ || interrupted_;
    throw_pending();
    if (stopped_) return;
    PyErr_SetString(PyExc_TimeoutError, problem.what());
    throw py::error_already_set();
}

void bind_interrupt(py::module_& m) {
    m.def(
        "set_interrupt",
        [](const std::string& what) {
            if (what != "keep" && what != "raise")
                throw py::value_error("the action on Ctrl-C must be 'keep' or 'raise', got '" + what + "'");
            every_interrupt_ends_all = what == "raise";
            last_interrupt = -1e9;
        },
        py::arg("what"),
        R"(Sets what Ctrl-C does to a fit.

Parameters
----------
what : {'keep', 'raise'}
    'keep', the default at the start: the fit ends with the best model so far, and a second Ctrl-C within ten seconds
    raises KeyboardInterrupt. 'raise': the first Ctrl-C raises KeyboardInterrupt, which ends a loop over many fits as
    well (cross_val_score, GridSearchCV).

Examples
--------
>>> import mercer
>>> mercer.set_interrupt("raise")
>>> mercer.set_interrupt("keep")
)");
}

void bind_data(py::module_& m) {
    py::class_<dataset>(m, "Data", py::dynamic_attr(), "n objects of one kind, borrowed from Python where they can be.")
        .def("__len__", &dataset::size)
        .def_property_readonly("dims", &dataset::dims)
        // Objects that only Python can compare are stored as strings: the keys under which _data holds the objects.
        .def_property_readonly("kind",
                               [](const py::object& x) {
                                   return py::hasattr(x, "held") ? "objects" : name(x.cast<const dataset&>().kind());
                               })
        .def_property_readonly("single", [](const dataset& x) { return x.as<dense<float>>() || x.as<sparse<float>>(); })
        .def_property_readonly("sparse", &dataset::is_sparse)
        .def("objects", &objects_of)
        .def("entry_variance", [](const dataset& x, const py::object& weight) {
            const std::vector<double> w = as_vector(weight);
            return without_lock(0, [&] { return entry_variance(x, w); });
        });
    m.def("dense", &dense_data, py::arg("x").noconvert());
    m.def("sparse", &sparse_data, py::arg("start"), py::arg("column"), py::arg("value").noconvert(), py::arg("dims"));
    bind_object_kinds(m);
    m.def("first_not_finite", &find_not_finite);
    m.def("label_codes", [](const py::array& y) -> py::object {
        if (y.ndim() != 1 || !(y.flags() & py::array::c_style)) return py::none();
        if (py::isinstance<py::array_t<std::int64_t>>(y)) return label_codes(py::array_t<std::int64_t>(y));
        if (py::isinstance<py::array_t<double>>(y)) return label_codes(py::array_t<double>(y));
        return py::none();
    });
    m.def("threads", &threads, R"(Returns the number of threads that fits and predictions may use.

Returns
-------
count : int
    Number of threads.

See Also
--------
set_threads : Sets this number.

Examples
--------
>>> import mercer
>>> mercer.threads() >= 1
True
)");
    m.def("set_threads", &set_threads, py::arg("count"),
          R"(Sets the number of threads that fits and predictions may use.

At the start it is the number of processors that the process may use, or the number in the environment variable
MERCER_THREADS or OMP_NUM_THREADS.

Parameters
----------
count : int
    Number of threads, from 1 to 4096, of which at most four per processor (and at least eight) are used.

See Also
--------
threads : Returns this number.

Examples
--------
>>> import mercer
>>> before = mercer.threads()
>>> mercer.set_threads(1)
>>> mercer.threads()
1
>>> mercer.set_threads(before)
)");
}

}  // namespace mercer::python
