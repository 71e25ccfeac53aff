// The text form of kernels.
//
//   sum     := product (('+' | '-') product)*
//   product := signed (('*' | '/') signed)*          division by a number only
//   signed  := '-'* power
//   power   := atom ['^' ['-'] number]
//   atom    := number | '(' sum ')' | name | name '(' [argument (',' argument)*] ')'
//   argument:= [name '='] (number | list | sum)      list := '[' … ']', of numbers or of lists
//
// Names are those of the registry (listed_kernels.h: rbf, poly, …) and exp, normalize, polynomial_of, columns, scaled,
// field, conjugate, pullback, map, user. A number is a factor in a product and the constant kernel in a sum. An
// expression has at most 200 levels of parentheses and 1,000 kernels.
#pragma once

#include <string_view>

#include "mercer/kernels/kernel.h"

namespace mercer {

// Parses the text form; kernel::parse calls this function. Throws errc::parse with the position and a caret under the
// error.
kernel parse_kernel(std::string_view text);

}  // namespace mercer
