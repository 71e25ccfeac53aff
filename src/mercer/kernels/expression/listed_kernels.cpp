#include "mercer/kernels/expression/listed_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>

#include "mercer/base/error.h"
#include "mercer/kernels/expression/all_kernels.h"

namespace mercer {
namespace {

template <class F>
registered_kernel entry() {
    registered_kernel made{F::info(), [](const arguments& given) { return kernel(F::from(given)); }, {}};
    if constexpr (requires { F::other_arguments(); }) made.other_arguments = F::other_arguments();
    return made;
}

template <class... F>
std::vector<registered_kernel> entries(kernel_list<F...>) {
    return {entry<F>()...};
}

template <class... F>
std::int32_t place_of(const std::type_info& formula, kernel_list<F...>) {
    std::int32_t place = 0;
    if (!((formula == typeid(F) || (++place, false)) || ...))
        fail(errc::invalid_argument, fmt::format("{} is not in the list of all_kernels.h", formula.name()));
    return place;
}

template <class F>
std::optional<embedding> embedding_of(const kernel_node& node) {
    if constexpr (requires(const F& f) {
                      f.embedding();
                      { f.map() } -> std::same_as<linear>;
                  })
        if constexpr (F::statistic == pair_statistic::dot && F::input == map_input::value)
            if (const auto* leaf = dynamic_cast<const leaf_node<F>*>(&node)) return leaf->formula().embedding();
    return {};
}

template <class... F>
std::optional<embedding> embedding_of(const kernel_node& node, kernel_list<F...>) {
    std::optional<embedding> found;
    ((found = embedding_of<F>(node)) || ...);
    return found;
}

}  // namespace

std::optional<embedding> explicit_embedding(const kernel& k) { return embedding_of(k.node(), listed_kernels()); }

const std::vector<registered_kernel>& kernel_registry() {
    static const std::vector<registered_kernel> all = entries(listed_kernels());
    return all;
}

std::int32_t place_in_list(const std::type_info& formula) { return place_of(formula, listed_kernels()); }

const registered_kernel* find_kernel(std::string_view name) {
    for (const auto& each : kernel_registry())
        if (each.info.name == name ||
            std::find(each.info.aliases.begin(), each.info.aliases.end(), name) != each.info.aliases.end())
            return &each;
    return nullptr;
}

const std::vector<algebra_info>& algebra_registry() {
    static const std::vector<algebra_info> all{
        {"c*k", "scale", "a kernel for c >= 0"},
        {"k1 + k2", "sum", "a kernel"},
        {"k1*k2", "product", "a kernel"},
        {"k^m", "power", "a kernel for integer m >= 0"},
        {"polynomial_of(k, [c0, c1, ...])", "c0 + c1*k + c2*k^2 + ...", "a kernel for all coefficients >= 0"},
        {"exp(k)", "exponential", "a kernel"},
        {"normalize(k)", "k(x,z)/sqrt(k(x,x)*k(z,z))", "a kernel"},
        {"conjugate(h, k)", "h(x)*k(x,z)*h(z), h a registered function such as norm", "a kernel"},
        {"pullback(phi, k)",
         "k(phi(x), phi(z)), phi a registered map, or a kernel with explicit features such as words", "a kernel"},
        {"columns(k, [0, 2, ...])", "k on the columns with these numbers", "a kernel"},
        {"scaled(k, [s0, s1, ...])", "k on vectors whose columns are multiplied by these factors", "a kernel"},
        {"field(name, k)", "k on one field of records", "a kernel"},
        {"map(phi)", "phi(x)'phi(z), phi a registered map", "a kernel"},
        {"user(f)", "a registered function of two objects", "not proven"},
    };
    return all;
}

}  // namespace mercer
