#include "mercer/kernels/names.h"

#include <cmath>
#include <map>
#include <mutex>

#include "mercer/kernels/algebra.h"

namespace mercer {
namespace {

template <class Value>
class directory {
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

// Known from the start: norm, h(x) = ‖x‖.
std::vector<double> norms(const dataset& x) {
    const dense<double> rows = as_dense<double>(x);
    std::vector<double> h;
    for (index i = 0; i < rows.size(); ++i) {
        double sum = 0;
        for (index a = 0; a < rows.dims(); ++a) sum += rows.row(i)[a] * rows.row(i)[a];
        h.push_back(std::sqrt(sum));
    }
    return h;
}

directory<object_function>& weights() {
    static directory<object_function> all;
    static const bool filled = (all.set("norm", norms), true);
    (void)filled;
    return all;
}
directory<feature>& maps() {
    static directory<feature> all;
    return all;
}
directory<kernel>& kernels() {
    static directory<kernel> all;
    return all;
}

}  // namespace

void register_weight(const std::string& name, object_function h) { weights().set(name, std::move(h)); }
void register_map(const std::string& name, std::function<std::vector<double>(std::span<const double>)> phi) {
    maps().set(name, vector_map("map " + name, std::move(phi)));
}
void register_kernel(const std::string& name, const kernel& k) { kernels().set(name, k); }
std::optional<object_function> weight_named(const std::string& name) { return weights().find(name); }
std::optional<feature> map_named(const std::string& name) { return maps().find(name); }
std::optional<kernel> kernel_named(const std::string& name) { return kernels().find(name); }

}  // namespace mercer
