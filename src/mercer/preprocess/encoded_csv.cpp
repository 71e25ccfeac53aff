// Comma-separated text read as a training set was.
#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/number.h"
#include "mercer/preprocess/column_encoder.h"

namespace mercer {
namespace {

// The target of a row as a number, or as the place of its class; none where it is neither.
std::optional<double> target_of(std::string_view field, const std::vector<std::string>& classes) {
    if (!classes.empty()) {
        const auto at = std::ranges::find(classes, detail::as_utf8(field));
        return at == classes.end() ? std::nullopt : std::optional(static_cast<double>(at - classes.begin()));
    }
    double value = 0;
    if (detail::parse_number(field, value) != detail::number_fault::none) return std::nullopt;
    return value;
}

}  // namespace

table parse_encoded_csv(const source& file, const csv_options& options) {
    const column_encoder& by = *options.columns;
    const std::vector<std::string> known = by.named() ? by.names() : std::vector<std::string>{};
    const text_table from = text_table::parse(file, options, known);
    table out;
    out.x = by.apply(from, options.tell);
    out.feature_names = by.coordinates();
    if (options.label.empty()) return out;
    const std::optional<std::size_t> at =
        options.label == by.target() ? by.target_in(from) : std::optional(from.position(options.label, "label"));
    if (!at) return out;
    out.label = options.label;
    for (index r = 0; r < from.rows(); ++r) {
        const auto y = target_of(from.at(r, *at), options.classes);
        if (!y) {
            if (options.tell)
                options.tell(fmt::format("{}: the targets are not used: row {} has {}, which is no {}", file.name(),
                                         r + 1, detail::quoted(from.at(r, *at)),
                                         options.classes.empty() ? "number" : "class of the model"));
            out.y.clear();
            return out;
        }
        out.y.push_back(*y);
    }
    return out;
}

}  // namespace mercer
