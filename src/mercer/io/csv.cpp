#include "mercer/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>

#include "mercer/base/number.h"
#include "mercer/data/strings.h"
#include "mercer/io/csv_text.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"
#include "mercer/preprocess/column_encoder.h"

namespace mercer {
namespace {

using field = detail::csv_text_field;
using detail::csv_piece;
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
    detail::require_distinct_names(header, file.name());
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

// What all pieces of a file share.
struct csv_shape {
    std::string_view text;
    const std::string& name;
    char separator;
    std::vector<std::string> header;
    std::size_t columns = 0;
    std::size_t features = 0;
    std::optional<std::size_t> label;
};

// The rows of one piece. Most are read straight into their place (plain_row); one with anything unusual in it is read
// once more by the general reader, which has the words for what is wrong.
template <class T>
class piece_parser {
public:
    piece_parser(const csv_shape& shape, const csv_piece& piece, T* out)
        : shape_(shape),
          records_(shape.text, shape.name, shape.separator, piece.begin, piece.end),
          begin_(piece.begin),
          out_(out) {
        // Behind every line that has its end, loops over digits and letters stop by themselves.
        const auto last = shape.text.substr(0, piece.end).rfind('\n');
        ended_ = last == std::string_view::npos ? piece.begin : std::max(piece.begin, last + 1);
    }

    // `before`: rows of the file before this piece, for messages.
    void run(index before) {
        const char* const text = shape_.text.data();
        for (std::size_t at = begin_;;) {
            const char* const after =
                at < ended_ ? plain_row(text + at, out_ + static_cast<std::size_t>(rows_) * shape_.features) : nullptr;
            if (after) {
                ++rows_;
                at = static_cast<std::size_t>(after - text);
                continue;
            }
            records_.seek(at);
            if (!records_.next(row_)) return labels_.own_names();
            any_row(before);
            at = records_.offset();
        }
    }

    index rows() const { return rows_; }
    detail::label_column& labels() { return labels_; }

private:
    // The line end and what follows it, or nullptr.
    const char* plain_row(const char* p, T* to) {
        std::string_view label;
        const char* label_begin = p;
        for (std::size_t c = 0; c < shape_.columns; ++c) {
            if (c > 0 && *p++ != shape_.separator) return nullptr;
            const char* field_begin = p;
            while (*p == ' ') ++p;
            const bool quoted = *p == '"';
            if (quoted) field_begin = p++;
            const char* after = nullptr;
            if (shape_.label == c) {
                after = p;
                while (*after != shape_.separator && *after != '\n' && *after != '"') ++after;
                label = {p, static_cast<std::size_t>(after - p)};
                if (!quoted) label = detail::trimmed(label);
                label_begin = field_begin;
                if (!usable_label(label)) return nullptr;
            } else {
                after = number(p, *to++);
            }
            if (!after || (quoted && *after++ != '"')) return nullptr;
            p = after;
            while (*p == ' ') ++p;
        }
        if (*p == '\r') ++p;
        if (*p != '\n') return nullptr;
        if (shape_.label) labels_.add(label, static_cast<std::size_t>(label_begin - shape_.text.data()));
        return p + 1;
    }

    const char* number(const char* p, T& value) const {
        const char* const after = detail::short_decimal(p, value);
        if (after && *after != 'e' && *after != 'E') [[likely]]
            return after;
        return detail::decimal_at(p, shape_.text.data() + ended_, value);
    }

    void any_row(index before) {
        const index row = before + rows_ + 1;
        if (row_.size() != shape_.columns)
            detail::fail_at(errc::parse, shape_.name, shape_.text, row_.front().offset,
                            fmt::format("row {}: expected {} fields, got {}", row, shape_.columns, row_.size()));
        T* to = out_ + static_cast<std::size_t>(rows_) * shape_.features;
        for (std::size_t c = 0; c < shape_.columns; ++c) {
            const field& one = row_[c];
            if (shape_.label == c) {
                if (!usable_label(one.text)) refuse(row, c, one, fault_of<double>(one.text));
                labels_.add(one.text, one.offset);
            } else if (const number_fault fault = detail::parse_number(one.text, *to++); fault != number_fault::none) {
                refuse(row, c, one, fault);
            }
        }
        ++rows_;
    }

    template <class Number>
    static number_fault fault_of(std::string_view text) {
        Number value{};
        return detail::parse_number(text, value);
    }
    static bool usable_label(std::string_view text) {
        const number_fault fault = fault_of<double>(text);
        return fault != number_fault::not_finite && fault != number_fault::overflow && !detail::is_missing(text);
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
        const bool named = column < shape_.header.size() && !shape_.header[column].empty();
        const std::string which = named ? detail::quoted(shape_.header[column]) : std::to_string(column + 1);
        detail::fail_at(errc::data, shape_.name, shape_.text, one.offset,
                        fmt::format("row {}, column {}: {}", row, which, message));
    }

    const csv_shape& shape_;
    record_reader records_;  // labels with doubled quotes live in it
    std::size_t begin_, ended_;
    T* out_;
    std::vector<field> row_;
    detail::label_column labels_;
    index rows_ = 0;
};

// A file in pieces, side by side.
template <class T>
class csv_parser {
public:
    csv_parser(const source& file, const csv_options& options)
        : file_(file), options_(options), shape_{detail::without_mark(file.bytes()), file.name(), 0, {}, 0, 0, {}} {}

    table run() {
        shape_.separator = options_.separator ? options_.separator : detail::guess_separator(shape_.text);
        const std::size_t begin = read_header();
        pieces_ = detail::csv_pieces(file_, shape_.text, begin);
        make_room();
        parse_pieces();
        close_gaps();
        return finish();
    }

private:
    // And what the first row says. Where it begins.
    std::size_t read_header() {
        record_reader records(shape_.text, shape_.name, shape_.separator);
        std::vector<field> row;
        if (detail::has_header(shape_.text, shape_.name, shape_.separator, options_) && records.next(row))
            for (const field& one : row) shape_.header.push_back(detail::as_utf8(one.text));
        detail::require_distinct_names(shape_.header, shape_.name);
        const std::size_t begin = records.offset();
        if (!records.next(row))
            fail(errc::data, fmt::format("{}: expected at least one row of data, got none", shape_.name));
        shape_.columns = shape_.header.empty() ? row.size() : shape_.header.size();
        shape_.label = detail::label_position(options_, shape_.header, shape_.columns, shape_.name);
        shape_.features = shape_.columns - (shape_.label ? 1 : 0);
        if (shape_.features == 0)
            fail(errc::data, fmt::format("{}: expected a feature column beside the label, got none", shape_.name));
        return begin;
    }

    // Each piece writes where it would stand if every line were a row; what blank lines leave free is closed
    // afterwards. A value takes two bytes at least, so they cannot make this much larger than the file.
    void make_room() {
        first_.push_back(0);
        for (const csv_piece& piece : pieces_)
            first_.push_back(
                first_.back() +
                std::min(piece.lines, static_cast<index>((piece.end - piece.begin) / (2 * shape_.features) + 1)));
        values_->uninitialised(first_.back() * static_cast<index>(shape_.features));
        for (std::size_t p = 0; p < pieces_.size(); ++p) parsers_.emplace_back(parser_of(p));
    }
    T* place_of(index row) { return values_->data() + row * static_cast<index>(shape_.features); }
    piece_parser<T> parser_of(std::size_t p) { return {shape_, pieces_[p], place_of(first_[p])}; }

    void parse_pieces() {
        const auto read = [&](std::size_t p) {
            parsers_[p].run(0);
            file_.done_with(shape_.text.substr(pieces_[p].begin, pieces_[p].end - pieces_[p].begin));
        };
        detail::run_pieces(pieces_.size(), read, [&](std::size_t bad) {
            index before = 0;
            for (std::size_t p = 0; p < bad; ++p) before += parsers_[p].rows();
            parser_of(bad).run(before);
        });
    }

    void close_gaps() {
        for (std::size_t p = 0; p < pieces_.size(); ++p) {
            if (rows_ != first_[p])
                std::memmove(place_of(rows_), place_of(first_[p]),
                             static_cast<std::size_t>(parsers_[p].rows()) * shape_.features * sizeof(T));
            rows_ += parsers_[p].rows();
            if (shape_.label) labels_.append(std::move(parsers_[p].labels()));
        }
    }

    table finish() {
        table result;
        if (shape_.label) labels_.finish(shape_.name, shape_.text, options_.classes, result);
        std::vector<std::string>& header = shape_.header;
        if (!header.empty() && shape_.label) header.erase(header.begin() + static_cast<std::ptrdiff_t>(*shape_.label));
        result.feature_names = std::move(header);
        result.x = dense<T>(matrix_view<const T>(values_->data(), rows_, static_cast<index>(shape_.features)), values_);
        return result;
    }

    const source& file_;
    const csv_options& options_;
    csv_shape shape_;
    std::vector<csv_piece> pieces_;
    std::vector<index> first_;  // the row each piece begins to write at
    std::deque<piece_parser<T>> parsers_;
    std::shared_ptr<buffer<T>> values_ = std::make_shared<buffer<T>>();
    detail::label_column labels_;
    index rows_ = 0;
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
        },
        nullptr,
        nullptr,
        [](std::string& text, index rows, const read_options& options) {
            return detail::cut_to_records(text, rows, options.csv);
        }};
    return about;
}

}  // namespace mercer
