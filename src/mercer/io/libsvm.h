// LIBSVM / svmlight text: one example a line, `label index:value index:value … # comment`, indices ascending.
#pragma once

#include <string>
#include <string_view>

#include "mercer/base/text.h"
#include "mercer/data/dataset.h"
#include "mercer/io/all_formats.h"
#include "mercer/io/file_contents.h"

namespace mercer {

// Where indices start. automatic: from 0 if an index 0 occurs anywhere in the file, else from 1.
enum class index_base { one, zero, automatic };

struct libsvm_options {
    index_base base = index_base::one;
    // Rows of a kernel matrix, `label 0:serial 1:K(x,x1) 2:K(x,x2) …`: column 0 of the result is the serial number.
    bool precomputed = false;
    // The result has at least so many columns (a test set may lack the last ones of its training set).
    index dims = 0;
    precision numbers = precision::natural;
};

// Sparse vectors and one number a row. `qid:…` is skipped, as are blank lines. The first fault in the file is reported
// as `file:line:column: expected …, got '…'`; NaN and infinities are faults. Neither depends on the number of threads.
table read_libsvm(const std::string& path, const libsvm_options& options = {});
table parse_libsvm(const source& file, const libsvm_options& options = {});
table parse_libsvm(std::string_view text, const std::string& name, const libsvm_options& options = {});

const file_format& libsvm_format();

}  // namespace mercer
