// Reads data sets that are larger than memory in batches of rows: text (CSV, LIBSVM), also packed or from a pipe, and
// NumPy arrays, which are mapped into memory. Several files are read one after another like one file.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/io/read.h"

namespace mercer {

class communicator;

// The rows of a data set in order, batch by batch.
class row_batches {
public:
    virtual ~row_batches() = default;
    // Starts again with the first row. Throws errc::unsupported if the rows come from standard input, which can be read
    // only once.
    virtual void restart() = 0;
    // Reads the next batch: the number of rows given when the batches were opened, fewer only at the end. Returns false
    // if no rows are left.
    virtual bool next(table& out) = 0;
    // processes(): the group of processes that share the rows; null for one process. first(): the number, among all
    // rows, of the first row of this process.
    virtual const communicator* processes() const { return nullptr; }
    virtual index first() const { return 0; }
};

// Returns the rows of a table in memory in batches of `rows`.
std::unique_ptr<row_batches> make_batches(table data, index rows);

// Replaces patterns with *, ? or [ ] by the sorted names of the files that match. Throws errc::io if no file matches a
// pattern.
std::vector<std::string> expand_paths(const std::vector<std::string>& paths);
// Opens files of the formats csv, libsvm and npy, in the order of expand_paths(), in batches of `rows`.
// label_is_optional: a CSV file without the column of targets gives tables without targets; otherwise it is an error.
std::unique_ptr<row_batches> open_batches(const std::vector<std::string>& paths, const read_options& options,
                                          index rows, bool label_is_optional = false);
// Returns true if open_batches() reads the format.
bool can_stream(const file_format& format);

// Opens the share of this process of the rows that a group of processes divides. The shares are of about equal size,
// and every boundary is a multiple of unit(number of all rows). Collective: all processes of the group call it. A share
// of plain text is read from its first byte; in packed files and arrays a process reads and skips the rows before its
// share.
std::unique_ptr<row_batches> open_share(const std::vector<std::string>& paths, const read_options& options, index rows,
                                        const communicator& group, index (*unit)(index));
// Returns the memory in bytes that vectors take; none for other objects.
std::optional<std::size_t> bytes_of_vectors(const dataset& x);
// Returns batches that read `from` only once if all its batches together take at most `bytes`: they stay in memory.
std::unique_ptr<row_batches> cache_batches(std::unique_ptr<row_batches> from, std::size_t bytes);

namespace detail {

// A range of rows in a list of files, which implements open_batches() and open_share().

// The beginning of a record: a byte of file number `file`.
struct record_position {
    std::uint64_t file = 0, byte = 0;
    auto operator<=>(const record_position&) const = default;
};

// The records from `first` on that begin before `end`; of their rows the first `skip` are skipped, and at most `most`
// of the others are read.
struct file_range {
    record_position first{}, end{std::numeric_limits<std::uint64_t>::max(), 0};
    index skip = 0, most = std::numeric_limits<index>::max();
};

std::unique_ptr<row_batches> open_range(std::vector<std::string> paths, const read_options& options, index rows,
                                        bool label_is_optional, const file_range& part);
// plain: the file is text and not packed, so that it can be read from any of its lines on. csv: it may contain quotes.
struct text_form {
    bool plain = false, csv = false;
};
text_form detect_text_form(const std::string& path, const read_options& options);

}  // namespace detail
}  // namespace mercer
