// A fitted model of any method as Python holds it.
#pragma once

#include "convert.h"
#include "mercer/api/method.h"

namespace mercer::python {

struct held_model {
    api::fitted_ptr fitted;
    const api::fitted* operator->() const { return fitted.get(); }
};

}  // namespace mercer::python
