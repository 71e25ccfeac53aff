// Support vector machines as the operators that ai.onnx.ml has for them, and ONNX files as a whole.
#include <nlohmann/json.hpp>

#include "mercer/export/onnx.h"
#include "mercer/methods/svm/libsvm_model.h"

namespace mercer::api {
namespace {

using type = onnx_graph::type;

std::vector<float> floats(const double* from, std::size_t count) { return {from, from + count}; }
std::vector<float> floats(const std::vector<double>& from) { return floats(from.data(), from.size()); }
std::vector<float> floats(const matrix<double>& from) {
    return floats(from.data(), static_cast<std::size_t>(from.rows() * from.cols()));
}

// What both operators are told. Their rho is the offset b itself, the negative of LIBSVM's.
onnx_graph::attributes machine(const svm_model& s, const matrix<double>& support, const libsvm_kernel& k) {
    constexpr const char* kinds[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    return {{"kernel_type", std::string(kinds[static_cast<int>(k.type)])},
            {"kernel_params", std::vector<float>{static_cast<float>(k.gamma), static_cast<float>(k.coef0),
                                                 static_cast<float>(k.degree)}},
            {"coefficients", floats(s.coef)},
            {"support_vectors", floats(support)},
            {"rho", floats(s.offset)}};
}

void regressor(onnx_graph& out, const computation& c, const svm_model& s, onnx_graph::attributes with,
               const std::string& x) {
    with.emplace_back("n_supports", std::int64_t{s.coef.cols()});
    const std::string f = out.nodes("SVMRegressor", {x}, 1, with, "ai.onnx.ml").front();
    onnx_answers(out, c, out.node("Cast", {f}, {{"to", std::int64_t{11}}}));
}

void classifier(onnx_graph& out, const computation& c, const svm_model& s, onnx_graph::attributes with,
                const std::string& x) {
    const auto classes = static_cast<std::int64_t>(s.classes.size());
    with.emplace_back("vectors_per_class", std::vector<std::int64_t>(s.class_support.begin(), s.class_support.end()));
    if (c.names.empty()) {
        with.emplace_back("classlabels_ints", std::vector<std::int64_t>(s.classes.begin(), s.classes.end()));
    } else {
        with.emplace_back("classlabels_strings", c.label_texts());
    }
    const bool chances = s.probability && s.probability->kind == calibration::method::sigmoid;
    if (chances) {
        with.emplace_back("prob_a", floats(s.probability->A));
        with.emplace_back("prob_b", floats(s.probability->B));
    }
    const auto made = out.nodes("SVMClassifier", {x}, 2, with, "ai.onnx.ml");
    out.output(made[0], "label", c.names.empty() ? type::int64 : type::text, {-1});
    // Of two classes there are two columns, -f and f, where f > 0 says the first class.
    const std::int64_t columns = chances || classes == 2 ? classes : classes * (classes - 1) / 2;
    out.output(out.node("Cast", {made[1]}, {{"to", std::int64_t{11}}}), chances ? "probabilities" : "scores",
               type::float64, {-1, columns});
}

}  // namespace

bool onnx_svm(onnx_graph& out, const computation& c, const svm_model& s, const std::string& x) {
    const auto k = s.k ? libsvm_kernel::of(*s.k) : std::nullopt;
    index of_classes = 0;
    for (const index each : s.class_support) of_classes += each;
    const bool holds = !s.is_classifier() || (!s.pairs().against_rest() && of_classes == s.coef.cols() &&
                                              (c.whole_labels() || !c.names.empty()));
    if (!k || !holds || s.coef.cols() == 0) return false;
    const matrix<double> support = rows_of(s.support, c.dims, "an ONNX file");
    const std::string in_float = out.node("Cast", {x}, {{"to", std::int64_t{1}}});
    // Of two classes the classifier would find probabilities by coupling, an iteration that ends early.
    if (s.is_classifier() && c.chances == computation::probability::none)
        classifier(out, c, s, machine(s, support, *k), in_float);
    else
        regressor(out, c, s, machine(s, support, *k), in_float);
    return true;
}

static std::string json_of(const std::vector<std::string>& names) {
    return nlohmann::json(names).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

onnx_file onnx_of(const model& m, bool plain) {
    const computation c = computation_of(m, "an ONNX file");
    onnx_graph out;
    out.input("X", type::float64, {-1, c.dims});
    std::string x = "X";
    if (!c.shift.empty()) {
        const std::string moved = out.node("Sub", {x, out.numbers(c.shift)});
        x = out.node("Add", {out.node("Mul", {moved, out.numbers(c.factor)}), out.numbers(c.base)});
    }
    const auto* machine = dynamic_cast<const fitted_as<svm_model>*>(&m.inner());
    onnx_file made;
    made.in_float = machine && !plain && onnx_svm(out, c, machine->model(), x);
    if (!made.in_float) onnx_operators(out, c, x);
    out.remark("method", c.method);
    if (!c.kernel_text.empty()) out.remark("kernel", c.kernel_text);
    if (!c.feature_names.empty()) out.remark("features", json_of(c.feature_names));
    made.bytes = out.bytes(c.kernel_text.empty() ? c.method : c.method + " with " + c.kernel_text);
    return made;
}

}  // namespace mercer::api
