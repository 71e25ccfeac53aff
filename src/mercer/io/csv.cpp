#include "mercer/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/data/strings.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"
#include "mercer/io/record_ends.h"
#include "mercer/io/target_column.h"

namespace mercer {
namespace detail {
namespace {

constexpr int detection_rows = 10;  // for guessing separator and header

bool detect_header(std::string_view text, const std::string& name, char separator) {
    record_reader records(text, name, separator);
    std::vector<csv_text_field> first;
    if (!records.next(first)) return false;
    enum class content : char { unseen, numbers, text };
    std::vector<content> below(first.size(), content::unseen);
    std::vector<csv_text_field> row;
    for (int r = 0; r < detection_rows && records.next(row); ++r)
        for (std::size_t c = 0; c < std::min(row.size(), first.size()); ++c) {
            if (is_missing(row[c].text) || below[c] == content::text) continue;
            below[c] = is_number(row[c].text) ? content::numbers : content::text;
        }
    bool only_text = true;
    bool only_row = true;
    for (std::size_t c = 0; c < first.size(); ++c) {
        const bool words = !is_number(first[c].text) && !is_missing(first[c].text);
        if (words && below[c] == content::numbers) return true;
        only_text = only_text && words;
        only_row = only_row && below[c] == content::unseen;
    }
    return only_text && only_row;
}

}  // namespace

bool record_reader::next(std::vector<csv_text_field>& out) {
    skip_blank_lines();
    if (at_ == text_.size()) return false;
    out.clear();
    do out.push_back(next_field());
    while (take_separator());
    if (at_ < text_.size()) ++at_;  // the line end
    return true;
}

void record_reader::skip_blank_lines() {
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

bool record_reader::take_separator() {
    if (at_ == text_.size() || text_[at_] != separator_) return false;
    ++at_;
    return true;
}

csv_text_field record_reader::next_field() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted_field();
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n') {
        if (text_[at_] == '"' && !trimmed(text_.substr(start, at_ - start)).empty())
            fail_at(errc::parse, name_, text_, at_, "expected no '\"' inside a field without quotes");
        if (text_[at_] == '"') return quoted_field();  // blanks before the quote
        ++at_;
    }
    return {trimmed(text_.substr(start, at_ - start)), start};
}

csv_text_field record_reader::quoted_field() {
    const std::size_t open = at_++;
    std::string* joined = nullptr;  // the field with "" replaced by "; null until a doubled quote occurs
    std::size_t part = at_;
    for (;;) {
        const std::size_t quote = text_.find('"', at_);
        if (quote == std::string_view::npos)
            fail_at(errc::parse, name_, text_, open, "expected a closing '\"', got the end of the file");
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

csv_text_field record_reader::after_quote(csv_text_field result) {
    const std::size_t start = at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\r')) ++at_;
    if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\n')
        fail_at(errc::parse, name_, text_, start,
                fmt::format("expected a separator or the line end after the closing '\"', got {}",
                            quoted(text_.substr(at_, 1))));
    return result;
}

std::vector<csv_chunk> divide_csv(const file_contents& file, std::string_view text, std::size_t begin) {
    constexpr std::size_t size = 1 << 20;
    const std::string_view body = text.substr(begin);
    const std::size_t count = (body.size() + size - 1) / size;
    std::vector<character_counts> found(count);  // quotes and line ends of each 1 MB of the text
    parallel_for(static_cast<index>(count), [&](index k) {
        const std::string_view stretch = body.substr(static_cast<std::size_t>(k) * size, size);
        found[static_cast<std::size_t>(k)] = count_characters(stretch, '"', '\n');
        file.release_pages(stretch);
    });
    std::vector<csv_chunk> chunks;
    index quotes = 0, lines = 0, first = 0;  // quotes and lines before byte k * size; lines before the last chunk
    for (std::size_t k = 0; k < count; ++k) {
        // A chunk begins after the first line end outside quotes.
        const std::size_t end = std::min(body.size(), (k + 1) * size);
        std::size_t at = k * size;
        index seen = 0;
        for (bool inside = quotes % 2 != 0, found_one = k == 0; !found_one && at < end; ++at) {
            inside ^= body[at] == '"';
            seen += body[at] == '\n';
            found_one = body[at] == '\n' && !inside;
        }
        if (at < end) {
            if (!chunks.empty()) chunks.back().end = begin + at, chunks.back().lines = lines + seen - first;
            chunks.push_back({begin + at, text.size(), 0});
            first = lines + seen;
        }
        quotes += found[k].first;
        lines += found[k].second;
    }
    if (!chunks.empty()) chunks.back().lines = lines - first + 1;  // the last line may lack its line end
    return chunks;
}

void parse_chunks_in_parallel(std::size_t count, const std::function<void(std::size_t)>& read,
                              const std::function<void(std::size_t)>& again) {
    std::atomic<std::size_t> bad = count;
    parallel_for(static_cast<index>(count), [&](index item) {
        const auto p = static_cast<std::size_t>(item);
        if (p > bad) return;
        try {
            read(p);
        } catch (const error&) {
            for (std::size_t known = bad; p < known && !bad.compare_exchange_weak(known, p);) {
            }
        }
    });
    if (bad < count) again(bad);
}

char detect_separator(std::string_view text) {
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
        if (rows == detection_rows) break;
        for (std::size_t k = 0; k < 3; ++k) here[k] += c == candidates[k];
    }
    if (rows < detection_rows) end_row();
    for (std::size_t k = 0; k < 3; ++k)
        if (equal[k] && first[k] > 0) return candidates[k];
    const auto most = std::max_element(first.begin(), first.end());
    return *most > 0 ? candidates[static_cast<std::size_t>(most - first.begin())] : ',';
}

bool has_header(std::string_view text, const std::string& name, char separator, const csv_options& options) {
    if (options.header != csv_header::automatic) return options.header == csv_header::present;
    record_reader records(text, name, separator);
    std::vector<csv_text_field> first;
    for (const std::string& column : {options.label, options.text}) {
        if (column.empty() || is_number(column)) continue;
        if (first.empty() && !records.next(first)) break;
        for (const csv_text_field& one : first)
            if (to_utf8(one.text) == to_utf8(column)) return true;
    }
    return detect_header(text, name, separator);
}

void require_distinct_names(const std::vector<std::string>& header, const std::string& name) {
    std::unordered_map<std::string_view, std::size_t> at;
    for (std::size_t c = 0; c < header.size(); ++c) {
        if (header[c].empty()) continue;
        const auto [first, fresh] = at.emplace(header[c], c);
        if (!fresh)
            fail(errc::data,
                 fmt::format("{}: columns {} and {} have the same name {}: rename one of them, or remove it", name,
                             first->second + 1, c + 1, detail::quoted(header[c])));
    }
}

bool cut_to_records(std::string& text, index rows, const csv_options& options) {
    const std::string_view whole =
        without_byte_order_mark(std::string_view(text).substr(0, record_ends(true).last(text)));
    const std::string name = "the first rows";  // never shown: the reader of the result reports faults
    try {
        const char separator = options.separator ? options.separator : detect_separator(whole);
        record_reader records(whole, name, separator);
        std::vector<csv_text_field> row;
        index left = rows + (has_header(whole, name, separator, options) ? 1 : 0);
        while (left > 0 && records.next(row)) --left;
        if (left > 0) return false;
        text.resize(static_cast<std::size_t>(whole.data() - text.data()) + records.offset());
        return true;
    } catch (const error&) {
        text.resize(static_cast<std::size_t>(whole.data() - text.data()) + whole.size());
        return true;  // more bytes of the file would not repair the fault
    }
}

std::optional<std::size_t> find_column(const std::string& column, const char* what,
                                       const std::vector<std::string>& header, std::size_t columns,
                                       const std::string& name) {
    if (column.empty()) return std::nullopt;
    const std::string wanted = to_utf8(column);
    const auto found = std::find(header.begin(), header.end(), wanted);
    if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
    long long position = 0;
    const char* const end = column.data() + column.size();
    const auto parsed = std::from_chars(column.data(), end, position);
    const auto count = static_cast<long long>(columns);
    if (parsed.ec == std::errc{} && parsed.ptr == end) {
        if (position < -count || position >= count)
            fail(errc::invalid_argument,
                 fmt::format("{0}: the position of the {1} column must satisfy {2} <= position < {3}, got {4}", name,
                             what, -count, count, position));
        return static_cast<std::size_t>(position < 0 ? position + count : position);
    }
    const std::string meant = nearest_name(wanted, header);
    const std::string why = header.empty() ? "the file has no header, so a column can only be named by its position"
                            : meant.empty()
                                ? "the header has no column of this name"
                                : fmt::format("the header has no column of this name; did you mean '{}'?", meant);
    fail(errc::invalid_argument, fmt::format("{}: {} column '{}': {}", name, what, column, why));
}

std::optional<std::size_t> find_label_column(const csv_options& options, const std::vector<std::string>& header,
                                             std::size_t columns, const std::string& name) {
    return find_column(options.label, "target", header, columns, name);
}

}  // namespace detail
namespace {

using field = detail::csv_text_field;
using detail::csv_chunk;
using detail::number_error;
using detail::record_reader;

// Reads the column options.text as strings.
table parse_texts(const file_contents& file, const csv_options& options) {
    const std::string_view text = detail::without_byte_order_mark(file.bytes());
    const char separator = options.separator ? options.separator : detail::detect_separator(text);
    record_reader records(text, file.name(), separator);
    std::vector<std::string> header, items;
    std::vector<field> row;
    if (detail::has_header(text, file.name(), separator, options) && records.next(row))
        for (const field& one : row) header.push_back(detail::to_utf8(one.text));
    detail::require_distinct_names(header, file.name());
    std::optional<std::size_t> at, label;
    std::size_t columns = header.size();
    detail::label_column labels;
    while (records.next(row)) {
        if (items.empty()) {
            if (header.empty()) columns = row.size();
            at = detail::find_column(options.text, "text", header, columns, file.name());
            label = detail::find_column(options.label, "target", header, columns, file.name());
        }
        if (row.size() != columns)
            detail::fail_at(errc::parse, file.name(), text, row.front().offset,
                            fmt::format("row {}: expected {} fields, got {}", items.size() + 1, columns, row.size()));
        items.emplace_back(row[*at].text);
        if (label && row[*label].text.empty())
            detail::fail_at(errc::data, file.name(), text, row[*label].offset,
                            fmt::format("row {}: expected a target, got an empty field", items.size()));
        if (label) labels.add(row[*label].text, row[*label].offset);
    }
    if (items.empty()) fail(errc::data, fmt::format("{}: expected at least one row of data, got none", file.name()));
    table result;
    if (label) labels.finish(file.name(), text, options.classes, result);
    result.x = strings(std::move(items));
    return result;
}

// The shape of a file, which all its chunks share.
struct csv_shape {
    std::string_view text;
    const std::string& name;
    char separator;
    std::vector<std::string> header;
    std::size_t columns = 0;
    std::size_t features = 0;
    std::optional<std::size_t> label;
};

// Parses the rows of one chunk. parse_plain_row() reads most rows directly into the result. A row with anything unusual
// is read again by record_reader, which handles all of RFC 4180 and reports errors.
template <class T>
class csv_chunk_parser {
public:
    csv_chunk_parser(const csv_shape& shape, const csv_chunk& chunk, T* out)
        : shape_(shape),
          records_(shape.text, shape.name, shape.separator, chunk.begin, chunk.end),
          begin_(chunk.begin),
          out_(out) {
        // In lines that have a line end, loops over digits and letters stop at the line end without a bounds check.
        const auto last = shape.text.substr(0, chunk.end).rfind('\n');
        ended_ = last == std::string_view::npos ? chunk.begin : std::max(chunk.begin, last + 1);
    }

    // `before` is the number of rows of the file before this chunk, for error messages.
    void run(index before) {
        const char* const text = shape_.text.data();
        for (std::size_t at = begin_;;) {
            const char* const after =
                at < ended_ ? parse_plain_row(text + at, out_ + static_cast<std::size_t>(rows_) * shape_.features)
                            : nullptr;
            if (after) {
                ++rows_;
                at = static_cast<std::size_t>(after - text);
                continue;
            }
            records_.seek(at);
            if (!records_.next(row_)) return labels_.copy_names();
            parse_general_row(before);
            at = records_.offset();
        }
    }

    index rows() const { return rows_; }
    detail::label_column& labels() { return labels_; }

private:
    // Returns the first byte after the line end, or nullptr if the row is not plain.
    const char* parse_plain_row(const char* p, T* to) {
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
                if (!is_usable_label(label)) return nullptr;
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
        const char* const after = detail::parse_short_decimal(p, value);
        if (after && *after != 'e' && *after != 'E') [[likely]]
            return after;
        return detail::parse_leading_decimal(p, shape_.text.data() + ended_, value);
    }

    void parse_general_row(index before) {
        const index row = before + rows_ + 1;
        if (row_.size() != shape_.columns)
            detail::fail_at(errc::parse, shape_.name, shape_.text, row_.front().offset,
                            fmt::format("row {}: expected {} fields, got {}", row, shape_.columns, row_.size()));
        T* to = out_ + static_cast<std::size_t>(rows_) * shape_.features;
        for (std::size_t c = 0; c < shape_.columns; ++c) {
            const field& one = row_[c];
            if (shape_.label == c) {
                if (!is_usable_label(one.text)) fail_value(row, c, one, fault_of<double>(one.text));
                labels_.add(one.text, one.offset);
            } else if (const number_error fault = detail::parse_number(one.text, *to++); fault != number_error::none) {
                fail_value(row, c, one, fault);
            }
        }
        ++rows_;
    }

    template <class Number>
    static number_error fault_of(std::string_view text) {
        Number value{};
        return detail::parse_number(text, value);
    }
    static bool is_usable_label(std::string_view text) {
        const number_error fault = fault_of<double>(text);
        return fault != number_error::not_finite && fault != number_error::overflow && !detail::is_missing(text);
    }

    [[noreturn]] void fail_value(index row, std::size_t column, const field& one, number_error fault) const {
        if (one.text.empty())
            fail_field(row, column, one,
                       "the field is empty, so the value is missing: leave the row out, or impute the value");
        if (detail::is_missing(one.text))
            fail_field(
                row, column, one,
                fmt::format("missing value {}: leave the row out, or impute the value", detail::quoted(one.text)));
        const char* const hint =
            " (columns of text are not supported as vectors: leave the column out, encode it as numbers, or name it as "
            "the target)";
        fail_field(row, column, one,
                   fmt::format("expected {}, got {}{}", detail::expected_text(fault), detail::quoted(one.text),
                               fault == number_error::syntax ? hint : ""));
    }

    [[noreturn]] void fail_field(index row, std::size_t column, const field& one, const std::string& message) const {
        const bool named = column < shape_.header.size() && !shape_.header[column].empty();
        const std::string which = named ? detail::quoted(shape_.header[column]) : std::to_string(column + 1);
        detail::fail_at(errc::data, shape_.name, shape_.text, one.offset,
                        fmt::format("row {}, column {}: {}", row, which, message));
    }

    const csv_shape& shape_;
    record_reader records_;  // owns the labels with doubled quotes
    std::size_t begin_, ended_;
    T* out_;
    std::vector<field> row_;
    detail::label_column labels_;
    index rows_ = 0;
};

// Parses the chunks of a file in parallel.
template <class T>
class csv_parser {
public:
    csv_parser(const file_contents& file, const csv_options& options)
        : file_(file),
          options_(options),
          shape_{detail::without_byte_order_mark(file.bytes()), file.name(), 0, {}, 0, 0, {}} {}

    table run() {
        shape_.separator = options_.separator ? options_.separator : detail::detect_separator(shape_.text);
        const std::size_t begin = read_header();
        chunks_ = detail::divide_csv(file_, shape_.text, begin);
        allocate();
        parse_chunks();
        close_gaps();
        return finish();
    }

private:
    // Reads the header and the number of fields of the first row. Returns the offset of the first row.
    std::size_t read_header() {
        record_reader records(shape_.text, shape_.name, shape_.separator);
        std::vector<field> row;
        if (detail::has_header(shape_.text, shape_.name, shape_.separator, options_) && records.next(row))
            for (const field& one : row) shape_.header.push_back(detail::to_utf8(one.text));
        detail::require_distinct_names(shape_.header, shape_.name);
        const std::size_t begin = records.offset();
        if (!records.next(row))
            fail(errc::data, fmt::format("{}: expected at least one row of data, got none", shape_.name));
        shape_.columns = shape_.header.empty() ? row.size() : shape_.header.size();
        shape_.label = detail::find_label_column(options_, shape_.header, shape_.columns, shape_.name);
        shape_.features = shape_.columns - (shape_.label ? 1 : 0);
        if (shape_.features == 0)
            fail(errc::data, fmt::format("{}: expected at least one column beside the target, got none", shape_.name));
        return begin;
    }

    // Each chunk writes to the position that its rows have if every line is a row; close_gaps() removes the gaps that
    // blank lines leave. A value and its separator take at least two bytes of the file, which bounds the allocation.
    void allocate() {
        first_.push_back(0);
        for (const csv_chunk& chunk : chunks_)
            first_.push_back(
                first_.back() +
                std::min(chunk.lines, static_cast<index>((chunk.end - chunk.begin) / (2 * shape_.features) + 1)));
        values_->resize_uninitialised(first_.back() * static_cast<index>(shape_.features));
        for (std::size_t p = 0; p < chunks_.size(); ++p) parsers_.emplace_back(parser_of(p));
    }
    T* row_begin(index row) { return values_->data() + row * static_cast<index>(shape_.features); }
    csv_chunk_parser<T> parser_of(std::size_t p) { return {shape_, chunks_[p], row_begin(first_[p])}; }

    void parse_chunks() {
        const auto read = [&](std::size_t p) {
            parsers_[p].run(0);
            file_.release_pages(shape_.text.substr(chunks_[p].begin, chunks_[p].end - chunks_[p].begin));
        };
        detail::parse_chunks_in_parallel(chunks_.size(), read, [&](std::size_t bad) {
            index before = 0;
            for (std::size_t p = 0; p < bad; ++p) before += parsers_[p].rows();
            parser_of(bad).run(before);
        });
    }

    void close_gaps() {
        for (std::size_t p = 0; p < chunks_.size(); ++p) {
            if (rows_ != first_[p])
                std::memmove(row_begin(rows_), row_begin(first_[p]),
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

    const file_contents& file_;
    const csv_options& options_;
    csv_shape shape_;
    std::vector<csv_chunk> chunks_;
    std::vector<index> first_;  // the row at which each chunk begins to write
    std::deque<csv_chunk_parser<T>> parsers_;
    std::shared_ptr<buffer<T>> values_ = std::make_shared<buffer<T>>();
    detail::label_column labels_;
    index rows_ = 0;
};

}  // namespace

table parse_csv(const file_contents& file, const csv_options& options) {
    if (options.separator != 0 && options.separator != ',' && options.separator != ';' && options.separator != '\t')
        fail(errc::invalid_argument,
             fmt::format("the separator must be ',', ';' or a tab, got {}", detail::quoted({&options.separator, 1})));
    if (options.encoder) return options.encoder->parse(file, options);
    if (!options.text.empty()) return parse_texts(file, options);
    if (options.numbers == precision::f32) return csv_parser<float>(file, options).run();
    return csv_parser<double>(file, options).run();
}

table parse_csv(std::string_view text, const std::string& name, const csv_options& options) {
    return parse_csv(file_contents(name, text, nullptr), options);
}
table read_csv(const std::string& path, const csv_options& options) { return parse_csv(read_file(path), options); }

std::string format_csv_field(std::string_view text) {
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
        [](const file_beginning& file) { return file.second_line.find_first_of(",;\t") != std::string_view::npos; },
        [](const file_contents& file, const read_options& options) {
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

// The file and its fields, which are parsed in parallel chunks.
struct text_table::storage {
    storage(const file_contents& from, char by)
        : file(from), text(detail::without_byte_order_mark(file.bytes())), separator(by) {}
    void read();

    file_contents file;
    std::string_view text;
    char separator;
    std::size_t columns = 0;
    index rows = 0;
    buffer<field> fields;
    std::vector<std::string_view> listed;
    std::deque<chunk_reader> readers;  // own the fields with doubled quotes
};

struct text_table::chunk_reader {
    chunk_reader(const storage& table, const detail::csv_chunk& chunk, field* to)
        : records(table.text, table.file.name(), table.separator, chunk.begin, chunk.end), to(to) {}

    // `before` is the number of records of the file before this chunk, for error messages.
    void run(const storage& table, index before) {
        std::vector<detail::csv_text_field> row;
        for (; records.next(row); ++rows) {
            if (row.size() != table.columns)
                detail::fail_at(
                    errc::parse, table.file.name(), table.text, row.front().offset,
                    fmt::format("row {}: expected {} fields, got {}", before + rows, table.columns, row.size()));
            for (const auto& one : row) *to++ = placed(table.text, one.text);
        }
    }
    field placed(std::string_view text, std::string_view one) {
        if (one.empty()) return {0, 0};
        if (one.data() >= text.data() && one.data() < text.data() + text.size() && one.size() < field::listed)
            return {static_cast<std::uint64_t>(one.data() - text.data()), one.size()};
        listed.push_back(one);
        return {listed.size() - 1, field::listed};
    }

    detail::record_reader records;
    field* to;
    index rows = 0;
    std::vector<std::string_view> listed;
};

void text_table::storage::read() {
    std::vector<detail::csv_text_field> row;
    if (!detail::record_reader(text, file.name(), separator).next(row)) return;
    columns = row.size();
    const std::vector<detail::csv_chunk> chunks = detail::divide_csv(file, text, 0);
    // The row at which each chunk begins to write. A field takes at least one byte: its separator or line end.
    std::vector<index> first{0};
    for (const auto& chunk : chunks)
        first.push_back(first.back() +
                        std::min(chunk.lines, static_cast<index>((chunk.end - chunk.begin) / columns + 1)));
    fields.resize_uninitialised(first.back() * static_cast<index>(columns));
    const auto place = [&](index r) { return fields.data() + r * static_cast<index>(columns); };
    for (std::size_t p = 0; p < chunks.size(); ++p) readers.emplace_back(*this, chunks[p], place(first[p]));
    detail::parse_chunks_in_parallel(
        chunks.size(), [&](std::size_t p) { readers[p].run(*this, 0); },
        [&](std::size_t bad) {
            index before = 0;
            for (std::size_t p = 0; p < bad; ++p) before += readers[p].rows;
            chunk_reader(*this, chunks[bad], place(first[bad])).run(*this, before);
        });
    for (std::size_t p = 0; p < chunks.size(); ++p) {
        const index count = readers[p].rows * static_cast<index>(columns);
        if (!readers[p].listed.empty())
            for (field* f = place(first[p]); f != place(first[p]) + count; ++f)
                if (f->length == field::listed) f->begin += listed.size();
        listed.insert(listed.end(), readers[p].listed.begin(), readers[p].listed.end());
        if (rows != first[p])
            std::memmove(place(rows), place(first[p]), static_cast<std::size_t>(count) * sizeof(field));
        rows += readers[p].rows;
    }
}

const std::string& text_table::file() const { return storage_->file.name(); }

text_table text_table::parse(const file_contents& file, const csv_options& options,
                             std::span<const std::string> known) {
    const std::string_view text = detail::without_byte_order_mark(file.bytes());
    const char separator = options.separator ? options.separator : detail::detect_separator(text);
    const auto all = std::make_shared<storage>(file, separator);
    all->read();
    text_table out;
    out.storage_ = all;
    out.text_ = all->text;
    out.listed_ = all->listed;
    out.fields_ = {all->fields.data(), static_cast<std::size_t>(all->rows) * all->columns};
    out.rows_ = all->rows;
    const std::size_t columns = all->columns;
    for (std::size_t c = 0; c < columns; ++c) out.names_.push_back(std::to_string(c));
    std::vector<std::string> above;
    for (std::size_t c = 0; c < columns && out.rows_ > 0; ++c) above.push_back(detail::to_utf8(out.at(0, c)));
    bool named = out.rows_ > 0 && detail::has_header(text, file.name(), separator, options);
    if (!named && options.header == csv_header::automatic) {
        for (const auto& each : above) named = named || std::ranges::find(known, each) != known.end();
        named = named || (known.empty() && out.looks_like_header());
    }
    if (named) {
        for (std::size_t c = 0; c < columns; ++c)
            if (!above[c].empty()) out.names_[c] = above[c];
        detail::require_distinct_names(out.names_, file.name());
        --out.rows_;
    }
    out.has_header_ = named;
    if (out.rows_ == 0) fail(errc::data, fmt::format("{}: expected at least one row of data, got none", file.name()));
    return out;
}

// Decides for a file without a column of numbers: the first row is a header if its fields are distinct texts, none of
// them occurs again in its own column, and some column contains a value twice.
bool text_table::looks_like_header() const {
    if (rows_ < 3) return false;
    std::unordered_set<std::string_view> above;
    bool repeats = false;
    for (std::size_t c = 0; c < columns(); ++c) {
        const std::string_view name = at(0, c);
        if (detail::is_number(name) || detail::is_missing(name) || !above.insert(name).second) return false;
        std::unordered_set<std::string_view> below;
        for (index r = 1; r < rows_; ++r) {
            if (at(r, c) == name) return false;
            repeats = !below.insert(at(r, c)).second || repeats;
        }
    }
    return repeats;
}

std::size_t text_table::find_column(const std::string& column, const char* what) const {
    return *detail::find_column(column, what, has_header_ ? names_ : std::vector<std::string>{}, columns(), file());
}

text_table text_table::select_rows(std::span<const index> rows) const {
    text_table out = *this;
    out.rows_ = static_cast<index>(rows.size());
    out.file_rows_.clear();
    for (const index r : rows)
        out.file_rows_.push_back(file_rows_.empty() ? r : file_rows_[static_cast<std::size_t>(r)]);
    return out;
}

void text_table::fail_at(index row, std::size_t column, const std::string& message) const {
    const index wanted = file_rows_.empty() ? row : file_rows_[static_cast<std::size_t>(row)];
    detail::record_reader again(storage_->text, storage_->file.name(), storage_->separator);
    std::vector<detail::csv_text_field> fields;
    for (index r = has_header_ ? -1 : 0; r <= wanted; ++r) again.next(fields);
    const std::string which = has_header_ ? detail::quoted(names_[column]) : std::to_string(column + 1);
    detail::fail_at(errc::data, file(), storage_->text, fields[column].offset,
                    fmt::format("row {}, column {}: {}", wanted + 1, which, message));
}

}  // namespace mercer
