#include "mercer/preprocess/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

void match_columns(table& data, const std::vector<std::string>& names, const std::string& path,
                   const std::string& like) {
    if (data.x.kind() != object_kind::vectors || names.empty() || data.feature_names.empty() ||
        names == data.feature_names)
        return;
    std::unordered_map<std::string_view, index> at;
    for (std::size_t c = 0; c < data.feature_names.size(); ++c)
        if (!at.emplace(data.feature_names[c], static_cast<index>(c)).second)
            fail(
                errc::data,
                fmt::format("{}: two columns have the same name '{}', so they cannot be matched with the columns of {}",
                            path, data.feature_names[c], like));
    std::vector<index> order;
    for (const std::string& name : names) {
        const auto found = at.find(name);
        if (found == at.end()) {
            const std::string meant = nearest_name(name, data.feature_names);
            fail(errc::data, fmt::format("{}: the column '{}' of {} is missing{}", path, name, like,
                                         meant.empty() ? "" : fmt::format("; is '{}' meant?", meant)));
        }
        order.push_back(found->second);
        at.erase(found);
    }
    for (const std::string& name : data.feature_names)
        if (at.contains(name))
            fail(errc::data,
                 fmt::format("{}: {} has no column '{}': remove the column, or name it as the target with --target",
                             path, like, name));
    const dense<double> from = as_dense<double>(data.x);
    matrix<double> to(from.size(), from.dims());
    for (index i = 0; i < from.size(); ++i)
        for (std::size_t c = 0; c < order.size(); ++c) to(i, static_cast<index>(c)) = from.row(i)[order[c]];
    data.x = dense<double>(std::move(to));
    data.feature_names = names;
}

}  // namespace mercer

namespace mercer::api {

namespace {

// Converts sparse vectors to dense ones, because scaling does not keep zeros. Larger matrices stay sparse; for them
// scaling::fit reports an error with advice.
dataset to_dense(const dataset& x, index dims) {
    constexpr index most = index(1) << 27;
    if (!x.is_sparse() || x.size() == 0 || dims > most / x.size() || x.dims() > dims) return x;
    matrix<double> out(x.size(), dims);
    const dense<double> rows = as_dense<double>(x);
    for (index i = 0; i < x.size(); ++i) std::copy_n(rows.row(i), x.dims(), out.row(i));
    return dense<double>(std::move(out));
}

}  // namespace

std::optional<scaling> fit_scaling(const dataset& x, const std::string& how) {
    if (how.empty()) return std::nullopt;
    if (how != "standard" && how != "minmax")
        fail(errc::invalid_argument, fmt::format("option 'scale' must be 'standard' or 'minmax', got '{}'", how));
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported,
             fmt::format("scaling needs vectors, but the data are {}: leave scaling out", name(x.kind())));
    scaling_options options;
    options.method = how == "standard" ? scaling_method::standardise : scaling_method::minmax;
    return scaling::fit(to_dense(x, x.dims()), options);
}

dataset apply_scaling(const scaling& by, const dataset& x) { return by.apply(to_dense(x, by.dims())); }

}  // namespace mercer::api
