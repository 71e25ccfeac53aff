#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <map>

#include "mercer/base/stop_watch.h"
#include "mercer/io/csv.h"
#include "predict.h"

namespace mercer::cli {
namespace {

json prediction_json(const api::model& m, double value) {
    if (m.gives() == api::answer::classes && !m.class_names().empty()) return m.class_text(value);
    if (value == std::floor(value) && std::abs(value) < 1e15 && m.gives() != api::answer::values)
        return static_cast<std::int64_t>(value);
    return value;
}

// The digits of json::dump, without its serializer, which allocates for each value.
void append_json_number(double value, std::string& out) {
    char digits[64];
    if (std::isfinite(value))
        out.append(digits, nlohmann::detail::to_chars(digits, digits + sizeof(digits), value));
    else
        out += "null";
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

void append_json_text(const std::string& text, std::string& out) {
    out += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

void append_predictions_json(const api::model& m, const std::vector<double>& found, std::string& out) {
    stop_watch asked;
    std::map<double, std::string> names;
    out += '[';
    for (std::size_t i = 0; i < found.size(); ++i) {
        asked.after(64);
        if (i > 0) out += ',';
        const json value = prediction_json(m, found[i]);
        if (value.is_string()) {
            std::string& name = names[found[i]];
            if (name.empty()) append_json_text(value.get_ref<const std::string&>(), name);
            out += name;
        } else if (value.is_number_float()) {
            append_json_number(found[i], out);
        } else {
            fmt::format_to(std::back_inserter(out), "{}", value.get<std::int64_t>());
        }
    }
    out += ']';
}

void append_columns_json(const api::columns& made, std::string& out) {
    stop_watch asked;
    out += "\"names\":[";
    for (std::size_t c = 0; c < made.names.size(); ++c) {
        if (c > 0) out += ',';
        append_json_text(made.names[c], out);
    }
    out += "],\"values\":[";
    for (index i = 0; i < made.values.rows(); ++i) {
        out += i > 0 ? ",[" : "[";
        for (index c = 0; c < made.values.cols(); ++c) {
            asked.after(64);
            if (c > 0) out += ',';
            append_json_number(made.values(i, c), out);
        }
        out += ']';
    }
    out += ']';
}

std::string prediction_header(const api::columns& details) {
    std::string out = "prediction";
    for (const auto& name : details.names) out += "," + csv_field(name);
    return out + "\n";
}

std::string prediction_lines(const api::model& m, const std::vector<double>& found, const api::columns& details,
                             bool csv) {
    stop_watch asked;
    std::string out;
    for (std::size_t i = 0; i < found.size(); ++i) {
        asked.after(64 * (static_cast<std::size_t>(details.values.cols()) + 1));
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
    stop_watch asked;
    std::string out;
    for (std::size_t c = 0; c < made.names.size(); ++c) out += (c ? "," : "") + csv_field(made.names[c]);
    out += "\n";
    for (index i = 0; i < made.values.rows(); ++i) {
        for (index c = 0; c < made.values.cols(); ++c) {
            asked.after(64);
            fmt::format_to(std::back_inserter(out), "{}{}", c ? "," : "", made.values(i, c));
        }
        out += "\n";
    }
    return out;
}

}  // namespace mercer::cli
