// The kernels of all_kernels.h by name, with their parameters, defaults, ranges, formulas and domains. The parser, the
// help texts and the documentation are generated from this registry.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

// A listed kernel: its description and the function that makes it from arguments.
struct registered_kernel {
    kernel_info info;
    std::function<kernel(const arguments&)> make;  // throws if a parameter is missing or out of range
    // Names of arguments that are accepted in addition to the parameters (sigma of rbf).
    std::vector<std::string> other_arguments;
};

// All listed kernels, in the order of all_kernels.h.
const std::vector<registered_kernel>& kernel_registry();
// Finds a kernel by name or alias; returns nullptr if there is none.
const registered_kernel* find_kernel(std::string_view name);

// The embedding φ of a listed kernel that is computed as φ(x)ᵀφ(z); nothing for all other kernels.
std::optional<embedding> explicit_embedding(const kernel& k);

// The operations of the text form that make kernels from kernels, for help texts.
struct algebra_info {
    std::string form;
    std::string meaning;
    std::string rule;
};
// All operations.
const std::vector<algebra_info>& algebra_registry();

}  // namespace mercer
