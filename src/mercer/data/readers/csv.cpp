#include "mercer/data/readers/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "mercer/data/columns/column_encoder.h"
#include "mercer/data/kinds/strings.h"
#include "mercer/data/readers/csv_text.h"
#include "mercer/data/readers/number.h"
#include "mercer/data/readers/read.h"
#include "mercer/data/readers/source.h"

namespace mercer {
namespace {

using field = detail::csv_text_field;
using detail::number_fault;
using detail::record_reader;

// The column of texts, as strings.
table parse_texts(const source& file, const csv_options& options) {
    const std::string_view text = detail::without_mark(file.bytes());
    const char separator = options.separator ? options.separator : detail::guess_separator(text);
    record_reader records(text, file.name(), separator);
    std::vector<std::string> header, items;
    std::vector<field> row;
    if (detail::has_header(text, file.name(), separator, options) && records.next(row))
        for (const field& one : row) header.push_back(detail::as_utf8(one.text));
    std::optional<std::size_t> at, label;
    std::size_t columns = header.size();
    detail::label_column labels;
    while (records.next(row)) {
        if (items.empty()) {
            if (header.empty()) columns = row.size();
            at = detail::column_position(options.text, "text", header, columns, file.name());
            label = detail::column_position(options.label, "label", header, columns, file.name());
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
        const char separator = options_.separator ? options_.separator : detail::guess_separator(text_);
        const bool header = detail::has_header(text_, name_, separator, options_);
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
        label_ = detail::label_position(options_, header_, columns_, name_);
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
    if (options.columns) return parse_encoded_csv(file, options);
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
