// Densities as values: kernel_density.
#pragma once

#include <optional>
#include <string>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method_info.h"

namespace mercer {

struct kernel_density {
    std::optional<mercer::kernel> kernel{};
    std::string scale{};

    static method_facts facts() {
        return {"kernel_density",
                {"kde"},
                method_family::density,
                "density estimation: how usual an object is",
                "f(x) = Σ k(x, xᵢ)/(nZ)",
                "mercer-kernel-density-model",
                answer::none};
    }
    template <class V>
    void options(V&) {}
};

}  // namespace mercer
