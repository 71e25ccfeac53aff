#include "mercer/io/libsvm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"
#include "mercer/io/record_ends.h"

namespace mercer {
namespace {

using detail::is_digit;
using detail::number_error;

constexpr std::size_t chunk_bytes = 1 << 19;
constexpr std::uint64_t max_index = 2147483647;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool ends_token(char c) { return is_blank(c) || c == '\n' || c == '#'; }

// An error at an offset in its chunk. It is thrown and caught while the chunk is parsed; the error of the first chunk
// that has one is reported.
struct fault {
    std::size_t offset;
    std::string message;
};

// The number of entries and rows of a chunk, or its first error.
struct chunk_result {
    index entries = 0;
    index rows = 0;
    std::int64_t highest = -1;  // largest column
    bool zero = false;          // an entry is in column 0
    std::optional<fault> bad;
};

// The arrays to which one chunk writes.
template <class T>
struct chunk_output {
    std::int32_t* col;
    T* val;
    index* row_end;  // for each row the number of entries of this chunk up to its end
    double* y;
};

// Parses the lines of a chunk. The text must end in '\n', where every inner loop stops without a bounds check.
template <class T>
class chunk_parser {
public:
    chunk_parser(std::string_view text, const libsvm_options& options, const chunk_output<T>& out)
        : begin_(text.data()), end_(text.data() + text.size()), out_(out), precomputed_(options.precomputed) {
        first_index_ = options.base == index_base::one && !options.precomputed ? 1 : 0;
    }

    chunk_result run() {
        try {
            const char* p = begin_;
            while (p != end_) {
                while (is_blank(*p)) ++p;
                if (*p == '\n')
                    ++p;
                else if (*p == '#')
                    p = after_line(p);
                else
                    p = row(p);
            }
        } catch (fault& bad) {
            found_.bad = std::move(bad);
        }
        return std::move(found_);
    }

private:
    const char* row(const char* p) {
        p = number(p, out_.y[found_.rows], "a label (a number)");
        const index first_entry = found_.entries;
        index entries = first_entry;
        std::int64_t last = first_index_ - 1;
        for (;;) {
            while (is_blank(*p)) ++p;
            if (!is_digit(*p)) {
                if (*p == '\n') {
                    ++p;
                    break;
                }
                if (*p == '#') {
                    p = after_line(p);
                    break;
                }
                if (!std::string_view(p, static_cast<std::size_t>(end_ - p)).starts_with("qid:"))
                    fail_expecting("index:value", p);
                p = after_token(p);
                continue;
            }
            const char* const start = p;
            std::uint64_t at = static_cast<std::uint64_t>(*p++ - '0');
            while (is_digit(*p)) at = 10 * at + static_cast<std::uint64_t>(*p++ - '0');
            if (*p != ':') fail_expecting("index:value", start);
            if (p - start > 10 || at > max_index || static_cast<std::int64_t>(at) <= last) [[unlikely]]
                check_index(start, p, last);
            if (precomputed_ && entries == first_entry && at != 0) [[unlikely]]
                fail_expecting(
                    "0:serial (the number of the example, from 1) at the beginning of a row of a precomputed kernel",
                    start);
            last = static_cast<std::int64_t>(at);
            out_.col[entries] = static_cast<std::int32_t>(last - first_index_);
            p = number(p + 1, out_.val[entries], "a value (a number)");
            ++entries;
        }
        if (entries > first_entry) {
            found_.zero = found_.zero || out_.col[first_entry] == 0;
            found_.highest = std::max<std::int64_t>(found_.highest, out_.col[entries - 1]);
        } else if (precomputed_) {
            fail_expecting("0:serial (the number of the example, from 1) after the label", p - 1);
        }
        found_.entries = entries;
        out_.row_end[found_.rows++] = entries;
        return p;
    }

    template <class Number>
    const char* number(const char* p, Number& value, const char* what) {
        const char* const after = detail::parse_short_decimal(p, value);
        if (after && ends_token(*after)) [[likely]]
            return after;
        return long_number(p, value, what);
    }

    template <class Number>
    const char* long_number(const char* p, Number& value, const char* what) {
        const std::string_view token = token_at(p);
        switch (detail::parse_number(token, value)) {
            case number_error::none: return p + token.size();
            case number_error::syntax: fail_expecting(what, p);
            case number_error::not_finite: fail_expecting("a finite number", p);
            case number_error::overflow: fail_expecting("a number within range", p);
        }
        return p;
    }

    // Throws the error of an index that row() rejected; returns if only leading zeros made it look too large.
    void check_index(const char* start, const char* end, std::int64_t last) {
        while (*start == '0' && end - start > 1) ++start;
        std::uint64_t at = max_index + 1;
        if (end - start <= 10) {
            at = 0;
            for (const char* p = start; p != end; ++p) at = 10 * at + static_cast<std::uint64_t>(*p - '0');
        }
        if (at > max_index) fail_expecting(fmt::format("an index <= {}", max_index), start, end);
        if (static_cast<std::int64_t>(at) > last) return;
        if (last < first_index_)
            fail_expecting("an index >= 1 (0 only for a precomputed kernel or 0-based indices)", start, end);
        fail_expecting(fmt::format("an index > {} (indices must ascend)", last), start, end);
    }

    std::string_view token_at(const char* p) const {
        const char* end = p;
        while (!ends_token(*end)) ++end;
        return {p, static_cast<std::size_t>(end - p)};
    }
    const char* after_token(const char* p) const { return p + token_at(p).size(); }
    const char* after_line(const char* p) const {
        return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end_ - p))) + 1;
    }

    [[noreturn]] void fail_expecting(const std::string& what, const char* start, const char* end) const {
        const std::string_view got(start, static_cast<std::size_t>(end - start));
        throw fault{
            static_cast<std::size_t>(start - begin_),
            fmt::format("expected {}, got {}", what, got.empty() ? "the end of the field" : detail::quoted(got))};
    }
    [[noreturn]] void fail_expecting(const std::string& what, const char* p) const {
        fail_expecting(what, p, after_token(p));
    }

    const char* begin_;
    const char* end_;
    chunk_output<T> out_;
    bool precomputed_;
    std::int64_t first_index_;
    chunk_result found_;
};

// Divides the text into chunks of about chunk_bytes that end after a line end.
std::vector<std::string_view> divide_lines(std::string_view text) {
    std::vector<std::string_view> chunks;
    while (!text.empty()) {
        std::size_t size = text.size();
        if (size > chunk_bytes) {
            const auto end = text.find('\n', chunk_bytes - 1);
            if (end != std::string_view::npos) size = end + 1;
        }
        chunks.push_back(text.substr(0, size));
        text.remove_prefix(size);
    }
    return chunks;
}

struct chunk_begin {
    index colons = 0, lines = 0;
};

// The arrays of the result. Each chunk writes to the position that its entries have if every colon is an entry and
// every line a row; close_gaps() removes the gaps that comments and blank lines leave.
template <class T>
struct arrays {
    buffer<std::int32_t> col;
    buffer<T> val;
    buffer<index> start;
};

// Parses the chunks of a file in parallel.
template <class T>
class file_parser {
public:
    file_parser(const file_contents& file, const libsvm_options& options)
        : file_(file), options_(options), body_(detail::without_byte_order_mark(file.bytes())) {
        // A last line without a line end is parsed from a copy with a line end.
        const auto last_end = body_.rfind('\n');
        whole_ = body_.substr(0, last_end == std::string_view::npos ? 0 : last_end + 1);
        tail_ = std::string(body_.substr(whole_.size())) + '\n';
        file.release_pages(body_.substr(whole_.size()));
        chunks_ = divide_lines(whole_);
        in_loop_ = static_cast<index>(chunks_.size());
        chunks_.push_back(tail_);
    }
    file_parser(const file_parser&) = delete;

    table read() {
        allocate();
        parse_chunks();
        close_gaps();
        if (total_.rows == 0)
            fail(errc::data, fmt::format("{}: expected at least one example, got none", file_.name()));
        result_.y.resize(static_cast<std::size_t>(total_.rows));
        if (options_.base == index_base::automatic && !options_.precomputed && !total_.zero && total_.highest > 0) {
            for (index e = 0; e < total_.entries; ++e) --all_->col[e];
            --total_.highest;
        }
        const auto entries = static_cast<std::size_t>(total_.entries);
        result_.x =
            sparse<T>({all_->start.data(), static_cast<std::size_t>(total_.rows) + 1}, {all_->col.data(), entries},
                      {all_->val.data(), entries}, std::max<index>(options_.dims, total_.highest + 1), all_);
        return std::move(result_);
    }

private:
    // Allocates the arrays and computes the position of each chunk from the colons and lines of the chunks before it.
    void allocate() {
        std::vector<detail::character_counts> bound(chunks_.size());  // colons and line ends
        parallel_for(in_loop_, [&](index c) {
            bound[static_cast<std::size_t>(c)] =
                detail::count_characters(chunks_[static_cast<std::size_t>(c)], ':', '\n');
            file_.release_pages(chunks_[static_cast<std::size_t>(c)]);
        });
        bound.back() = detail::count_characters(tail_, ':', '\n');
        from_.resize(chunks_.size() + 1);
        for (std::size_t c = 0; c < chunks_.size(); ++c)
            from_[c + 1] = {from_[c].colons + bound[c].first, from_[c].lines + bound[c].second};
        all_->col.resize_uninitialised(from_.back().colons);
        all_->val.resize_uninitialised(from_.back().colons);
        all_->start.resize_uninitialised(from_.back().lines + 1);
        result_.y.resize(static_cast<std::size_t>(from_.back().lines));
    }

    void parse_chunks() {
        found_.resize(chunks_.size());
        const auto parse_chunk = [&](index item) {
            const auto c = static_cast<std::size_t>(item);
            const chunk_output<T> out{all_->col.data() + from_[c].colons, all_->val.data() + from_[c].colons,
                                      all_->start.data() + 1 + from_[c].lines, result_.y.data() + from_[c].lines};
            found_[c] = chunk_parser<T>(chunks_[c], options_, out).run();
        };
        parallel_for(in_loop_, [&](index c) {
            parse_chunk(c);
            file_.release_pages(chunks_[static_cast<std::size_t>(c)]);
        });
        parse_chunk(in_loop_);
    }

    // Moves the entries of each chunk behind those of the chunks before it. Throws the first error of the file.
    void close_gaps() {
        all_->start[0] = 0;
        for (std::size_t c = 0; c < chunks_.size(); ++c) {
            const chunk_result& found = found_[c];
            if (found.bad) {
                const std::size_t base = chunks_[c].data() == tail_.data()
                                             ? whole_.size()
                                             : static_cast<std::size_t>(chunks_[c].data() - body_.data());
                detail::fail_at(errc::parse, file_.name(), body_, base + found.bad->offset, found.bad->message);
            }
            const auto entries = static_cast<std::size_t>(found.entries);
            if (total_.entries != from_[c].colons) {
                std::memmove(all_->col.data() + total_.entries, all_->col.data() + from_[c].colons,
                             entries * sizeof(std::int32_t));
                std::memmove(all_->val.data() + total_.entries, all_->val.data() + from_[c].colons,
                             entries * sizeof(T));
            }
            for (index r = 0; r < found.rows; ++r) {
                all_->start[total_.rows + r + 1] = total_.entries + all_->start[from_[c].lines + r + 1];
                result_.y[static_cast<std::size_t>(total_.rows + r)] =
                    result_.y[static_cast<std::size_t>(from_[c].lines + r)];
            }
            total_.entries += found.entries;
            total_.rows += found.rows;
            total_.highest = std::max(total_.highest, found.highest);
            total_.zero = total_.zero || found.zero;
        }
    }

    const file_contents& file_;
    const libsvm_options& options_;
    std::string_view body_, whole_;  // the text, and its lines that have a line end
    std::string tail_;
    std::vector<std::string_view> chunks_;
    index in_loop_ = 0;              // chunks of the file itself; the one after them is the tail
    std::vector<chunk_begin> from_;  // the position at which each chunk writes
    std::shared_ptr<arrays<T>> all_ = std::make_shared<arrays<T>>();
    std::vector<chunk_result> found_;
    chunk_result total_;
    table result_;
};

}  // namespace

table parse_libsvm(const file_contents& file, const libsvm_options& options) {
    if (options.dims < 0)
        fail(errc::invalid_argument, fmt::format("dims must satisfy 0 <= dims, got {}", options.dims));
    return options.numbers == precision::f32 ? file_parser<float>(file, options).read()
                                             : file_parser<double>(file, options).read();
}

table parse_libsvm(std::string_view text, const std::string& name, const libsvm_options& options) {
    return parse_libsvm(file_contents(name, text, nullptr), options);
}
table read_libsvm(const std::string& path, const libsvm_options& options) {
    return parse_libsvm(read_file(path), options);
}

namespace {

// Returns true if the line is `number [qid:…] index:value …`, possibly with a comment.
bool looks_like_libsvm(std::string_view line) {
    line = detail::trimmed(line.substr(0, line.find('#')));
    bool label = true;
    for (const std::string_view token : detail::split(line, " \t")) {
        if (token.empty()) continue;
        if (label) {
            if (!detail::is_number(token)) return false;
            label = false;
            continue;
        }
        const auto colon = token.find(':');
        if (colon == std::string_view::npos || colon == 0) return false;
        if (token.starts_with("qid:")) continue;
        if (!std::all_of(token.begin(), token.begin() + static_cast<std::ptrdiff_t>(colon), detail::is_digit))
            return false;
    }
    return !label;
}

}  // namespace

const file_format& libsvm_format() {
    static const file_format about{"libsvm",
                                   {".svm", ".libsvm", ".svmlight"},
                                   [](const file_beginning& file) { return looks_like_libsvm(file.first_line); },
                                   [](const file_contents& file, const read_options& options) {
                                       libsvm_options libsvm = options.libsvm;
                                       libsvm.numbers = options.numbers;
                                       return parse_libsvm(file, libsvm);
                                   },
                                   nullptr,
                                   nullptr,
                                   [](std::string& text, index rows, const read_options&) {
                                       return detail::cut_to_lines(text, rows, [](std::string_view line) {
                                           return detail::is_not_blank(line.substr(0, line.find('#')));
                                       });
                                   }};
    return about;
}

}  // namespace mercer
