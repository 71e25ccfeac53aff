// Kinds of object in Python's terms.
#pragma once

#include "convert.h"

namespace mercer::python {

// _core.strings(sequence), _core.sets(sequence), …: one function for each kind.
void bind_object_kinds(py::module_& m);
// The objects as Python has them.
py::list as_list(const objects& some);

}  // namespace mercer::python
