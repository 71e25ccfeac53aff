
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

// Running a plan for a single pair of objects, on any number type that formulas accept: double, `bounded`, `dual`.

// Returns f(t) for the formula of a call, or `otherwise` if the formula needs norms.
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

// Vectors as they are stored. `each` visits the pairs of coordinates of which at least one may be nonzero.
class coordinates {
public:
    explicit coordinates(const dataset& x) : x_(x) {
        if (!x_.is_sparse() && x_.kind() == domain::vectors) dense_ = as_dense<double>(x_);
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
    bounded<R> with(int units) const {
        if (all_zero) return {};
        return {value, static_cast<R>(count + units) * std::numeric_limits<R>::epsilon() * size +
                           std::numeric_limits<R>::min()};
    }
};

template <class R>
bounded<R> statistic_of(statistic what, const coordinates& x, index i, index j) {
    running_sum<R> sum;
    switch (what) {
        case statistic::dot: x.each(i, j, [&](R a, R b) { sum.add(a * b, a == 0 || b == 0); }); return sum.with(2);
        case statistic::manhattan:
            x.each(i, j, [&](R a, R b) { sum.add(std::abs(a - b), a == b); });
            return sum.with(2);
        case statistic::min_sum:
            x.each(i, j, [&](R a, R b) { sum.add(std::min(a, b), std::min(a, b) == 0); });
            return sum.with(1);
        case statistic::chi2:
            x.each(i, j, [&](R a, R b) { sum.add(a + b > 0 ? (a - b) * (a - b) / (a + b) : R(0), a == b); });
            return sum.with(6);
        case statistic::product: {
            auto made = bounded<R>::exact(1);
            x.each(i, j, [&](R a, R b) { made = made * (bounded<R>::exact(1) + bounded<R>(a, 0) * bounded<R>(b, 0)); });
            return made;
        }
        case statistic::user: break;
    }
    return {};
}

template <class R>
bounded<R> squared_distance_of(const coordinates& x, index i, index j) {
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
struct precise_kernel<R>::bound_plan {
    std::shared_ptr<const mercer::plan> code;
    std::vector<coordinates> vectors;              // per feature
    std::vector<matrix<double>> given;             // per statistic: the values of a user's function for all pairs
    std::vector<std::vector<bounded<R>>> factors;  // per instruction: the numbers u of outer_*

    R rounding;  // relative error of values that are computed pair by pair

    // The diagonals k(x, x) for the plans of kernel parts. Plans may share a part.
    using diagonals = std::map<const mercer::plan*, std::vector<bounded<R>>>;

    bound_plan(std::shared_ptr<const mercer::plan> from, const dataset& x, R rounded, diagonals& known)
        : code(std::move(from)), rounding(rounded) {
        for (const feature& each : code->features) vectors.emplace_back(each.apply ? each.apply(x, nullptr).first : x);
        for (const pair_statistic& each : code->statistics) {
            const bool asks = each.what == statistic::user;
            given.emplace_back(asks ? x.size() : 0, asks ? x.size() : 0);
            const dataset& objects = vectors[static_cast<std::size_t>(each.source)].objects();
            if (asks) each.user(objects, selection(0, x.size()), objects, selection(0, x.size()), given.back().view());
        }
        for (const instruction& step : code->code) {
            factors.emplace_back();
            if (step.weight)
                for (const double h : step.weight(x)) factors.back().push_back(bounded<R>::exact(h));
            if (!step.self) continue;
            for (const bounded<R>& self : diagonal_of(step.self, x, known))
                factors.back().push_back(from_self(self, step.self_rule));
        }
    }

    const std::vector<bounded<R>>& diagonal_of(const std::shared_ptr<const mercer::plan>& part, const dataset& x,
                                               diagonals& known) const {
        if (const auto found = known.find(part.get()); found != known.end()) return found->second;
        const bound_plan own(part, x, rounding, known);
        std::vector<bounded<R>> self;
        for (index i = 0; i < x.size(); ++i) self.push_back(own.at(i, i));
        return known.emplace(part.get(), std::move(self)).first->second;
    }

    static bounded<R> from_self(bounded<R> self, instruction::self_use rule) {
        if (rule == instruction::self_use::minus_half) return -0.5 * self;
        if (self.vanishes()) return {};  // 0/0 = 0
        return bounded<R>::exact(1) / sqrt(self);
    }

    bounded<R> input_of(const instruction& step, index i, index j) const {
        const pair_statistic& stat = code->statistics[static_cast<std::size_t>(step.a)];
        const coordinates& x = vectors[static_cast<std::size_t>(stat.source)];
        if (stat.what == statistic::user) {
            const R value = given[static_cast<std::size_t>(step.a)](i, j);
            bounded<R> out = bounded<R>::exact(value);
            out.error += rounding * std::abs(value);
            return out;
        }
        return step.input == map_input::squared_distance ? squared_distance_of<R>(x, i, j)
                                                         : statistic_of<R>(stat.what, x, i, j);
    }

    bounded<R> map(const instruction& step, index i, index j) const {
        const bounded<R> t = input_of(step, i, j);
        const bounded<R> unknown{t.value, std::numeric_limits<R>::infinity()};  // if the formula needs norms
        if (step.input != map_input::with_norms) return mapped_by(step.formula, t, unknown, listed_kernels());
        return jaccard{}(t, input_of(step, i, i), input_of(step, j, j));
    }

    bounded<R> at(index i, index j) const {
        const auto outer = [&](std::size_t s, index of) { return factors[s][static_cast<std::size_t>(of)]; };
        return run_plan<bounded<R>>(
            *code, [&](const instruction& step) { return map(step, i, j); },
            [&](std::size_t s, bounded<R> a) { return a * outer(s, i) * outer(s, j); },
            [&](std::size_t s, bounded<R> a) { return a + outer(s, i) + outer(s, j); });
    }
};

// The values of a user's function are exact by definition. The library's own kernels on pairs (alignments, common
// substrings, random walks) are sums of positive terms in double with at most some hundred thousand roundings in
// sequence, which 1e-10 bounds.
template <class R>
precise_kernel<R>::precise_kernel(const kernel& k, const dataset& x) {
    typename bound_plan::diagonals known;
    plan_ = std::make_unique<const bound_plan>(k.compile(), x, compares_by_user_function(k) ? R(0) : R(1e-10), known);
}
template <class R>
precise_kernel<R>::~precise_kernel() = default;
template <class R>
precise_kernel<R>::precise_kernel(precise_kernel&&) noexcept = default;
template <class R>
bounded<R> precise_kernel<R>::operator()(index i, index j) const {
    return plan_->at(i, j);
}

std::vector<std::string> taken_as_exact(const kernel& k) {
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
        if (maps.contains(form.what)) names.push_back("the coordinates of " + node.text());
        if (!form.who.empty() && form.what != "field") names.push_back(form.who);
    });
    return names;
}

bool compares_by_user_function(const kernel& k) {
    bool compares = false;
    walk(k.node(), [&](const kernel_node&, const kernel_form& form) { compares = compares || form.what == "user"; });
    return compares;
}

template class precise_kernel<double>;
template class precise_kernel<long double>;

kernel_slopes::kernel_slopes(const kernel& k) : plan_(k.compile()) {
    const auto refuse = [&](const char* why) {
        fail(errc::unsupported, fmt::format("{} has no slopes by columns: {}", k.text(), why));
    };
    if (k.where() != domain::vectors && k.where() != domain::any) refuse("it is no kernel on vectors");
    for (const feature& each : plan_->features)
        if (each.apply && each.key != "non_negative") refuse("it compares vectors made of the columns");
    for (const instruction& step : plan_->code) {
        place_.push_back(-1);
        if (step.what == instruction::op::outer_multiply || step.what == instruction::op::outer_add)
            refuse("a part of it depends on one object alone, as in normalize()");
        if (step.what != instruction::op::map) continue;
        const pair_statistic& stat = plan_->statistics[static_cast<std::size_t>(step.a)];
        if (stat.what == statistic::user) refuse("a part of it is a user's function");
        if (step.input == map_input::with_norms) refuse("a part of it depends on the norms");
        const input wanted{stat.what, step.input == map_input::squared_distance};
        const auto same = std::ranges::find_if(
            inputs_, [&](const input& each) { return each.what == wanted.what && each.distance == wanted.distance; });
        place_.back() = static_cast<int>(same - inputs_.begin());
        if (same == inputs_.end()) inputs_.push_back(wanted);
    }
}

double kernel_slopes::operator()(std::span<const double> at, std::span<double> slope) const {
    double value = 0;
    const auto none = [](std::size_t, dual a) { return a; };  // the constructor has rejected such plans
    for (std::size_t by = 0; by < inputs_.size(); ++by) {
        const dual made = run_plan<dual>(
            *plan_,
            [&](const instruction& step) {
                const auto which =
                    static_cast<std::size_t>(place_[static_cast<std::size_t>(&step - plan_->code.data())]);
                const bool moves = which == by && !(inputs_[by].vanishes() && at[by] <= 0);
                return mapped_by(step.formula, dual(at[which], moves ? 1 : 0), dual(), listed_kernels());
            },
            none, none);
        value = made.value;
        slope[by] = made.slope;
    }
    if (inputs_.empty())
        value = run_plan<dual>(
                    *plan_, [](const instruction&) { return dual(); }, none, none)
                    .value;
    return value;
}

}  // namespace mercer
