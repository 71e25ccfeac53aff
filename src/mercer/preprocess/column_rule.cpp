#include "mercer/preprocess/column_rule.h"

#include <fmt/format.h>

namespace mercer {
namespace {

std::string plain(const column_rule& r) {
    const auto many = [](std::size_t n, const char* what) { return fmt::format("{} {}", n, what); };
    switch (r.kind) {
        case column_kind::numbers: return "numbers";
        case column_kind::categories: return many(r.values.size(), "categories, one-hot");
        case column_kind::texts: return fmt::format("texts, tf-idf of {} words", r.words ? r.words->dims() : 0);
        case column_kind::left_out: return "left out: " + r.why;
        case column_kind::dates: break;
    }
    std::string out = "dates";
    if (r.order != date_order::year_first) out += r.order == date_order::day_first ? ", day first," : ", month first,";
    out += " as days";
    if (r.year) out += r.week ? ", the place in the year" : " and the place in the year";
    if (r.week) out += " and the day of the week";
    return out;
}

}  // namespace

std::string column_rule::about() const {
    std::string out = plain(*this);
    if (missing == 0 || kind == column_kind::left_out) return out;
    out += fmt::format("; {} missing", missing);
    if (kind == column_kind::numbers && !values.empty()) {
        out += fmt::format(" (also '{}'", values.front());
        for (std::size_t i = 1; i < values.size(); ++i) out += fmt::format(", '{}'", values[i]);
        out += ")";
    }
    if (kind == column_kind::numbers) out += fmt::format(", the median {:.6g} and an indicator", fill);
    if (kind == column_kind::dates) out += ", the median and an indicator";
    if (kind == column_kind::categories)
        out += fmt::format(", the most frequent '{}' and an indicator", values[most_frequent]);
    if (kind == column_kind::texts) out += ", an indicator";
    return out;
}

index column_rule::width() const { return static_cast<index>(coordinates().size()); }

std::vector<std::string> column_rule::coordinates() const {
    std::vector<std::string> out;
    if (kind == column_kind::left_out) return out;
    if (kind == column_kind::numbers || kind == column_kind::dates) out.push_back(name);
    if (year) out.insert(out.end(), {name + " sin(year)", name + " cos(year)"});
    if (week) out.insert(out.end(), {name + " sin(week)", name + " cos(week)"});
    if (kind == column_kind::categories)
        for (const std::string& value : values) out.push_back(fmt::format("{}={}", name, value));
    if (words)
        for (std::int32_t t = 0; t < words->terms().size(); ++t)
            out.push_back(fmt::format("{}:{}", name, words->terms()[t]));
    if (missing > 0) out.push_back(name + " missing");
    return out;
}

}  // namespace mercer
