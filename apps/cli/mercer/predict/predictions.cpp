#include "predictions.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/data/readers/csv.h"

namespace mercer::cli {
namespace {

json prediction_json(const api::model& m, double value) {
    if (m.gives() == api::answer::classes && !m.class_names().empty()) return m.class_text(value);
    if (value == std::floor(value) && std::abs(value) < 1e15 && m.gives() != api::answer::values)
        return static_cast<std::int64_t>(value);
    return value;
}

// A name on a line of its own.
std::string one_line(std::string text) {
    for (std::size_t at = 0; (at = text.find_first_of("\r\n", at)) != std::string::npos; ++at)
        text.replace(at, 1, text[at] == '\n' ? "\\n" : "\\r");
    return text;
}

}  // namespace

json predictions_json(const api::model& m, const std::vector<double>& found) {
    json list = json::array();
    for (const double value : found) list.push_back(prediction_json(m, value));
    return list;
}

json columns_json(const api::columns& made) {
    json rows = json::array();
    for (index i = 0; i < made.values.rows(); ++i)
        rows.push_back(std::vector<double>(made.values.row(i), made.values.row(i) + made.values.cols()));
    return {{"names", made.names}, {"values", std::move(rows)}};
}

std::string prediction_header(const api::columns& details) {
    std::string out = "prediction";
    for (const auto& name : details.names) out += "," + csv_field(name);
    return out + "\n";
}

std::string prediction_lines(const api::model& m, const std::vector<double>& found, const api::columns& details,
                             bool csv) {
    std::string out;
    for (std::size_t i = 0; i < found.size(); ++i) {
        out += csv ? csv_field(m.class_text(found[i])) : one_line(m.class_text(found[i]));
        for (index c = 0; c < details.values.cols(); ++c)
            fmt::format_to(std::back_inserter(out), ",{}", details.values(static_cast<index>(i), c));
        out += "\n";
    }
    return out;
}

std::string prediction_text(const api::model& m, const std::vector<double>& found, const api::columns& details,
                            bool csv) {
    return (csv ? prediction_header(details) : "") + prediction_lines(m, found, details, csv);
}

std::string columns_text(const api::columns& made) {
    std::string out;
    for (std::size_t c = 0; c < made.names.size(); ++c) out += (c ? "," : "") + csv_field(made.names[c]);
    out += "\n";
    for (index i = 0; i < made.values.rows(); ++i) {
        for (index c = 0; c < made.values.cols(); ++c)
            fmt::format_to(std::back_inserter(out), "{}{}", c ? "," : "", made.values(i, c));
        out += "\n";
    }
    return out;
}

}  // namespace mercer::cli
