#include "mercer/preprocess/column_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <nlohmann/json.hpp>
#include <numbers>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/data/strings.h"
#include "mercer/preprocess/scaling.h"

namespace mercer {
namespace {

// Applies one rule to a column: read() passes the coordinates of a field to `put`.
class column_reader {
public:
    column_reader(const text_table& from, std::size_t column, const column_rule& rule, bool refuse)
        : from_(from), column_(column), rule_(rule), refuse_(refuse) {
        for (std::size_t v = 0; v < rule.values.size(); ++v) place_.emplace(rule.values[v], static_cast<index>(v));
        if (rule.words) {
            std::vector<std::string> texts;
            for (index r = 0; r < from.rows(); ++r) {
                const std::string_view field = from.at(r, column);
                texts.emplace_back(detail::is_missing(field) ? std::string_view() : field);
            }
            texts_ = rule.words->apply(strings(std::move(texts)));
        }
        width_ = rule.width();
    }

    index width() const { return width_; }

    template <class Put>
    void read(index row, const Put& put) {
        const std::string_view field = from_.at(row, column_);
        const bool missing = is_missing(field);
        if (missing && refuse_) from_.fail_at(row, column_, fmt::format("missing value {}", detail::quoted(field)));
        if (missing) ++filled_;
        if (missing && rule_.missing > 0) put(width_ - 1, 1.0);
        if (rule_.words) {
            const auto* rows = texts_.as<sparse<double>>();
            for (std::size_t t = 0; t < rows->cols(row).size(); ++t) put(rows->cols(row)[t], rows->values(row)[t]);
        } else if (rule_.kind == column_kind::categories) {
            put_category(row, field, missing, put);
        } else {
            put_number(missing ? rule_.fill : number(row, field), put);
        }
    }

    void report_notes(const column_encoder::note_handler& on_note) const {
        if (!on_note) return;
        if (unknown_ > 0)
            on_note(
                fmt::format("{}: {} of {} rows have a category that the training data of the model do not have, such "
                            "as {}: the rows get no category",
                            rule_.name, unknown_, from_.rows(), detail::quoted(unknown_example_)));
        if (filled_ > 0 && rule_.missing == 0 && !rule_.words)
            on_note(
                fmt::format("{}: {} of {} values are missing, but the training data of the model have no missing "
                            "values: imputed with {}",
                            rule_.name, filled_, from_.rows(),
                            rule_.kind == column_kind::categories
                                ? "the most frequent one, " + detail::quoted(rule_.values[rule_.most_frequent])
                                : "the median"));
    }

private:
    bool is_missing(std::string_view field) const {
        return detail::is_missing(field) ||
               (rule_.kind == column_kind::numbers && !place_.empty() && place_.contains(detail::to_utf8(field)));
    }

    double number(index row, std::string_view field) const {
        if (rule_.kind == column_kind::dates) {
            const auto day = parse_date(field, rule_.order);
            if (!day) from_.fail_at(row, column_, fmt::format("expected a date, got {}", detail::quoted(field)));
            return *day;
        }
        double value = 0;
        const detail::number_error fault = detail::parse_number(field, value);
        if (fault != detail::number_error::none)
            from_.fail_at(row, column_,
                          fmt::format("expected {}, got {}", detail::expected_text(fault), detail::quoted(field)));
        return value;
    }

    template <class Put>
    void put_number(double value, const Put& put) const {
        index at = 0;
        put(at++, (value - rule_.centre) / rule_.spread);
        const auto angle = [&](double turns) {
            put(at++, std::sin(2 * std::numbers::pi * turns));
            put(at++, std::cos(2 * std::numbers::pi * turns));
        };
        if (rule_.year) angle(value / 365.2425);
        if (rule_.week) angle(value / 7);
    }

    template <class Put>
    void put_category(index row, std::string_view field, bool missing, const Put& put) {
        if (missing) return put(static_cast<index>(rule_.most_frequent), 1.0);
        if (const auto found = place_.find(detail::to_utf8(field)); found != place_.end())
            return put(found->second, 1.0);
        if (unknown_++ == 0) unknown_example_ = from_.at(row, column_);
    }

    const text_table& from_;
    std::size_t column_;
    const column_rule& rule_;
    bool refuse_;
    std::unordered_map<std::string, index> place_;
    dataset texts_;
    index width_ = 0, unknown_ = 0, filled_ = 0;
    std::string_view unknown_example_;
};

void set_scale(column_rule& rule, const text_table& from, std::size_t column, const std::string& how) {
    if (how == "none" || (rule.kind != column_kind::numbers && rule.kind != column_kind::dates)) return;
    column_reader read(from, column, rule, false);
    matrix<double> all(from.rows(), 1);
    for (index r = 0; r < from.rows(); ++r)
        read.read(r, [&](index c, double value) {
            if (c == 0) all(r, 0) = value;
        });
    scaling_options options;
    options.method = how == "minmax" ? scaling_method::minmax : scaling_method::standardise;
    const scaling fitted = scaling::fit(dense<double>(std::move(all)), options);
    const auto [first, second] = fitted.columns()[0];
    const bool minmax = how == "minmax";
    rule.centre = minmax ? first / 2 + second / 2 : first;
    rule.spread = minmax ? second / 2 - first / 2 : second;
    if (!(rule.spread > 0)) rule.spread = 1;
}

// Calls column(c) for every column in parallel. If several calls throw, rethrows the exception of the first column.
void for_each_column(std::size_t count, const std::function<void(std::size_t)>& column) {
    std::vector<std::exception_ptr> failed(count);
    parallel_for(static_cast<index>(count), [&](index c) {
        try {
            column(static_cast<std::size_t>(c));
        } catch (...) {
            failed[static_cast<std::size_t>(c)] = std::current_exception();
        }
    });
    for (const auto& each : failed)
        if (each) std::rethrow_exception(each);
}

// Fills the matrix with the encoded columns, in parallel over columns.
void fill_dense(std::vector<column_reader>& columns, index rows, matrix<double>& full) {
    std::vector<index> base(columns.size() + 1, 0), reached(columns.size(), 0);
    for (std::size_t c = 0; c < columns.size(); ++c) base[c + 1] = base[c] + columns[c].width();
    const auto fill = [&](std::size_t k, index first, index end) {
        for (index r = first; r < end; ++r) {
            reached[k] = r;
            columns[k].read(r, [&](index c, double value) { full(r, base[k] + c) = value; });
        }
    };
    // Batches of 2,048 rows stay in the caches. The error of the first row with an error is thrown.
    constexpr index batch = 2048;
    for (index first = 0; first < rows; first += batch) {
        const index end = std::min(rows, first + batch);
        std::vector<std::exception_ptr> failed(columns.size());
        parallel_for(static_cast<index>(columns.size()), [&](index k) {
            try {
                fill(static_cast<std::size_t>(k), first, end);
            } catch (const error&) {
                failed[static_cast<std::size_t>(k)] = std::current_exception();
            }
        });
        std::size_t worst = columns.size();
        for (std::size_t k = 0; k < columns.size(); ++k)
            if (failed[k] && (worst == columns.size() || reached[k] < reached[worst])) worst = k;
        if (worst < columns.size()) std::rethrow_exception(failed[worst]);
    }
}

}  // namespace

column_encoder column_encoder::fit(const text_table& from, std::optional<std::size_t> target,
                                   const column_options& options) {
    if (options.missing != "fill" && options.missing != "refuse")
        fail(errc::invalid_argument,
             fmt::format("option 'missing' must be 'impute' or 'refuse', got '{}'", options.missing));
    if (options.scale != "standard" && options.scale != "minmax" && options.scale != "none")
        fail(errc::invalid_argument,
             fmt::format("option 'scale' must be 'standard', 'minmax' or 'none', got '{}'", options.scale));
    column_encoder out;
    out.options_ = options;
    out.has_header_ = from.has_header();
    if (target) out.target_ = from.names()[*target], out.target_at_ = *target;
    std::unordered_map<std::string_view, bool> seen;
    std::vector<std::size_t> at;
    for (std::size_t c = 0; c < from.columns(); ++c) {
        if (!seen.emplace(from.names()[c], true).second)
            fail(errc::data, fmt::format("{}: two columns have the same name '{}'", from.file(), from.names()[c]));
        if (target != c) at.push_back(c);
    }
    out.rules_.resize(at.size());
    for_each_column(at.size(), [&](std::size_t k) {
        column_rule& rule = out.rules_[k] = detect_column(from, at[k]);
        if (options.missing == "refuse" && rule.missing > 0)
            for (index r = 0; r < from.rows(); ++r)
                if (const auto field = from.at(r, at[k]); detail::is_missing(field))
                    from.fail_at(r, at[k], fmt::format("missing value {}", detail::quoted(field)));
        set_scale(rule, from, at[k], options.scale);
    });
    if (out.dims() == 0) {
        std::string why;
        for (const column_rule& rule : out.rules_)
            why += fmt::format("{}{} ({})", why.empty() ? ": " : ", ", rule.name, rule.why);
        fail(errc::data, fmt::format("{}: no column can be used as a feature{}", from.file(), why));
    }
    return out;
}

std::vector<std::string> column_encoder::names() const {
    std::vector<std::string> out;
    for (const column_rule& rule : rules_) out.push_back(rule.name);
    if (!target_.empty()) out.push_back(target_);
    return out;
}

index column_encoder::dims() const {
    index sum = 0;
    for (const column_rule& rule : rules_) sum += rule.width();
    return sum;
}

std::vector<std::string> column_encoder::coordinate_names() const {
    std::vector<std::string> out;
    for (const column_rule& rule : rules_)
        for (std::string& each : rule.coordinate_names()) out.push_back(std::move(each));
    return out;
}

std::optional<std::size_t> column_encoder::find_target(const text_table& from) const {
    if (target_.empty()) return std::nullopt;
    if (!has_header_ || !from.has_header())
        return from.columns() == rules_.size() + 1 ? std::optional(target_at_) : std::nullopt;
    const auto at = std::ranges::find(from.names(), target_);
    return at == from.names().end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - from.names().begin()));
}

std::vector<std::size_t> column_encoder::find_columns(const text_table& from, const note_handler& on_note) const {
    std::vector<std::size_t> out;
    const std::size_t all = rules_.size() + (target_.empty() ? 0 : 1);
    if (!has_header_ || !from.has_header()) {
        const bool with_target = !target_.empty() && from.columns() == all;
        if (from.columns() != all && from.columns() != rules_.size())
            fail(errc::data,
                 fmt::format("{}: expected {} columns like the data that the model was fitted on{}, got {}",
                             from.file(), all, target_.empty() ? "" : fmt::format(" ({} without the target)", all - 1),
                             from.columns()));
        for (std::size_t c = 0; c < rules_.size(); ++c) out.push_back(c + (with_target && c >= target_at_ ? 1 : 0));
        return out;
    }
    std::unordered_map<std::string_view, std::size_t> at;
    for (std::size_t c = 0; c < from.columns(); ++c)
        if (!at.emplace(from.names()[c], c).second)
            fail(errc::data, fmt::format("{}: two columns have the same name '{}'", from.file(), from.names()[c]));
    for (const column_rule& rule : rules_) {
        const auto found = at.find(rule.name);
        if (found == at.end() && rule.kind != column_kind::left_out)
            fail(errc::data,
                 fmt::format("{}: the column '{}' is missing: the data that the model was fitted on have it",
                             from.file(), rule.name));
        out.push_back(found == at.end() ? 0 : found->second);
        if (found != at.end()) at.erase(found);
    }
    at.erase(target_);
    if (!at.empty() && on_note) {
        std::vector<std::string_view> extra;
        for (const auto& each : at) extra.push_back(each.first);
        std::ranges::sort(extra);
        on_note(fmt::format("{}: {} not among the columns of the model and ignored: {}{}", from.file(),
                            extra.size() == 1 ? "one column is" : fmt::format("{} columns are", extra.size()), extra[0],
                            extra.size() > 1 ? ", ..." : ""));
    }
    return out;
}

dataset column_encoder::apply(const text_table& from, const note_handler& on_note) const {
    constexpr index widest = 1000;  // largest number of categories of a column for which the vectors are dense
    const std::vector<std::size_t> at = find_columns(from, on_note);
    std::vector<column_reader> columns;
    index dims = 0;
    bool zeros = false;
    for (std::size_t c = 0; c < rules_.size(); ++c) {
        if (rules_[c].kind == column_kind::left_out) continue;
        columns.emplace_back(from, at[c], rules_[c], options_.missing == "refuse");
        dims += columns.back().width();
        zeros = zeros || rules_[c].words || rules_[c].values.size() > widest;
    }
    matrix<double> full(zeros ? 0 : from.rows(), zeros ? 0 : dims);
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    std::vector<std::pair<std::int32_t, double>> one;
    if (!zeros) fill_dense(columns, from.rows(), full);
    for (index r = 0; zeros && r < from.rows(); ++r) {
        index base = 0;
        one.clear();
        for (column_reader& each : columns) {
            each.read(r, [&](index c, double value) { one.emplace_back(static_cast<std::int32_t>(base + c), value); });
            base += each.width();
        }
        std::ranges::sort(one);
        for (const auto& [c, value] : one) col.push_back(c), val.push_back(value);
        start.push_back(static_cast<index>(col.size()));
    }
    for (const column_reader& each : columns) each.report_notes(on_note);
    if (zeros) return sparse<double>(std::move(start), std::move(col), std::move(val), dims);
    return dense<double>(std::move(full));
}

// The JSON form of column encoders.

namespace {

using json = nlohmann::json;
constexpr const char* format_name = "mercer-columns";
constexpr const char* kind_names[] = {"numbers", "categories", "dates", "texts", "left out"};
constexpr const char* order_names[] = {"year first", "day first", "month first"};

template <class E, std::size_t N>
E parse_enum(const json& in, const char* key, const char* const (&names)[N], const std::string& file) {
    const auto text = in.at(key).get<std::string>();
    for (std::size_t i = 0; i < N; ++i)
        if (text == names[i]) return static_cast<E>(i);
    fail(errc::parse, fmt::format("{}: '{}' is not a {} of a column", file, text, key));
}

std::size_t position(const json& in, const char* key) {
    return static_cast<std::size_t>(json_integer(in.at(key), key));
}

json rule_json(const column_rule& r) {
    json out{{"name", r.name}, {"kind", kind_names[static_cast<int>(r.kind)]}, {"missing", r.missing}};
    if (r.kind == column_kind::left_out) out["why"] = r.why;
    if (r.kind == column_kind::numbers || r.kind == column_kind::dates) {
        out["median"] = r.fill;
        out["centre"] = r.centre;
        out["spread"] = r.spread;
    }
    if (r.kind == column_kind::dates) {
        out["order"] = order_names[static_cast<int>(r.order)];
        out["year"] = r.year;
        out["week"] = r.week;
    }
    if (!r.values.empty()) out["values"] = r.values;
    if (r.kind == column_kind::categories) out["most_frequent"] = r.most_frequent;
    if (r.words) out["words"] = parse_json(r.words->to_json());
    return out;
}

column_rule read_rule(const json& in, const std::string& file) {
    column_rule out;
    out.name = in.at("name").get<std::string>();
    out.kind = parse_enum<column_kind>(in, "kind", kind_names, file);
    out.missing = json_integer(in.at("missing"), "missing");
    const auto bad = [&](const std::string& what) {
        fail(errc::parse, fmt::format("{}: column '{}': {}", file, out.name, what));
    };
    if (out.kind == column_kind::left_out) out.why = in.at("why").get<std::string>();
    if (out.kind == column_kind::numbers || out.kind == column_kind::dates) {
        out.fill = in.at("median").get<double>();
        out.centre = in.at("centre").get<double>();
        out.spread = in.at("spread").get<double>();
        if (!std::isfinite(out.fill) || !std::isfinite(out.centre) || !(out.spread > 0) || !std::isfinite(out.spread))
            bad("median, centre and spread must be finite, spread > 0");
    }
    if (out.kind == column_kind::dates) {
        out.order = parse_enum<date_order>(in, "order", order_names, file);
        out.year = in.at("year").get<bool>();
        out.week = in.at("week").get<bool>();
    }
    if (in.contains("values")) out.values = in["values"].get<std::vector<std::string>>();
    if (out.kind == column_kind::categories) {
        out.most_frequent = position(in, "most_frequent");
        if (out.most_frequent >= out.values.size())
            bad(fmt::format("most_frequent must be below {}, got {}", out.values.size(), out.most_frequent));
    }
    if (out.kind == column_kind::texts) out.words = text_features::from_json(in.at("words").dump(), file);
    return out;
}

}  // namespace

std::string column_encoder::to_json() const {
    json out{{"format", format_name}, {"version", 1},         {"missing", options_.missing},  {"scale", options_.scale},
             {"target", target_},     {"named", has_header_}, {"target_position", target_at_}};
    json all = json::array();
    for (const column_rule& each : rules_) all.push_back(rule_json(each));
    out["columns"] = std::move(all);
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

column_encoder column_encoder::from_json(std::string_view text, const std::string& name) {
    try {
        json in = parse_json(text, fmt::format("{}: columns of a table", name));
        const json_release at_end(in);
        if (in.at("format") != format_name) fail(errc::parse, fmt::format("{}: expected {}", name, format_name));
        if (in.at("version") != 1)
            fail(errc::unsupported,
                 fmt::format("{}: the columns have format version {}, but this mercer reads version 1", name,
                             in["version"].dump()));
        column_encoder out;
        out.options_ = {in.at("missing").get<std::string>(), in.at("scale").get<std::string>()};
        out.target_ = in.at("target").get<std::string>();
        out.target_at_ = position(in, "target_position");
        out.has_header_ = in.at("named").get<bool>();
        for (const json& each : in.at("columns")) out.rules_.push_back(read_rule(each, name));
        if (out.target_at_ > out.rules_.size())
            fail(errc::parse, fmt::format("{}: target_position must be at most {}, got {}", name, out.rules_.size(),
                                          out.target_at_));
        return out;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const error&) {
        throw;
    } catch (const std::exception& wrong) {
        fail(errc::parse, fmt::format("{}: columns of a table: {}", name, wrong.what()));
    }
}

namespace {

// Returns the target of a row: its number, or the position of its class in `classes`; none if the field is neither.
std::optional<double> target_of(std::string_view field, const std::vector<std::string>& classes) {
    if (!classes.empty()) {
        const auto at = std::ranges::find(classes, detail::to_utf8(field));
        return at == classes.end() ? std::nullopt : std::optional(static_cast<double>(at - classes.begin()));
    }
    double value = 0;
    if (detail::parse_number(field, value) != detail::number_error::none) return std::nullopt;
    return value;
}

}  // namespace

table column_encoder::parse(const file_contents& file, const csv_options& options) const {
    const std::vector<std::string> known = has_header_ ? names() : std::vector<std::string>{};
    const text_table from = text_table::parse(file, options, known);
    table out;
    out.x = apply(from, options.on_note);
    out.feature_names = coordinate_names();
    if (options.label.empty()) return out;
    const std::optional<std::size_t> at =
        options.label == target_ ? find_target(from) : std::optional(from.find_column(options.label, "target"));
    if (!at) return out;
    out.label = options.label;
    for (index r = 0; r < from.rows(); ++r) {
        const auto y = target_of(from.at(r, *at), options.classes);
        if (!y) {
            if (options.on_note)
                options.on_note(fmt::format("{}: the targets are ignored, because row {} has {}, which is not a {}",
                                            file.name(), r + 1, detail::quoted(from.at(r, *at)),
                                            options.classes.empty() ? "number" : "class of the model"));
            out.y.clear();
            return out;
        }
        out.y.push_back(*y);
    }
    return out;
}

}  // namespace mercer
