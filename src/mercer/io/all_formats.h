// Every file format, in the order in which a file without a telling name is tried. A new one is a reader of its own and
// its name in the list of all_formats.cpp.
#pragma once

#include <span>

#include "mercer/io/format.h"

namespace mercer {

std::span<const file_format* const> all_formats();
const file_format& file_format_named(std::string_view name);  // fails with the list of names
std::string names_of_formats();                               // "libsvm, csv, …"

}  // namespace mercer
