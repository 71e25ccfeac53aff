// Reads and writes NumPy's .npy files, format versions 1 to 3.
#pragma once

#include <string>
#include <string_view>

#include "mercer/base/text.h"
#include "mercer/data/dataset.h"
#include "mercer/io/all_formats.h"

namespace mercer {

// Reads an array of n rows and d columns, or of n numbers as n rows of one column, in C or Fortran order and
// little-endian. precision::natural: f4 gives dense<float>; f8, integers and bool give dense<double>. NaN and
// infinities are errors, which name their row and column.
table read_npy(const std::string& path, precision numbers = precision::natural);
table parse_npy(std::string_view bytes, const std::string& name, precision numbers = precision::natural);

// The contents of an .npy file: the type of its numbers without the byte order (u1, f8, …), the shape, and the bytes of
// the numbers. open_npy() throws unless the number of bytes agrees with type and shape.
struct npy_array {
    std::string type;
    bool fortran = false;
    std::vector<std::uint64_t> shape;
    std::string_view data;
};
npy_array open_npy(std::string_view bytes, const std::string& name);
// Returns the array as vectors: the first dimension are the rows, all others the columns. The result is dense<float> if
// `single`, else dense<double>.
dataset npy_rows(const npy_array& from, bool single, const std::string& name);

// Returns the header of a file (version 1) with a two-dimensional array in C order.
template <class T>
std::string npy_header(index rows, index cols);
// Returns the contents of an .npy file with these rows.
template <class T>
std::string format_npy(const dense<T>& rows);
// Writes the rows to an .npy file, which is replaced atomically (base/file.h). Throws errc::io.
template <class T>
void write_npy(const std::string& path, const dense<T>& rows);

const file_format& npy_format();

}  // namespace mercer
