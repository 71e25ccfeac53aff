// A part of some data files, batch by batch: what row_batches of all of them and of the share of one process are.
#pragma once

#include <cstdint>
#include <limits>

#include "mercer/io/row_batches.h"

namespace mercer::detail {

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

}  // namespace mercer::detail
