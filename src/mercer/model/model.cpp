#include "mercer/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/text.h"
#include "mercer/data/vectors.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/metrics/metrics.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer::api {

dataset model::preprocess(const dataset& x) const {
    if (kind_ != object_kind::any && x.size() > 0 && x.kind() != kind_)
        fail(errc::unsupported, fmt::format("the model was fitted on {}, got {}", name(kind_), name(x.kind())));
    if (kind_ == object_kind::vectors && dims_ > 0 && x.dims() > dims_) {
        if (!x.is_sparse() || !feature_names_.empty())
            fail(errc::invalid_argument,
                 fmt::format("the model was fitted on vectors of {} features, got {}", dims_, x.dims()));
        // Columns beyond those of the fit were zero in the training data. A scaling, or a method without a kernel, has
        // no parameter for them, so they are dropped. A kernel can still use them.
        if (scaling_ || !find_method(spec_.method).takes_kernel) return preprocess(first_columns(x, dims_));
    }
    const dataset vectors = text_ ? text_->apply(x) : x;
    return scaling_ ? apply_scaling(*scaling_, vectors) : vectors;
}

std::string model::class_text(double predicted) const {
    const bool is_named = prediction_kind() == target_kind::classes && predicted >= 0 &&
                          predicted < static_cast<double>(class_names_.size()) && predicted == std::floor(predicted);
    return is_named ? class_names_[static_cast<std::size_t>(predicted)] : number_text(predicted);
}

// Replaces labels by class names in column names: "p(1)" becomes "p(versicolor)".
columns model::with_class_names(columns from) const {
    const std::vector<double> labels = inner_->classes();
    for (std::size_t c = 0; c < from.names.size() && from.names.size() == labels.size(); ++c)
        if (const std::size_t at = from.names[c].find('('); at != std::string::npos)
            from.names[c] = fmt::format("{}({})", from.names[c].substr(0, at), class_text(labels[c]));
    return from;
}

template <class Step>
auto model::with_column_names(Step step) const {
    try {
        return step();
    } catch (const row_error& wrong) {
        const auto column = static_cast<std::size_t>(wrong.column());
        if (wrong.column() >= 0 && column < feature_names_.size()) throw wrong.with_column_name(feature_names_[column]);
        throw;
    }
}

std::vector<double> model::predict(const dataset& x) const {
    return with_column_names([&] { return inner_->predict(preprocess(x)); });
}
columns model::details(const dataset& x) const {
    return with_column_names([&] { return with_class_names(inner_->details(preprocess(x))); });
}
detailed_predictions model::predict_with_details(const dataset& x) const {
    detailed_predictions out = with_column_names([&] { return inner_->predict_with_details(preprocess(x)); });
    out.details = with_class_names(std::move(out.details));
    return out;
}
columns model::transform(const dataset& x) const {
    return with_column_names([&] { return with_class_names(inner_->transform(preprocess(x))); });
}

summary model::score(const table& data) const {
    return score(data, prediction_kind() == target_kind::none ? std::vector<double>{} : predict(data.x));
}

summary model::score(const table& data, const std::vector<double>& found) const {
    summary out;
    const target_kind what = prediction_kind();
    const bool density = find_method(method_name()).family == method_family::density;
    if (what == target_kind::none)
        fail(errc::unsupported, fmt::format("{} does not predict, so it has no score", method_name()));
    if (data.y.empty() && !density)
        fail(errc::data, "a score needs targets, but the data have none: name the target column");
    const auto n = static_cast<double>(found.size());
    if (density) {
        double sum = 0;
        for (const double each : found) sum += each;
        out.add("mean", sum / n);
    } else if (what == target_kind::sides && !std::ranges::all_of(data.y, [](double y) { return y == 1 || y == -1; })) {
        // Targets other than 1 and -1 cannot be compared with the predicted sides.
        out.add({{"inside", std::ranges::count(found, 1.0)}, {"of", found.size()}});
    } else if (what == target_kind::classes || what == target_kind::sides) {
        const index right = count_correct(data.y, found);
        out.add({{"accuracy", static_cast<double>(right) / n}, {"correct", right}, {"of", found.size()}});
    } else if (what == target_kind::values) {
        const regression_score s = score_regression(data.y, found);
        double mean = 0, spread = 0;
        for (const double y : data.y) mean += y / n;
        for (const double y : data.y) spread += (y - mean) * (y - mean) / n;
        out.add({{"mean_squared_error", s.mean_squared_error},
                 {"r2", 1 - s.mean_squared_error / spread},
                 {"squared_correlation", s.squared_correlation}});
    } else {
        fail(errc::unsupported, fmt::format("{} finds clusters, which cannot be scored by targets", method_name()));
    }
    return out;
}

// Converts the text of an option to bool, int64 or double if it is one.
static summary_value parse_value(const std::string& text) {
    if (text == "true" || text == "false") return text == "true";
    double value = 0;
    if (detail::parse_number(text, value) != detail::number_error::none) return text;
    const bool whole = text.find_first_not_of("+-0123456789") == std::string::npos && std::abs(value) < 1e15;
    if (whole) return static_cast<std::int64_t>(value);
    return value;
}

summary model::describe() const {
    const method& m = find_method(method_name());
    summary out{{"method", m.name}, {"about", m.about}};
    out.add(choices);
    if (!spec_.kernel.empty()) out.add("kernel", spec_.kernel);
    out.add("objects", name(kind_));
    if (kind_ == object_kind::vectors) out.add("coordinates", std::int64_t{dims_});
    if (text_) out.add({{"text", spec_.text}, {"terms", std::int64_t{text_->dims()}}});
    if (!spec_.scale.empty()) out.add("scale", spec_.scale);
    if (!class_names_.empty()) {
        out.add("classes", class_names_);
    } else if (const auto labels = inner_->classes(); !labels.empty()) {
        out.add("classes", labels);
    }
    if (!feature_names_.empty() && kind_ == object_kind::vectors) out.add("features", feature_names_);
    // A value that the fit chose (for example λ) takes precedence over the requested one.
    for (const auto& [key, value] : spec_.options)
        if (!summary_.find(key)) out.add(key, parse_value(value));
    for (const auto& [key, value] : summary_.all())
        if (!out.find(key)) out.add(key, value);
    return out;
}

void model::save(const std::string& path) const { write_atomically(path, bytes()); }

}  // namespace mercer::api
