#include "mercer/data/readers/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <optional>

#include "mercer/data/kinds/strings.h"
#include "mercer/data/readers/number.h"
#include "mercer/data/readers/read.h"
#include "mercer/data/readers/source.h"

namespace mercer {
namespace {

using detail::number_fault;

constexpr int rows_to_look_at = 10;  // when guessing separator and header

struct field {
    std::string_view text;  // unquoted, and trimmed when it had no quotes
    std::size_t offset;     // of its first byte, the quote if there is one
};

// Takes records off a text.
class record_reader {
public:
    record_reader(std::string_view text, const std::string& name, char separator)
        : text_(text), name_(name), separator_(separator) {}

    // The next record that is not a blank line. False at the end.
    bool next(std::vector<field>& out) {
        skip_blank_lines();
        if (at_ == text_.size()) return false;
        out.clear();
        do out.push_back(next_field());
        while (take_separator());
        if (at_ < text_.size()) ++at_;  // the line end
        return true;
    }
    std::size_t offset() const { return at_; }

private:
    void skip_blank_lines() {
        for (;;) {
            std::size_t end = at_;
            while (end < text_.size() &&
                   (text_[end] == ' ' || text_[end] == '\r' || (text_[end] == '\t' && separator_ != '\t')))
                ++end;
            if (end < text_.size() && text_[end] != '\n') return;
            at_ = end;
            if (at_ == text_.size()) return;
            ++at_;
        }
    }

    bool take_separator() {
        if (at_ == text_.size() || text_[at_] != separator_) return false;
        ++at_;
        return true;
    }

    field next_field() {
        if (at_ < text_.size() && text_[at_] == '"') return quoted_field();
        const std::size_t start = at_;
        while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') {
            if (text_[at_] == '"' && !detail::trimmed(text_.substr(start, at_ - start)).empty())
                detail::fail_at(errc::parse, name_, text_, at_, "expected no '\"' inside a field without quotes");
            if (text_[at_] == '"') return quoted_field();  // blanks before the quote
            ++at_;
        }
        return {detail::trimmed(text_.substr(start, at_ - start)), start};
    }

    field quoted_field() {
        const std::size_t open = at_++;
        std::string* joined = nullptr;  // needed only once a doubled quote has to shrink to one
        std::size_t part = at_;
        for (;;) {
            const std::size_t quote = text_.find('"', at_);
            if (quote == std::string_view::npos)
                detail::fail_at(errc::parse, name_, text_, open, "expected a closing '\"', got the end of the file");
            at_ = quote + 1;
            const bool doubled = at_ < text_.size() && text_[at_] == '"';
            if (!doubled && !joined) return after_quote({text_.substr(part, quote - part), open});
            if (!joined) joined = &joined_.emplace_back();
            joined->append(text_.substr(part, quote - part));
            if (!doubled) return after_quote({*joined, open});
            *joined += '"';
            part = ++at_;
        }
    }

    field after_quote(field result) {
        const std::size_t start = at_;
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\r')) ++at_;
        if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n')
            detail::fail_at(errc::parse, name_, text_, start,
                            fmt::format("expected a separator or the line end after the closing '\"', got {}",
                                        detail::quoted(text_.substr(at_, 1))));
        return result;
    }

    std::string_view text_;
    const std::string& name_;
    char separator_;
    std::size_t at_ = 0;
    std::deque<std::string> joined_;  // never moves what it holds
};

// The separator that occurs, outside quotes, equally often in each of the first rows. Of several the less common one:
// commas also stand inside numbers and texts.
char guess_separator(std::string_view text) {
    constexpr std::array<char, 3> candidates{'\t', ';', ','};
    std::array<int, 3> first{};
    std::array<int, 3> here{};
    std::array<bool, 3> equal{true, true, true};
    bool in_quotes = false;
    bool blank = true;
    int rows = 0;
    const auto end_row = [&] {
        if (!blank) {
            if (rows++ == 0) first = here;
            for (std::size_t k = 0; k < 3; ++k) equal[k] = equal[k] && here[k] == first[k];
        }
        here = {};
        blank = true;
    };
    for (const char c : text) {
        if (c == '"') in_quotes = !in_quotes;
        if (c != '\n' && c != '\r' && c != ' ') blank = false;
        if (in_quotes) continue;
        if (c == '\n') end_row();
        if (rows == rows_to_look_at) break;
        for (std::size_t k = 0; k < 3; ++k) here[k] += c == candidates[k];
    }
    if (rows < rows_to_look_at) end_row();
    for (std::size_t k = 0; k < 3; ++k)
        if (equal[k] && first[k] > 0) return candidates[k];
    const auto most = std::max_element(first.begin(), first.end());
    return *most > 0 ? candidates[static_cast<std::size_t>(most - first.begin())] : ',';
}

bool is_number(std::string_view text) {
    double value = 0;
    return detail::parse_number(text, value) != number_fault::syntax;
}

bool guess_header(std::string_view text, const std::string& name, char separator) {
    record_reader records(text, name, separator);
    std::vector<field> first;
    if (!records.next(first)) return false;
    enum class content : char { unseen, numbers, text };
    std::vector<content> below(first.size(), content::unseen);
    std::vector<field> row;
    for (int r = 0; r < rows_to_look_at && records.next(row); ++r)
        for (std::size_t c = 0; c < std::min(row.size(), first.size()); ++c) {
            if (detail::is_missing(row[c].text) || below[c] == content::text) continue;
            below[c] = is_number(row[c].text) ? content::numbers : content::text;
        }
    bool only_text = true;
    bool only_row = true;
    for (std::size_t c = 0; c < first.size(); ++c) {
        const bool words = !is_number(first[c].text) && !detail::is_missing(first[c].text);
        if (words && below[c] == content::numbers) return true;
        only_text = only_text && words;
        only_row = only_row && below[c] == content::unseen;
    }
    return only_text && only_row;
}

// A column given by name says that there is a header to find it in.
bool has_header(std::string_view text, const std::string& name, char separator, const csv_options& options) {
    if (options.header != csv_header::automatic) return options.header == csv_header::present;
    std::vector<field> first;
    for (const std::string& column : {options.label, options.text})
        if (!column.empty() && !is_number(column) && record_reader(text, name, separator).next(first))
            for (const field& one : first)
                if (detail::as_utf8(one.text) == detail::as_utf8(column)) return true;
    return guess_header(text, name, separator);
}

// The column of this name or position, none for an empty one; `what` it is the column of.
std::optional<std::size_t> position_of(const std::string& column, const char* what,
                                       const std::vector<std::string>& header, std::size_t columns,
                                       const std::string& name) {
    if (column.empty()) return std::nullopt;
    const std::string wanted = detail::as_utf8(column);
    const auto found = std::find(header.begin(), header.end(), wanted);
    if (found != header.end()) {
        if (std::find(found + 1, header.end(), wanted) != header.end())
            fail(errc::data, fmt::format("{}: the {} column '{}' occurs twice in the header", name, what, column));
        return static_cast<std::size_t>(found - header.begin());
    }
    long long position = 0;
    const char* const end = column.data() + column.size();
    const auto parsed = std::from_chars(column.data(), end, position);
    const auto count = static_cast<long long>(columns);
    if (parsed.ec == std::errc{} && parsed.ptr == end) {
        if (position < -count || position >= count)
            fail(errc::invalid_argument, fmt::format("{0}: the {1} column must satisfy {2} <= {1} < {3}, got {4}", name,
                                                     what, -count, count, position));
        return static_cast<std::size_t>(position < 0 ? position + count : position);
    }
    const char* const why =
        header.empty() ? "there is no header, so it can only be given by position" : "the header has no such column";
    fail(errc::invalid_argument, fmt::format("{}: {} column '{}': {}", name, what, column, why));
}

// The column of texts, as strings.
table parse_texts(const source& file, const csv_options& options) {
    const std::string_view text = detail::without_mark(file.bytes());
    const char separator = options.separator ? options.separator : guess_separator(text);
    record_reader records(text, file.name(), separator);
    std::vector<std::string> header, items;
    std::vector<field> row;
    if (has_header(text, file.name(), separator, options) && records.next(row))
        for (const field& one : row) header.push_back(detail::as_utf8(one.text));
    std::optional<std::size_t> at, label;
    std::size_t columns = header.size();
    detail::label_column labels;
    while (records.next(row)) {
        if (items.empty()) {
            if (header.empty()) columns = row.size();
            at = position_of(options.text, "text", header, columns, file.name());
            label = position_of(options.label, "label", header, columns, file.name());
        }
        if (row.size() != columns)
            detail::fail_at(errc::parse, file.name(), text, row.front().offset,
                            fmt::format("row {}: expected {} fields, got {}", items.size() + 1, columns, row.size()));
        items.emplace_back(row[*at].text);
        if (label && row[*label].text.empty())
            detail::fail_at(errc::data, file.name(), text, row[*label].offset,
                            fmt::format("row {}: expected a label, got an empty field", items.size()));
        if (label) labels.add(row[*label].text, row[*label].offset);
    }
    if (items.empty()) fail(errc::data, fmt::format("{}: expected at least one row of data, got none", file.name()));
    table result;
    if (label) labels.finish(file.name(), text, options.classes, result);
    result.x = strings(std::move(items));
    return result;
}

template <class T>
class csv_parser {
public:
    csv_parser(const source& file, const csv_options& options)
        : file_(file), text_(detail::without_mark(file.bytes())), name_(file.name()), options_(options) {}

    table run() {
        const char separator = options_.separator ? options_.separator : guess_separator(text_);
        const bool header = has_header(text_, name_, separator, options_);
        record_reader records(text_, name_, separator);
        std::vector<field> row;
        if (header && records.next(row))
            for (const field& one : row) header_.push_back(detail::as_utf8(one.text));
        index rows = 0;
        std::size_t done = 0;
        while (records.next(row)) {
            if (rows == 0) first_row(row.size());
            if (row.size() != columns_)
                detail::fail_at(errc::parse, name_, text_, row.front().offset,
                                fmt::format("row {}: expected {} fields, got {}", rows + 1, columns_, row.size()));
            ++rows;
            for (std::size_t c = 0; c < columns_; ++c) {
                if (label_ == c)
                    add_label(rows, c, row[c]);
                else
                    values_->push_back(value(rows, c, row[c]));
            }
            if (constexpr std::size_t piece = 1 << 22; records.offset() - done > piece) {
                file_.done_with(text_.substr(done, records.offset() - done));
                done = records.offset();
            }
        }
        if (rows == 0) fail(errc::data, fmt::format("{}: expected at least one row of data, got none", name_));
        return finish(rows);
    }

private:
    void first_row(std::size_t fields) {
        columns_ = header_.empty() ? fields : header_.size();
        label_ = position_of(options_.label, "label", header_, columns_, name_);
        features_ = columns_ - (label_ ? 1 : 0);
        if (features_ == 0)
            fail(errc::data, fmt::format("{}: expected a feature column beside the label, got none", name_));
        // A value takes two bytes at least, so blank lines cannot make this much larger than the file.
        std::size_t lines = 1;
        constexpr std::size_t piece = 1 << 22;
        for (std::size_t at = 0; at < text_.size(); at += piece) {
            const std::string_view here = text_.substr(at, piece);
            lines += static_cast<std::size_t>(std::count(here.begin(), here.end(), '\n'));
            file_.done_with(here);
        }
        values_->reserve(std::min(lines * features_, text_.size() / 2 + features_));
    }

    T value(index row, std::size_t column, const field& one) {
        T result{};
        // Behind a field stands a separator, a quote or a line end, except behind the last one.
        if (one.text.data() + one.text.size() < text_.data() + text_.size() && one.text.data() >= text_.data()) {
            const char* const after = detail::short_decimal(one.text.data(), result);
            if (after == one.text.data() + one.text.size()) return result;
        }
        const number_fault fault = detail::parse_number(one.text, result);
        if (fault != number_fault::none) refuse(row, column, one, fault);
        return result;
    }

    void add_label(index row, std::size_t column, const field& one) {
        double value = 0;
        const number_fault fault = detail::parse_number(one.text, value);
        if (fault == number_fault::not_finite || fault == number_fault::overflow || detail::is_missing(one.text))
            refuse(row, column, one, fault);
        labels_.add(one.text, one.offset);
    }

    [[noreturn]] void refuse(index row, std::size_t column, const field& one, number_fault fault) const {
        if (one.text.empty()) fail_field(row, column, one, "missing value (an empty field)");
        if (detail::is_missing(one.text))
            fail_field(row, column, one, fmt::format("missing value {}", detail::quoted(one.text)));
        const char* const hint =
            " (text columns are not supported as vectors: leave the column out, write it as numbers, or make it the "
            "label)";
        fail_field(row, column, one,
                   fmt::format("expected {}, got {}{}", detail::reason(fault), detail::quoted(one.text),
                               fault == number_fault::syntax ? hint : ""));
    }

    [[noreturn]] void fail_field(index row, std::size_t column, const field& one, const std::string& message) const {
        const bool named = column < header_.size() && !header_[column].empty();
        const std::string which = named ? detail::quoted(header_[column]) : std::to_string(column + 1);
        detail::fail_at(errc::data, name_, text_, one.offset,
                        fmt::format("row {}, column {}: {}", row, which, message));
    }

    table finish(index rows) {
        table result;
        if (label_) labels_.finish(name_, text_, options_.classes, result);
        if (!header_.empty() && label_) header_.erase(header_.begin() + static_cast<std::ptrdiff_t>(*label_));
        result.feature_names = std::move(header_);
        result.x = dense<T>(matrix_view<const T>(values_->data(), rows, static_cast<index>(features_)), values_);
        return result;
    }

    const source& file_;
    std::string_view text_;
    const std::string& name_;
    const csv_options& options_;
    std::vector<std::string> header_;
    std::size_t columns_ = 0;
    std::size_t features_ = 0;
    std::optional<std::size_t> label_;
    detail::label_column labels_;
    std::shared_ptr<std::vector<T>> values_ = std::make_shared<std::vector<T>>();
};

}  // namespace

table parse_csv(const source& file, const csv_options& options) {
    if (options.separator != 0 && options.separator != ',' && options.separator != ';' && options.separator != '\t')
        fail(errc::invalid_argument,
             fmt::format("the separator must be ',', ';' or a tab, got {}", detail::quoted({&options.separator, 1})));
    if (!options.text.empty()) return parse_texts(file, options);
    if (options.numbers == precision::f32) return csv_parser<float>(file, options).run();
    return csv_parser<double>(file, options).run();
}

table parse_csv(std::string_view text, const std::string& name, const csv_options& options) {
    return parse_csv(source(name, text, nullptr), options);
}
table read_csv(const std::string& path, const csv_options& options) { return parse_csv(read_source(path), options); }

std::string csv_field(std::string_view text) {
    const bool plain = text.find_first_of(",;\t\"\r\n") == std::string_view::npos && detail::trimmed(text) == text;
    if (plain) return std::string(text);
    std::string out = "\"";
    for (const char c : text) out.append(c == '"' ? 2 : 1, c);
    return out + "\"";
}

const file_format& csv_format() {
    static const file_format about{
        "csv",
        {".csv"},
        [](const file_beginning& file) { return file.second.find_first_of(",;\t") != std::string_view::npos; },
        [](const source& file, const read_options& options) {
            csv_options csv = options.csv;
            csv.numbers = options.numbers;
            return parse_csv(file, csv);
        }};
    return about;
}

}  // namespace mercer
