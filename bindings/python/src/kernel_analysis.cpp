// The Mercer test, explicit feature maps, spectra, two-sample and independence tests.
#include "convert.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernel_analysis/mercer_test.h"
#include "mercer/kernel_analysis/permutation_tests.h"
#include "mercer/kernel_analysis/spectrum.h"
#include "mercer/kernels/features/feature_map.h"

namespace mercer::python {

void bind_kernel_analysis(py::module_& m) {
    py::class_<mercer_result>(m, "MercerTest",
                              R"(Result of Kernel.test: whether a kernel matrix is positive semidefinite.

A result is true, as bool(result), if the verdict is 'certified'; print(result) explains the verdict.

Attributes
----------
verdict : {'certified', 'indefinite', 'asymmetric', 'undecided', 'contradiction'}
    'certified': all eigenvalues are at least -tolerance; 'indefinite': the witness proves a negative eigenvalue;
    'contradiction': there is a witness although the kernel is proven to be positive semidefinite, a defect of Mercer.
n : int
    Number of examples.
tested : int
    Number of rows that were tested, a sample if it is smaller than n.
tolerance : float
    Bound below which an eigenvalue counts as negative, from the rounding errors of the matrix.
smallest : float or None
    Smallest eigenvalue of the tested matrix, if it was computed.
largest : float or None
    Largest eigenvalue of the tested matrix, if it was computed.
proven : bool
    True if the expression of the kernel proves that it is positive semidefinite on all data.
entry_error : float or None
    Bound on the absolute errors of the kernel values, if they were checked.
taken_as_exact : list of str
    Parts of the kernel whose rounding errors are unknown and were assumed to be zero.
witness : tuple or None
    (points, coefficients, value) with sum c_i c_j k(x_i, x_j) = value < 0.

Examples
--------
>>> from mercer.kernels import RBF
>>> result = RBF().test([[0.0], [1.0], [2.0]])
>>> result.verdict, result.n, result.witness
('certified', 3, None)
)")
        .def_property_readonly(
            "verdict", [](const mercer_result& r) { return name(r.verdict); },
            "'certified', 'indefinite', 'asymmetric', 'undecided' or 'contradiction'.")
        .def_readonly("n", &mercer_result::n, "Number of examples.")
        .def_readonly("tested", &mercer_result::tested, "Number of rows that were tested.")
        .def_readonly("tolerance", &mercer_result::tolerance, "Bound below which an eigenvalue counts as negative.")
        .def_readonly("smallest", &mercer_result::smallest, "Smallest eigenvalue, if it was computed.")
        .def_readonly("largest", &mercer_result::largest, "Largest eigenvalue, if it was computed.")
        .def_readonly("proven", &mercer_result::proven,
                      "True if the expression proves that the kernel is positive semidefinite on all data.")
        .def_readonly("entry_error", &mercer_result::entry_error,
                      "Bound on the absolute errors of the kernel values, if they were checked.")
        .def_readonly("taken_as_exact", &mercer_result::assumed_exact,
                      "Parts of the kernel whose rounding errors are unknown and were assumed to be zero.")
        .def_property_readonly(
            "witness",
            [](const mercer_result& r) -> py::object {
                if (!r.witness) return py::none();
                return py::make_tuple(to_numpy(r.witness->points), to_numpy(r.witness->coefficients), r.witness->value);
            },
            "(points, coefficients, value) with sum c_i c_j k(x_i, x_j) = value < 0, or None.")
        .def("__bool__", [](const mercer_result& r) { return r.verdict == mercer_verdict::certified; })
        .def("__str__", &mercer_result::text)
        .def("__repr__", &mercer_result::text);
    m.def("mercer_test", [](const kernel& k, const dataset& x, index max_n, std::uint64_t seed, bool eigenvalues) {
        mercer_options options;
        options.max_n = max_n, options.seed = seed, options.eigenvalues = eigenvalues;
        return without_lock(0, [&] { return mercer_test(k, x, options); });
    });
    py::class_<feature_map>(m, "FeatureMap", "An explicit map phi with phi(x)'phi(z) = k(x, z).")
        .def(py::init<const kernel&, index, index>())
        .def_property_readonly("dims", &feature_map::dims)
        .def("__len__", &feature_map::size)
        .def_property_readonly("names", &feature_map::names)
        .def("apply", [](const feature_map& map, const dataset& x) {
            return objects_of(without_lock(0, [&] { return dataset(map.apply(x)); }));
        });
    m.def("eigenvalues", [](const matrix_in& K) {
        const precomputed<double> values(view_of(K));
        return to_numpy(without_lock(0, [&] { return decompose(values, eigen_parts::values).values; }));
    });
    m.def("eigenvalues", [](const kernel& k, const dataset& x) {
        return to_numpy(
            without_lock(0, [&] { return decompose(*make_gram<double>(k, x), eigen_parts::values).values; }));
    });
    // `x` holds both samples; its first `first` objects are the first sample. Returns (biased, unbiased, p).
    m.def("mmd_test", [](const py::object& x, const kernel* k, index first, bool unbiased, index permutations,
                         std::uint64_t seed, const py::object& n_jobs) {
        two_sample_options o;
        o.kind = unbiased ? two_sample_options::statistic::unbiased : two_sample_options::statistic::biased;
        o.permutations = permutations, o.seed = seed;
        run_control control;
        o.progress = control.progress_function();
        const auto r = visit_input(
            x, thread_count(n_jobs),
            [&](const dataset& data) { return two_sample_test(*make_gram<double>(*k, data), first, o); },
            [&](const auto& K) { return two_sample_test(precomputed<double>(K), first, o); });
        control.throw_pending();
        return py::make_tuple(r.biased, r.unbiased, r.p_value);
    });
    // Returns (hsic, alignment, p).
    m.def("hsic_test", [](const kernel& k, const dataset& x, const kernel& l, const dataset& y, index permutations,
                          std::uint64_t seed, const py::object& n_jobs) {
        independence_options o;
        o.permutations = permutations, o.seed = seed;
        run_control control;
        o.progress = control.progress_function();
        const auto r = without_lock(thread_count(n_jobs), [&] { return independence_test(k, x, l, y, o); });
        control.throw_pending();
        return py::make_tuple(r.hsic, r.alignment, r.p_value);
    });
}

}  // namespace mercer::python
