// NumPy's .npy files, format versions 1 to 3.
#pragma once

#include <string>
#include <string_view>

#include "mercer/base/text.h"
#include "mercer/data/dataset.h"
#include "mercer/io/all_formats.h"

namespace mercer {

// An array of n rows and d columns, or n numbers as n rows of one column; C or Fortran order, little-endian. Numbers:
// natural: f4 gives dense<float>, and f8, whole numbers and bool give dense<double>. NaN and infinities fail with row
// and column.
table read_npy(const std::string& path, precision numbers = precision::natural);
table parse_npy(std::string_view bytes, const std::string& name, precision numbers = precision::natural);

// What such a file holds: the type of its numbers without their byte order (u1, f8, …), sizes, and as many bytes as
// these make up.
struct npy_array {
    std::string type;
    bool fortran = false;
    std::vector<std::uint64_t> shape;
    std::string_view data;
};
npy_array open_npy(std::string_view bytes, const std::string& name);
// The first dimension as rows, all others as columns; dense<float> where `single`, else dense<double>.
dataset npy_rows(const npy_array& from, bool single, const std::string& name);

// What stands before the numbers of a two-dimensional array in C order (version 1).
template <class T>
std::string npy_header(index rows, index cols);
// The bytes of a two-dimensional array in C order (version 1), and the same into a file, atomically.
template <class T>
std::string format_npy(const dense<T>& rows);
template <class T>
void write_npy(const std::string& path, const dense<T>& rows);

const file_format& npy_format();

}  // namespace mercer
