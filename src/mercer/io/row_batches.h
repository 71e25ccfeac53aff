// Data files batch by batch of rows, for what is larger than memory: text (CSV, LIBSVM) in pieces, also packed and from
// a pipe, NumPy's arrays mapped, several files one after the other as if they were one.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/io/read.h"

namespace mercer {

class process_group;

class row_batches {
public:
    virtual ~row_batches() = default;
    // From the first row again; fails where that is not possible (a pipe).
    virtual void restart() = 0;
    // The next rows, as many as were asked for and fewer only at the end; false where there are none left.
    virtual bool next(table& out) = 0;
    // Where several processes share the rows: those of this one begin with row first().
    virtual const process_group* processes() const { return nullptr; }
    virtual index first() const { return 0; }
};

// A table in memory: the same rows in the same batches.
std::unique_ptr<row_batches> batches_of(table data, index rows);

// Files in the order given. Names with *, ? or [ ] are looked up, in the order of their names. Formats: csv, libsvm,
// npy.
std::vector<std::string> expand_paths(const std::vector<std::string>& paths);
// label_may_lack: CSV files without the column of targets have none; else that is an error.
std::unique_ptr<row_batches> open_batches(const std::vector<std::string>& paths, const read_options& options,
                                          index rows, bool label_may_lack = false);
bool can_stream(const file_format& format);

// The rows of this process, where several share them: about as many for each, cut at multiples of `unit` of the number
// of all rows. Plain text is read from where they begin; packed files and arrays are divided as well, but a process
// reads over what comes before.
std::unique_ptr<row_batches> open_share(const std::vector<std::string>& paths, const read_options& options, index rows,
                                        const process_group& group, index (*unit)(index));
// What vectors take; none for other objects.
std::optional<std::size_t> bytes_of_vectors(const dataset& x);
// The same batches, kept where all of them take at most so many bytes: then files are read once.
std::unique_ptr<row_batches> keep_batches(std::unique_ptr<row_batches> from, std::size_t bytes);

namespace detail {

// A part of some data files, batch by batch: what row_batches of all of them and of the share of one process are.

// Where a record of text begins, or a file.
struct file_place {
    std::uint64_t file = 0, byte = 0;
    auto operator<=>(const file_place&) const = default;
};

struct file_range {
    file_place first{}, end{std::numeric_limits<std::uint64_t>::max(), 0};
    index skip = 0, most = std::numeric_limits<index>::max();  // rows
};

std::unique_ptr<row_batches> open_range(std::vector<std::string> paths, const read_options& options, index rows,
                                        bool label_may_lack, const file_range& part);
// Whether a file can be read from any of its lines on: text that is not packed. csv: with quotes.
struct text_form {
    bool plain = false, csv = false;
};
text_form form_of(const std::string& path, const read_options& options);

}  // namespace detail
}  // namespace mercer
