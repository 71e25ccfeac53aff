// Where a Gram matrix of a kernel and data comes from: everything outside gram/ asks here, so that on which processor
// it is computed is chosen in one place.
//
//     const auto K = make_gram<double>(gaussian{0.5}, x);        // K(i, j) = k(xᵢ, xⱼ), computed when asked for
//     const auto cross = make_gram<float>(k, z, x, memory);      // k(zᵢ, xⱼ)
#pragma once

#include <cstddef>
#include <memory>

#include "mercer/gram/gram.h"
#include "mercer/kernels/evaluation/evaluator.h"

namespace mercer {

template <class T>
class kernel_gram : public gram<T> {
public:
    virtual std::size_t kept_bytes() const = 0;  // beside the data, of what `memory` allows
};

template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, evaluator_memory memory = {});
template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, dataset z, evaluator_memory memory = {});

}  // namespace mercer
