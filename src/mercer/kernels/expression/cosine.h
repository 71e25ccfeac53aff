// Cosine: k(x, z) = xᵀz / (‖x‖‖z‖), 0 if x or z is the zero vector.
#pragma once

#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct cosine {
    static kernel_info info() {
        return {"cosine",
                {},
                "x'z/(|x||z|), 0 for a zero vector",
                object_kind::vectors,
                {},
                "cosine: the normalised linear kernel",
                true,
                {}};
    }
    static cosine from(const mercer::arguments&) { return {}; }
    void check() const {}
    std::vector<argument> arguments() const { return {}; }
    int emit(plan_builder& code) const { return normalise(linear{}).node().emit(code); }
    expansion expand(expansion_builder& build) const { return normalise(linear{}).node().expand(build); }
};

}  // namespace mercer
