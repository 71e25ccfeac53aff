// Functions and kernels that are registered by name, so that text forms with conjugate(name, k), pullback(name, k),
// user(name) and map(name) can be parsed. The registry is global and may be used from several threads; registering a
// name again replaces the function. A model whose kernel contains such a function can be loaded only while a function
// of that name is registered.
//
// Example:
//
//     const auto hat = [](std::span<const double> x, std::span<const double> z) {
//         return std::max(0.0, 1 - std::abs(x[0] - z[0]));
//     };
//     register_kernel("hat", from_function("hat", hat));
//     const kernel k = kernel::parse("user(hat) + linear()");
//     assert(k.text() == "user(hat) + linear()");
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// register_weight: h of conjugate(name, k). register_map: φ of pullback(name, k) and map(name). register_kernel: the
// kernel of user(name).
void register_weight(const std::string& name, object_function h);
void register_map(const std::string& name, std::function<std::vector<double>(std::span<const double>)> phi);
void register_kernel(const std::string& name, const kernel& k);
// While an object of this class exists, user(name) in a text that this thread parses refers to one of these kernels
// before any registered kernel. Used to load a model file that contains its own kernels.
class scoped_kernels {
public:
    explicit scoped_kernels(std::vector<std::pair<std::string, kernel>> known);
    ~scoped_kernels();
    scoped_kernels(const scoped_kernels&) = delete;
    scoped_kernels& operator=(const scoped_kernels&) = delete;
};
// The text form for a file. Throws errc::unsupported if the kernel contains two different functions of the same name,
// because the text does not distinguish them.
std::string file_text(const kernel& k);

// Find a registered function; return nothing if there is none of that name. "norm", h(x) = ‖x‖, is always registered.
std::optional<object_function> find_weight(const std::string& name);
std::optional<embedding> find_map(const std::string& name);
std::optional<kernel> find_registered_kernel(const std::string& name);

}  // namespace mercer
