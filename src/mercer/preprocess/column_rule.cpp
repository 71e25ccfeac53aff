#include "mercer/preprocess/column_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/strings.h"

namespace mercer {
namespace {

std::string describe_kind(const column_rule& r) {
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

std::string column_rule::describe() const {
    std::string out = describe_kind(*this);
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

index column_rule::width() const { return static_cast<index>(coordinate_names().size()); }

std::vector<std::string> column_rule::coordinate_names() const {
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

namespace {

// Removes up to `most` digits from the front and returns their value; none if there are fewer than `least`.
std::optional<int> parse_digits(std::string_view& rest, std::size_t least, std::size_t most) {
    int value = 0;
    std::size_t n = 0;
    while (n < rest.size() && n < most && detail::is_digit(rest[n])) value = 10 * value + (rest[n++] - '0');
    if (n < least) return std::nullopt;
    rest.remove_prefix(n);
    return value;
}

bool take_char(std::string_view& rest, char c) {
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
}

// Parses a time zone (+02:00, -0530, Z, or nothing) and returns its offset from UTC in minutes.
std::optional<int> parse_zone(std::string_view& rest) {
    if (rest.empty() || take_char(rest, 'Z')) return 0;
    const bool west = rest.front() == '-';
    if (!take_char(rest, '+') && !take_char(rest, '-')) return std::nullopt;
    const auto hours = parse_digits(rest, 2, 2);
    take_char(rest, ':');
    const auto minutes = rest.empty() ? std::optional(0) : parse_digits(rest, 2, 2);
    if (!hours || !minutes || *hours > 14 || *minutes > 59) return std::nullopt;
    return (west ? -1 : 1) * (60 * *hours + *minutes);
}

// Parses 12:30, 12:30:15 or 12:30:15.5, each with an optional time zone, and returns the UTC time as a fraction of a
// day.
std::optional<double> parse_time(std::string_view rest) {
    const auto hours = parse_digits(rest, 1, 2);
    if (!hours || *hours > 23 || !take_char(rest, ':')) return std::nullopt;
    const auto minutes = parse_digits(rest, 2, 2);
    if (!minutes || *minutes > 59) return std::nullopt;
    double seconds = 0;
    if (take_char(rest, ':')) {
        const auto whole = parse_digits(rest, 2, 2);
        if (!whole || *whole > 60) return std::nullopt;
        seconds = *whole;
        if (take_char(rest, '.')) {
            double unit = 1;
            if (rest.empty() || !detail::is_digit(rest.front())) return std::nullopt;
            for (; !rest.empty() && detail::is_digit(rest.front()); rest.remove_prefix(1))
                seconds += (unit /= 10) * (rest.front() - '0');
        }
    }
    const auto offset = parse_zone(rest);
    if (!offset || !rest.empty()) return std::nullopt;
    return (*hours * 3600.0 + (*minutes - *offset) * 60.0 + seconds) / 86400;
}

}  // namespace

std::optional<double> parse_date(std::string_view text, date_order order) {
    const bool year_first = order == date_order::year_first;
    const auto first = parse_digits(text, year_first ? 4 : 1, year_first ? 4 : 2);
    if (!first || text.empty() || (text.front() != '-' && text.front() != '/' && text.front() != '.'))
        return std::nullopt;
    const char between = text.front();
    text.remove_prefix(1);
    const auto second = parse_digits(text, 1, 2);
    if (!second || !take_char(text, between)) return std::nullopt;
    const auto third = parse_digits(text, year_first ? 1 : 4, year_first ? 2 : 4);
    if (!third) return std::nullopt;
    int year = year_first ? *first : *third, month = *second, day = year_first ? *third : *first;
    if (order == date_order::month_first) std::swap(month, day);
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) return std::nullopt;
    const double days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
    if (text.empty()) return days;
    if (!take_char(text, 'T') && !take_char(text, ' ')) return std::nullopt;
    const auto time = parse_time(text);
    return time ? std::optional(days + *time) : std::nullopt;
}

// Detection of the kind of a column from its values.

namespace {

using detail::number_error;

constexpr index max_undecided_rows = 10;      // with at most this number of rows, no column is taken for an identifier
constexpr std::size_t max_missing_words = 5;  // largest number of different words that mean a missing number
constexpr std::size_t max_categories = 5000;  // largest number of categories
constexpr index max_words = 2000;             // largest number of words of a column of texts

double median_of(std::vector<double> values) {
    const std::size_t half = values.size() / 2;
    std::ranges::sort(values);
    // Halve before adding: the sum of two numbers can overflow.
    return values.size() % 2 ? values[half] : values[half - 1] / 2 + values[half] / 2;
}

// Returns true for names such as id, customer_id and PassengerId, and for the names of row numbers in data frames.
bool has_identifier_name(const std::string& name) {
    if (name == "Id" || name == "ID" || name == "id" || name == "index" || name == "rownames") return true;
    return name.ends_with("_id") || name.ends_with("Id") || name.ends_with("_ID") || name.ends_with(" id");
}

class detector {
public:
    detector(const text_table& from, std::size_t column) : from_(from), column_(column) {
        out_.name = from.names()[column];
        for (index r = 0; r < from.rows(); ++r) {
            const std::string_view field = from.at(r, column);
            if (detail::is_missing(field))
                ++out_.missing;
            else
                ++counts_[field];
        }
        present_ = from.rows() - out_.missing;
    }

    column_rule run() {
        if (counts_.empty())
            leave_out("no values");
        else if (!try_numbers() && !try_dates())
            set_texts();
        return std::move(out_);
    }

private:
    void leave_out(std::string why) {
        out_.kind = column_kind::left_out;
        out_.why = std::move(why);
    }

    bool try_numbers() {
        std::vector<std::string_view> marks;
        std::string_view unusable;
        index marked = 0;
        double value = 0;
        for (const auto& [text, count] : counts_) {
            const number_error fault = detail::parse_number(text, value);
            if (fault == number_error::syntax) marks.push_back(text), marked += count;
            if (fault == number_error::not_finite || fault == number_error::overflow) unusable = text;
            if (marks.size() > max_missing_words) return false;
        }
        if (marks.size() == counts_.size() || 10 * marked > present_) return false;
        out_.kind = column_kind::numbers;
        for (const std::string_view each : marks) out_.values.push_back(detail::to_utf8(each)), counts_.erase(each);
        std::ranges::sort(out_.values);
        out_.missing += marked;
        std::vector<double> all;
        for (index r = 0; r < from_.rows(); ++r) {
            const std::string_view field = from_.at(r, column_);
            if (detail::is_missing(field) || !counts_.contains(field)) continue;
            if (field == unusable && !unusable.empty())
                from_.fail_at(r, column_, fmt::format("expected a finite number, got {}", detail::quoted(field)));
            detail::parse_number(field, value);
            all.push_back(value);
        }
        if (counts_.size() == 1 && out_.missing == 0)
            leave_out(fmt::format("always {}", counts_.begin()->first));
        else if (out_.missing == 0 && are_row_numbers(all))
            leave_out("it numbers the rows");
        else if (out_.missing == 0 && are_identifiers(all))
            leave_out("an identifier, another number in each row");
        else
            out_.fill = median_of(std::move(all));
        return true;
    }

    // Returns true if the numbers are 1, 2, 3, … or 0, 1, 2, …: the column only numbers the rows.
    bool are_row_numbers(const std::vector<double>& all) const {
        if (from_.rows() <= max_undecided_rows || (all[0] != 0 && all[0] != 1)) return false;
        for (std::size_t i = 1; i < all.size(); ++i)
            if (all[i] != all[i - 1] + 1) return false;
        return true;
    }

    bool are_identifiers(const std::vector<double>& all) const {
        return from_.rows() > max_undecided_rows && counts_.size() == all.size() && has_identifier_name(out_.name) &&
               std::ranges::all_of(all, [](double x) { return x == std::floor(x); });
    }

    bool try_dates() {
        for (const date_order order : {date_order::year_first, date_order::month_first, date_order::day_first}) {
            // Dates with dots, such as 1.3.2024, have the day first.
            const bool dots = counts_.begin()->first.find('.') < 3;
            if (order == date_order::month_first && dots) continue;
            if (!std::ranges::all_of(counts_, [&](const auto& e) { return parse_date(e.first, order).has_value(); }))
                continue;
            if (counts_.size() == 1 && out_.missing == 0)
                return leave_out(fmt::format("always {}", counts_.begin()->first)), true;
            out_.kind = column_kind::dates;
            out_.order = order;
            std::vector<double> all;
            for (const auto& [text, count] : counts_)
                all.insert(all.end(), static_cast<std::size_t>(count), *parse_date(text, order));
            const auto [first, last] = std::ranges::minmax(all);
            out_.year = last - first >= 365;
            out_.week = last - first >= 14;
            out_.fill = median_of(std::move(all));
            return true;
        }
        return false;
    }

    void set_texts() {
        const auto distinct = static_cast<index>(counts_.size());
        if (distinct == 1 && out_.missing == 0) {
            leave_out(fmt::format("always {}", detail::quoted(counts_.begin()->first)));
        } else if (counts_.size() <= max_categories && (2 * distinct <= present_ || present_ <= max_undecided_rows)) {
            set_categories();
        } else if (words_per_value() < 3 || !try_words()) {
            leave_out(fmt::format("{} of {} values are different: names or identifiers", distinct, present_));
        }
    }

    void set_categories() {
        out_.kind = column_kind::categories;
        // By their UTF-8 form: a value counts once, whatever its encoding.
        std::unordered_map<std::string, index> found;
        for (const auto& [text, count] : counts_) found[detail::to_utf8(text)] += count;
        for (const auto& each : found) out_.values.push_back(each.first);
        std::ranges::sort(out_.values);
        for (std::size_t i = 0; i < out_.values.size(); ++i)
            if (found[out_.values[i]] > found[out_.values[out_.most_frequent]]) out_.most_frequent = i;
    }

    double words_per_value() const {
        double words = 0;
        for (const auto& [text, count] : counts_)
            words += static_cast<double>(count) * (1 + static_cast<double>(std::ranges::count(text, ' ')));
        return words / static_cast<double>(present_);
    }

    bool try_words() {
        std::vector<std::string> all;
        for (index r = 0; r < from_.rows(); ++r) {
            const std::string_view field = from_.at(r, column_);
            all.emplace_back(detail::is_missing(field) ? std::string_view() : field);
        }
        text_options how;
        how.choice.min_df = 2;
        how.choice.max_features = max_words;
        try {
            out_.words = text_features::fit(strings(std::move(all)), how);
        } catch (const error&) {
            return false;  // no word occurs in two texts
        }
        out_.kind = column_kind::texts;
        return true;
    }

    const text_table& from_;
    std::size_t column_;
    index present_ = 0;
    std::unordered_map<std::string_view, index> counts_;
    column_rule out_;
};

}  // namespace

column_rule detect_column(const text_table& from, std::size_t column) { return detector(from, column).run(); }

}  // namespace mercer
