// XYZ files, with molecules one after another:
//
//     3                            the number of atoms
//     water -76.4 energy=-76.4     a comment; the target is a number in it
//     O 0 0 0.117                  element (symbol or number) and three coordinates; more fields are ignored
//     H 0 0.757 -0.470
//     H 0 -0.757 -0.470
#pragma once

#include <string>
#include <string_view>

#include "mercer/io/all_formats.h"

namespace mercer {

struct xyz_options {
    // The number of the comment that is the target: a position from 0 among the fields that are numbers (negative: from
    // the end), or the name in a field name=number. Empty: the first number, or no targets if the first comment
    // contains no number. "none": no targets.
    std::string target{};
};

table parse_xyz(std::string_view text, const std::string& name, const xyz_options& options = {});

const file_format& xyz_format();

}  // namespace mercer
