// A plan run for one pair of objects, on any type of number that formulas run on: double, `bounded`, `dual`.
#pragma once

#include <cmath>
#include <vector>

#include "mercer/kernels/expression/all_kernels.h"
#include "mercer/kernels/plan.h"

namespace mercer {

// f(t) by the formula of a call; `otherwise` where that wants norms.
template <class Number, class... F>
Number mapped_by(const map_call& call, Number t, Number otherwise, kernel_list<F...>) {
    Number made = otherwise;
    std::int32_t place = 0;
    const auto apply = [&]<class Formula>(std::type_identity<Formula>) {
        if constexpr (tile_formula<Formula>)
            use_formula<Formula>(call, [&](auto f) {
                if constexpr (requires { f(t); }) made = f(t);
            });
    };
    ((place++ == call.place ? apply(std::type_identity<F>()) : void()), ...);
    return made;
}

template <class Number>
Number power_of(Number x, double m) {
    if (m == 0) return Number(1.0);
    if (m >= 1 && m <= 1e9 && m == std::floor(m)) return whole_power(x, static_cast<int>(m));
    return power(x, m);
}

template <class Number>
Number polynomial_in(Number x, const std::vector<double>& c) {
    Number sum(c.back());
    for (std::size_t i = c.size() - 1; i-- > 0;) sum = sum * x + Number(c[i]);
    return sum;
}

// map(step) gives what an instruction `map` makes of the pair, multiplied(s, a) and added(s, a) what instruction s of
// the code makes of a by the numbers u, v of the two objects.
template <class Number, class Map, class Multiplied, class Added>
Number run_plan(const plan& code, Map map, Multiplied multiplied, Added added) {
    std::vector<Number> registers(static_cast<std::size_t>(code.registers));
    const auto in = [&](int which) -> Number& { return registers[static_cast<std::size_t>(which)]; };
    for (std::size_t s = 0; s < code.code.size(); ++s) {
        const instruction& step = code.code[s];
        using op = instruction::op;
        using std::exp;
        switch (step.what) {
            case op::fill: in(step.to) = Number(step.shift); break;
            case op::map: in(step.to) = map(step); break;
            case op::affine: in(step.to) = step.scale * in(step.a) + step.shift; break;
            case op::add: in(step.to) = in(step.a) + in(step.b); break;
            case op::multiply: in(step.to) = in(step.a) * in(step.b); break;
            case op::power: in(step.to) = power_of(in(step.a), step.shift); break;
            case op::polynomial: in(step.to) = polynomial_in(in(step.a), step.coefficients); break;
            case op::exponential: in(step.to) = exp(in(step.a)); break;
            case op::outer_multiply: in(step.to) = multiplied(s, in(step.a)); break;
            case op::outer_add: in(step.to) = added(s, in(step.a)); break;
        }
    }
    return in(code.result);
}

}  // namespace mercer
