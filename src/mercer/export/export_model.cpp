#include "mercer/export/export_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/export/cpp_header.h"
#include "mercer/export/onnx.h"
#include "mercer/export/pmml.h"
#include "mercer/methods/svm/libsvm_model.h"

namespace mercer::api {
namespace {

struct form_info {
    export_format form;
    const char* name;
    std::vector<std::string_view> endings;
};

const std::vector<form_info>& forms() {
    static const std::vector<form_info> all = {{export_format::mercer, "mercer", {".model", ".mercer"}},
                                               {export_format::libsvm, "libsvm", {".libsvm", ".svm-model"}},
                                               {export_format::onnx, "onnx", {".onnx"}},
                                               {export_format::header, "header", {".h", ".hpp", ".hh"}},
                                               {export_format::pmml, "pmml", {".pmml"}}};
    return all;
}

exported_model as_libsvm(const model& m) {
    const auto* machine = dynamic_cast<const estimator_of<svm_model>*>(&m.inner());
    const std::string form = "a LIBSVM model file";
    if (!machine)
        fail(errc::unsupported,
             fmt::format("{} stores support vector machines only, and this is a model of {}", form, m.method_name()));
    require_vectors(m, form);
    if (m.scale())
        fail(errc::unsupported, fmt::format("the model scales its columns ({}), which {} cannot express: scale the "
                                            "data beforehand (svm-scale), or convert to .onnx or .h",
                                            m.spec().scale, form));
    exported_model out{libsvm_model_text(machine->model()), {}};
    if (!m.class_names().empty()) {
        std::string names;
        for (std::size_t c = 0; c < m.class_names().size(); ++c)
            names += fmt::format("{}{} is {}", c ? ", " : "", c, m.class_names()[c]);
        out.notes.emplace_back("the LIBSVM file stores class labels as numbers: " + names);
    }
    return out;
}

exported_model as_header(const model& m, const std::string& name) {
    const model_computation c = make_computation(m, "a C++ header");
    exported_model out{write_cpp_header(c, make_cpp_identifier(name)), {}};
    if (c.decision == model_computation::rule::logarithm)
        out.notes.emplace_back(
            "the header computes the logarithm of the sum: the result is -inf where all terms of the sum are below "
            "1e-308");
    if (const auto* s = dynamic_cast<const estimator_of<svm_model>*>(&m.inner());
        s && s->model().probability && c.probability_form == model_computation::probability::none)
        out.notes.emplace_back(
            "the header computes no probabilities: they are supported only for two classes with sigmoid calibration");
    return out;
}

exported_model as_pmml(const model& m) {
    const model_computation c = make_computation(m, "PMML");
    exported_model out{write_pmml(c, m.label), {}};
    const auto* s = dynamic_cast<const estimator_of<svm_model>*>(&m.inner());
    if (pmml_omits_probabilities(c) || (s && s->model().probability))
        out.notes.emplace_back(
            "the PMML file computes no probabilities: PMML does not support them for kernel machines");
    return out;
}

exported_model as_onnx(const model& m, bool plain) {
    onnx_file made = write_onnx(m, plain);
    exported_model out{std::move(made.bytes), {}};
    if (made.in_float)
        out.notes.emplace_back(
            "the ONNX file uses the operator of ai.onnx.ml, which computes in float: --plain writes operators that "
            "compute in double");
    return out;
}

}  // namespace

const char* name(export_format form) noexcept {
    for (const form_info& each : forms())
        if (each.form == form) return each.name;
    return "";
}

std::optional<export_format> find_export_format(std::string_view name) {
    for (const form_info& each : forms())
        if (each.name == name) return each.form;
    return std::nullopt;
}

std::optional<export_format> export_format_of_path(std::string_view path) {
    for (const form_info& each : forms())
        if (std::ranges::any_of(each.endings, [&](std::string_view end) { return path.ends_with(end); }))
            return each.form;
    return std::nullopt;
}

exported_model export_model(const model& m, const export_options& how) {
    if (how.to == export_format::mercer) return {m.bytes(), {}};
    exported_model out = how.to == export_format::libsvm ? as_libsvm(m)
                         : how.to == export_format::onnx ? as_onnx(m, how.plain)
                         : how.to == export_format::pmml ? as_pmml(m)
                                                         : as_header(m, how.name);
    if (m.columns_of_table)
        out.notes.push_back(
            fmt::format("the columns of a table must be encoded as numbers beforehand, as `mercer fit` encoded them: "
                        "{} features, {}",
                        m.feature_names().size(), join(m.feature_names(), ", ")));
    return out;
}

}  // namespace mercer::api
