#include "mercer/kernels/series/alignments.h"

#include <fmt/format.h>

#include "mercer/base/error.h"

namespace mercer {

void require_same_dims(const std::string& owner, const one_series& x, const one_series& y) {
    if (x.dims != y.dims && !x.values.empty() && !y.values.empty())
        fail(errc::data, fmt::format("{}: series must have the same number of values per time, got {} and {}", owner,
                                     x.dims, y.dims));
}

}  // namespace mercer
