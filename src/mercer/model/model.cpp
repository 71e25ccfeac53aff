#include "mercer/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/text.h"
#include "mercer/data/records.h"
#include "mercer/data/vectors.h"
#include "mercer/io/file_contents.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/metrics/metrics.h"

namespace mercer::api {
namespace {

// Scaling moves zeros, so what fits is made dense first; the rest is left to the scaling's own advice.
dataset made_dense(const dataset& x, index dims) {
    constexpr index most = index(1) << 27;
    if (!x.is_sparse() || x.size() == 0 || dims > most / x.size() || x.dims() > dims) return x;
    matrix<double> out(x.size(), dims);
    const dense<double> rows = as_dense<double>(x);
    for (index i = 0; i < x.size(); ++i) std::copy_n(rows.row(i), x.dims(), out.row(i));
    return dense<double>(std::move(out));
}

// Fractions of many values are measurements: a machine for each pair of them would never be done, and mean nothing.
void require_classes(const method& m, std::vector<double> y) {
    constexpr std::ptrdiff_t most = 50;
    const auto fraction = std::ranges::find_if(y, [](double each) { return each != std::floor(each); });
    if (fraction == y.end() || !std::ranges::all_of(y, [](double each) { return std::isfinite(each); })) return;
    const double such = *fraction;
    std::ranges::sort(y);
    const auto distinct = std::unique(y.begin(), y.end()) - y.begin();
    if (distinct > most)
        fail(errc::data,
             fmt::format("{} learns from classes, but the targets are {} different numbers ({}, ...): take a "
                         "method of regression, such as svr or kernel_ridge",
                         m.name, distinct, number_text(such)));
}

void require_targets(const method& m, const table& data) {
    if (m.targets == answer::none) return;
    if (data.y.empty())
        fail(errc::data, fmt::format("{} learns from {}, and the data have no targets: name their column", m.name,
                                     m.targets == answer::classes ? "classes" : "values"));
    if (static_cast<index>(data.y.size()) != data.x.size())
        fail(errc::invalid_argument,
             fmt::format("{}: {} objects, but {} targets", m.name, data.x.size(), data.y.size()));
    if (m.targets == answer::values && !data.class_names.empty())
        fail(errc::data,
             fmt::format(
                 "{} learns from numbers, but the targets are names ('{}', ...): take a method of classification",
                 m.name, data.class_names.front()));
    if (m.targets == answer::classes && data.class_names.empty()) require_classes(m, data.y);
}

}  // namespace

kernel default_kernel(const dataset& x) {
    if (const auto* some = x.as<records>()) {
        std::optional<kernel> sum;
        for (const auto& each : some->fields()) {
            const kernel one = field(each.name, normalise(default_kernel(each.values)));
            sum = sum ? *sum + one : one;
        }
        if (!sum) fail(errc::data, "records without fields");
        return *sum;
    }
    if (const auto* some = x.as<objects>()) return kernel::parse(some->default_kernel());
    const double spread = static_cast<double>(x.dims()) * entry_variance(x);
    return kernel::parse(
        fmt::format("rbf(gamma={})", number_text(spread > 0 && std::isfinite(1 / spread) ? 1 / spread : 1)));
}

std::optional<scaling> fit_scaling(const dataset& x, const std::string& how) {
    if (how.empty()) return std::nullopt;
    if (how != "standard" && how != "minmax")
        fail(errc::invalid_argument, fmt::format("scale must be standard or minmax, got '{}'", how));
    if (x.kind() != domain::vectors)
        fail(errc::unsupported, fmt::format("scaling is for vectors, the data are {}: leave it out", name(x.kind())));
    scaling_options options;
    options.method = how == "standard" ? scaling_method::standardise : scaling_method::minmax;
    return scaling::fit(made_dense(x, x.dims()), options);
}

dataset scaled(const scaling& by, const dataset& x) { return by.apply(made_dense(x, by.dims())); }

model fit(const spec& s, const table& data, const fit_control& control) {
    const method& m = find_method(s.method);
    const option_values options(m.name, m.options, s.options);
    if (data.x.size() == 0) fail(errc::data, fmt::format("{}: no objects", m.name));
    if (!m.takes_kernel && !m.takes_features && !s.kernel.empty())
        fail(errc::invalid_argument,
             fmt::format("{} takes no kernel, got {}: {} does", m.name, s.kernel, kernel_twin(m)));
    const bool by_features = m.takes_features && !s.kernel.empty();
    if (!m.takes_kernel && !by_features && data.x.kind() != domain::vectors && s.text.empty())
        fail(errc::unsupported,
             fmt::format(
                 "{} is for vectors, the data are {}: take {}{}{}", m.name, name(data.x.kind()), kernel_twin(m),
                 m.takes_features ? ", or give a kernel with explicit features" : "",
                 data.x.kind() == strings::where ? ", or make texts vectors of their words (text = tfidf)" : ""));
    require_targets(m, data);

    model out;
    dataset x = data.x;
    if (!s.text.empty()) out.text_ = text_features::fit(data.x, parse_text_options(s.text), &x);
    out.scaling_ = fit_scaling(x, s.scale);
    if (out.scaling_) x = scaled(*out.scaling_, x);
    std::shared_ptr<const kernel> k;
    if (m.takes_kernel || by_features) {
        k = s.ready ? s.ready
                    : std::make_shared<kernel>(s.kernel.empty() ? default_kernel(x) : kernel::parse(s.kernel));
        if (k->where() != domain::any && k->where() != x.kind())
            fail(errc::unsupported,
                 fmt::format("{} is a kernel on {}, the data are {}", k->text(), name(k->where()), name(x.kind())));
    }
    matrix_view<const double> y(data.y.data(), x.size(), m.targets == answer::none ? 0 : 1);
    out.inner_ =
        fit(m, options, {x, y, k, {}, {}, m.targets == answer::classes ? data.class_names : std::vector<std::string>{}},
            control);
    out.spec_ = {m.name, k ? k->text() : std::string(), s.scale, options.all(), {}, s.text};
    out.class_names_ = m.targets == answer::classes ? data.class_names : std::vector<std::string>{};
    out.feature_names_ = data.feature_names;
    out.kind_ = data.x.kind();
    out.dims_ = data.x.dims();
    out.figures_ = out.inner_->about();
    out.label = data.label;
    return out;
}

dataset model::prepared(const dataset& x) const {
    if (kind_ != domain::any && x.size() > 0 && x.kind() != kind_)
        fail(errc::unsupported, fmt::format("the model was fitted on {}, got {}", name(kind_), name(x.kind())));
    if (kind_ == domain::vectors && dims_ > 0 && x.dims() > dims_) {
        if (!x.is_sparse() || !feature_names_.empty())
            fail(errc::invalid_argument,
                 fmt::format("the model was fitted on vectors of {} coordinates, got {}", dims_, x.dims()));
        // Columns that were zero in the data of the fit: a scale or a weight for them is not known, a kernel sees them.
        if (scaling_ || !find_method(spec_.method).takes_kernel) return prepared(first_columns(x, dims_));
    }
    const dataset vectors = text_ ? text_->apply(x) : x;
    return scaling_ ? scaled(*scaling_, vectors) : vectors;
}

std::string model::class_text(double predicted) const {
    const bool is_named = gives() == answer::classes && predicted >= 0 &&
                          predicted < static_cast<double>(class_names_.size()) && predicted == std::floor(predicted);
    return is_named ? class_names_[static_cast<std::size_t>(predicted)] : number_text(predicted);
}

// "p(1)" becomes "p(versicolor)"
columns model::named(columns from) const {
    const std::vector<double> labels = inner_->classes();
    for (std::size_t c = 0; c < from.names.size() && from.names.size() == labels.size(); ++c)
        if (const std::size_t at = from.names[c].find('('); at != std::string::npos)
            from.names[c] = fmt::format("{}({})", from.names[c].substr(0, at), class_text(labels[c]));
    return from;
}

template <class Step>
auto model::in_terms_of_columns(Step step) const {
    try {
        return step();
    } catch (const row_error& wrong) {
        const auto column = static_cast<std::size_t>(wrong.column());
        if (wrong.column() >= 0 && column < feature_names_.size()) throw wrong.named(feature_names_[column]);
        throw;
    }
}

std::vector<double> model::predict(const dataset& x) const {
    return in_terms_of_columns([&] { return inner_->predict(prepared(x)); });
}
columns model::details(const dataset& x) const {
    return in_terms_of_columns([&] { return named(inner_->details(prepared(x))); });
}
explained model::predict_with_details(const dataset& x) const {
    explained out = in_terms_of_columns([&] { return inner_->predict_with_details(prepared(x)); });
    out.details = named(std::move(out.details));
    return out;
}
columns model::transform(const dataset& x) const {
    return in_terms_of_columns([&] { return named(inner_->transform(prepared(x))); });
}

figures model::score(const table& data) const {
    return score(data, gives() == answer::none ? std::vector<double>{} : predict(data.x));
}

figures model::score(const table& data, const std::vector<double>& found) const {
    figures out;
    const answer what = gives();
    const bool density = find_method(method_name()).family == method_family::density;
    if (what == answer::none)
        fail(errc::unsupported, fmt::format("{} does not predict, so it has no score", method_name()));
    if (data.y.empty() && !density) fail(errc::data, "a score needs targets, and the data have none");
    const auto n = static_cast<double>(found.size());
    if (density) {
        double sum = 0;
        for (const double each : found) sum += each;
        out.add("mean", sum / n);
    } else if (what == answer::sides && !std::ranges::all_of(data.y, [](double y) { return y == 1 || y == -1; })) {
        // Targets that are not sides have nothing to do with the answer.
        out.add({{"inside", std::ranges::count(found, 1.0)}, {"of", found.size()}});
    } else if (what == answer::classes || what == answer::sides) {
        const index right = count_correct(data.y, found);
        out.add({{"accuracy", static_cast<double>(right) / n}, {"correct", right}, {"of", found.size()}});
    } else if (what == answer::values) {
        const regression_score s = score_regression(data.y, found);
        double mean = 0, spread = 0;
        for (const double y : data.y) mean += y / n;
        for (const double y : data.y) spread += (y - mean) * (y - mean) / n;
        out.add({{"mean_squared_error", s.mean_squared_error},
                 {"r2", 1 - s.mean_squared_error / spread},
                 {"squared_correlation", s.squared_correlation}});
    } else {
        fail(errc::unsupported,
             fmt::format("{} finds clusters, which have no right answer to be scored by", method_name()));
    }
    return out;
}

// An option as what it is: texts of flags and numbers become those.
static figure_value typed(const std::string& text) {
    if (text == "true" || text == "false") return text == "true";
    double value = 0;
    if (detail::parse_number(text, value) != detail::number_fault::none) return text;
    const bool whole = text.find_first_not_of("+-0123456789") == std::string::npos && std::abs(value) < 1e15;
    if (whole) return static_cast<std::int64_t>(value);
    return value;
}

figures model::describe() const {
    const method& m = find_method(method_name());
    figures out{{"method", m.name}, {"about", m.about}};
    out.add(choices);
    if (!spec_.kernel.empty()) out.add("kernel", spec_.kernel);
    out.add("objects", name(kind_));
    if (kind_ == domain::vectors) out.add("coordinates", std::int64_t{dims_});
    if (text_) out.add({{"text", spec_.text}, {"terms", std::int64_t{text_->dims()}}});
    if (!spec_.scale.empty()) out.add("scale", spec_.scale);
    if (!class_names_.empty()) {
        out.add("classes", class_names_);
    } else if (const auto labels = inner_->classes(); !labels.empty()) {
        out.add("classes", labels);
    }
    if (!feature_names_.empty() && kind_ == domain::vectors) out.add("features", feature_names_);
    // What the fit found (the λ that was chosen) counts more than what was asked for.
    for (const auto& [key, value] : spec_.options)
        if (!figures_.find(key)) out.add(key, typed(value));
    for (const auto& [key, value] : figures_.all())
        if (!out.find(key)) out.add(key, value);
    return out;
}

void model::save(const std::string& path) const { write_atomically(path, bytes()); }

static bool begins_model(std::string_view text) { return text.starts_with("mercer-") || text.starts_with("svm_type"); }

model load(const std::string& path) {
    const source file = read_expected(path, begins_model);
    return made_of(file, [&] { return parse(file.bytes(), file.name()); });
}

read_options read_like(const model& m) {
    read_options how;
    if (m.kind() == records::where) how.records.kinds = kinds_of_fields(kernel::parse(m.spec().kernel));
    how.csv.label = m.label;
    how.csv.columns = m.columns_of_table;
    how.csv.text = m.text_column;
    how.csv.classes = how.tsv.classes = m.class_names();
    if (m.kind() != domain::vectors) how.tsv.dictionary = m.feature_names();
    how.tsv.numbered_by_name = m.feature_names().empty();  // of a model that Python fitted
    how.libsvm.dims = m.dims();
    return how;
}

}  // namespace mercer::api
