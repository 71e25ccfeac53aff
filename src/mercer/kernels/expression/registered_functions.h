// Functions and kernels that are registered by name, so that text forms with conjugate(name, k), pullback(name, k),
// user(name) and map(name) can be parsed. The registry is global and may be used from several threads; registering a
// name again replaces the function.
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

void register_weight(const std::string& name, object_function h);
void register_map(const std::string& name, std::function<std::vector<double>(std::span<const double>)> phi);
void register_kernel(const std::string& name, const kernel& k);
// While an object of this class exists, user(name) in a text that this thread parses refers to one of these kernels
// before any registered kernel. Used to load a model file that contains its own kernels.
class local_kernels {
public:
    explicit local_kernels(std::vector<std::pair<std::string, kernel>> known);
    ~local_kernels();
    local_kernels(const local_kernels&) = delete;
    local_kernels& operator=(const local_kernels&) = delete;
};
// The text form for a file. Throws errc::unsupported if the kernel contains two different functions of the same name,
// because the text does not distinguish them.
std::string lasting_text(const kernel& k);

// Find a registered function; return nothing if there is none of that name. "norm", h(x) = ‖x‖, is always registered.
std::optional<object_function> weight_named(const std::string& name);
std::optional<feature> map_named(const std::string& name);
std::optional<kernel> kernel_named(const std::string& name);

}  // namespace mercer
