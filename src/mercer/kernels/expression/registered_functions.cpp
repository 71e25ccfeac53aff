#include "mercer/kernels/expression/registered_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"

namespace mercer {

namespace {

template <class Value>
class named_registry {
public:
    void set(const std::string& name, Value value) {
        const std::lock_guard guard(lock_);
        known_.insert_or_assign(name, std::move(value));
    }
    std::optional<Value> find(const std::string& name) const {
        const std::lock_guard guard(lock_);
        const auto at = known_.find(name);
        return at == known_.end() ? std::nullopt : std::optional<Value>(at->second);
    }

private:
    mutable std::mutex lock_;
    std::map<std::string, Value> known_;
};

// The weight "norm": h(x) = ‖x‖.
std::vector<double> norms(const dataset& x) {
    std::vector<double> h;
    std::visit(
        [&](const auto& some) {
            for (index i = 0; i < some.size(); ++i) {
                double sum = 0;
                const auto add = [&](double value) { sum += value * value; };
                if constexpr (requires { some.row(0); }) {
                    std::for_each_n(some.row(i), some.dims(), add);
                } else if constexpr (requires { some.values(0); }) {
                    for (const auto value : some.values(i)) add(value);
                } else {
                    as_dense<double>(x);  // throws, because the objects are not vectors
                }
                h.push_back(std::sqrt(sum));
            }
        },
        x.items());
    return h;
}

named_registry<object_function>& weights() {
    static named_registry<object_function> all;
    static const bool filled = (all.set("norm", norms), true);
    (void)filled;
    return all;
}
named_registry<embedding>& maps() {
    static named_registry<embedding> all;
    return all;
}
named_registry<kernel>& kernels() {
    static named_registry<kernel> all;
    return all;
}

using named_kernels = std::vector<std::pair<std::string, kernel>>;
std::vector<named_kernels>& scoped_kernel_stack() {
    auto& innermost_last = per_thread<std::vector<named_kernels>>([] {});
    return innermost_last;
}

void require_unique_function_names(const std::shared_ptr<const kernel_node>& node,
                                   std::map<std::string, const kernel_node*>& seen) {
    const kernel_form form = node->form();
    if (form.operation == "user" && seen.try_emplace(form.function_name, node.get()).first->second != node.get())
        fail(errc::unsupported, fmt::format("the kernel has two functions named '{}', but a model file distinguishes "
                                            "functions by their names: rename one of them",
                                            form.function_name));
    for (const auto& part : form.parts) require_unique_function_names(part, seen);
}

}  // namespace

scoped_kernels::scoped_kernels(named_kernels known) { scoped_kernel_stack().push_back(std::move(known)); }
scoped_kernels::~scoped_kernels() { scoped_kernel_stack().pop_back(); }

std::string file_text(const kernel& k) {
    std::map<std::string, const kernel_node*> seen;
    require_unique_function_names(k.shared(), seen);
    return k.text();
}

void register_weight(const std::string& name, object_function h) { weights().set(name, std::move(h)); }
void register_map(const std::string& name, std::function<std::vector<double>(std::span<const double>)> phi) {
    maps().set(name, vector_map("map " + name, std::move(phi)));
}
void register_kernel(const std::string& name, const kernel& k) { kernels().set(name, k); }
std::optional<object_function> find_weight(const std::string& name) { return weights().find(name); }
std::optional<embedding> find_map(const std::string& name) { return maps().find(name); }
std::optional<kernel> find_registered_kernel(const std::string& name) {
    for (auto known = scoped_kernel_stack().rbegin(); known != scoped_kernel_stack().rend(); ++known)
        if (const auto at = std::ranges::find(*known, name, &named_kernels::value_type::first); at != known->end())
            return at->second;
    return kernels().find(name);
}

}  // namespace mercer
