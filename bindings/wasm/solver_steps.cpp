// Runs solvers step by step on a problem with two classes and returns, for every step, the coefficients, both
// objectives and the variables that changed.
//
// SMO is called for one pair at a time and continues from its own α. The interior-point method reports its iterates.
// Pegasos and subgradient descent are run again for each number of steps, since their steps are deterministic.
#include <algorithm>
#include <cmath>

#include "level_lines.h"
#include "mercer/base/error.h"
#include "mercer/data/vectors.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernel_analysis/spectrum.h"
#include "mercer/methods/svm/svm_solvers.h"
#include "mercer/solvers/interior_point/quadratic_program.h"
#include "mercer/solvers/linear_svm/kernel_pegasos.h"
#include "mercer/solvers/linear_svm/subgradient.h"
#include "mercer/solvers/smo/smo.h"
#include "session.h"

namespace mercer::page {
namespace {

struct problem {
    matrix<double> K;
    std::vector<double> y, C;
    index size() const { return K.rows(); }
};

// f of all examples, without the offset.
std::vector<double> kernel_sums(const problem& p, std::span<const double> coef) {
    std::vector<double> out(static_cast<std::size_t>(p.size()));
    for (index i = 0; i < p.size(); ++i)
        for (index j = 0; j < p.size(); ++j)
            out[static_cast<std::size_t>(i)] += p.K(i, j) * coef[static_cast<std::size_t>(j)];
    return out;
}

// Records the frames of one run. For every frame, J and D are recomputed with the optimal b, so that solvers can be
// compared. D is evaluated at the coefficients clipped to the box and balanced.
class recorder {
public:
    explicit recorder(const problem& p) : p_(p) {}
    void frame(std::span<const double> coef, std::int64_t step, std::vector<double> moved = {}, double gap = NAN) {
        const std::vector<double> f = kernel_sums(p_, coef);
        double squared = 0;
        for (std::size_t i = 0; i < f.size(); ++i) squared += f[i] * coef[i];
        const double b = best_offset(f, p_.y, p_.C).b;
        coefs_.insert(coefs_.end(), coef.begin(), coef.end());
        offsets_.push_back(b), steps_.push_back(static_cast<double>(step)), gaps_.push_back(gap);
        primal_.push_back(squared / 2 + hinge_loss(f, b, p_.y, p_.C));
        dual_.push_back(dual(coef));
        moved.resize(2, -1);
        moved_.insert(moved_.end(), moved.begin(), moved.end());
    }
    std::size_t frames() const { return offsets_.size(); }
    double primal() const { return primal_.back(); }
    double dual_value() const { return dual_.back(); }
    void put(const std::string& name, reply& out) const {
        out.body["frames"] = offsets_.size();
        out.body["solver"] = name;
        out.array<float>("coef", coefs_), out.array<double>("offset", offsets_), out.array<double>("step", steps_);
        out.array<double>("primal", primal_), out.array<double>("dual", dual_), out.array<double>("gap", gaps_);
        out.array<std::int32_t>("moved", moved_);
    }

private:
    double dual(std::span<const double> coef) const {
        std::vector<double> alpha(coef.size());
        double positive = 0, negative = 0;
        for (std::size_t i = 0; i < alpha.size(); ++i) {
            alpha[i] = std::clamp(coef[i] * p_.y[i], 0.0, p_.C[i]);
            (p_.y[i] > 0 ? positive : negative) += alpha[i];
        }
        const double keep = std::min(positive, negative);
        std::vector<double> balanced(alpha.size());
        double sum = 0;
        for (std::size_t i = 0; i < alpha.size(); ++i) {
            const double all = p_.y[i] > 0 ? positive : negative;
            const double a = all > 0 ? alpha[i] * keep / all : 0;
            sum += a, balanced[i] = a * p_.y[i];
        }
        const std::vector<double> f = kernel_sums(p_, balanced);
        double squared = 0;
        for (std::size_t i = 0; i < f.size(); ++i) squared += f[i] * balanced[i];
        return sum - squared / 2;
    }
    const problem& p_;
    std::vector<double> coefs_, offsets_, steps_, primal_, dual_, moved_, gaps_;
};

void record_smo(const problem& p, std::size_t most, double tol, recorder& to) {
    const precomputed<double> exact(p.K.view());
    matrix<float> rounded(p.size(), p.size());
    std::copy_n(p.K.data(), p.size() * p.size(), rounded.data());
    const precomputed<float> fast(rounded.view());
    std::vector<double> lower, upper, alpha(p.y.size());
    for (std::size_t i = 0; i < p.y.size(); ++i)
        lower.push_back(p.y[i] > 0 ? 0 : -p.C[i]), upper.push_back(p.y[i] > 0 ? p.C[i] : 0);
    smo_options options;
    options.tol = tol, options.max_steps = 1, options.shrinking = false;
    to.frame(alpha, 0);
    while (to.frames() < most) {
        const smo_result next = solve_smo(fast, exact, {p.y, lower, upper, {}, alpha}, options);
        std::vector<double> moved;
        for (std::size_t i = 0; i < alpha.size(); ++i)
            if (alpha[i] != next.alpha[i]) moved.push_back(static_cast<double>(i));
        if (moved.empty()) break;
        alpha = next.alpha;
        to.frame(alpha, static_cast<std::int64_t>(to.frames()), moved, next.gap);
        if (next.gap <= tol) break;
    }
}

void record_interior_point(const problem& p, std::size_t most, double tol, recorder& to) {
    const auto n = static_cast<std::size_t>(p.size());
    matrix<double> Q(p.size(), p.size()), A(1, p.size());
    std::vector<double> minus_one(n, -1), zero(n, 0), none{0};
    for (index i = 0; i < p.size(); ++i) {
        A(0, i) = p.y[static_cast<std::size_t>(i)];
        for (index j = 0; j < p.size(); ++j)
            Q(i, j) = p.K(i, j) * p.y[static_cast<std::size_t>(i)] * p.y[static_cast<std::size_t>(j)];
    }
    qp_options options;
    options.tol = tol;
    options.progress = [&](const qp_progress& now) {
        std::vector<double> coef(now.u.begin(), now.u.end());
        for (std::size_t i = 0; i < n; ++i) coef[i] *= p.y[i];
        to.frame(coef, now.step, {}, now.gap);
        return to.frames() < most;
    };
    std::vector<double> start(n);
    to.frame(start, 0);
    const qp_result end = solve_qp({Q.view(), minus_one, {}, {}, zero, p.C, A.view(), none}, options);
    std::vector<double> coef = end.u;
    for (std::size_t i = 0; i < n; ++i) coef[i] *= p.y[i];
    to.frame(coef, end.steps, {}, end.gap);
}

// Numbers of steps: 1, 2, 3, …, then with growing distances, so that the frames show the beginning and the end.
std::vector<std::int64_t> frame_lengths(std::size_t most, std::int64_t longest) {
    std::vector<std::int64_t> out{0};
    const double growth = std::pow(static_cast<double>(longest), 1.0 / static_cast<double>(most));
    double next = 1;
    while (out.back() < longest && out.size() < 2 * most) {
        next = std::max(next * growth, static_cast<double>(out.back() + 1));
        out.push_back(std::min<std::int64_t>(longest, static_cast<std::int64_t>(next)));
    }
    return out;
}

void record_pegasos(const problem& p, std::size_t most, recorder& to) {
    const precomputed<double> K(p.K.view());
    std::vector<double> start(p.y.size());
    to.frame(start, 0);
    for (const std::int64_t steps : frame_lengths(most, 30 * p.size())) {
        if (steps == 0) continue;
        pegasos_options options;
        options.offset = offset_rule::exact, options.average = false, options.tol = 1e-9;
        options.max_steps = steps, options.max_epochs = 1 + steps / p.size();
        options.evaluate_every = options.max_epochs;
        to.frame(solve_kernel_pegasos(K, p.y, p.C, options).coef, steps);
    }
}

// Uses the coordinates of the empirical feature map, where φ(xᵢ)ᵀφ(xⱼ) = Kᵢⱼ, so that every kernel is linear.
void record_subgradient(const problem& p, std::size_t most, recorder& to) {
    const precomputed<double> K(p.K.view());
    const empirical_map map(K);
    const dataset rows = map.training();
    const auto operand = make_linear_operand(rows);
    std::vector<double> start(p.y.size());
    to.frame(start, 0);
    for (const std::int64_t epochs : frame_lengths(most, 300)) {
        if (epochs == 0) continue;
        subgradient_options options;
        options.tol = 1e-9, options.max_epochs = epochs, options.evaluate_every = epochs;
        const descent_result found = solve_subgradient({*operand, p.y, p.C}, options);
        std::vector<double> coef = found.alpha;
        for (std::size_t i = 0; i < coef.size(); ++i) coef[i] *= p.y[i];
        to.frame(coef, epochs);
    }
}

problem problem_of(const session& s, const request& r) {
    require_data(s, 2);
    const index n = s.data.x.size();
    if (n > 400) fail(errc::unsupported, "steps can be shown for at most 400 examples, got " + std::to_string(n));
    problem p{matrix<double>(n, n), {}, std::vector<double>(static_cast<std::size_t>(n), r.number("C", 1))};
    make_gram<double>(kernel_of(s, r), s.data.x)->fill(p.K.view());
    const double second = *std::max_element(s.data.y.begin(), s.data.y.end());
    for (const double label : s.data.y) p.y.push_back(label == second ? 1 : -1);
    if (std::count(p.y.begin(), p.y.end(), 1.0) == n) fail(errc::data, "two classes are needed, got one class");
    return p;
}

// {"solver": smo | interior_point | pegasos | subgradient, "kernel", "C", "frames"}
void steps(session& s, const request& r, reply& out) {
    const problem p = problem_of(s, r);
    const std::string solver = r.text("solver", "smo");
    const auto most = static_cast<std::size_t>(r.number("frames", 200));
    const double tol = r.number("tol", 1e-3);
    recorder to(p);
    if (solver == "smo")
        record_smo(p, most, tol, to);
    else if (solver == "interior_point")
        record_interior_point(p, most, 1e-8, to);
    else if (solver == "pegasos")
        record_pegasos(p, most, to);
    else if (solver == "subgradient")
        record_subgradient(p, most, to);
    else
        fail(errc::invalid_argument, "the steps of solver '" + solver + "' cannot be shown");
    to.put(solver, out);
}

// Evaluates f(x) = Σ coefᵢk(xᵢ, x) + b on the plane for the coefficients of any step: {"kernel", "offset", "plane",
// "nx", "ny"}.
void function_on_plane(session& s, const request& r, reply& out) {
    require_data(s, 1);
    const plane_grid on(r.body);
    matrix<double> coef(s.data.x.size(), 1);
    if (static_cast<index>(r.numbers.size()) != coef.rows()) fail(errc::data, "one coefficient per example is needed");
    std::copy(r.numbers.begin(), r.numbers.end(), coef.data());
    const kernel_expansion f{
        std::make_shared<const kernel>(kernel_of(s, r)), s.data.x, {}, std::move(coef), {r.number("offset", 0)}, 0};
    const matrix<double> found = f.values(on.places());
    matrix<double> values(on.ny, on.nx);
    std::copy_n(found.data(), on.nx * on.ny, values.data());
    line_list border, margins;
    border.add(on, values.view(), 0), margins.add(on, values.view(), 1), margins.add(on, values.view(), -1);
    border.put("border", out), margins.put("margins", out);
    out.array<float>("f", values);
}

}  // namespace

std::map<std::string, operation> solver_operations() { return {{"steps", steps}, {"function", function_on_plane}}; }

}  // namespace mercer::page
