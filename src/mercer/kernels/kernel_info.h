// The parts of a kernel that is written as a struct: its description, its arguments and the code that it emits; and the
// leaf of an expression tree that is made from it. CONTRIBUTING.md, "Adding a kernel", has a complete example.
//
// A complete kernel on vectors is one struct (example: vectors/gaussian.h) with
//   - its parameters as members, and info(), from(), check() and arguments();
//   - `statistic`, the statistic of a pair of vectors, and `input`, the form in which the formula takes it
//     (formula_call.h);
//   - the formula as a call operator on one number: a double, a float, a SIMD vector, a number with an error bound
//     (error_bounded.h) or a dual number (dual_number.h).
// Instead of the call operator a kernel may have map(), which returns another kernel with the same formula
// (vectors/periodic.h), or choose(), which picks one of several formulas (vectors/matern.h). embedding() gives the
// embedding of its objects as vectors, if the statistic is not computed on the data themselves. Optional members that
// are found by their presence: emit, emit_log, emit_gaussian_of, expand, features, other_arguments, may_overflow.
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

// The description of a parameter of a kernel.
struct parameter_info {
    std::string name;
    std::string initial;    // the default as text; empty: the parameter is required
    std::string condition;  // the range of the parameter, "gamma > 0"
    std::string about;      // its meaning
};

// The description of a kernel, from which help and documentation are generated.
struct kernel_info {
    std::string name;
    std::vector<std::string> aliases;
    std::string formula;
    object_kind kind = object_kind::vectors;
    std::vector<parameter_info> parameters;
    std::string rule;    // why it is positive semidefinite, or why it is not
    bool mercer = true;  // proven to be positive semidefinite
    traits properties{};
};

// The arguments of one kernel in a text form, by name. The parser stores a positional argument under the name of the
// parameter at that position. A getter throws errc::invalid_argument if the argument is missing and has no default, or
// has another type.
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

// Checks a parameter: unless `ok`, throws errc::invalid_argument with "owner: must satisfy condition, got value". The
// message also asks for a finite value if `value` is not finite.
void require(bool ok, const std::string& owner, const std::string& condition, double value);
// "name(p1=v1, p2=v2)", each number in the shortest form that parses to the same double.
std::string call_text(const kernel_info& info, const std::vector<argument>& values);
// The shortest decimal text that parses to the same double.
std::string number_text(double value);

// x^n for n >= 1 by repeated squaring, for numbers and SIMD vectors.
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

// Functions for formulas, on plain numbers; kernels/tile/simd_vector.h defines them for SIMD vectors.

// min(x, limit)
template <class R>
    requires std::is_arithmetic_v<R> R at_most(R x, double limit) { return x < limit ? x : static_cast<R>(limit); }
// a/b, or `otherwise` if b = 0
template <class R>
    requires std::is_arithmetic_v<R> R ratio(R a, R b, double otherwise) {
        return b == 0 ? static_cast<R>(otherwise) : a / b;
    }

// A kernel struct whose formula the tile loops can apply: f(t), f(t, ‖x‖², ‖z‖²), or one of several such functions.
template <class F>
concept chooses_formula = requires(const F& f) {
    f.choose([](auto) {});
};
template <class F>
concept tile_formula = std::is_trivially_copyable_v<F> && sizeof(F) <= sizeof(formula_call::formula) &&
                       (
                           requires(const F& f, double t) { f(t); } || requires(const F& f, double t) { f(t, t, t); } ||
                           chooses_formula<F>);

// The position of a kernel struct in the list of expression/all_kernels.h; throws for a type that is not in it.
// Defined in expression/listed_kernels.cpp.
std::int32_t place_in_list(const std::type_info& formula);

// A copy of the formula in the form that the tile loops take.
template <tile_formula F>
formula_call formula_call_of(const F& formula) {
    formula_call call{place_in_list(typeid(F)), {}};
    std::memcpy(call.formula, &formula, sizeof(F));
    return call;
}
// Calls use(f) with the formula f of a call, which must have been made from an F; with the chosen formula if F has
// several.
template <tile_formula F, class Use>
inline __attribute__((always_inline)) void apply_formula(const formula_call& call, Use use) {
    F formula{};
    __builtin_memcpy(static_cast<void*>(&formula), call.formula, sizeof(F));
    if constexpr (chooses_formula<F>)
        formula.choose(use);
    else
        use(formula);
}

// Emits the statistic of a kernel and its formula as a map of that statistic; returns the register of the result.
template <class F>
int emit_map(plan_builder& code, const F& formula) {
    embedding source;
    if constexpr (requires { formula.embedding(); }) source = formula.embedding();
    const int stat = code.use_statistic(
        {F::statistic, code.use_embedding(std::move(source)), F::input == map_input::squared_distance, {}});
    instruction step;
    step.operation = instruction::op::map;
    step.a = stat;
    if constexpr (requires { formula.map(); })
        step.formula = formula_call_of(formula.map());
    else
        step.formula = formula_call_of(formula);
    step.input = F::input;
    return code.push(std::move(step));
}

// The node of a listed kernel.
template <class F>
class leaf_node final : public kernel_node {
public:
    explicit leaf_node(F formula) : formula_(std::move(formula)) { formula_.check(); }
    object_kind kind() const override { return F::info().kind; }
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
    expansion expand(expansion_builder& build) const override {
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
