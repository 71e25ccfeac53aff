#include "mercer/export/kernel_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/expression/all_kernels.h"

namespace mercer::api {
namespace {

using op = formula::op;
using pair = formula::pair;

// A symbolic number: a step of the formula that is being built.
struct term {
    formula* in;
    int step;
};

term push(formula& in, formula::step made) {
    const auto same = std::ranges::find(in.steps, made);
    if (same != in.steps.end()) return {&in, static_cast<int>(same - in.steps.begin())};
    in.steps.push_back(made);
    return {&in, static_cast<int>(in.steps.size()) - 1};
}

term number(formula& in, double value) { return push(in, {.what = op::number, .c = value}); }
term both(op what, const term& a, const term& b) { return push(*a.in, {.what = what, .a = a.step, .b = b.step}); }
term one(op what, const term& a, double c = 0) { return push(*a.in, {.what = what, .a = a.step, .c = c}); }

// The operations that the formulas of kernels use. Argument-dependent lookup finds them.
term operator+(const term& a, const term& b) { return both(op::add, a, b); }
term operator+(const term& a, double b) { return a + number(*a.in, b); }
term operator+(double a, const term& b) { return number(*b.in, a) + b; }
term operator-(const term& a, const term& b) { return both(op::subtract, a, b); }
term operator*(const term& a, const term& b) { return both(op::multiply, a, b); }
term operator*(double a, const term& b) { return number(*b.in, a) * b; }
term operator/(const term& a, double b) { return both(op::divide, a, number(*a.in, b)); }
term exp(const term& a) { return one(op::exp, a); }
term log1p(const term& a) { return one(op::log1p, a); }
term sqrt(const term& a) { return one(op::sqrt, a); }
term tanh(const term& a) { return one(op::tanh, a); }
term at_most(const term& a, double limit) { return one(op::at_most, a, limit); }

using polynomial_kernel = mercer::polynomial;

class formula_builder {
public:
    formula_builder(formula& out, pair of) : out_(out), of_(of) {}

    term write(const kernel_node& k) {
        const kernel_form form = k.form();
        const auto part = [&](std::size_t i = 0) { return write(*form.parts[i]); };
        const auto given = [&] { return std::get<double>(form.arguments.front().second); };
        if (form.operation == "sum") return part(0) + part(1);
        if (form.operation == "product") return part(0) * part(1);
        if (form.operation == "scale") return given() * part();
        if (form.operation == "power") return power(part(), given());
        if (form.operation == "exp") return exp(part());
        if (form.operation == "polynomial_of")
            return polynomial(part(), std::get<std::vector<double>>(form.arguments.front().second));
        if (form.operation == "columns") {
            std::vector<index> which;
            for (const double each : std::get<std::vector<double>>(form.arguments.front().second))
                which.push_back(static_cast<index>(each));
            const auto count = static_cast<index>(which.size());
            const mapped_scope mapped(*this, {formula::map::kind::columns, space_, count, std::move(which), {}, 0});
            return part();
        }
        if (form.operation == "scaled") {
            const auto& factors = std::get<std::vector<double>>(form.arguments.front().second);
            std::vector<std::vector<double>> rows(factors.size(), std::vector<double>(factors.size(), 0.0));
            for (std::size_t a = 0; a < factors.size(); ++a) rows[a][a] = factors[a];
            const mapped_scope mapped(
                *this, {formula::map::kind::linear, space_, static_cast<index>(factors.size()), {}, rows, 0});
            return part();
        }
        if (form.operation == "normalize") return normalised(*form.parts[0]);
        if (form.operation == "libsvm_poly") {  // read from a LIBSVM file, where coef0 may be negative
            const auto at = [&](std::size_t i) { return std::get<double>(form.arguments[i].second); };
            return mapped(polynomial_kernel{static_cast<int>(at(0)), at(1), at(2)});
        }
        if (const auto made = listed(k, static_cast<listed_kernels*>(nullptr))) return *made;
        fail(errc::unsupported,
             fmt::format("the kernel {} cannot be written as a formula k(x, z) of two vectors{}", k.text(),
                         k.kind() == object_kind::vectors || k.kind() == object_kind::any
                             ? ""
                             : fmt::format(": it is a kernel on {}", name(k.kind()))));
    }

private:
    // During its lifetime, statistics are computed from the mapped vectors.
    class mapped_scope {
    public:
        mapped_scope(formula_builder& of, formula::map made) : of_(of), before_(of.space_) {
            auto& maps = of.out_.maps;
            const auto same = std::ranges::find_if(maps, [&](const formula::map& each) {
                return each.what == made.what && each.from == made.from && each.columns == made.columns &&
                       each.rows == made.rows && each.period == made.period;
            });
            of.space_ = static_cast<int>(same - maps.begin()) + 1;
            if (same != maps.end()) return;
            of.out_.dims.push_back(made.dims);
            maps.push_back(std::move(made));
        }
        ~mapped_scope() { of_.space_ = before_; }
        mapped_scope(const mapped_scope&) = delete;
        mapped_scope& operator=(const mapped_scope&) = delete;

    private:
        formula_builder& of_;
        int before_;
    };

    term statistic_of(op what) {
        const bool difference = what == op::squared_distance || what == op::manhattan || what == op::chi2;
        if (difference && of_ != pair::xz) return number(out_, 0);
        return push(out_, {.what = what, .space = space_, .of = of_});
    }

    static op statistic_named(pair_statistic what, bool distance) {
        switch (what) {
            case pair_statistic::dot: return distance ? op::squared_distance : op::dot;
            case pair_statistic::manhattan: return op::manhattan;
            case pair_statistic::chi2: return op::chi2;
            case pair_statistic::min_sum: return op::min_sum;
            case pair_statistic::product: return op::product;
            case pair_statistic::user: break;
        }
        fail(errc::unsupported,
             "a kernel that contains a user's function cannot be written as a formula k(x, z) of two vectors");
    }

    // Returns f(statistic), built by the formula of the kernel.
    template <class F>
    term mapped(const F& f) {
        term t = statistic_of(statistic_named(F::statistic, F::input == map_input::squared_distance));
        if constexpr (requires { f.map(); }) {
            return f.map()(t);
        } else if constexpr (chooses_formula<F>) {
            term made = t;
            f.choose([&](const auto& chosen) { made = chosen(t); });
            return made;
        } else {
            return f(t);
        }
    }

    template <class F>
    term leaf(const F& f) {
        using kind = formula::map::kind;
        if constexpr (std::is_same_v<F, mercer::constant>) {
            return number(out_, f.c);
        } else if constexpr (std::is_same_v<F, cosine>) {
            return normalised(kernel(linear{}).node());
        } else if constexpr (std::is_same_v<F, periodic>) {
            const mapped_scope on(*this, {kind::circle, space_, 2 * dims(), {}, {}, f.period});
            return mapped(f);
        } else if constexpr (std::is_same_v<F, anisotropic> || std::is_same_v<F, bilinear>) {
            std::vector<std::vector<double>> rows;
            if constexpr (std::is_same_v<F, bilinear>)
                rows = f.root();
            else
                rows = f.whitening();
            const auto made = static_cast<index>(rows.size());
            const mapped_scope on(*this, {kind::linear, space_, made, {}, std::move(rows), 0});
            return mapped(f);
        } else {
            return mapped(f);
        }
    }

    index dims() const { return out_.dims[static_cast<std::size_t>(space_)]; }

    template <class F, class... Of>
    static constexpr bool is_one_of = (std::is_same_v<F, Of> || ...);
    // True if leaf() can write F: F compares the vectors themselves (the embeddings of chi2 and intersection only check
    // their coordinates), or leaf() has its map.
    template <class F>
    static constexpr bool has_formula = [] {
        if constexpr (is_one_of<F, mercer::constant, cosine, periodic, anisotropic, bilinear, chi2, intersection>) {
            return true;
        } else if constexpr (
            requires { F::input; } && !requires(const F& f) { f.embedding(); }) {
            return F::input != map_input::with_norms;
        }
        return false;
    }();

    template <class... F>
    std::optional<term> listed(const kernel_node& k, kernel_list<F...>*) {
        std::optional<term> made;
        const auto look = [&]<class G>(G*) {
            if constexpr (has_formula<G>) {
                const auto* node = dynamic_cast<const leaf_node<G>*>(&k);
                if (node && (node->kind() == object_kind::vectors || node->kind() == object_kind::any))
                    made = leaf(node->formula());
            }
        };
        (look(static_cast<F*>(nullptr)), ...);
        return made;
    }

    static term power(const term& base, double exponent) {
        if (exponent >= 1 && exponent <= 64 && exponent == std::floor(exponent))
            return whole_power(base, static_cast<int>(exponent));
        return one(op::power, base, exponent);
    }

    static term polynomial(const term& t, const std::vector<double>& c) {
        term sum = number(*t.in, c.back());
        for (std::size_t i = c.size() - 1; i-- > 0;) sum = sum * t + c[i];
        return sum;
    }

    // Returns write() with all statistics computed from the pair `of`.
    template <class Write>
    term on(pair of, Write write) {
        const pair before = std::exchange(of_, of);
        const term made = write();
        of_ = before;
        return made;
    }

    // Returns k(x, z)/√(k(x, x)k(z, z)), computed from logarithms if the kernel has them, so that nothing overflows.
    term normalised(const kernel_node& part) {
        if (part.has_log() && of_ != pair::xz) return number(out_, 1);
        if (part.has_log()) {
            const term x = on(pair::xx, [&] { return logarithm(part); });
            const term z = on(pair::zz, [&] { return logarithm(part); });
            return exp(logarithm(part) - 0.5 * (x + z));
        }
        const term x = on(of_ == pair::zz ? pair::zz : pair::xx, [&] { return write(part); });
        const term z = on(of_ == pair::xx ? pair::xx : pair::zz, [&] { return write(part); });
        return both(op::over_root, both(op::over_root, write(part), x), z);
    }

    term logarithm(const kernel_node& k) {
        const kernel_form form = k.form();
        if (form.operation == "exp") return write(*form.parts[0]);
        const auto part = [&](std::size_t i = 0) { return logarithm(*form.parts[i]); };
        if (form.operation == "product") return part(0) + part(1);
        if (form.operation == "scale") return part() + std::log(std::get<double>(form.arguments.front().second));
        if (form.operation == "power") return std::get<double>(form.arguments.front().second) * part();
        fail(errc::unsupported,
             fmt::format("the kernel normalize({}) cannot be written as a formula k(x, z) of two vectors", k.text()));
    }

    formula& out_;
    pair of_;
    int space_ = 0;
};

// Returns the steps that step `last` depends on, renumbered.
std::vector<formula::step> used_steps(const std::vector<formula::step>& all, int last) {
    std::vector<bool> live(all.size());
    live[static_cast<std::size_t>(last)] = true;
    for (int i = last; i >= 0; --i)
        for (const int part : {all[static_cast<std::size_t>(i)].a, all[static_cast<std::size_t>(i)].b})
            if (live[static_cast<std::size_t>(i)] && part >= 0) live[static_cast<std::size_t>(part)] = true;
    std::vector<int> place(all.size(), -1);
    std::vector<formula::step> out;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
        if (!live[i]) continue;
        place[i] = static_cast<int>(out.size());
        out.push_back(all[i]);
        for (int* part : {&out.back().a, &out.back().b})
            if (*part >= 0) *part = place[static_cast<std::size_t>(*part)];
    }
    return out;
}

}  // namespace

bool formula::depends_on_pair() const {
    return std::ranges::any_of(steps, [](const step& s) { return is_statistic(s.what) && s.of == pair::xz; });
}

formula make_formula(const kernel_node& k, index dims, pair of) {
    formula out;
    out.dims = {dims};
    const term last = formula_builder(out, of).write(k);
    out.steps = used_steps(out.steps, last.step);
    return out;
}

}  // namespace mercer::api
