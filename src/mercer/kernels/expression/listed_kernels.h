// All kernels by name, with parameters, defaults, ranges, formula and domain: what the parser, help texts and docs are
// made from.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "mercer/kernels/kernel_info.h"

namespace mercer {

struct registered_kernel {
    kernel_info info;
    std::function<kernel(const arguments&)> make;
    // Names of arguments accepted beside the parameters (rbf's sigma).
    std::vector<std::string> other_arguments;
};

const std::vector<registered_kernel>& kernel_registry();
// By name or alias; nullptr when there is none.
const registered_kernel* find_kernel(std::string_view name);

// φ, where the kernel is one of these and is φ(x)ᵀφ(z) for vectors that the library makes of its objects.
std::optional<feature> explicit_features(const kernel& k);

// The functions of the text form that make kernels from kernels, for help texts.
struct algebra_info {
    std::string form;
    std::string meaning;
    std::string rule;
};
const std::vector<algebra_info>& algebra_registry();

}  // namespace mercer
