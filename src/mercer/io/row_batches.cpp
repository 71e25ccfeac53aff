#include "mercer/io/row_batches.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/base/memory.h"
#include "mercer/io/csv.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/record_ends.h"

namespace mercer {

namespace {

using detail::file_range;
using detail::record_ends;

constexpr std::uint64_t no_end = std::numeric_limits<std::uint64_t>::max();

table row_range(const table& from, index first, index count) {
    table out{gather(from.x, row_set(first, count)), {}, from.class_names, from.feature_names, from.label};
    if (!from.y.empty()) out.y.assign(from.y.begin() + first, from.y.begin() + first + count);
    return out;
}

class table_batches final : public row_batches {
public:
    table_batches(table data, index rows) : data_(std::move(data)), rows_(rows) {}
    void restart() override { at_ = 0; }
    bool next(table& out) override {
        if (at_ >= data_.x.size()) return false;
        const index count = std::min(rows_, data_.x.size() - at_);
        out = row_range(data_, at_, count);
        at_ += count;
        return true;
    }

private:
    table data_;
    index rows_, at_ = 0;
};

// Reads one file as tables with any number of rows.
class file_reader {
public:
    virtual ~file_reader() = default;
    virtual bool next(table& out) = 0;
};

class text_file_reader final : public file_reader {
public:
    text_file_reader(const std::string& path, read_options how, bool label_is_optional, std::uint64_t first,
                     std::uint64_t end)
        : stream_(path), how_(std::move(how)), label_is_optional_(label_is_optional) {
        read_more();
        if (!how_.format) how_.format = &detect_format(stream_.name(), text_);
        if (!can_stream(*how_.format))
            fail(errc::unsupported, fmt::format("{}: the format {} cannot be read in batches: take csv, libsvm or npy",
                                                stream_.name(), how_.format->name));
        csv_ = std::string_view(how_.format->name) == "csv";
        if (csv_) find_header();
        ends_ = record_ends(csv_, head_.size());
        if (first > 0 || end != no_end) restrict_to(first, end);
    }

    bool next(table& out) override {
        for (;;) {
            if (text_.size() <= head_.size() && !read_more()) return false;
            std::size_t end = ends_.last(text_);
            while (end <= head_.size() && read_more()) end = whole_records();
            if (end <= head_.size() || at_end_) end = text_.size();  // the last line may lack its line end
            const std::string_view rows(text_.data(), end);
            const bool blank = rows.substr(head_.size()).find_first_not_of(" \t\r\n") == std::string_view::npos;
            if (!blank) parse(rows, out);
            lines_before_ += std::ranges::count(rows.substr(std::min(end, head_.size())), '\n');
            text_ = head_ + text_.substr(end);
            ends_ = record_ends(csv_, head_.size());
            if (blank && at_end_) return false;
            if (blank) continue;
            return true;
        }
    }

private:
    static constexpr std::size_t piece = 1 << 22;
    static constexpr std::size_t max_record_bytes = std::size_t(1) << 28;

    // Returns the end of the last whole record of text_. Throws if a record exceeds max_record_bytes, because a record
    // without an end would read the rest of the file into memory.
    std::size_t whole_records() {
        const std::size_t end = ends_.last(text_);
        if (end > head_.size() || text_.size() - head_.size() <= max_record_bytes) return end;
        const std::optional<std::size_t> quote = ends_.open_quote();
        try {
            detail::fail_at(errc::parse, stream_.name(), text_, quote.value_or(head_.size()),
                            fmt::format("expected {} within {} MB, got none", quote ? "a closing '\"'" : "a line end",
                                        max_record_bytes >> 20));
        } catch (const error& wrong) {
            fail(wrong.code(), with_file_position(wrong.what()));
        }
    }

    bool read_more() {
        if (at_end_) return false;
        const std::size_t before = text_.size();
        at_end_ = !stream_.read(text_, static_cast<std::size_t>(std::min<std::uint64_t>(piece, left_)));
        if (left_ != no_end) left_ -= text_.size() - before;
        read_ += text_.size() - before;
        return !at_end_;
    }

    // Parses the rows. Errors name the line and the row of the file instead of those of the text in memory.
    void parse(std::string_view rows, table& out) {
        try {
            out = parse_table(file_contents(stream_.name(), rows, nullptr), how_);
            rows_before_ += out.x.size();
        } catch (const error& wrong) {
            fail(wrong.code(), with_file_position(wrong.what()));
        }
    }
    std::string with_file_position(std::string text) const {
        const std::string name = stream_.name() + ":";
        if (!text.starts_with(name) || text.size() == name.size() || !std::isdigit(text[name.size()])) return text;
        const auto number_at = [&](std::size_t at) {
            return std::pair(std::stoll(text.substr(at)), text.find_first_not_of("0123456789", at));
        };
        const auto [line, end] = number_at(name.size());
        if (line <= std::ranges::count(head_, '\n')) return text;
        text.replace(name.size(), end - name.size(), std::to_string(line + lines_before_ + lines_before_share()));
        constexpr std::string_view row = ": row ";
        const std::size_t at = text.find(row, name.size());
        if (at == std::string::npos || at + row.size() == text.size() || !std::isdigit(text[at + row.size()]))
            return text;
        const auto [number, behind] = number_at(at + row.size());
        if (first_ == 0)
            text.replace(at + row.size(), behind - at - row.size(), std::to_string(number + rows_before_));
        else if (text.compare(behind, 2, ", ") == 0)  // the number of rows of the processes before is unknown here
            text.erase(at + 2, behind - at);
        return text;
    }
    // Returns the number of lines before the range of this process, without the header, which every text begins with.
    std::ptrdiff_t lines_before_share() const {
        if (first_ == 0) return 0;
        byte_stream whole(stream_.name());
        std::ptrdiff_t out = -std::ranges::count(head_, '\n');
        std::string text;
        for (std::uint64_t done = 0;
             done < first_ && whole.read(text, std::min<std::uint64_t>(piece, first_ - done));) {
            out += std::ranges::count(text, '\n');
            done += text.size();
            text.clear();
        }
        return out;
    }

    // Restricts the text to the header and bytes [first, end) of the file. The first read_ bytes are in text_ already.
    void restrict_to(std::uint64_t first, std::uint64_t end) {
        first_ = first;
        if (first > 0) {
            stream_.seek(first);
            text_ = head_;
            left_ = end == no_end ? no_end : end - first;
            at_end_ = false;
        } else if (end < read_) {
            text_.resize(std::max(head_.size(), text_.size() - std::min<std::uint64_t>(text_.size(), read_ - end)));
            left_ = 0;
        } else {
            left_ = end - read_;
        }
    }

    // Finds the header, with which every text begins, so that it is a complete file for the parser.
    void find_header() {
        const std::string_view text = detail::without_byte_order_mark(text_);
        if (text.size() < text_.size()) text_.erase(0, text_.size() - text.size());
        ends_ = record_ends(true);
        std::size_t whole = ends_.last(text_);
        while (whole == 0 && read_more()) whole = whole_records();
        const std::string_view first = std::string_view(text_).substr(0, at_end_ || whole == 0 ? text_.size() : whole);
        if (how_.csv.separator == 0) how_.csv.separator = detail::detect_separator(first);
        if (label_is_optional_ && !how_.csv.label.empty()) drop_absent_label(first);
        const bool header = detail::has_header(first, stream_.name(), how_.csv.separator, how_.csv);
        how_.csv.header = header ? csv_header::present : csv_header::absent;
        if (!header) return;
        std::size_t end = 0;
        bool inside = false;
        while (end < text_.size() && (inside || text_[end] != '\n')) inside ^= text_[end++] == '"';
        head_ = text_.substr(0, std::min(end + 1, text_.size()));
    }

    // Clears options.csv.label if it is a name that the first record does not contain: new data may lack the targets.
    void drop_absent_label(std::string_view text) {
        detail::record_reader records(text, stream_.name(), how_.csv.separator);
        std::vector<detail::csv_text_field> first;
        if (!records.next(first)) return;
        const auto named = [&](const detail::csv_text_field& one) {
            return detail::to_utf8(one.text) == how_.csv.label;
        };
        const bool position = detail::is_number(how_.csv.label);
        if (!position && std::ranges::none_of(first, named)) how_.csv.label.clear();
    }

    byte_stream stream_;
    read_options how_;
    bool label_is_optional_;
    std::string text_, head_;
    record_ends ends_;  // of text_
    // In bytes: the begin of the range in the file, the number to be read, and the number that was read.
    std::uint64_t first_ = 0, left_ = no_end, read_ = 0;
    std::ptrdiff_t lines_before_ = 0, rows_before_ = 0;  // lines and rows of the tables returned so far
    bool at_end_ = false, csv_ = false;
};

// Reads a NumPy array, which is mapped into memory if it is large, 16,384 rows at a time.
class npy_file_reader final : public file_reader {
public:
    npy_file_reader(const std::string& path, const read_options& how)
        : file_(read_file(path)), array_(open_npy(file_.bytes(), file_.name())), numbers_(how.numbers) {
        rows_ = array_.shape.empty() ? 0 : static_cast<index>(array_.shape[0]);
        if (array_.fortran && array_.shape.size() > 1)
            fail(errc::unsupported,
                 fmt::format(
                     "{}: an array in Fortran order cannot be read row by row: save it with numpy.ascontiguousarray",
                     file_.name()));
    }
    bool next(table& out) override {
        if (at_ >= rows_) return false;
        constexpr index piece = 16384;
        const index count = std::min(piece, rows_ - at_);
        npy_array part = array_;
        part.shape[0] = static_cast<std::uint64_t>(count);
        const std::size_t row_bytes = rows_ > 0 ? array_.data.size() / static_cast<std::size_t>(rows_) : 0;
        part.data =
            array_.data.substr(static_cast<std::size_t>(at_) * row_bytes, static_cast<std::size_t>(count) * row_bytes);
        const bool single = numbers_ == precision::f32 || (numbers_ == precision::natural && array_.type == "f4");
        out = parse_untruncated(file_, [&] { return table{npy_rows(part, single, file_.name()), {}, {}, {}}; });
        file_.release_pages(part.data);
        at_ += count;
        return true;
    }

private:
    file_contents file_;
    npy_array array_;
    precision numbers_;
    index rows_ = 0, at_ = 0;
};

bool is_npy(const std::string& path, const read_options& how) {
    if (how.format) return std::string_view(how.format->name) == "npy";
    std::string start;
    if (path == "-") return false;  // bytes read from a pipe cannot be put back
    byte_stream(path).read(start, 6);
    return start == std::string_view("\x93NUMPY", 6);
}

class file_batches final : public row_batches {
public:
    file_batches(std::vector<std::string> paths, read_options how, index rows, bool label_is_optional,
                 const file_range& part)
        : paths_(std::move(paths)),
          how_(std::move(how)),
          rows_(rows),
          label_is_optional_(label_is_optional),
          part_(part) {
        restart();
    }

    void restart() override {
        if (started_ && std::ranges::find(paths_, "-") != paths_.end())
            fail(errc::unsupported, "standard input cannot be read twice: write it to a file first");
        reader_.reset();
        file_ = part_.first.file;
        skip_ = part_.skip, left_ = part_.most;
        pending_ = {};
    }

    bool next(table& out) override {
        started_ = true;
        const index wanted = std::min(rows_, left_);
        while (wanted > 0 && pending_.x.size() < wanted) {
            table more;
            if (!take(more)) break;
            const index size = more.x.size(), passed = std::min(skip_, size);
            skip_ -= passed;
            if (passed == size) continue;
            append(passed > 0 ? row_range(more, passed, size - passed) : std::move(more));
        }
        const index there = pending_.x.size(), count = std::min(wanted, there);
        if (count == 0) return false;
        left_ -= count;
        if (count == there) {
            out = std::exchange(pending_, {});
        } else {
            out = row_range(pending_, 0, count);
            pending_ = row_range(pending_, count, there - count);
        }
        return true;
    }

private:
    bool take(table& out) {
        for (;;) {
            if (reader_ && reader_->next(out)) return true;
            reader_.reset();
            const bool last = file_ == part_.end.file;
            if (file_ >= paths_.size() || file_ > part_.end.file || (last && part_.end.byte == 0)) return false;
            const std::string& path = paths_[file_];
            if (is_npy(path, how_))
                reader_ = std::make_unique<npy_file_reader>(path, how_);
            else
                reader_ = std::make_unique<text_file_reader>(path, how_, label_is_optional_,
                                                             file_ == part_.first.file ? part_.first.byte : 0,
                                                             last ? part_.end.byte : no_end);
            ++file_;
        }
    }

    void append(table more) {
        if (pending_.x.size() == 0) {
            pending_ = std::move(more);
            return;
        }
        if (more.class_names != pending_.class_names) unify_class_names(more);
        if (more.feature_names != pending_.feature_names)
            fail(errc::data,
                 fmt::format("the files do not have the same columns: one begins with '{}', another with '{}'",
                             pending_.feature_names.empty() ? "" : pending_.feature_names.front(),
                             more.feature_names.empty() ? "" : more.feature_names.front()));
        if (more.y.empty() != pending_.y.empty())
            fail(errc::data, "all files must have targets, or none of them, got files of both kinds");
        pending_.x = concatenate(pending_.x, more.x);
        pending_.y.insert(pending_.y.end(), more.y.begin(), more.y.end());
    }

    // Each table knows only the class names that occur in it: both get the union of the names.
    void unify_class_names(table& more) {
        if (more.class_names.empty() || pending_.class_names.empty())
            fail(errc::data,
                 fmt::format(
                     "targets must be all names or all numbers, got the name '{}' in one file and numbers in another",
                     more.class_names.empty() ? pending_.class_names.front() : more.class_names.front()));
        std::vector<std::string> all;
        std::ranges::set_union(more.class_names, pending_.class_names, std::back_inserter(all));
        for (table* each : {&more, &pending_}) {
            for (double& y : each->y)
                y = static_cast<double>(std::ranges::lower_bound(all, each->class_names[static_cast<std::size_t>(y)]) -
                                        all.begin());
            each->class_names = all;
        }
    }

    std::vector<std::string> paths_;
    read_options how_;
    index rows_;
    bool label_is_optional_;
    file_range part_;
    index skip_ = 0, left_ = 0;  // the number of rows to skip, and to return after that
    std::uint64_t file_ = 0;
    std::unique_ptr<file_reader> reader_;
    table pending_;
    bool started_ = false;
};

}  // namespace

std::unique_ptr<row_batches> make_batches(table data, index rows) {
    return std::make_unique<table_batches>(std::move(data), rows);
}

bool can_stream(const file_format& format) {
    const std::string_view name = format.name;
    return name == "csv" || name == "libsvm" || name == "npy";
}

std::vector<std::string> expand_paths(const std::vector<std::string>& paths) {
    std::vector<std::string> out;
    for (const std::string& each : paths) {
        if (each.find_first_of("*?[") == std::string::npos) {
            out.push_back(each);
            continue;
        }
        glob_t found{};
        const int result = ::glob(each.c_str(), 0, nullptr, &found);
        for (std::size_t i = 0; result == 0 && i < found.gl_pathc; ++i) out.emplace_back(found.gl_pathv[i]);
        ::globfree(&found);
        if (result != 0) fail(errc::io, fmt::format("no file name matches '{}'", each));
    }
    return out;
}

std::unique_ptr<row_batches> open_batches(const std::vector<std::string>& paths, const read_options& options,
                                          index rows, bool label_is_optional) {
    if (rows < 1) fail(errc::invalid_argument, fmt::format("batches must have rows >= 1, got {}", rows));
    return detail::open_range(expand_paths(paths), options, rows, label_is_optional, {});
}

std::unique_ptr<row_batches> detail::open_range(std::vector<std::string> paths, const read_options& options, index rows,
                                                bool label_is_optional, const file_range& part) {
    return std::make_unique<file_batches>(std::move(paths), options, rows, label_is_optional, part);
}

detail::text_form detail::detect_text_form(const std::string& path, const read_options& options) {
    if (is_npy(path, options)) return {};
    byte_stream stream(path);
    std::string start;
    stream.read(start, 1 << 16);
    const file_format& format = options.format ? *options.format : detect_format(stream.name(), start);
    return {!stream.packed(), std::string_view(format.name) == "csv"};
}

// The share of one process of the rows of some files.

namespace {

using detail::record_position;

// Returns the numbers `mine` of every process, by rank. Collective.
std::vector<std::vector<std::uint64_t>> all_gather(const communicator& group, const std::vector<std::uint64_t>& mine) {
    std::vector<std::vector<std::uint64_t>> out;
    for (const std::string& each : group.all_gather(
             std::string(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(std::uint64_t)))) {
        out.emplace_back(each.size() / sizeof(std::uint64_t));
        copy_bytes(out.back().data(), each.data(), each.size());
    }
    return out;
}

// Calls use(offset, text) for bytes [first, end) of a file, at most 1 MB at a time, until use() returns false.
template <class Use>
void read_blocks(const std::string& path, std::uint64_t first, std::uint64_t end, Use use) {
    byte_stream stream(path);
    stream.seek(first);
    std::string text;
    while (first < end && stream.read(text, static_cast<std::size_t>(std::min<std::uint64_t>(1 << 20, end - first)))) {
        if (!use(first, text)) return;
        first += text.size();
        text.clear();
    }
}

// Divides the bytes of all files equally among the processes; each boundary moves to the next begin of a record.
class byte_division {
public:
    byte_division(const std::vector<std::string>& paths, const read_options& how, const communicator& group)
        : paths_(paths), group_(group) {
        for (const std::string& each : paths) {
            if (each == "-")
                fail(errc::unsupported, "standard input cannot be shared by processes: write it to a file first");
            std::error_code why;
            const std::uint64_t size = std::filesystem::file_size(each, why);
            if (why) fail(errc::io, fmt::format("cannot read '{}': {}", each, why.message()));
            before_.push_back(bytes_);
            bytes_ += size;
            sizes_.push_back(size);
            forms_.push_back(detail::detect_text_form(each, how));
        }
        count_quotes();
    }

    // Returns the begin of the records of each process. Collective.
    std::vector<record_position> starts() const {
        const record_position mine = start();
        std::vector<record_position> out;
        for (const auto& each : all_gather(group_, {mine.file, mine.byte})) out.push_back({each[0], each[1]});
        return out;
    }

private:
    std::uint64_t cut(int rank) const {
        const auto parts = static_cast<std::uint64_t>(group_.size()), part = static_cast<std::uint64_t>(rank);
        return bytes_ / parts * part + bytes_ % parts * part / parts;
    }

    // Counts the quotes in the range of this process and exchanges the counts: a byte is inside quotes if the number of
    // quotes before it in its file is odd.
    void count_quotes() {
        const std::uint64_t first = cut(group_.rank()), end = cut(group_.rank() + 1);
        for (std::size_t f = 0; f < paths_.size(); ++f) {
            std::uint64_t count = 0;
            const std::uint64_t from = std::max(first, before_[f]) - before_[f],
                                to = std::min(end, before_[f] + sizes_[f]) - std::min(end, before_[f]);
            if (forms_[f].plain && forms_[f].csv && from < to)
                read_blocks(paths_[f], from, to, [&](std::uint64_t, const std::string& text) {
                    count += static_cast<std::uint64_t>(std::ranges::count(text, '"'));
                    return true;
                });
            quotes_.push_back(count);
        }
        quotes_of_all_ = all_gather(group_, quotes_);
    }

    // Returns the first record that begins after the first byte of the range of this process. A packed file or an array
    // is not divided: it belongs to the process whose range contains its first byte.
    record_position start() const {
        const std::uint64_t at = cut(group_.rank());
        std::size_t f = 0;
        while (f < paths_.size() && before_[f] + sizes_[f] <= at) ++f;
        if (f == paths_.size()) return {f, 0};
        const std::uint64_t byte = at - before_[f];
        if (byte == 0) return {f, 0};
        if (!forms_[f].plain) return {f + 1, 0};
        bool inside = false;
        for (int rank = 0; rank < group_.rank() && forms_[f].csv; ++rank)
            inside ^= quotes_of_all_[static_cast<std::size_t>(rank)][f] % 2 == 1;
        std::uint64_t found = sizes_[f];
        read_blocks(paths_[f], byte, sizes_[f], [&](std::uint64_t first, const std::string& text) {
            for (std::size_t i = 0; i < text.size(); ++i) {
                inside ^= text[i] == '"' && forms_[f].csv;
                if (text[i] != '\n' || inside) continue;
                found = first + i + 1;
                return false;
            }
            return true;
        });
        return found < sizes_[f] ? record_position{f, found} : record_position{f + 1, 0};
    }

    const std::vector<std::string>& paths_;
    const communicator& group_;
    std::vector<std::uint64_t> sizes_, before_;
    std::uint64_t bytes_ = 0;
    std::vector<detail::text_form> forms_;
    std::vector<std::uint64_t> quotes_;
    std::vector<std::vector<std::uint64_t>> quotes_of_all_;
};

class rank_batches final : public row_batches {
public:
    rank_batches(std::unique_ptr<row_batches> rows, const communicator& group, index first)
        : rows_(std::move(rows)), group_(group), first_(first) {}
    void restart() override { rows_->restart(); }
    bool next(table& out) override { return rows_->next(out); }
    const communicator* processes() const override { return &group_; }
    index first() const override { return first_; }

private:
    std::unique_ptr<row_batches> rows_;
    const communicator& group_;
    index first_;
};

class cached_batches final : public row_batches {
public:
    cached_batches(std::unique_ptr<row_batches> from, std::size_t bytes) : from_(std::move(from)), budget_(bytes) {}
    void restart() override {
        at_ = 0;
        if (whole_) return;
        kept_.clear(), used_ = 0, fits_ = true;
        from_->restart();
    }
    bool next(table& out) override {
        if (whole_) {
            if (at_ == kept_.size()) return false;
            out = kept_[at_++];
            return true;
        }
        if (!from_->next(out)) {
            whole_ = fits_;
            at_ = kept_.size();
            return false;
        }
        used_ += bytes_of_vectors(out.x).value_or(budget_ + 1) + out.y.size() * sizeof(double);
        if (used_ > budget_) fits_ = false, kept_.clear();
        if (fits_) kept_.push_back(out);
        return true;
    }
    const communicator* processes() const override { return from_->processes(); }
    index first() const override { return from_->first(); }

private:
    std::unique_ptr<row_batches> from_;
    std::size_t budget_, used_ = 0, at_ = 0;
    bool fits_ = true, whole_ = false;
    std::vector<table> kept_;  // the datasets share their storage with the tables that were returned
};

}  // namespace

std::optional<std::size_t> bytes_of_vectors(const dataset& x) {
    return std::visit(
        [&](const auto& some) -> std::optional<std::size_t> {
            if constexpr (requires { some.row(0); }) {
                return static_cast<std::size_t>(some.size() * some.dims()) * sizeof(*some.row(0));
            } else if constexpr (requires { some.cols(0); }) {
                std::size_t entries = 0;
                for (index i = 0; i < some.size(); ++i) entries += some.cols(i).size();
                return entries * 16 + static_cast<std::size_t>(some.size()) * 8;
            } else {
                return std::nullopt;
            }
        },
        x.items());
}

std::unique_ptr<row_batches> open_share(const std::vector<std::string>& paths, const read_options& options, index rows,
                                        const communicator& group, index (*unit)(index)) {
    const std::vector<std::string> files = expand_paths(paths);
    const std::vector<record_position> starts = byte_division(files, options, group).starts();
    const auto rank = static_cast<std::size_t>(group.rank());
    detail::file_range part;
    part.first = starts[rank];
    if (rank + 1 < starts.size()) part.end = starts[rank + 1];
    std::uint64_t mine = 0;
    const auto counted = detail::open_range(files, options, rows, false, part);
    for (table batch; counted->next(batch);) mine += static_cast<std::uint64_t>(batch.x.size());
    std::vector<index> first{0};  // the first row of each process in this division, and the number of all rows
    for (const auto& each : all_gather(group, {mine})) first.push_back(first.back() + static_cast<index>(each[0]));

    const index n = first.back(), leaf = unit(n), leaves = (n + leaf - 1) / leaf;
    const auto cut = [&](std::size_t part_of) {
        return std::min(n, leaves * static_cast<index>(part_of) / group.size() * leaf);
    };
    const index from = cut(rank), to = cut(rank + 1);
    const std::size_t near =
        static_cast<std::size_t>(std::ranges::upper_bound(first.begin(), first.end() - 1, from) - first.begin()) - 1;
    detail::file_range own;
    own.first = starts[near], own.skip = from - first[near], own.most = to - from;
    return std::make_unique<rank_batches>(detail::open_range(files, options, rows, false, own), group, from);
}

std::unique_ptr<row_batches> cache_batches(std::unique_ptr<row_batches> from, std::size_t bytes) {
    return std::make_unique<cached_batches>(std::move(from), bytes);
}

}  // namespace mercer
