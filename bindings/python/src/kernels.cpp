// Kernels: the registry, the structure of expressions, kernel matrices, and Python functions as kernels.
#include <pybind11/functional.h>

#include "convert.h"
#include "mercer/base/error.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/expression/registered_functions.h"

namespace mercer::python {
namespace {

py::object as_object(const argument& value) {
    if (const auto* rows = std::get_if<number_table>(&value))
        return py::cast(static_cast<const std::vector<std::vector<double>>&>(*rows));
    if (const auto* list = std::get_if<std::vector<double>>(&value)) return py::cast(*list);
    return py::cast(std::get<double>(value));
}

py::dict describe(const registered_kernel& entry) {
    py::list parameters;
    for (const auto& each : entry.info.parameters)
        parameters.append(py::make_tuple(each.name, each.initial, each.condition, each.about));
    py::dict out;
    out["name"] = entry.info.name;
    out["aliases"] = entry.info.aliases;
    out["formula"] = entry.info.formula;
    out["domain"] = name(entry.info.kind);
    out["parameters"] = parameters;
    out["rule"] = entry.info.rule;
    out["mercer"] = entry.info.mercer;
    out["other_arguments"] = entry.other_arguments;
    return out;
}

// Returns (what, {argument: value}, who, parts), recursively.
py::tuple structure_of(const kernel_node& node) {
    const kernel_form form = node.form();
    py::dict arguments;
    for (const auto& [key, value] : form.arguments) arguments[py::str(key)] = as_object(value);
    py::list parts;
    for (const auto& part : form.parts) parts.append(structure_of(*part));
    return py::make_tuple(form.operation, arguments, form.function_name, parts, node.text());
}

// Returns true if both data sets share the same memory.
bool same_memory(const dataset& a, const dataset& b) {
    if (a.size() != b.size() || a.dims() != b.dims() || a.items().index() != b.items().index() || a.size() == 0)
        return false;
    return std::visit(
        [&](const auto& some) {
            const auto& other = std::get<std::decay_t<decltype(some)>>(b.items());
            const index last = some.size() - 1;
            if constexpr (requires { some.row(0); })
                return some.row(0) == other.row(0) && some.row(last) == other.row(last);
            else if constexpr (requires { some.values(0); })
                return some.nonzeros() == other.nonzeros() && some.values(0).data() == other.values(0).data() &&
                       some.cols(0).data() == other.cols(0).data();
            else
                return some.shares_with(other);
        },
        a.items());
}

bool is_whole(const row_set& which, const dataset& of) { return which.is_range() && which.size() == of.size(); }

// Makes a kernel from a Python function: f(X, Z) returns the matrix of kernel values for the rows of X and Z, which are
// sparse matrices if the data are sparse. f is called with the interpreter's lock held, from any thread.
kernel kernel_from_function(const std::string& name, const py::function& f, const std::string& where) {
    const auto kept = std::static_pointer_cast<const py::object>(keep_alive(f));
    const object_kind kind = where == "objects" ? strings::kind : parse_object_kind(where);
    return from_block_function(
        name,
        [kept, name](const dataset& x, const row_set& rows, const dataset& z, const row_set& cols,
                     matrix_view<double> out) {
            const py::gil_scoped_acquire gil;
            const auto objects = [](const dataset& all, const row_set& which) -> py::object {
                const dataset some = is_whole(which, all) ? all : gather(all, which);
                if (!some.is_sparse()) return objects_of(some);
                return py::module_::import("mercer._data").attr("as_objects")(objects_of(some));
            };
            const py::object left = objects(x, rows);
            const bool one = is_whole(rows, x) && is_whole(cols, z) && same_memory(x, z);
            py::object result = (*kept)(left, one ? left : objects(z, cols));
            if (py::hasattr(result, "toarray")) result = result.attr("toarray")();
            const auto values = doubles::ensure(result);
            if (!values) throw py::error_already_set();
            if (values.ndim() != 2 || values.shape(0) != out.rows || values.shape(1) != out.cols) {
                std::string shape;
                for (py::ssize_t i = 0; i < values.ndim(); ++i)
                    shape += (i ? " x " : "") + std::to_string(values.shape(i));
                fail(errc::data, name + ": the function must give a matrix of " + std::to_string(out.rows) + " x " +
                                     std::to_string(out.cols) + " kernel values, got " + shape);
            }
            for (index i = 0; i < out.rows; ++i) std::copy_n(values.data(i, 0), out.cols, out.row(i));
        },
        kind);
}

// A Python context manager: registers the functions of a model while the model is read.
struct local_context {
    std::vector<std::pair<std::string, kernel>> known;
    std::unique_ptr<scoped_kernels> in_force;
};

template <class T>
py::object gram_as(const kernel& k, const dataset& x, const dataset* z, int threads) {
    matrix<T> out;
    without_lock(threads, [&] {
        const evaluator<T> e = z ? evaluator<T>(k, x, *z) : evaluator<T>(k, x);
        out = matrix<T>(e.rows(), e.cols());
        e.fill(out.view());
    });
    return to_numpy(std::move(out));
}

py::object gram_matrix(const kernel& k, const dataset& x, const dataset* z, bool single, const py::object& n_jobs) {
    const int threads = thread_count(n_jobs);
    return single ? gram_as<float>(k, x, z, threads) : gram_as<double>(k, x, z, threads);
}

py::object diagonal(const kernel& k, const dataset& x) {
    return to_numpy(without_lock(0, [&] { return kernel_diagonal(k, x); }));
}

}  // namespace

void bind_kernels(py::module_& m) {
    m.def("registry", [] {
        py::list all;
        for (const auto& each : kernel_registry()) all.append(describe(each));
        return all;
    });
    m.def("from_function", &kernel_from_function);
    py::class_<local_context>(m, "LocalKernels")
        .def(py::init([](std::vector<std::pair<std::string, kernel>> known) {
            return local_context{std::move(known), nullptr};
        }))
        .def("__enter__", [](local_context& self) { self.in_force = std::make_unique<scoped_kernels>(self.known); })
        .def("__exit__", [](local_context& self, const py::args&) { self.in_force.reset(); });
    py::class_<proof>(m, "Proof",
                      R"(Proof that a kernel is positive semidefinite on all data: a tree of rules, shown by print().

A proof is true, as bool(proof), if it is valid.

Attributes
----------
valid : bool
    True if rules cover the whole expression.
claim : str
    Expression of the kernel that this node proves.
rule : str
    Rule that makes the expression a kernel, or the reason why no rule applies.
conditions : list of str
    Conditions of the rule, with the values of the parameters.
parts : list of Proof
    Proofs of the parts that this proof uses.
at_fault : bool
    True if the proof fails at this node itself, not only at one of its parts.

Examples
--------
>>> from mercer.kernels import RBF, Sigmoid
>>> proof = (RBF() + Sigmoid()).proof()
>>> proof.valid, proof.faults()
(False, ['sigmoid(gamma=1, coef0=0)'])
)")
        .def_readonly("valid", &proof::valid, "True if rules cover the whole expression.")
        .def_readonly("claim", &proof::claim, "Expression of the kernel that this node proves.")
        .def_readonly("rule", &proof::rule,
                      "Rule that makes the expression a kernel, or the reason why no rule applies.")
        .def_readonly("conditions", &proof::conditions, "Conditions of the rule, with the values of the parameters.")
        .def_readonly("parts", &proof::parts, "Proofs of the parts that this proof uses.")
        .def_readonly("at_fault", &proof::at_fault,
                      "True if the proof fails at this node itself, not only at one of its parts.")
        .def(
            "faults",
            [](const proof& p) {
                std::vector<std::string> out;
                for (const proof* each : p.faults()) out.push_back(each->claim);
                return out;
            },
            R"(Lists the parts that no rule covers.

Returns
-------
claims : list of str
    Expressions of these parts; empty if the proof is valid.
)")
        .def("__bool__", [](const proof& p) { return p.valid; })
        .def("__str__", &proof::text)
        .def("__repr__", &proof::text);
    py::class_<kernel>(m, "Kernel")
        .def(py::init([](const std::string& text) { return kernel::parse(text); }))
        .def_property_readonly("text", &kernel::text)
        .def_property_readonly("domain", [](const kernel& k) { return name(k.kind()); })
        .def_property_readonly("fields", [](const kernel& k) { return kinds_of_fields(k); })
        .def_property_readonly("traits",
                               [](const kernel& k) {
                                   const traits t = k.properties();
                                   py::dict out;
                                   out["stationary"] = t.stationary, out["radial"] = t.radial,
                                   out["normalised"] = t.normalised;
                                   return out;
                               })
        .def("form", [](const kernel& k) { return structure_of(k.node()); })
        .def("proof", &kernel::proof)
        .def("gram", &gram_matrix, py::arg("x"), py::arg("z"), py::arg("single"), py::arg("n_jobs"))
        .def("diagonal", &diagonal)
        .def("sum", [](const kernel& a, const kernel& b) { return a + b; })
        .def("product", [](const kernel& a, const kernel& b) { return a * b; })
        .def("scale", [](const kernel& a, double c) { return c * a; })
        .def("power", [](const kernel& a, double exponent) { return pow(a, exponent); })
        .def("exp", [](const kernel& a) { return exp(a); })
        .def("normalize", [](const kernel& a) { return normalise(a); })
        .def("polynomial_of", [](const kernel& a, const std::vector<double>& c) { return polynomial_of(a, c); })
        .def("field", [](const kernel& a, const std::string& name) { return field(name, a); })
        .def("pulls_back", [](const kernel& map, const kernel& a) { return pull_back(map, a); })
        .def("columns", [](const kernel& a, const std::vector<index>& which) { return columns(a, which); })
        .def("scaled", [](const kernel& a, const std::vector<double>& factors) { return scaled(a, factors); });
}

}  // namespace mercer::python
