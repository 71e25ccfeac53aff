// The share of one process of the rows of some files.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "mercer/base/communicator.h"
#include "mercer/base/copy_bytes.h"
#include "mercer/base/error.h"
#include "mercer/io/byte_stream.h"
#include "mercer/io/file_range.h"

namespace mercer {
namespace {

using detail::file_place;

// A few numbers of each process, at each.
std::vector<std::vector<std::uint64_t>> told(const process_group& group, const std::vector<std::uint64_t>& mine) {
    std::vector<std::vector<std::uint64_t>> out;
    for (const std::string& each :
         group.all(std::string(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(std::uint64_t)))) {
        out.emplace_back(each.size() / sizeof(std::uint64_t));
        copy_bytes(out.back().data(), each.data(), each.size());
    }
    return out;
}

// Bytes first … end - 1 of a file, piece by piece, until use() says stop.
template <class Use>
void each_piece(const std::string& path, std::uint64_t first, std::uint64_t end, Use use) {
    byte_stream stream(path);
    stream.seek(first);
    std::string text;
    while (first < end && stream.read(text, static_cast<std::size_t>(std::min<std::uint64_t>(1 << 20, end - first)))) {
        if (!use(first, text)) return;
        first += text.size();
        text.clear();
    }
}

// Cuts all files at about the same number of bytes for each process, where a record begins.
class division {
public:
    division(const std::vector<std::string>& paths, const read_options& how, const process_group& group)
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
            forms_.push_back(detail::form_of(each, how));
        }
        count_quotes();
    }

    // Where the records of each process begin.
    std::vector<file_place> starts() const {
        const file_place mine = start();
        std::vector<file_place> out;
        for (const auto& each : told(group_, {mine.file, mine.byte})) out.push_back({each[0], each[1]});
        return out;
    }

private:
    std::uint64_t cut(int rank) const {
        const auto parts = static_cast<std::uint64_t>(group_.size()), part = static_cast<std::uint64_t>(rank);
        return bytes_ / parts * part + bytes_ % parts * part / parts;
    }

    // Whether a byte stands in quotes depends on all before it: each process counts those of its own part.
    void count_quotes() {
        const std::uint64_t first = cut(group_.rank()), end = cut(group_.rank() + 1);
        for (std::size_t f = 0; f < paths_.size(); ++f) {
            std::uint64_t count = 0;
            const std::uint64_t from = std::max(first, before_[f]) - before_[f],
                                to = std::min(end, before_[f] + sizes_[f]) - std::min(end, before_[f]);
            if (forms_[f].plain && forms_[f].csv && from < to)
                each_piece(paths_[f], from, to, [&](std::uint64_t, const std::string& text) {
                    count += static_cast<std::uint64_t>(std::ranges::count(text, '"'));
                    return true;
                });
            quotes_.push_back(count);
        }
        quotes_of_all_ = told(group_, quotes_);
    }

    // The first record that begins behind the first byte of this process's part; packed files and arrays begin where
    // they begin.
    file_place start() const {
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
        each_piece(paths_[f], byte, sizes_[f], [&](std::uint64_t first, const std::string& text) {
            for (std::size_t i = 0; i < text.size(); ++i) {
                inside ^= text[i] == '"' && forms_[f].csv;
                if (text[i] != '\n' || inside) continue;
                found = first + i + 1;
                return false;
            }
            return true;
        });
        return found < sizes_[f] ? file_place{f, found} : file_place{f + 1, 0};
    }

    const std::vector<std::string>& paths_;
    const process_group& group_;
    std::vector<std::uint64_t> sizes_, before_;
    std::uint64_t bytes_ = 0;
    std::vector<detail::text_form> forms_;
    std::vector<std::uint64_t> quotes_;
    std::vector<std::vector<std::uint64_t>> quotes_of_all_;
};

class own_rows final : public row_batches {
public:
    own_rows(std::unique_ptr<row_batches> rows, const process_group& group, index first)
        : rows_(std::move(rows)), group_(group), first_(first) {}
    void restart() override { rows_->restart(); }
    bool next(table& out) override { return rows_->next(out); }
    const process_group* processes() const override { return &group_; }
    index first() const override { return first_; }

private:
    std::unique_ptr<row_batches> rows_;
    const process_group& group_;
    index first_;
};

class kept_batches final : public row_batches {
public:
    kept_batches(std::unique_ptr<row_batches> from, std::size_t bytes) : from_(std::move(from)), room_(bytes) {}
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
        used_ += bytes_of_vectors(out.x).value_or(room_ + 1) + out.y.size() * sizeof(double);
        if (used_ > room_) fits_ = false, kept_.clear();
        if (fits_) kept_.push_back(out);
        return true;
    }
    const process_group* processes() const override { return from_->processes(); }
    index first() const override { return from_->first(); }

private:
    std::unique_ptr<row_batches> from_;
    std::size_t room_, used_ = 0, at_ = 0;
    bool fits_ = true, whole_ = false;
    std::vector<table> kept_;  // their objects are shared with those who use them, not copied
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
                                        const process_group& group, index (*unit)(index)) {
    const std::vector<std::string> files = expand_paths(paths);
    const std::vector<file_place> starts = division(files, options, group).starts();
    const auto rank = static_cast<std::size_t>(group.rank());
    detail::file_range part;
    part.first = starts[rank];
    if (rank + 1 < starts.size()) part.end = starts[rank + 1];
    std::uint64_t mine = 0;
    const auto counted = detail::open_range(files, options, rows, false, part);
    for (table batch; counted->next(batch);) mine += static_cast<std::uint64_t>(batch.x.size());
    std::vector<index> first{0};  // row where each process's records begin, and behind the last
    for (const auto& each : told(group, {mine})) first.push_back(first.back() + static_cast<index>(each[0]));

    const index n = first.back(), leaf = unit(n), leaves = (n + leaf - 1) / leaf;
    const auto cut = [&](std::size_t part_of) {
        return std::min(n, leaves * static_cast<index>(part_of) / group.size() * leaf);
    };
    const index from = cut(rank), to = cut(rank + 1);
    const std::size_t near =
        static_cast<std::size_t>(std::ranges::upper_bound(first.begin(), first.end() - 1, from) - first.begin()) - 1;
    detail::file_range own;
    own.first = starts[near], own.skip = from - first[near], own.most = to - from;
    return std::make_unique<own_rows>(detail::open_range(files, options, rows, false, own), group, from);
}

std::unique_ptr<row_batches> keep_batches(std::unique_ptr<row_batches> from, std::size_t bytes) {
    return std::make_unique<kept_batches>(std::move(from), bytes);
}

}  // namespace mercer
