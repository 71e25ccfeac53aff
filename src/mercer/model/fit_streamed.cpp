#include "mercer/model/fit_streamed.h"

#include <fmt/format.h>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/methods/nystroem/streamed_rows.h"
#include "mercer/model/fit.h"

namespace mercer::api {
namespace {

// The rows of the first batch, from which the default kernel is chosen.
dataset first_rows(row_batches& data) {
    table first;
    data.restart();
    if (!data.next(first)) fail(errc::data, "the data have no examples");
    return first.x;
}

}  // namespace

model fit(const spec& s, row_batches& data, const fit_control& control) {
    const method& m = find_method(s.method);
    const option_values options(m.name, m.options, s.options);
    if (!m.fit_streamed_rows)
        fail(errc::unsupported, fmt::format("{} needs the examples in memory: {} can read them batch by batch", m.name,
                                            join(streaming_methods(), ", ")));
    if (!s.text.empty())
        fail(errc::unsupported, "the conversion of texts to vectors needs the data in memory: leave --stream out");
    const streamed_targets seen = read_targets(data);
    if (seen.size == 0) fail(errc::data, fmt::format("{}: the data have no examples", m.name));
    const bool learns = m.targets != target_kind::none;
    if (learns && static_cast<index>(seen.y.size()) != seen.own)
        fail(errc::data, fmt::format("{} learns from targets, but the data have none: name the target column", m.name));
    if (m.targets == target_kind::values && !seen.class_names.empty())
        fail(errc::data, fmt::format("{} learns from numbers, but the targets are names ('{}', ...)", m.name,
                                     seen.class_names.front()));
    model out;
    if (!s.scale.empty()) {
        if (s.scale != "standard" && s.scale != "minmax")
            fail(errc::invalid_argument,
                 fmt::format("option 'scale' must be 'standard' or 'minmax', got '{}'", s.scale));
        scaling_options how;
        how.method = s.scale == "standard" ? scaling_method::standardise : scaling_method::minmax;
        out.scaling_ = scaling::fit(
            [&](const auto& use) { for_each_batch(data, [&](index, const table& batch) { use(batch.x); }); }, how,
            data.processes());
    }
    const auto prepare = [&](const dataset& x) { return out.scaling_ ? out.scaling_->apply(x) : x; };
    if (!s.parsed_kernel && s.kernel.empty() && (seen.size > streamed_rows::batch_rows || data.processes()))
        fail(errc::invalid_argument,
             "a fit that reads batch by batch needs a kernel with all its parameters, such as --kernel "
             "'rbf(gamma=0.1)'");
    const auto k = s.parsed_kernel
                       ? s.parsed_kernel
                       : std::make_shared<const kernel>(s.kernel.empty() ? default_kernel(prepare(first_rows(data)))
                                                                         : kernel::parse(s.kernel));
    if (k->kind() != object_kind::any && k->kind() != seen.kind)
        fail(errc::unsupported,
             fmt::format("{} is a kernel on {}, but the data are {}", k->text(), name(k->kind()), name(seen.kind)));
    const streamed_rows rows(*k, data, seen, prepare);
    out.inner_ = api::fit(m, options, streamed_task{rows, {seen.y.data(), seen.own, learns ? 1 : 0}}, control);
    out.spec_ = {m.name, k->text(), s.scale, options.all(), {}, {}};
    out.class_names_ = m.targets == target_kind::classes ? seen.class_names : std::vector<std::string>{};
    out.feature_names_ = seen.feature_names;
    out.kind_ = seen.kind;
    out.dims_ = seen.dims;
    out.summary_ = out.inner_->summarise();
    return out;
}

}  // namespace mercer::api
