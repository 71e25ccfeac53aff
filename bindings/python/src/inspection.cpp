// Models in terms of the features of their kernels.
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/inspection/explain.h"
#include "mercer/plot/decision_features.h"
#include "models.h"

namespace mercer::python {
namespace {

kernel_expansion sums_of(const held_model& model) {
    auto f = model->sums();
    if (!f) fail(errc::unsupported, "this model is no sum over kernel values: it has no features to explain");
    return std::move(*f);
}

// Bytes of a string need not be UTF-8.
py::str as_text(const std::string& bytes) {
    return py::reinterpret_steal<py::str>(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

// Items of sets go by their numbers; Python knows what some of them are called.
using item_names = std::unordered_map<std::string, std::string>;
void name_items(std::vector<feature_share>& all, const item_names& names) {
    for (feature_share& each : all)
        if (const auto known = names.find(each.name); known != names.end()) each.name = known->second;
}

py::list listed(const std::vector<feature_share>& all, double sign) {
    py::list out;
    for (const feature_share& each : all)
        out.append(py::make_tuple(as_text(each.name), sign * each.share(), each.value, sign * each.weight,
                                  as_text(each.kernel)));
    return out;
}

// (label of the positive side, of the negative one), None where there is none.
py::tuple sides(const api::function_sides& of, double sign) {
    const auto label = [](const std::optional<double>& l) {
        return l ? py::object(py::int_(static_cast<std::int64_t>(*l))) : py::none();
    };
    return sign < 0 ? py::make_tuple(label(of.negative), label(of.positive))
                    : py::make_tuple(label(of.positive), label(of.negative));
}

// f > 0 speaks for the second of two classes, as in scikit-learn.
double sign_of(const api::function_sides& of, index functions) {
    return functions == 1 && of.positive && of.negative && *of.positive < *of.negative ? -1 : 1;
}

void turn_round(decision_shares& d) {
    d.f = -d.f, d.offset = -d.offset, d.rest = -d.rest;
    for (feature_share& each : d.largest) each.weight = -each.weight;
    for (double& each : d.parts) each = -each;
}

// One dict for each function.
py::list explained(const held_model& model, const dataset& x, index top, const known_names& names,
                   const item_names& items) {
    const kernel_expansion f = sums_of(model);
    std::vector<decision_shares> found = without_lock(0, [&] { return share_decisions(f, x, 0, top, names); });
    const auto functions = api::sides_of(*model.fitted, f.functions());
    py::list out;
    for (std::size_t j = 0; j < found.size(); ++j) {
        decision_shares& d = found[j];
        const double sign = sign_of(functions[j], f.functions());
        if (sign < 0) turn_round(d);
        name_items(d.largest, items);
        py::dict one;
        one["sides"] = sides(functions[j], sign);
        one["f"] = d.f, one["offset"] = d.offset, one["rest"] = d.rest, one["count"] = d.features;
        one["features"] = listed(d.largest, 1);
        one["parts"] = to_numpy(std::vector<double>(d.parts));
        one["picture"] = py::cpp_function([x, d](const std::string& title, const std::string& subtitle,
                                                 const std::string& positive, const std::string& negative) {
            return as_text(feature_picture(x, 0, d, {title, subtitle, positive, negative}).finish());
        });
        out.append(one);
    }
    return out;
}

// (sides, features) of each function.
py::list weights(const held_model& model, index top, const known_names& names, const item_names& items) {
    const kernel_expansion f = sums_of(model);
    auto found = without_lock(0, [&] { return largest_weights(f, top, names); });
    const auto functions = api::sides_of(*model.fitted, f.functions());
    py::list out;
    for (std::size_t j = 0; j < found.size(); ++j) {
        const double sign = sign_of(functions[j], f.functions());
        name_items(found[j], items);
        out.append(py::make_tuple(sides(functions[j], sign), listed(found[j], sign)));
    }
    return out;
}

}  // namespace

void bind_explain(py::module_& m) {
    m.def("explain", &explained);
    m.def("explain_weights", &weights);
}

}  // namespace mercer::python
