#include "mercer/model/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/data/records.h"
#include "mercer/data/vectors.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer::api {

namespace {

// Throws if the targets have more than 50 different values and some of them are not whole: such targets are
// measurements. One classifier for each pair of them would take too long and be useless.
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
    if (m.targets == target_kind::none) return;
    if (data.y.empty())
        fail(errc::data, fmt::format("{} learns from {}, but the data have no targets: name the target column", m.name,
                                     m.targets == target_kind::classes ? "classes" : "values"));
    if (static_cast<index>(data.y.size()) != data.x.size())
        fail(errc::invalid_argument,
             fmt::format("{}: {} objects, but {} targets", m.name, data.x.size(), data.y.size()));
    if (m.targets == target_kind::values && !data.class_names.empty())
        fail(errc::data,
             fmt::format(
                 "{} learns from numbers, but the targets are names ('{}', ...): take a method of classification",
                 m.name, data.class_names.front()));
    if (m.targets == target_kind::classes && data.class_names.empty()) require_classes(m, data.y);
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

model fit(const spec& s, const table& data, const fit_control& control) {
    const method& m = find_method(s.method);
    const option_values options(m.name, m.options, s.options);
    if (data.x.size() == 0) fail(errc::data, fmt::format("{}: the data have no examples", m.name));
    if (!m.takes_kernel && !m.takes_features && !s.kernel.empty())
        fail(errc::invalid_argument,
             fmt::format("{} takes no kernel, got {}: {} takes one", m.name, s.kernel, kernel_counterpart(m)));
    const bool by_features = m.takes_features && !s.kernel.empty();
    if (!m.takes_kernel && !by_features && data.x.kind() != object_kind::vectors && s.text.empty())
        fail(errc::unsupported,
             fmt::format("{} needs vectors, but the data are {}: take {}{}{}", m.name, name(data.x.kind()),
                         kernel_counterpart(m), m.takes_features ? ", or a kernel with explicit features" : "",
                         data.x.kind() == strings::kind
                             ? ", or convert the texts to vectors of their words (text = tfidf)"
                             : ""));
    require_targets(m, data);

    model out;
    dataset x = data.x;
    if (!s.text.empty()) out.text_ = text_features::fit(data.x, parse_text_options(s.text), &x);
    out.scaling_ = fit_scaling(x, s.scale);
    if (out.scaling_) x = apply_scaling(*out.scaling_, x);
    std::shared_ptr<const kernel> k;
    if (m.takes_kernel || by_features) {
        k = s.parsed_kernel ? s.parsed_kernel
                            : std::make_shared<kernel>(s.kernel.empty() ? default_kernel(x) : kernel::parse(s.kernel));
        if (k->kind() != object_kind::any && k->kind() != x.kind())
            fail(errc::unsupported,
                 fmt::format("{} is a kernel on {}, but the data are {}", k->text(), name(k->kind()), name(x.kind())));
    }
    matrix_view<const double> y(data.y.data(), x.size(), m.targets == target_kind::none ? 0 : 1);
    out.inner_ = fit(
        m, options,
        {x, y, k, {}, {}, m.targets == target_kind::classes ? data.class_names : std::vector<std::string>{}}, control);
    out.spec_ = {m.name, k ? k->text() : std::string(), s.scale, options.all(), {}, s.text};
    out.class_names_ = m.targets == target_kind::classes ? data.class_names : std::vector<std::string>{};
    out.feature_names_ = data.feature_names;
    out.kind_ = data.x.kind();
    out.dims_ = data.x.dims();
    out.summary_ = out.inner_->summarise();
    out.label = data.label;
    return out;
}

}  // namespace mercer::api
