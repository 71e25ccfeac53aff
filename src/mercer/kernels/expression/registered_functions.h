// Functions known by name, so that text forms which mention them can be read back.
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

// Names for functions, so that text forms with conjugate(name, k), pullback(name, k), user(name), map(name) can be read
// back.
void register_weight(const std::string& name, object_function h);
void register_map(const std::string& name, std::function<std::vector<double>(std::span<const double>)> phi);
void register_kernel(const std::string& name, const kernel& k);
// While it lives, user(name) in a text that this thread reads means one of these before any that is registered: for a
// model that brings its own.
class local_kernels {
public:
    explicit local_kernels(std::vector<std::pair<std::string, kernel>> known);
    ~local_kernels();
    local_kernels(const local_kernels&) = delete;
    local_kernels& operator=(const local_kernels&) = delete;
};
// The text form for a file. Fails where two functions of one name stand in the kernel, since the text would be read as
// one of them twice.
std::string lasting_text(const kernel& k);

std::optional<object_function> weight_named(const std::string& name);
std::optional<feature> map_named(const std::string& name);
std::optional<kernel> kernel_named(const std::string& name);

}  // namespace mercer
