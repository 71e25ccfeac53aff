#include "mercer/model/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "mercer/base/error.h"
#include "mercer/data/all_kinds.h"
#include "mercer/data/records.h"
#include "mercer/io/file_contents.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/svm/libsvm_model.h"
#include "mercer/methods/svm/svm_estimator.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer::api {

namespace {

std::string_view first_word(std::string_view bytes) {
    return bytes.substr(0, std::min(bytes.find_first_of(" \n"), bytes.size()));
}

// The kind of object that a kernel is defined on; used for the file of an estimator, which has no spec.
object_kind domain_of(const std::string& kernel_text) {
    return kernel_text.empty() ? object_kind::vectors : kernel::parse(kernel_text).kind();
}

// Parses the kind of object: its name, or its number in files of version 1.
object_kind parse_kind(const std::string& text) {
    constexpr object_kind numbered[] = {object_kind::any, object_kind::vectors, strings::kind, sets::kind};
    return text.size() == 1 && text[0] >= '0' && text[0] <= '3' ? numbered[text[0] - '0'] : parse_object_kind(text);
}

// Reads or writes an optional part as JSON; empty if the part is missing.
template <class Part>
void json_part(auto& a, const char* key, auto& part) {
    a.head(
        key, part, [](const auto& some) { return some ? some->to_json() : std::string(); },
        [&](const std::string& text) { return text.empty() ? std::optional<Part>() : Part::from_json(text, key); });
}

}  // namespace
}  // namespace mercer::api

template <>
struct mercer::file_form<mercer::api::model> {
    static constexpr std::string_view format = "mercer-model";
    static constexpr int version = 2;

    template <class Archive>
    static void parts(Archive& a, auto& m) {
        a.head("spec", m.spec_, api::to_json, api::parse_spec);
        api::json_part<scaling>(a, "scaling", m.scaling_);
        if (a.has("text", m.text_.has_value())) api::json_part<text_features>(a, "text", m.text_);
        a.head("classes", m.class_names_);
        a.head("features", m.feature_names_);
        a.head(
            "kind", m.kind_, [](object_kind kind) { return name(kind); }, api::parse_kind);
        a.integer("dims", m.dims_);
        a.head("label", m.label);
        if (a.has("text_column", !m.text_column.empty())) a.head("text_column", m.text_column);
        if (a.has("columns_of_table", m.columns_of_table != nullptr))
            a.head(
                "columns_of_table", m.columns_of_table, [](const auto& some) { return some->to_json(); },
                [](const std::string& text) {
                    return std::make_shared<const column_encoder>(column_encoder::from_json(text, "columns_of_table"));
                });
        if (a.has("choices", !m.choices.empty()))
            a.head("choices", m.choices, std::mem_fn(&api::summary::json), api::summary::from_json);
        a.head("figures", m.summary_, std::mem_fn(&api::summary::json), api::summary::from_json);
        if constexpr (Archive::reading) {
            const api::method& of = api::find_method(m.spec_.method);
            m.spec_.options = api::option_values::from_model_file(of.name, of.options, m.spec_.options).all();
            m.inner_ = of.parse(a.file("inner_bytes"), a.name());
        } else {
            a.file("inner_bytes", m.inner_ ? m.inner_->bytes() : std::string());
        }
        const index dims = m.text_ ? m.text_->dims() : m.dims_;
        a.check(!m.scaling_ || m.scaling_->dims() == dims, "{} columns are scaled, but the objects have {}",
                m.scaling_ ? m.scaling_->dims() : 0, dims);
        a.check(!m.columns_of_table || m.columns_of_table->dims() == m.dims_,
                "the columns of the table give {} features, but the objects have {}",
                m.columns_of_table ? m.columns_of_table->dims() : 0, m.dims_);
        a.check(!m.text_ || m.kind_ == strings::kind, "the model has terms of texts, but its objects are {}",
                name(m.kind_));
    }
};
template struct mercer::model_file<mercer::api::model>;

namespace mercer::api {

std::string model::bytes() const { return model_bytes(*this); }

model parse(std::string_view bytes, const std::string& name) {
    if (first_word(bytes) == file_form<model>::format) return parse_model<model>(bytes, name);
    model out;
    // The file of an estimator alone does not contain the options of the fit, so the spec has none.
    std::tie(out.inner_, out.spec_.method) = parse_estimator(bytes, name);
    out.spec_.kernel = out.inner_->kernel_text();
    out.kind_ = domain_of(out.spec_.kernel);
    out.summary_ = out.inner_->summarise();
    return out;
}

std::pair<estimator_ptr, std::string> parse_estimator(std::string_view bytes, const std::string& name) {
    const std::string_view first = first_word(bytes);
    const auto owner = std::ranges::find(methods(), first, &method::format);
    const bool libsvm = first == "svm_type";
    if (owner == methods().end() && !libsvm)
        fail(errc::parse, fmt::format("{}: not a model file of mercer: it begins with '{}'", name,
                                      bytes.substr(0, std::min<std::size_t>(bytes.find('\n'), 40))));
    const estimator_ptr found = libsvm ? make_estimator(parse_libsvm_model(bytes, name)) : owner->parse(bytes, name);
    // Methods that share a file format are distinguished by the kind of their answers.
    if (first == "mercer-knn-model")
        return {found, found->prediction_kind() == target_kind::values ? "knn_regression" : "knn"};
    if (first == "mercer-svm-model" || libsvm)
        return {found, found->prediction_kind() == target_kind::values  ? "svr"
                       : found->prediction_kind() == target_kind::sides ? "one_class"
                                                                        : "svc"};
    return {found, owner->name};
}

static bool is_start_of_model(std::string_view text) {
    return text.starts_with("mercer-") || text.starts_with("svm_type");
}

model load(const std::string& path) {
    const file_contents file = read_file_if(path, is_start_of_model);
    return parse_untruncated(file, [&] { return parse(file.bytes(), file.name()); });
}

read_options read_options_for(const model& m) {
    read_options how;
    if (m.kind() == records::kind) how.records.kinds = kinds_of_fields(kernel::parse(m.spec().kernel));
    how.csv.label = m.label;
    how.csv.encoder = m.columns_of_table;
    how.csv.text = m.text_column;
    how.csv.classes = how.tsv.classes = m.class_names();
    if (m.kind() != object_kind::vectors) how.tsv.dictionary = m.feature_names();
    how.tsv.number_items_by_name = m.feature_names().empty();  // models fitted from Python have no feature names
    how.libsvm.dims = m.dims();
    return how;
}

}  // namespace mercer::api
