// The text form of kernels.
//
//   sum     := product (('+' | '-') product)*
//   product := signed (('*' | '/') signed)*          division by a number only
//   signed  := '-'* power
//   power   := atom ['^' ['-'] number]
//   atom    := number | '(' sum ')' | name | name '(' [argument (',' argument)*] ')'
//   argument:= [name '='] (number | list | sum)      list := '[' … ']', of numbers or of lists
//
// Names are those of the registry (rbf, poly, …), and exp, normalize, polynomial_of, conjugate, pullback, columns, map,
// user. A number stands for a factor in a product and for a constant kernel in a sum.
#pragma once

#include <string_view>

#include "mercer/kernels/kernel.h"

namespace mercer {

// Parses the text form; kernel::parse calls it. Fails with errc::parse, with a caret under the place that is wrong.
kernel parse_kernel(std::string_view text);

}  // namespace mercer
