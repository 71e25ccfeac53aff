// Any data file.
#pragma once

#include <string>
#include <string_view>

#include "mercer/data/readers/csv.h"
#include "mercer/data/readers/libsvm.h"
#include "mercer/data/readers/npy.h"
#include "mercer/data/readers/tsv.h"

namespace mercer {

enum class file_format { automatic, libsvm, csv, npy, strings, sets };
const char* name(file_format format) noexcept;
file_format file_format_named(std::string_view name);  // "libsvm", …; fails with the list of names

struct read_options {
    file_format format = file_format::automatic;
    precision numbers = precision::natural;  // of every format; those inside `libsvm` and `csv` are not looked at
    libsvm_options libsvm{};
    csv_options csv{};
    tsv_options tsv{};
};

// The format by the end of the name (.svm .libsvm .svmlight .csv .npy .strings .sets, also with .gz or .xz after it),
// else by the first lines: `number index:value …` is libsvm; fields separated by tabs of which the last is text, with a
// label before it, are strings; other fields separated by ',', ';' or tabs are csv. Sets look like strings, so they
// have to be named.
file_format detect_format(const std::string& path, std::string_view bytes);

table read_table(const std::string& path, const read_options& options = {});
// The same for bytes that were read before: a pipe cannot be read twice.
table parse_table(const source& file, const read_options& options = {});

}  // namespace mercer
