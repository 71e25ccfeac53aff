// The value of a kernel, given as text, at one pair of objects.
#pragma once

#include <string>

#include "contracts/kernel_contract.h"
#include "mercer/data/all_kinds.h"

namespace mercer::testing {

inline double value_of(const std::string& k, const dataset& x, const dataset& z) {
    return pair_value(kernel::parse(k), x, z);
}
inline double value_of(const std::string& k, const std::string& x, const std::string& z) {
    return value_of(k, strings({x}), strings({z}));
}
inline double value_of(const std::string& k, const graph& x, const graph& z) {
    return value_of(k, graphs({x}), graphs({z}));
}
inline double value_of(const std::string& k, const one_series& x, const one_series& z) {
    return value_of(k, series({x}), series({z}));
}
inline double value_of(const std::string& k, const image& x, const image& z) {
    return value_of(k, images({x}), images({z}));
}

}  // namespace mercer::testing
