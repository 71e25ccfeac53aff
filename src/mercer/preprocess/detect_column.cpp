// What a column is, by its values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/number.h"
#include "mercer/data/strings.h"
#include "mercer/preprocess/column_rule.h"

namespace mercer {
namespace {

using detail::number_fault;

constexpr index few_rows = 10;             // so few say nothing about identifiers
constexpr std::size_t most_marks = 5;      // words that stand for missing numbers
constexpr std::size_t most_values = 5000;  // of categories
constexpr index most_words = 2000;

double median_of(std::vector<double> values) {
    const std::size_t half = values.size() / 2;
    std::ranges::sort(values);
    // halves first: the sum of two could overflow
    return values.size() % 2 ? values[half] : values[half - 1] / 2 + values[half] / 2;
}

// id, customer_id, PassengerId, and the column without a name that data frames write for their rows
bool named_like_an_identifier(const std::string& name) {
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
            left_out("no values");
        else if (!numbers() && !dates())
            texts();
        return std::move(out_);
    }

private:
    void left_out(std::string why) {
        out_.kind = column_kind::left_out;
        out_.why = std::move(why);
    }

    bool numbers() {
        std::vector<std::string_view> marks;
        std::string_view unusable;
        index marked = 0;
        double value = 0;
        for (const auto& [text, count] : counts_) {
            const number_fault fault = detail::parse_number(text, value);
            if (fault == number_fault::syntax) marks.push_back(text), marked += count;
            if (fault == number_fault::not_finite || fault == number_fault::overflow) unusable = text;
            if (marks.size() > most_marks) return false;
        }
        if (marks.size() == counts_.size() || 10 * marked > present_) return false;
        out_.kind = column_kind::numbers;
        for (const std::string_view each : marks) out_.values.push_back(detail::as_utf8(each)), counts_.erase(each);
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
            left_out(fmt::format("always {}", counts_.begin()->first));
        else if (out_.missing == 0 && counts(all))
            left_out("it numbers the rows");
        else if (out_.missing == 0 && identifies(all))
            left_out("an identifier, another number in each row");
        else
            out_.fill = median_of(std::move(all));
        return true;
    }

    // 1, 2, 3, … or from 0
    bool counts(const std::vector<double>& all) const {
        if (from_.rows() <= few_rows || (all[0] != 0 && all[0] != 1)) return false;
        for (std::size_t i = 1; i < all.size(); ++i)
            if (all[i] != all[i - 1] + 1) return false;
        return true;
    }

    bool identifies(const std::vector<double>& all) const {
        return from_.rows() > few_rows && counts_.size() == all.size() && named_like_an_identifier(out_.name) &&
               std::ranges::all_of(all, [](double x) { return x == std::floor(x); });
    }

    bool dates() {
        for (const date_order order : {date_order::year_first, date_order::month_first, date_order::day_first}) {
            // 1.3.2024 is written where the day comes first
            const bool dots = counts_.begin()->first.find('.') < 3;
            if (order == date_order::month_first && dots) continue;
            if (!std::ranges::all_of(counts_, [&](const auto& e) { return parse_date(e.first, order).has_value(); }))
                continue;
            if (counts_.size() == 1 && out_.missing == 0)
                return left_out(fmt::format("always {}", counts_.begin()->first)), true;
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

    void texts() {
        const auto distinct = static_cast<index>(counts_.size());
        if (distinct == 1 && out_.missing == 0) {
            left_out(fmt::format("always {}", detail::quoted(counts_.begin()->first)));
        } else if (counts_.size() <= most_values && (2 * distinct <= present_ || present_ <= few_rows)) {
            categories();
        } else if (words_each() < 3 || !words()) {
            left_out(fmt::format("{} of {} values are different: names or identifiers", distinct, present_));
        }
    }

    void categories() {
        out_.kind = column_kind::categories;
        std::unordered_map<std::string, index> found;  // the same in every encoding
        for (const auto& [text, count] : counts_) found[detail::as_utf8(text)] += count;
        for (const auto& each : found) out_.values.push_back(each.first);
        std::ranges::sort(out_.values);
        for (std::size_t i = 0; i < out_.values.size(); ++i)
            if (found[out_.values[i]] > found[out_.values[out_.most_frequent]]) out_.most_frequent = i;
    }

    double words_each() const {
        double words = 0;
        for (const auto& [text, count] : counts_)
            words += static_cast<double>(count) * (1 + static_cast<double>(std::ranges::count(text, ' ')));
        return words / static_cast<double>(present_);
    }

    bool words() {
        std::vector<std::string> all;
        for (index r = 0; r < from_.rows(); ++r) {
            const std::string_view field = from_.at(r, column_);
            all.emplace_back(detail::is_missing(field) ? std::string_view() : field);
        }
        text_options how;
        how.choice.min_df = 2;
        how.choice.max_features = most_words;
        try {
            out_.words = text_features::fit(strings(std::move(all)), how);
        } catch (const error&) {
            return false;  // no word comes twice
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
