// The module mercer._core, which the Python package uses. Estimators reach every method through models.cpp.
#include "convert.h"
#include "mercer/base/error.h"

PYBIND11_MODULE(_core, m) {
    namespace py = pybind11;
    m.doc() = "The compiled part of mercer.";
    m.attr("version") = MERCER_VERSION;
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(thrown);
        } catch (const mercer::error& problem) {
            PyObject* kind = PyExc_ValueError;
            if (problem.code() == mercer::errc::io) kind = PyExc_OSError;
            if (problem.code() == mercer::errc::memory) kind = PyExc_MemoryError;
            PyErr_SetString(kind, problem.what());
        }
    });
    mercer::python::bind_data(m);
    mercer::python::bind_interrupt(m);
    mercer::python::bind_kernels(m);
    mercer::python::bind_kernel_analysis(m);
    mercer::python::bind_models(m);
    mercer::python::bind_inspection(m);
    mercer::python::bind_text_features(m);
    mercer::python::bind_model_selection(m);
    mercer::python::bind_communicator(m);
}
