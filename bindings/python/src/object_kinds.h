// Conversion of objects that are not vectors between Python and the library.
#pragma once

#include "convert.h"

namespace mercer::python {

// Binds one function for each kind: _core.strings(sequence), _core.sets(sequence), …
void bind_object_kinds(py::module_& m);
// Converts objects to a list of Python values.
py::list as_list(const objects& some);

}  // namespace mercer::python
