
#include "mercer/kernels/evaluation/pair_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/kernels/dual_number.h"
#include "mercer/kernels/expression/all_kernels.h"
#include "mercer/kernels/plan.h"

namespace mercer {
namespace {

// Running a plan for a single pair of objects, on any number type that formulas accept: double, `error_bounded`,
// `dual_number`.

// Returns f(t) for the formula of a call, or `otherwise` if the formula needs norms.
template <class Number, class... F>
Number map_value(const formula_call& call, Number t, Number otherwise, kernel_list<F...>) {
    Number made = otherwise;
    std::int32_t place = 0;
    const auto apply = [&]<class Formula>(std::type_identity<Formula>) {
        if constexpr (tile_formula<Formula>)
            apply_formula<Formula>(call, [&](auto f) {
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

// Runs the instructions of a plan. map(step) returns the result of an instruction `map` for the pair. multiplied(s, a)
// and added(s, a) return the result of instruction s, outer_multiply or outer_add, applied to a.
template <class Number, class Map, class Multiplied, class Added>
Number run_plan(const plan& code, Map map, Multiplied multiplied, Added added) {
    std::vector<Number> registers(static_cast<std::size_t>(code.registers));
    const auto in = [&](int which) -> Number& { return registers[static_cast<std::size_t>(which)]; };
    for (std::size_t s = 0; s < code.code.size(); ++s) {
        const instruction& step = code.code[s];
        using op = instruction::op;
        using std::exp;
        switch (step.operation) {
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

// Vectors as they are stored. `each` visits the pairs of coordinates of which at least one may be nonzero.
class coordinates {
public:
    explicit coordinates(const dataset& x) : x_(x) {
        if (!x_.is_sparse() && x_.kind() == object_kind::vectors) dense_ = as_dense<double>(x_);
    }
    template <class F>
    void each(index i, index j, F f) const {
        if (const auto* single = x_.as<sparse<float>>()) return merge(*single, i, j, f);
        if (const auto* some = x_.as<sparse<double>>()) return merge(*some, i, j, f);
        for (index a = 0; a < dense_.dims(); ++a) f(dense_.row(i)[a], dense_.row(j)[a]);
    }
    const dataset& objects() const { return x_; }

private:
    template <class T, class F>
    static void merge(const sparse<T>& from, index i, index j, F f) {
        const auto left = from.cols(i), right = from.cols(j);
        const auto u = from.values(i), v = from.values(j);
        for (std::size_t a = 0, b = 0; a < left.size() || b < right.size();) {
            const bool first = b == right.size() || (a < left.size() && left[a] <= right[b]);
            const bool second = a == left.size() || (b < right.size() && right[b] <= left[a]);
            f(first ? static_cast<double>(u[a]) : 0.0, second ? static_cast<double>(v[b]) : 0.0);
            a += first, b += second;
        }
    }
    dataset x_;
    dense<double> dense_;
};

// A sum of terms of any sign with a bound on its error; every term has an error of `units` roundings.
template <class R>
struct running_sum {
    R value = 0, size = 0;
    index count = 0;
    bool all_zero = true;
    // `zero`: the exact term is zero, which excludes terms that underflowed.
    void add(R term, bool zero) { value += term, size += std::abs(term), ++count, all_zero = all_zero && zero; }
    error_bounded<R> with(int units) const {
        if (all_zero) return {};
        return {value, static_cast<R>(count + units) * std::numeric_limits<R>::epsilon() * size +
                           std::numeric_limits<R>::min()};
    }
};

template <class R>
error_bounded<R> statistic_of(pair_statistic what, const coordinates& x, index i, index j) {
    running_sum<R> sum;
    switch (what) {
        case pair_statistic::dot: x.each(i, j, [&](R a, R b) { sum.add(a * b, a == 0 || b == 0); }); return sum.with(2);
        case pair_statistic::manhattan:
            x.each(i, j, [&](R a, R b) { sum.add(std::abs(a - b), a == b); });
            return sum.with(2);
        case pair_statistic::min_sum:
            x.each(i, j, [&](R a, R b) { sum.add(std::min(a, b), std::min(a, b) == 0); });
            return sum.with(1);
        case pair_statistic::chi2:
            x.each(i, j, [&](R a, R b) { sum.add(a + b > 0 ? (a - b) * (a - b) / (a + b) : R(0), a == b); });
            return sum.with(6);
        case pair_statistic::product: {
            auto made = error_bounded<R>::exact(1);
            x.each(i, j, [&](R a, R b) {
                made = made * (error_bounded<R>::exact(1) + error_bounded<R>(a, 0) * error_bounded<R>(b, 0));
            });
            return made;
        }
        case pair_statistic::user: break;
    }
    return {};
}

template <class R>
error_bounded<R> squared_distance_of(const coordinates& x, index i, index j) {
    running_sum<R> sum;
    x.each(i, j, [&](R a, R b) { sum.add((a - b) * (a - b), a == b); });
    return sum.with(4);
}

// Calls visit(node, its form) for every node of the tree.
template <class F>
void walk(const kernel_node& node, F visit) {
    const kernel_form form = node.form();
    visit(node, form);
    for (const auto& part : form.parts) walk(*part, visit);
}

}  // namespace

// A plan and the data of the objects that it needs.
template <class R>
struct certified_kernel<R>::prepared_plan {
    std::shared_ptr<const mercer::plan> code;
    std::vector<coordinates> vectors;                    // per feature
    std::vector<matrix<double>> user_values;             // per statistic: the values of a user's function for all pairs
    std::vector<std::vector<error_bounded<R>>> factors;  // per instruction: the numbers u of outer_*

    R rounding;  // relative error of values that are computed pair by pair

    // The diagonals k(x, x) for the plans of kernel parts. Plans may share a part.
    using diagonals = std::map<const mercer::plan*, std::vector<error_bounded<R>>>;

    prepared_plan(std::shared_ptr<const mercer::plan> from, const dataset& x, R rounded, diagonals& known)
        : code(std::move(from)), rounding(rounded) {
        for (const embedding& each : code->embeddings)
            vectors.emplace_back(each.apply ? each.apply(x, nullptr).first : x);
        for (const plan_statistic& each : code->statistics) {
            const bool asks = each.statistic == pair_statistic::user;
            user_values.emplace_back(asks ? x.size() : 0, asks ? x.size() : 0);
            const dataset& objects = vectors[static_cast<std::size_t>(each.embedding)].objects();
            if (asks)
                each.user(objects, row_set(0, x.size()), objects, row_set(0, x.size()), user_values.back().view());
        }
        for (const instruction& step : code->code) {
            factors.emplace_back();
            if (step.weight)
                for (const double h : step.weight(x)) factors.back().push_back(error_bounded<R>::exact(h));
            if (!step.self) continue;
            for (const error_bounded<R>& self : diagonal_of(step.self, x, known))
                factors.back().push_back(from_self(self, step.diagonal_rule));
        }
    }

    const std::vector<error_bounded<R>>& diagonal_of(const std::shared_ptr<const mercer::plan>& part, const dataset& x,
                                                     diagonals& known) const {
        const mercer::plan* const key = part.get();
        if (const auto found = known.find(key); found != known.end()) return found->second;
        const prepared_plan own(part, x, rounding, known);
        std::vector<error_bounded<R>> self;
        for (index i = 0; i < x.size(); ++i) self.push_back(own.at(i, i));
        return known.emplace(key, std::move(self)).first->second;
    }

    static error_bounded<R> from_self(error_bounded<R> self, instruction::diagonal_use rule) {
        if (rule == instruction::diagonal_use::minus_half) return -0.5 * self;
        if (self.is_nearly_zero()) return {};  // 0/0 = 0
        return error_bounded<R>::exact(1) / sqrt(self);
    }

    error_bounded<R> statistic_input(const instruction& step, index i, index j) const {
        const plan_statistic& stat = code->statistics[static_cast<std::size_t>(step.a)];
        const coordinates& x = vectors[static_cast<std::size_t>(stat.embedding)];
        if (stat.statistic == pair_statistic::user) {
            const R value = user_values[static_cast<std::size_t>(step.a)](i, j);
            error_bounded<R> out = error_bounded<R>::exact(value);
            out.error += rounding * std::abs(value);
            return out;
        }
        return step.input == map_input::squared_distance ? squared_distance_of<R>(x, i, j)
                                                         : statistic_of<R>(stat.statistic, x, i, j);
    }

    error_bounded<R> map(const instruction& step, index i, index j) const {
        const error_bounded<R> t = statistic_input(step, i, j);
        const error_bounded<R> unknown{t.value, std::numeric_limits<R>::infinity()};  // if the formula needs norms
        if (step.input != map_input::with_norms) return map_value(step.formula, t, unknown, listed_kernels());
        return jaccard{}(t, statistic_input(step, i, i), statistic_input(step, j, j));
    }

    error_bounded<R> at(index i, index j) const {
        const auto outer = [&](std::size_t s, index of) { return factors[s][static_cast<std::size_t>(of)]; };
        return run_plan<error_bounded<R>>(
            *code, [&](const instruction& step) { return map(step, i, j); },
            [&](std::size_t s, error_bounded<R> a) { return a * outer(s, i) * outer(s, j); },
            [&](std::size_t s, error_bounded<R> a) { return a + outer(s, i) + outer(s, j); });
    }
};

// The values of a user's function are exact by definition. The library's own kernels on pairs (alignments, common
// substrings, random walks) are sums of positive terms in double with at most some hundred thousand roundings in
// sequence, which 1e-10 bounds.
template <class R>
certified_kernel<R>::certified_kernel(const kernel& k, const dataset& x) {
    typename prepared_plan::diagonals known;
    plan_ =
        std::make_unique<const prepared_plan>(k.compile(), x, compares_by_user_function(k) ? R(0) : R(1e-10), known);
}
template <class R>
certified_kernel<R>::~certified_kernel() = default;
template <class R>
certified_kernel<R>::certified_kernel(certified_kernel&&) noexcept = default;
template <class R>
error_bounded<R> certified_kernel<R>::operator()(index i, index j) const {
    return plan_->at(i, j);
}

std::vector<std::string> list_exact_parts(const kernel& k) {
    std::vector<std::string> names;
    walk(k.node(), [&](const kernel_node& node, const kernel_form& form) {
        static const std::set<std::string> maps{"anisotropic",     "bilinear",
                                                "periodic",        "blended_spectrum",
                                                "graphlets",       "density_overlap",
                                                "coulomb",         "pair_distances",
                                                "words",           "mismatch",
                                                "gapped_kmer",     "propagation",
                                                "min_max",         "multiset_intersection",
                                                "colours",         "gradients",
                                                "spatial_pyramid", "fourier",
                                                "shapelets",       "subtrees"};
        if (maps.contains(form.operation)) names.push_back("the coordinates of " + node.text());
        if (!form.function_name.empty() && form.operation != "field") names.push_back(form.function_name);
    });
    return names;
}

bool compares_by_user_function(const kernel& k) {
    bool compares = false;
    walk(k.node(),
         [&](const kernel_node&, const kernel_form& form) { compares = compares || form.operation == "user"; });
    return compares;
}

template class certified_kernel<double>;
template class certified_kernel<long double>;

kernel_derivative::kernel_derivative(const kernel& k) : plan_(k.compile()) {
    const auto refuse = [&](const char* why) {
        fail(errc::unsupported, fmt::format("{} has no derivatives by columns: {}", k.text(), why));
    };
    if (k.kind() != object_kind::vectors && k.kind() != object_kind::any) refuse("it is not a kernel on vectors");
    for (const embedding& each : plan_->embeddings)
        if (each.apply && each.key != "non_negative") refuse("it compares vectors that are computed from the columns");
    for (const instruction& step : plan_->code) {
        input_of_.push_back(-1);
        if (step.operation == instruction::op::outer_multiply || step.operation == instruction::op::outer_add)
            refuse("a part of it depends on one object alone, as in normalize()");
        if (step.operation != instruction::op::map) continue;
        const plan_statistic& stat = plan_->statistics[static_cast<std::size_t>(step.a)];
        if (stat.statistic == pair_statistic::user) refuse("a part of it is a user's function");
        if (step.input == map_input::with_norms) refuse("a part of it depends on the norms");
        const input wanted{stat.statistic, step.input == map_input::squared_distance};
        const auto same = std::ranges::find_if(
            inputs_, [&](const input& each) { return each.what == wanted.what && each.distance == wanted.distance; });
        input_of_.back() = static_cast<int>(same - inputs_.begin());
        if (same == inputs_.end()) inputs_.push_back(wanted);
    }
}

double kernel_derivative::operator()(std::span<const double> at, std::span<double> slope) const {
    double value = 0;
    const auto none = [](std::size_t, dual_number a) { return a; };  // the constructor has rejected such plans
    for (std::size_t by = 0; by < inputs_.size(); ++by) {
        const dual_number made = run_plan<dual_number>(
            *plan_,
            [&](const instruction& step) {
                const auto which =
                    static_cast<std::size_t>(input_of_[static_cast<std::size_t>(&step - plan_->code.data())]);
                const bool moves = which == by && !(inputs_[by].vanishes() && at[by] <= 0);
                return map_value(step.formula, dual_number(at[which], moves ? 1 : 0), dual_number(), listed_kernels());
            },
            none, none);
        value = made.value;
        slope[by] = made.slope;
    }
    if (inputs_.empty())
        value = run_plan<dual_number>(
                    *plan_, [](const instruction&) { return dual_number(); }, none, none)
                    .value;
    return value;
}

}  // namespace mercer
