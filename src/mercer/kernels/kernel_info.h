// What the kernels of this folder share: how a leaf describes itself, takes its arguments and becomes a node.
//
// A complete kernel on vectors is one struct (see gaussian.h): parameters, `info`, `from`, `check`, `arguments`, the
// statistic and the formula as a call operator on one number. The number may be a double, a float or a SIMD vector.
// Instead of the call operator a kernel may name another one's formula (`map`, see periodic.h) or choose among several
// (`choose`, see matern.h).
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/kernels/monomial_expansion.h"

namespace mercer {

struct parameter_info {
    std::string name;
    std::string initial;    // default as text; empty: must be given
    std::string condition;  // "gamma > 0"
    std::string about;
};

struct kernel_info {
    std::string name;
    std::vector<std::string> aliases;
    std::string formula;
    domain where = domain::vectors;
    std::vector<parameter_info> parameters;
    std::string rule;  // why it is a kernel, or why it is not
    bool mercer = true;
    traits properties{};
};

// The arguments given to one kernel, by name; positional ones have been given the names of the parameters in order.
class arguments {
public:
    explicit arguments(std::string owner) : owner_(std::move(owner)) {}
    void set(const std::string& name, argument value);
    bool has(const std::string& name) const { return find(name) != nullptr; }
    double number(const std::string& name, std::optional<double> initial = {}) const;
    int whole(const std::string& name, std::optional<int> initial = {}) const;
    std::vector<double> list(const std::string& name) const;
    std::vector<std::vector<double>> table(const std::string& name) const;

private:
    const argument* find(const std::string& name) const;
    std::string owner_;
    std::vector<std::pair<std::string, argument>> given_;
};

// Fails with "owner: must satisfy condition, got value" unless ok; every parameter must be finite.
void require(bool ok, const std::string& owner, const std::string& condition, double value);
// "name(p1=v1, p2=v2)", numbers in their shortest form that reads back the same.
std::string call_text(const kernel_info& info, const std::vector<argument>& values);
std::string number_text(double value);

// x^n by squaring, for numbers and SIMD vectors alike.
template <class R>
R whole_power(R x, int n) {
    R result = x;
    for (bool first = true; n > 0; n >>= 1, x = x * x) {
        if (!(n & 1)) continue;
        result = first ? x : result * x;
        first = false;
    }
    return result;
}

// Small functions a formula may use of numbers; kernels/tile/simd_vector.h has them for SIMD vectors.
template <class R>
    requires std::is_arithmetic_v<R> R at_most(R x, double limit) { return x < limit ? x : static_cast<R>(limit); }
// a/b, `otherwise` where b = 0
template <class R>
    requires std::is_arithmetic_v<R> R ratio(R a, R b, double otherwise) {
        return b == 0 ? static_cast<R>(otherwise) : a / b;
    }

// What the tile loops can apply: f(t), f(t, ‖x‖², ‖z‖²), or one of several such functions.
template <class F>
concept chooses_formula = requires(const F& f) {
    f.choose([](auto) {});
};
template <class F>
concept tile_formula = std::is_trivially_copyable_v<F> && sizeof(F) <= sizeof(map_call::formula) &&
                       (
                           requires(const F& f, double t) { f(t); } || requires(const F& f, double t) { f(t, t, t); } ||
                           chooses_formula<F>);

// Where a kernel stands in the list of all_kernels.h; fails for a type that is not there.
std::int32_t place_in_list(const std::type_info& formula);

template <tile_formula F>
map_call call_of(const F& formula) {
    map_call call{place_in_list(typeid(F)), {}};
    std::memcpy(call.formula, &formula, sizeof(F));
    return call;
}
// Hands the formula of a call, which must be an F, to `use`.
template <tile_formula F, class Use>
inline __attribute__((always_inline)) void use_formula(const map_call& call, Use use) {
    F formula{};
    __builtin_memcpy(static_cast<void*>(&formula), call.formula, sizeof(F));
    if constexpr (chooses_formula<F>)
        formula.choose(use);
    else
        use(formula);
}

// The code of a formula: its statistic, then its map.
template <class F>
int emit_map(plan_builder& code, const F& formula) {
    feature source;
    if constexpr (requires { formula.source(); }) source = formula.source();
    const int stat =
        code.use_statistic({F::what, code.use_feature(std::move(source)), F::input == map_input::squared_distance, {}});
    instruction step;
    step.what = instruction::op::map;
    step.a = stat;
    if constexpr (requires { formula.map(); })
        step.formula = call_of(formula.map());
    else
        step.formula = call_of(formula);
    step.input = F::input;
    return code.push(std::move(step));
}

template <class F>
class leaf_node final : public kernel_node {
public:
    explicit leaf_node(F formula) : formula_(std::move(formula)) { formula_.check(); }
    domain where() const override { return F::info().where; }
    std::string text() const override { return call_text(F::info(), formula_.arguments()); }
    traits properties() const override { return F::info().properties; }
    kernel_form form() const override {
        const kernel_info info = F::info();
        const std::vector<argument> values = formula_.arguments();
        kernel_form made{info.name, {}, {}, {}};
        for (std::size_t i = 0; i < values.size(); ++i) made.arguments.emplace_back(info.parameters[i].name, values[i]);
        return made;
    }
    mercer::proof prove() const override {
        const kernel_info info = F::info();
        mercer::proof made{info.mercer, text(), info.rule, {}, {}, !info.mercer};
        for (const auto& parameter : info.parameters)
            if (info.mercer && !parameter.condition.empty()) made.conditions.push_back(parameter.condition);
        return made;
    }
    int emit(plan_builder& code) const override {
        if constexpr (requires { F::may_overflow; }) code.check_range();
        if constexpr (requires { formula_.emit(code); }) {
            return formula_.emit(code);
        } else {
            return emit_map(code, formula_);
        }
    }
    bool has_log() const override {
        return requires { &F::emit_log; };
    }
    int emit_log(plan_builder& code) const override {
        if constexpr (requires { formula_.emit_log(code); }) return formula_.emit_log(code);
        return -1;
    }
    int emit_gaussian_of(plan_builder& code, double c) const override {
        if constexpr (requires { formula_.emit_gaussian_of(code, c); })
            if (c > 0) return formula_.emit_gaussian_of(code, c);
        return kernel_node::emit_gaussian_of(code, c);
    }
    expansion expand(map_builder& build) const override {
        if constexpr (requires { formula_.expand(build); }) return formula_.expand(build);
        return kernel_node::expand(build);
    }
    const F& formula() const { return formula_; }

private:
    F formula_;
};

template <class F>
std::shared_ptr<const kernel_node> make_leaf(F formula) {
    return std::make_shared<const leaf_node<F>>(std::move(formula));
}

}  // namespace mercer
