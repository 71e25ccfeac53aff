// Data files batch by batch of rows, for what is larger than memory: text (CSV, LIBSVM) in pieces, also packed and from
// a pipe, NumPy's arrays mapped, several files one after the other as if they were one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/data/readers/read.h"

namespace mercer {

class row_batches {
public:
    virtual ~row_batches() = default;
    // From the first row again; fails where that is not possible (a pipe).
    virtual void restart() = 0;
    // The next rows, as many as were asked for and fewer only at the end; false where there are none left.
    virtual bool next(table& out) = 0;
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

}  // namespace mercer
