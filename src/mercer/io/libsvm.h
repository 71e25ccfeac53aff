// The text format of LIBSVM and svmlight: one example per line, `label index:value index:value … # comment`, with
// ascending indices.
#pragma once

#include <string>
#include <string_view>

#include "mercer/base/text.h"
#include "mercer/data/dataset.h"
#include "mercer/io/all_formats.h"
#include "mercer/io/file_contents.h"

namespace mercer {

// The smallest index. automatic: 0 if the index 0 occurs anywhere in the file, else 1.
enum class index_base { one, zero, automatic };

// Options of the readers of LIBSVM files.
struct libsvm_options {
    index_base base = index_base::one;
    // The file contains rows of a kernel matrix, `label 0:serial 1:K(x,x1) 2:K(x,x2) …`. Column 0 of the result is the
    // serial number.
    bool precomputed = false;
    // The result has at least this number of columns: in a test set the last columns of its training set may be empty.
    index dims = 0;
    precision numbers = precision::natural;
};

// Returns sparse vectors and one number per row as targets. `qid:…` and blank lines are skipped. The first error in the
// file is reported as `file:line:column: expected …, got '…'`; NaN and infinities are errors. The result and the error
// do not depend on the number of threads.
table read_libsvm(const std::string& path, const libsvm_options& options = {});
table parse_libsvm(const file_contents& file, const libsvm_options& options = {});
table parse_libsvm(std::string_view text, const std::string& name, const libsvm_options& options = {});

const file_format& libsvm_format();

}  // namespace mercer
