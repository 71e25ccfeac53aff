#include "mercer/io/csv_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <unordered_map>

#include "mercer/base/nearest_name.h"
#include "mercer/base/threads.h"
#include "mercer/io/record_ends.h"

namespace mercer::detail {
namespace {

constexpr int rows_to_look_at = 10;  // when guessing separator and header

bool guess_header(std::string_view text, const std::string& name, char separator) {
    record_reader records(text, name, separator);
    std::vector<csv_text_field> first;
    if (!records.next(first)) return false;
    enum class content : char { unseen, numbers, text };
    std::vector<content> below(first.size(), content::unseen);
    std::vector<csv_text_field> row;
    for (int r = 0; r < rows_to_look_at && records.next(row); ++r)
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
    std::string* joined = nullptr;  // needed only once a doubled quote has to shrink to one
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

std::vector<csv_piece> csv_pieces(const source& file, std::string_view text, std::size_t begin) {
    constexpr std::size_t size = 1 << 20;
    const std::string_view body = text.substr(begin);
    const std::size_t count = (body.size() + size - 1) / size;
    std::vector<two_counts> found(count);  // quotes and line ends of each stretch
    parallel_for(static_cast<index>(count), [&](index k) {
        const std::string_view stretch = body.substr(static_cast<std::size_t>(k) * size, size);
        found[static_cast<std::size_t>(k)] = count_two(stretch, '"', '\n');
        file.done_with(stretch);
    });
    std::vector<csv_piece> pieces;
    index quotes = 0, lines = 0, first = 0;  // before the stretch, and before the last piece
    for (std::size_t k = 0; k < count; ++k) {
        // Behind the first line end outside quotes a piece begins.
        const std::size_t end = std::min(body.size(), (k + 1) * size);
        std::size_t at = k * size;
        index seen = 0;
        for (bool inside = quotes % 2 != 0, found_one = k == 0; !found_one && at < end; ++at) {
            inside ^= body[at] == '"';
            seen += body[at] == '\n';
            found_one = body[at] == '\n' && !inside;
        }
        if (at < end) {
            if (!pieces.empty()) pieces.back().end = begin + at, pieces.back().lines = lines + seen - first;
            pieces.push_back({begin + at, text.size(), 0});
            first = lines + seen;
        }
        quotes += found[k].first;
        lines += found[k].second;
    }
    if (!pieces.empty()) pieces.back().lines = lines - first + 1;  // the last line may lack its end
    return pieces;
}

void run_pieces(std::size_t count, const std::function<void(std::size_t)>& read,
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

bool has_header(std::string_view text, const std::string& name, char separator, const csv_options& options) {
    if (options.header != csv_header::automatic) return options.header == csv_header::present;
    record_reader records(text, name, separator);
    std::vector<csv_text_field> first;
    for (const std::string& column : {options.label, options.text}) {
        if (column.empty() || is_number(column)) continue;
        if (first.empty() && !records.next(first)) break;
        for (const csv_text_field& one : first)
            if (as_utf8(one.text) == as_utf8(column)) return true;
    }
    return guess_header(text, name, separator);
}

void require_distinct_names(const std::vector<std::string>& header, const std::string& name) {
    std::unordered_map<std::string_view, std::size_t> at;
    for (std::size_t c = 0; c < header.size(); ++c) {
        if (header[c].empty()) continue;
        const auto [first, fresh] = at.emplace(header[c], c);
        if (!fresh)
            fail(errc::data, fmt::format("{}: columns {} and {} are both called {}: rename one of them, or take it out",
                                         name, first->second + 1, c + 1, quoted(header[c])));
    }
}

bool cut_to_records(std::string& text, index rows, const csv_options& options) {
    const std::string_view whole = without_mark(std::string_view(text).substr(0, record_ends(true).last(text)));
    const std::string name = "the first rows";  // faults are told by the reader of what is left
    try {
        const char separator = options.separator ? options.separator : guess_separator(whole);
        record_reader records(whole, name, separator);
        std::vector<csv_text_field> row;
        index left = rows + (has_header(whole, name, separator, options) ? 1 : 0);
        while (left > 0 && records.next(row)) --left;
        if (left > 0) return false;
        text.resize(static_cast<std::size_t>(whole.data() - text.data()) + records.offset());
        return true;
    } catch (const error&) {
        text.resize(static_cast<std::size_t>(whole.data() - text.data()) + whole.size());
        return true;  // more of the file would not mend it
    }
}

std::optional<std::size_t> column_position(const std::string& column, const char* what,
                                           const std::vector<std::string>& header, std::size_t columns,
                                           const std::string& name) {
    if (column.empty()) return std::nullopt;
    const std::string wanted = as_utf8(column);
    const auto found = std::find(header.begin(), header.end(), wanted);
    if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
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
    const std::string meant = nearest_name(wanted, header);
    const std::string why = header.empty()  ? "there is no header, so it can only be given by position"
                            : meant.empty() ? "the header has no such column"
                                            : fmt::format("the header has no such column; did you mean '{}'?", meant);
    fail(errc::invalid_argument, fmt::format("{}: {} column '{}': {}", name, what, column, why));
}

std::optional<std::size_t> label_position(const csv_options& options, const std::vector<std::string>& header,
                                          std::size_t columns, const std::string& name) {
    return column_position(options.label, "label", header, columns, name);
}

}  // namespace mercer::detail
