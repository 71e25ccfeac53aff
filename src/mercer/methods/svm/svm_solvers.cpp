#include "mercer/methods/svm/svm_solvers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/vectors.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/row_cache.h"
#include "mercer/kernels/features/explicit_features.h"
#include "mercer/methods/canonical_order.h"
#include "mercer/methods/svm/multiclass.h"
#include "mercer/solvers/linear_svm/coordinate_descent.h"
#include "mercer/solvers/linear_svm/kernel_pegasos.h"

namespace mercer {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

dual_input make_dual_input(const binary_problem& problem) {
    dual_input in;
    in.sign = problem.sign;
    in.penalty = problem.penalty;
    in.rows = problem.rows;
    return in;
}

class trainer {
public:
    // rows: the vectors for the solvers that compute w, which are x or its explicit features.
    trainer(svm_solver solver, const kernel& k, const dataset& x, const dataset& rows, const train_options& o)
        : solver_(solver), k_(k), x_(x), rows_(rows), o_(o) {}

    trained_svm run(std::span<const double> y) {
        trained_svm out;
        count_problems(y);
        const auto one = [&](const binary_problem& problem, std::size_t which, index concurrent_problems) {
            const double all = std::accumulate(problem.penalty.begin(), problem.penalty.end(), 0.0);
            if (std::isfinite(all)) add_trace_point(which, 0, 0, all, 0);
            return solve(problem, which, concurrent_problems);
        };
        const std::vector<index> rank =
            o_.svm.canonical_order ? canonical_ranks(x_, y, o_.svm.sample_weight) : std::vector<index>{};
        out.model = fit_binary_problems(x_.size(), y, o_.svm, one, rank);
        attach(out.model, k_, x_);
        if (!explicit_w_.empty()) set_w_as_support(out.model);
        std::stable_sort(trace_.begin(), trace_.end(),
                         [](const trace_point& a, const trace_point& b) { return a.problem < b.problem; });
        out.trace = std::move(trace_);
        return out;
    }

private:
    void count_problems(std::span<const double> y) {
        std::set<double> labels;
        for (std::size_t i = 0; i < y.size(); ++i)
            if (o_.svm.sample_weight.empty() || o_.svm.sample_weight[i] > 0) labels.insert(y[i]);
        const auto k = static_cast<index>(labels.size());
        problems_ = class_problems(k, o_.svm.classes).count();
    }

    double seconds_left() const { return std::max(0.0, o_.svm.max_seconds - (now() - started_)); }

    // Calls the progress callback at most ten times a second; may be called from any thread. Returns false once the
    // callback has.
    bool should_continue(std::size_t which, index size, std::int64_t steps, std::int64_t rounds, double gap,
                         double seconds) {
        if (!o_.svm.progress) return true;
        const std::lock_guard guard(progress_lock_);
        if (stopped_ || now() - last_progress_ < 0.1) return !stopped_;
        smo_progress at;
        at.steps = steps, at.rounds = rounds;
        at.gap = gap;
        at.active = at.size = size;
        at.seconds = seconds;
        at.seconds_left = std::numeric_limits<double>::infinity();
        stopped_ = !o_.svm.progress({at, static_cast<index>(which), problems_});
        last_progress_ = now();
        return !stopped_;
    }
    bool should_continue(std::size_t which, index size, const descent_progress& at) {
        return should_continue(which, size, at.steps, at.epoch,
                               at.primal > 0 ? (at.primal - at.dual) / at.primal : unknown, at.seconds);
    }

    void add_trace_point(std::size_t problem, double seconds, std::int64_t iteration, double primal, double dual) {
        if (!o_.trace) return;
        const std::lock_guard guard(lock_);
        trace_.push_back({static_cast<index>(problem), seconds, iteration, primal, dual});
    }

    dual_solution solve(const binary_problem& problem, std::size_t which, index concurrent_problems) {
        switch (solver_) {
            case svm_solver::smo: return solve_by_smo(problem, which, concurrent_problems);
            case svm_solver::interior_point:
            case svm_solver::primal_qp: return solve_by_program(problem, which, concurrent_problems);
            case svm_solver::kernel_pegasos: return solve_by_kernel_pegasos(problem, which, concurrent_problems);
            default: return solve_by_descent(problem, which);
        }
    }

    // J at the signed coefficients with the optimal offset, and D, which is valid only if Σ coef = 0.
    void evaluate_objectives(const gram<double>& K, const dual_input& in, std::span<const double> coef, double& primal,
                             double& dual) const {
        const index n = K.rows();
        matrix<double> f(n, 1);
        K.multiply({coef.data(), n, 1}, f.view());
        double square = 0, sum = 0;
        for (index i = 0; i < n; ++i)
            square += coef[static_cast<std::size_t>(i)] * f(i, 0), sum += std::abs(coef[static_cast<std::size_t>(i)]);
        const std::span<const double> values(f.data(), static_cast<std::size_t>(n));
        const bool soft = std::isfinite(in.penalty[0]);
        primal = soft ? square / 2 + hinge_loss(values, best_offset(values, in.sign, in.penalty).b, in.sign, in.penalty)
                      : unknown;
        dual = sum - square / 2;
    }

    dual_solution solve_by_smo(const binary_problem& problem, std::size_t which, index concurrent_problems) {
        const dataset part = gather(x_, std::span<const index>(problem.rows));
        const auto fast = make_gram<float>(k_, part, {o_.svm.memory_bytes / 4, o_.svm.memory_bytes / 4, true});
        const auto exact = make_gram<double>(k_, part);
        const dual_input in = make_dual_input(problem);
        smo_options s;
        s.tol = o_.svm.tol;
        s.cache_bytes = o_.svm.memory_bytes / static_cast<std::size_t>(concurrent_problems);
        s.shrinking = o_.svm.shrinking;
        s.max_steps = o_.svm.max_steps;
        s.max_seconds = seconds_left();
        s.bounded = std::isfinite(o_.svm.C);
        if (!o_.trace) return solve_dual(*fast, *exact, in, s);
        // Evaluate the objectives every hundredth of a second.
        const double started = now();
        double measuring = 0;
        std::vector<trace_point> seen;
        const auto look = [&](double seconds, std::int64_t steps, std::span<const double> coef) {
            double primal = 0, dual = 0;
            evaluate_objectives(*exact, in, coef, primal, dual);
            seen.push_back({static_cast<index>(which), seconds, steps, primal, dual});
        };
        smo_options watched = s;
        std::int64_t steps = 0;
        watched.checkpoint_seconds = 0.01;
        watched.progress = [&](const smo_progress& at) { return steps = at.steps, true; };
        watched.checkpoint = [&](std::span<const double> alpha) {
            const double begun = now();
            look(begun - started - measuring, steps, alpha);
            measuring += now() - begun;
        };
        dual_solution out = solve_dual(*fast, *exact, in, watched);
        const double spent = now() - started - measuring;
        if (!seen.empty()) seen.pop_back();  // the last α is evaluated below with its number of steps
        if (spent < 0.5) {
            // A short fit has too few evaluations. Solve it again with limits of 1, 2, 4, … steps, which repeat the
            // same steps.
            seen.clear();
            for (s.max_steps = 1; s.max_steps < out.report.steps; s.max_steps *= 2) {
                const double begun = now();
                const dual_solution part_way = solve_dual(*fast, *exact, in, s);
                const double seconds = now() - begun;
                if (part_way.report.status != fit_status::step_limit) break;
                if (seen.empty() || part_way.report.steps > seen.back().iteration)
                    look(seconds, part_way.report.steps, part_way.coef);
            }
        }
        look(spent, out.report.steps, out.coef);
        double latest = 0;
        for (const trace_point& at : seen)
            add_trace_point(which, latest = std::max(latest, std::min(at.seconds, spent)), at.iteration, at.primal,
                            at.dual);
        return out;
    }

    dual_solution solve_by_program(const binary_problem& problem, std::size_t which, index concurrent_problems) {
        const dataset part = gather(x_, std::span<const index>(problem.rows));
        const auto K = make_gram<double>(k_, part);
        const dual_input in = make_dual_input(problem);
        const bool primal_form = solver_ == svm_solver::primal_qp;
        const double bytes = primal_form ? primal_qp_bytes(part.dims(), in) : dual_qp_bytes(part.size());
        if (bytes > o_.qp_bytes)
            fail(errc::memory,
                 fmt::format("{}: {} examples need {:.0f} MB, more than the memory limit of {:.0f} MB: use smo",
                             name(solver_), part.size(), bytes / 1e6, o_.qp_bytes / 1e6));
        std::unique_lock alone(memory_lock_, std::defer_lock);
        if (bytes * static_cast<double>(concurrent_problems) > o_.qp_bytes) alone.lock();
        qp_options q = o_.qp;
        q.max_seconds = std::min(q.max_seconds, seconds_left());
        q.progress = [&](const qp_progress& at) {
            if (o_.qp.progress && !o_.qp.progress(at)) return false;
            // Its iterates are not feasible, so the objectives are bounds only at the end.
            primal_form ? add_trace_point(which, at.seconds, at.step + 1, at.primal, at.dual)
                        : add_trace_point(which, at.seconds, at.step + 1, -at.dual, -at.primal);
            return should_continue(which, part.size(), at.step + 1, at.step + 1, at.gap, at.seconds);
        };
        const double started = now();
        dual_solution out = primal_form ? solve_primal_qp(as_dense<double>(part).view(), *K, in, o_.svm.tol, q)
                                        : solve_dual_qp(*K, in, o_.svm.tol, q);
        const double seconds = now() - started;
        if (o_.trace) {
            double primal = 0, dual = 0;
            evaluate_objectives(*K, in, out.coef, primal, dual);
            add_trace_point(which, seconds, out.report.steps + 1, primal, dual);
        }
        return out;
    }

    dual_solution solve_by_kernel_pegasos(const binary_problem& problem, std::size_t which, index concurrent_problems) {
        const dataset part = gather(x_, std::span<const index>(problem.rows));
        const auto n = static_cast<std::size_t>(part.size());
        const std::size_t room = o_.svm.memory_bytes / static_cast<std::size_t>(concurrent_problems);
        pegasos_options p = o_.pegasos;
        set_limits(p, which, part.size());
        kernel_pegasos_result r;
        if (n * n * sizeof(double) <= room) {
            matrix<double> all(part.size(), part.size());
            make_gram<double>(k_, part)->fill(all.view());
            r = solve_kernel_pegasos(precomputed<double>(all.view()), problem.sign, problem.penalty, p);
        } else {
            const auto K = make_gram<float>(k_, part, {room / 4, room / 4, true});
            r = solve_kernel_pegasos(row_cache<float>(*K, room), problem.sign, problem.penalty, p);
        }
        dual_solution out = solution_of(r.descent, part.size());
        out.coef = std::move(r.coef);
        return out;
    }

    // The solvers that compute w.
    dual_solution solve_by_descent(const binary_problem& problem, std::size_t which) {
        const bool coordinate = solver_ == svm_solver::dual_coordinate_descent;
        const double constant = coordinate ? o_.constant : 0;
        const auto rows = make_linear_operand(rows_, problem.rows, constant);
        const hinge_problem posed{*rows, problem.sign, problem.penalty};
        descent_result r;
        if (coordinate) {
            coordinate_descent_options c = o_.coordinate;
            c.max_seconds = std::min(c.max_seconds, seconds_left());
            if (o_.trace || o_.svm.progress)
                c.progress = [&](const descent_progress& at) {
                    if (o_.trace)
                        add_trace_point(which, at.seconds, at.epoch, hinge_objective(posed, at.w, constant != 0),
                                        unknown);
                    return (!o_.coordinate.progress || o_.coordinate.progress(at)) &&
                           should_continue(which, rows->rows(), at);
                };
            r = o_.l1_penalty ? solve_l1_coordinate_descent(make_compressed_columns(x_, problem.rows, constant),
                                                            problem.sign, problem.penalty, c)
                              : solve_dual_coordinate_descent(posed, c);
            dual_solution out = solution_of(r, rows->rows());
            out.offset = out.report.offset_low = out.report.offset_high = constant != 0 ? constant * r.w.back() : 0;
            if (constant != 0) r.w.pop_back();
            out.coef.assign(problem.sign.size(), 0.0);
            if (o_.keep_examples)
                for (std::size_t i = 0; i < out.coef.size(); ++i) out.coef[i] = r.alpha[i] * problem.sign[i];
            else
                store_w(which, std::move(r.w));
            return out;
        }
        if (solver_ == svm_solver::subgradient) {
            subgradient_options s = o_.subgradient;
            set_limits(s, which, rows->rows());
            r = solve_subgradient(posed, s);
        } else {
            pegasos_options p = o_.pegasos;
            set_limits(p, which, rows->rows());
            r = solve_pegasos(posed, p);
        }
        dual_solution out = solution_of(r, rows->rows());
        out.coef.assign(problem.sign.size(), 0.0);
        store_w(which, std::move(r.w));
        return out;
    }

    void store_w(std::size_t which, std::vector<double> w) {
        const std::lock_guard guard(lock_);
        if (explicit_w_.size() <= which) explicit_w_.resize(which + 1);
        explicit_w_[which] = std::move(w);
    }

    // J; with `offset` the last coordinate of w is the offset, which is not penalised.
    static double hinge_objective(const hinge_problem& posed, std::span<const double> w, bool offset) {
        double sum = 0;
        for (std::size_t j = 0; j + (offset ? 1 : 0) < w.size(); ++j) sum += w[j] * w[j] / 2;
        for (index i = 0; i < posed.x.rows(); ++i)
            sum += posed.C[static_cast<std::size_t>(i)] *
                   std::max(0.0, 1 - posed.y[static_cast<std::size_t>(i)] * posed.x.dot(i, w.data()));
        return sum;
    }

    template <class Options>
    void set_limits(Options& o, std::size_t which, index size) {
        o.max_seconds = std::min(o.max_seconds, seconds_left());
        o.progress = [this, which, size, before = o.progress](const descent_progress& at) {
            add_trace_point(which, at.seconds, at.epoch, at.primal, at.dual);
            return (!before || before(at)) && should_continue(which, size, at);
        };
    }

    static dual_solution solution_of(const descent_result& r, index size) {
        dual_solution out;
        out.offset = out.report.offset_low = out.report.offset_high = r.b;
        out.report.status = r.status;
        out.report.gap = r.gap;
        out.report.objective = -r.dual;
        out.report.steps = r.steps;
        out.report.rounds = r.epochs;
        out.report.size = size;
        out.report.seconds = r.seconds;
        return out;
    }

    // Makes w of each problem a support vector of the first class of the problem.
    void set_w_as_support(svm_model& model) {
        const auto count = static_cast<index>(explicit_w_.size());
        const auto k = static_cast<index>(model.classes.size());
        const class_problems pairs = model.pairs();
        model.support_rows.assign(static_cast<std::size_t>(count), -1);
        model.coef = matrix<double>(pairs.coefficient_rows(), count);
        model.class_support.assign(static_cast<std::size_t>(k), 0);
        pairs.for_each([&](index problem, index a, index b) {
            model.coef(b < 0 ? a : b - 1, problem) = 1;
            ++model.class_support[static_cast<std::size_t>(a)];
        });
        if (!x_.is_sparse()) {
            matrix<double> rows(count, x_.dims());
            for (index p = 0; p < count; ++p)
                std::copy(explicit_w_[static_cast<std::size_t>(p)].begin(),
                          explicit_w_[static_cast<std::size_t>(p)].end(), rows.row(p));
            model.support = dense<double>(std::move(rows));
            return;
        }
        std::vector<index> start{0};
        std::vector<std::int32_t> col;
        std::vector<double> val;
        for (const auto& w : explicit_w_) {
            for (std::size_t j = 0; j < w.size(); ++j)
                if (w[j] != 0) col.push_back(static_cast<std::int32_t>(j)), val.push_back(w[j]);
            start.push_back(static_cast<index>(col.size()));
        }
        model.support = sparse<double>(std::move(start), std::move(col), std::move(val), x_.dims());
    }

    svm_solver solver_;
    const kernel& k_;
    const dataset& x_;
    const dataset& rows_;
    const train_options& o_;
    std::mutex lock_;
    std::vector<trace_point> trace_;
    std::vector<std::vector<double>> explicit_w_;
    index problems_ = 1;
    std::mutex memory_lock_;  // locked by a quadratic program while memory does not suffice for several of them
    std::mutex progress_lock_;
    bool stopped_ = false;
    double started_ = now(), last_progress_ = started_;
};

}  // namespace

trained_svm train_svm(svm_solver solver, const kernel& k, const dataset& x, std::span<const double> y,
                      const train_options& options) {
    if (solver == svm_solver::smo && !options.trace) return {fit_svm(k, x, y, options.svm), {}};
    if (options.svm.task != svm_task::c_svc && solver != svm_solver::smo)
        fail(errc::unsupported, fmt::format("{} solves c_svc, not {}: use smo", name(solver), name(options.svm.task)));
    if (options.svm.task != svm_task::c_svc)
        fail(errc::unsupported, fmt::format("a trace of objectives needs c_svc, got {}", name(options.svm.task)));
    const bool by_features =
        solver == svm_solver::dual_coordinate_descent && options.keep_examples && k.text() != "linear()";
    if (needs_linear_kernel(solver) && k.text() != "linear()" && !by_features)
        fail(errc::unsupported, fmt::format("{} stores the weights w and needs the kernel linear(), got {}: use smo, "
                                            "interior_point or kernel_pegasos",
                                            name(solver), k.text()));
    if (!std::isfinite(options.svm.C) && solver != svm_solver::smo && solver != svm_solver::interior_point &&
        solver != svm_solver::primal_qp)
        fail(errc::unsupported,
             fmt::format("{} must have C < infinity: a hard margin needs smo, interior_point or primal_qp",
                         name(solver)));
    if (!(options.constant >= 0) || !std::isfinite(options.constant))
        fail(errc::invalid_argument, fmt::format("must satisfy 0 <= bias < infinity, got {}", options.constant));
    if (options.l1_penalty && (solver != svm_solver::dual_coordinate_descent || options.keep_examples || options.trace))
        fail(errc::unsupported,
             fmt::format("penalty=l1 needs the solver dual_coordinate_descent without examples or a trace, got {}",
                         name(solver)));
    if (options.svm.start || !options.svm.checkpoint_file.empty())
        fail(
            errc::unsupported,
            fmt::format("an earlier model or a checkpoint needs the solver smo without a trace, got {}", name(solver)));
    require_finite(x);
    const dataset rows = by_features ? dataset(object_features(k, x).rows()) : x;
    return trainer(solver, k, x, rows, options).run(y);
}

namespace {

constexpr const char* names[] = {
    "smo", "interior_point", "primal_qp", "subgradient", "pegasos", "kernel_pegasos", "dual_coordinate_descent"};

}  // namespace

const char* name(svm_solver solver) noexcept { return names[static_cast<int>(solver)]; }

svm_solver find_svm_solver(std::string_view text) {
    for (int i = 0; i < 7; ++i)
        if (text == names[i]) return static_cast<svm_solver>(i);
    fail(errc::invalid_argument, fmt::format("there is no solver '{}': take one of {}", text, join(names, ", ")));
}

bool needs_linear_kernel(svm_solver solver) noexcept {
    return solver == svm_solver::primal_qp || solver == svm_solver::subgradient || solver == svm_solver::pegasos ||
           solver == svm_solver::dual_coordinate_descent;
}

namespace {

constexpr index max_variables = 20000;  // several matrices of 3 GB

[[noreturn]] void fail_not_separable(const dual_input& in, const std::vector<double>& weight) {
    std::size_t a = 0, b = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        if (in.sign[i] * weight[i] > in.sign[a] * weight[a]) a = i;
        if (in.sign[i] * weight[i] < in.sign[b] * weight[b]) b = i;
    }
    fail(errc::infeasible,
         fmt::format("hard margin: the classes cannot be separated in this kernel's feature space: their convex hulls "
                     "intersect, examples {} and {} have weights {:.3g} and {:.3g} in a common point. Use a finite C, "
                     "or a kernel with a richer feature space",
                     in.rows.empty() ? static_cast<index>(a) : in.rows[a],
                     in.rows.empty() ? static_cast<index>(b) : in.rows[b], weight[a], weight[b]));
}

void require_max_variables(index variables, const char* which) {
    if (variables > max_variables)
        fail(errc::memory,
             fmt::format(
                 "{}: must satisfy variables <= {}, got {}: use smo, or dual_coordinate_descent for a linear kernel",
                 which, max_variables, variables));
}

bool soft_margin(const dual_input& in) {
    return std::isfinite(*std::max_element(in.penalty.begin(), in.penalty.end()));
}

// The options with a tolerance of the objective for a KKT gap of `tol`, which corresponds to about tol².
qp_options tight_enough(qp_options options, double tol) {
    options.tol = std::min(options.tol, std::max(1e-6 * tol, 1e-13));
    return options;
}

// The solution from α of an interior-point method: α is set to its bounds where `slack` = max(0, y f - 1) or `xi`, or
// their multipliers, are larger than the distance of α from the bound.
dual_solution make_solution(const gram<double>& K, const dual_input& in, std::vector<double> alpha,
                            const std::vector<double>& slack, const std::vector<double>& xi, const qp_result& r,
                            double tol) {
    const double size = *std::max_element(alpha.begin(), alpha.end());
    double sum = 0;
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
        const double C = in.penalty[i];
        if (alpha[i] <= slack[i] * size)
            alpha[i] = 0;
        else if (C < infinity && C - alpha[i] <= xi[i] * size)
            alpha[i] = C;
        else
            alpha[i] = std::clamp(alpha[i], 0.0, C), free.push_back(i);
        sum += alpha[i] * in.sign[i];
    }
    // Restore Σαy = 0 by distributing the difference over the free variables as far as their bounds allow.
    for (int round = 0; round < 60 && sum != 0 && !free.empty(); ++round)
        for (std::size_t k = 0; k < free.size() && sum != 0; ++k) {
            const std::size_t i = free[k];
            const double moved =
                std::clamp(alpha[i] - in.sign[i] * sum / static_cast<double>(free.size() - k), 0.0, in.penalty[i]);
            sum += (moved - alpha[i]) * in.sign[i];
            alpha[i] = moved;
        }
    dual_solution out;
    out.coef.resize(alpha.size());
    for (std::size_t i = 0; i < alpha.size(); ++i) out.coef[i] = alpha[i] * in.sign[i];
    measure_c_svc(K, in, out);
    // The status follows from the measured gap, not from that of the quadratic program.
    out.report.status = r.status;
    if (out.report.gap <= tol)
        out.report.status = fit_status::converged;
    else if (is_optimal(r.status) || r.status == fit_status::infeasible || r.status == fit_status::unbounded)
        out.report.status = fit_status::stalled;
    out.report.steps = out.report.rounds = r.steps;
    out.report.seconds = r.seconds;
    return out;
}

}  // namespace

double dual_qp_bytes(index n) { return 16.0 * static_cast<double>(n) * static_cast<double>(n); }

double primal_qp_bytes(index dims, const dual_input& in) {
    const auto n = static_cast<double>(in.sign.size()), all = static_cast<double>(dims) + 1 + (soft_margin(in) ? n : 0);
    return 16 * all * (all + n);
}

void measure_c_svc(const gram<double>& K, const dual_input& in, dual_solution& s) {
    const index n = K.rows();
    matrix<double> Kc(n, 1);
    K.multiply({s.coef.data(), n, 1}, Kc.view());
    double high = -infinity, low = infinity, sum = 0, objective = 0;
    index free = 0;
    for (index i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double F = in.sign[at] - Kc(i, 0), a = s.coef[at] * in.sign[at];
        const bool grows = a<in.penalty[at], falls = a> 0;
        // If α grows, the signed coefficient increases for y = 1 and decreases for y = -1.
        if (in.sign[at] > 0 ? grows : falls) high = std::max(high, F);
        if (in.sign[at] > 0 ? falls : grows) low = std::min(low, F);
        if (grows && falls) sum += F, ++free;
        objective += s.coef[at] * (Kc(i, 0) / 2 - in.sign[at]);
    }
    s.report.gap = std::isfinite(high) && std::isfinite(low) ? std::max(0.0, high - low) : 0;
    s.report.objective = objective;
    s.report.size = n;
    s.report.margin_vectors = free;
    if (!std::isfinite(high)) high = low;
    if (!std::isfinite(low)) low = high;
    s.report.offset_low = std::min(low, high), s.report.offset_high = std::max(low, high);
    s.offset = free > 0 ? sum / static_cast<double>(free) : (high + low) / 2;
}

dual_solution solve_dual_qp(const gram<double>& K, const dual_input& in, double tol, const qp_options& options) {
    const index n = K.rows();
    require_max_variables(n, "interior point");
    matrix<double> Q(n, n);
    K.fill(Q.view());
    for (index i = 0; i < n; ++i)
        for (index j = 0; j < n; ++j)
            Q(i, j) *= in.sign[static_cast<std::size_t>(i)] * in.sign[static_cast<std::size_t>(j)];
    const std::vector<double> p(static_cast<std::size_t>(n), -1.0), lower(static_cast<std::size_t>(n), 0.0), b{0.0};
    const qp_result r =
        solve_qp({Q.view(), p, {}, {}, lower, in.penalty, {in.sign.data(), 1, n}, b}, tight_enough(options, tol));
    if (r.status == fit_status::unbounded) fail_not_separable(in, r.u);
    return make_solution(K, in, r.u, r.z_lower, r.z_upper, r, tol);
}

dual_solution solve_primal_qp(matrix_view<const double> x, const gram<double>& K, const dual_input& in, double tol,
                              const qp_options& options) {
    const index n = x.rows, d = x.cols;
    const bool soft = soft_margin(in);
    const index all = d + 1 + (soft ? n : 0);
    require_max_variables(all, "primal QP");
    matrix<double> Q(all, all), G(n, all);
    std::vector<double> p(static_cast<std::size_t>(all), 0.0), h(static_cast<std::size_t>(n), -1.0),
        lower(static_cast<std::size_t>(all), -infinity);
    for (index j = 0; j < d; ++j) Q(j, j) = 1;
    for (index i = 0; i < n; ++i) {
        const double y = in.sign[static_cast<std::size_t>(i)];
        for (index j = 0; j < d; ++j) G(i, j) = -y * x(i, j);
        G(i, d) = -y;
        if (!soft) continue;
        G(i, d + 1 + i) = -1;
        p[static_cast<std::size_t>(d + 1 + i)] = in.penalty[static_cast<std::size_t>(i)];
        lower[static_cast<std::size_t>(d + 1 + i)] = 0;
    }
    const qp_result r = solve_qp({Q.view(), p, G.view(), h, lower, {}, {}, {}}, tight_enough(options, tol));
    if (r.status == fit_status::infeasible) fail_not_separable(in, r.z);
    // The slacks of the margin constraints and ξ, from u.
    std::vector<double> slack(h.size()), xi(h.size(), 0.0);
    for (index i = 0; i < n; ++i) {
        double f = 0;
        for (index j = 0; j <= d; ++j) f -= G(i, j) * r.u[static_cast<std::size_t>(j)];
        slack[static_cast<std::size_t>(i)] = std::max(0.0, f - 1);
        xi[static_cast<std::size_t>(i)] = std::max(0.0, 1 - f);
    }
    return make_solution(K, in, r.z, slack, xi, r, tol);
}

}  // namespace mercer
