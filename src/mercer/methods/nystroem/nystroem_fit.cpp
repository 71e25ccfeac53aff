#include "mercer/methods/nystroem/nystroem_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/base/memory.h"
#include "mercer/gram/row_cache.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/nystroem/nystroem_newton.h"

namespace mercer {
namespace {

// Returns a hash of everything that determines the iteration; a checkpoint with another hash is an error.
std::uint64_t mark_of(const training_rows& x, matrix_view<const double> y, std::span<const double> weight,
                      const nystroem_problem& posed, const nystroem_newton_options& s, const char* owner) {
    constexpr double form = 2;  // version of the state that nystroem_newton stores
    problem_hash mark = mark_of(x, weight, posed, owner);
    mark.add(form);
    mark.add(s.lambda).add(s.tol).add(s.intercept ? 1.0 : 0.0).add(static_cast<double>(s.max_passes));
    std::vector<double> column(static_cast<std::size_t>(y.rows));
    for (index c = 0; c < y.cols; ++c) {
        for (index i = 0; i < y.rows; ++i) column[static_cast<std::size_t>(i)] = y(i, c);
        mark.add(static_cast<double>(hash_rows(x.processes(), column, static_cast<std::size_t>(x.first()))));
    }
    return mark.value();
}

// Returns the processes that factor M × M matrices together, or null if each process factors them itself.
const communicator* factoring_group(const training_rows& x, const nystroem_options& o, index centres,
                                    const char* owner) {
    constexpr index many = 10000;
    const communicator* group = x.processes();
    if (!group || group->size() == 1 || o.factors == factor_choice::local) return nullptr;
    if (o.factors == factor_choice::automatic && centres < many) return nullptr;
    if (all_ranks(group, group->can_factor(static_cast<std::size_t>(centres) + 1))) return group;
    if (o.factors == factor_choice::distributed)
        fail(errc::unsupported, fmt::format("{}: factorisation=distributed needs ScaLAPACK (Debian: "
                                            "libscalapack-openmpi-dev), and this mercer was built without it",
                                            owner));
    return nullptr;
}

// Returns true if the rounding of K in float stays below the ridge. Entries of φ with a relative error of 2⁻²⁴ times
// the condition number κ of T, in random directions, change ΦᵀΦ by about 2⁻²³·κ·tr ΦᵀΦ/√M; every example adds about
// k(x, x) to the trace.
bool is_float_accurate(const nystroem_basis& basis, double examples, double lambda) {
    const auto m = static_cast<double>(basis.size());
    return 0x1p-23 * basis.diagonal_spread() * examples * basis.mean_diagonal() <= lambda * std::sqrt(m);
}
constexpr double min_accurate_float_pairs = 1e7;

// Returns the starting point that a fit to the first rows gives (start_on_sample). Every fifth of these rows is held
// out to validate it. Rank 0 computes the point and broadcasts it.
newton_start find_start(const training_rows& x, const nystroem_problem& posed, const nystroem_operator& k,
                        const row_losses& losses, const nystroem_newton_options& s, std::size_t room) {
    std::vector<index> at[2], rows[2];  // positions in the list; row numbers
    for (index i = 0; i < std::ssize(posed.start_rows); ++i) {
        at[i % 5 == 4].push_back(i);
        rows[i % 5 == 4].push_back(posed.start_rows[static_cast<std::size_t>(i)]);
    }
    const communicator* group = x.processes();
    const auto some = losses.select_rows(rows[0], group), others = losses.select_rows(rows[1], group);
    if (!some || !some->has_several_classes()) return {};  // with a single class the offset goes to infinity
    newton_start out;
    if (!group || group->rank() == 0) {
        const auto objects = [&](int which) {
            return posed.start_examples.size() == 0 ? dataset()
                                                    : gather(posed.start_examples, std::span<const index>(at[which]));
        };
        const dataset first = objects(0), second = objects(1);
        const auto fresh = x.cross_gram(first, rows[0], posed.centres, posed.centre_rows),
                   judged = x.cross_gram(second, rows[1], posed.centres, posed.centre_rows);
        const stored_rows<double> kept(*fresh, room, false);
        const one_batch<double> passes(kept), judges(*judged);
        nystroem_operator few = k;
        few.in_double = &passes, few.in_float = nullptr, few.factor_group = nullptr;
        few.buckets = std::min(k.buckets, passes.rows());
        out = start_on_sample(few, *some, judges, *others, static_cast<double>(posed.weighted_count), s);
    }
    if (!group) return out;
    double size[3] = {static_cast<double>(out.at.rows()), static_cast<double>(out.at.cols()), out.lambda};
    group->broadcast(size, sizeof size);
    if (group->rank() != 0) out = {matrix<double>(static_cast<index>(size[0]), static_cast<index>(size[1])), size[2]};
    group->broadcast(out.at.data(), static_cast<std::size_t>(out.at.rows() * out.at.cols()) * sizeof(double));
    return out;
}

// Returns the memory that the solver needs: the basis, the sketch and its square, or one square per function if there
// are few functions (sketched_preconditioner.h), and the targets and weights of every row.
solver_bytes bytes_to_solve(const training_rows& x, const row_losses& losses) {
    return [&x, &losses](index centres, index buckets, index start_rows) {
        const auto m = static_cast<double>(centres), square = 8 * m * m;
        const auto functions = static_cast<double>(losses.functions());
        const bool alike = losses.is_quadratic() || functions * square > assumed_bytes(centres) / 3;
        return (alike ? 3 : 2 + functions) * square + 8 * m * static_cast<double>(buckets) +
               2 * x.bytes_of_row() * static_cast<double>(start_rows) +
               8.0 * static_cast<double>(x.local_size()) * (2 + functions);
    };
}

// Minimises the losses over the span of the centres once.
nystroem_fit solve_once(const training_rows& x, row_losses& losses, matrix_view<const double> y,
                        std::span<const double> weight, double lambda, const nystroem_options& o, const char* owner,
                        matrix<double>* on_sample) {
    nystroem_problem posed =
        make_nystroem_problem(x, o, weight, owner, !losses.is_quadratic() && !losses.has_discontinuous_curvature(),
                              bytes_to_solve(x, losses));
    const communicator* factor_group = factoring_group(x, o, std::ssize(posed.centre_rows), owner);
    const nystroem_basis basis = make_independent_basis(x, posed, o, factor_group);
    // Float is used if it is accurate enough and there are many pairs: a pass then reads half the bytes, or computes in
    // a quarter of the time.
    const bool digits = agree(x.processes(), is_float_accurate(basis, static_cast<double>(x.size()), lambda));
    const std::size_t room = o.bytes_for_values(!x.processes());
    const auto rough = x.float_passes(posed.centres, room, digits ? min_accurate_float_pairs : min_float_pairs);
    const auto exact = x.passes(posed.centres, posed.centre_rows, rough.pointer ? 0 : room);
    nystroem_operator k{exact.get(), rough.get(), &basis, posed.buckets, o.memory(), o.seed, factor_group};
    k.preconditioner_bytes = assumed_bytes(std::ssize(posed.centre_rows));
    nystroem_newton_options s;
    s.lambda = lambda, s.intercept = o.fit_intercept, s.tol = o.tol, s.max_passes = o.max_iter;
    if (o.progress) s.progress = [&](index passes, double gap) { return o.progress({"passes", passes, 0, gap}); };
    checkpoint_file keeper(o.checkpoint, o.checkpoint.path.empty() ? 0 : mark_of(x, y, weight, posed, s, owner),
                           x.processes());
    if (auto start = keeper.read()) s.start = std::move(*start);
    if (!o.checkpoint.path.empty()) s.keep = [&](const std::vector<double>& state) { keeper.keep(state); };
    if (s.start.empty() && !posed.start_rows.empty())
        s.suggested_start = find_start(x, posed, k, losses, s, o.memory() / 8);
    posed.start_examples = {};
    nystroem_newton_result found = nystroem_newton(k, losses, s);
    if (found.status != fit_status::cancelled) keeper.remove();
    nystroem_fit out;
    out.f.coef = std::move(found.coef), out.f.offset = std::move(found.offset);
    out.f.k = x.kernel_if_known(), out.f.x = std::move(posed.centres), out.f.rows = std::move(posed.centre_rows);
    out.f.training_size = x.size();
    out.lambda = lambda, out.status = found.status, out.objective = found.objective, out.gap = found.gap;
    out.residual = found.residual, out.passes = found.passes, out.rounds = found.rounds;
    out.trace = std::move(found.trace);
    out.objectives = std::move(found.objectives), out.gaps = std::move(found.gaps);
    out.residuals = std::move(found.residuals), out.unsolved = std::move(found.unsolved);
    out.unexplained = unexplained_trace(basis, *posed.sample_gram, posed.sample_diagonal);
    if (on_sample) *on_sample = out.f.values(*posed.sample_gram);
    // Without a proof that the kernel is positive semidefinite the problem need not be convex, and a point that
    // satisfies the first-order conditions need not be the minimum.
    if (out.f.k && !out.f.k->proof().valid && out.status == fit_status::converged) out.status = fit_status::stationary;
    for (index i = 0; i < out.f.coef.rows() * out.f.coef.cols(); ++i)
        if (!std::isfinite(out.f.coef.data()[i]))
            fail(errc::data, fmt::format("{}: the coefficients overflow: scale the targets", owner));
    return out;
}

// Returns the distinct values of all processes in ascending order.
std::vector<double> union_of_values(const communicator* group, std::vector<double> mine) {
    if (!group) return mine;
    std::vector<double> out;
    const std::string bytes(reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(double));
    for (const std::string& each : group->all_gather(bytes)) {
        const std::size_t before = out.size();
        out.resize(before + each.size() / sizeof(double));
        copy_bytes(out.data() + before, each.data(), each.size());
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

matrix<double> decide(const nystroem_fit& model, const dataset& x) { return model.f.values(x); }
matrix<double> decide(const nystroem_fit& model, const gram<double>& k) { return model.f.values(k); }

std::vector<double> predict_classes(const nystroem_fit& model, matrix_view<const double> f) {
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(f.rows));
    for (index i = 0; i < f.rows; ++i)
        out.push_back(model.classes[static_cast<std::size_t>(
            model.classes.size() == 2 ? f(i, 0) > 0 : std::max_element(f.row(i), f.row(i) + f.cols) - f.row(i))]);
    return out;
}

namespace detail {

void check_nystroem_options(const nystroem_options& o, double lambda, const char* option, const char* owner) {
    if (!(lambda > 0) || !std::isfinite(lambda))
        fail(errc::invalid_argument, fmt::format("{}: must satisfy 0 < {} < infinity, got {}", owner, option,
                                                 option[0] == 'C' ? o.C : o.alpha));
    if (!(o.tol > 0)) fail(errc::invalid_argument, fmt::format("{}: must satisfy tol > 0, got {}", owner, o.tol));
    if (o.max_iter < 1)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy max_iter >= 1, got {}", owner, o.max_iter));
}

void check_own_targets(const training_rows& x, matrix_view<const double> y, const char* owner) {
    if (x.local_size() > 0 || x.size() == 0 || y.rows > 0) check_targets(owner, x.local_size(), y);
}

nystroem_labels labels_of(const training_rows& x, std::span<const double> y, const nystroem_options& o,
                          const char* owner) {
    nystroem_labels out;
    out.weight = local_weights(x, o, owner);
    check_own_targets(x, as_column(y), owner);
    for (const auto& [label, factor] : o.class_weight) {
        if (!(factor > 0) || !std::isfinite(factor))
            fail(errc::invalid_argument,
                 fmt::format("{}: the weight of class {} must satisfy 0 < weight < infinity, got {}", owner, label,
                             factor));
        for (std::size_t i = 0; i < y.size(); ++i)
            if (y[i] == label) out.weight[i] *= factor;
    }
    std::vector<double> seen;
    for (std::size_t i = 0; i < y.size(); ++i)
        if (out.weight[i] > 0) seen.push_back(y[i]);
    out.classes = union_of_values(x.processes(), seen.empty() ? seen : distinct_labels(seen, std::ssize(seen), owner));
    if (out.classes.size() < 2)
        fail(errc::data,
             fmt::format("{}: at least two classes are needed, the {} examples all have label {}", owner,
                         x.processes() ? x.size() : std::ssize(seen), out.classes.empty() ? 0.0 : out.classes.front()));
    // The label of an example with weight 0 may belong to no class; its position is arbitrary.
    for (const double each : y)
        out.place.push_back(std::min<index>(std::ranges::lower_bound(out.classes, each) - out.classes.begin(),
                                            std::ssize(out.classes) - 1));
    return out;
}

nystroem_fit fit_losses(const training_rows& x, row_losses& losses, matrix_view<const double> y,
                        std::span<const double> weight, double lambda, const nystroem_options& o, const char* owner) {
    return fit_with_doubling(x, o, [&](const nystroem_options& how, matrix<double>* f) {
        return solve_once(x, losses, y, weight, lambda, how, owner, f);
    });
}

}  // namespace detail

namespace api {

summary summary_of_fit(const nystroem_fit& m) {
    summary out{
        {"status", name(m.status)}, {"gap", m.gap},       {"objective", m.objective}, {"residual", m.residual},
        {"passes", m.passes},       {"rounds", m.rounds}, {"n_centres", m.f.size()},  {"out_of_reach", m.unexplained}};
    if (!m.gaps.empty()) {
        std::vector<std::string> ends;
        for (index c = 0; c < m.f.functions(); ++c) ends.emplace_back(name(m.output_status(c)));
        out.add({{"output_status", ends},
                 {"output_gaps", m.gaps},
                 {"output_objectives", m.objectives},
                 {"output_residuals", m.residuals}});
    }
    if (m.doubling_change >= 0) out.add("change_when_doubled", m.doubling_change);
    out.add("training_size", m.f.training_size);
    return out;
}

std::string warning_of_fit(const nystroem_fit& m) {
    const std::string out = fit_warning(m.status, "max_iter, or take a larger tol", m.gap);
    if (out.empty() || m.unsolved.empty()) return out;
    std::vector<index> unsolved;
    for (const index each : m.unsolved) unsolved.push_back(each + 1);
    return fmt::format("target{} {}: {}", unsolved.size() > 1 ? "s" : "", fmt::join(unsolved, ", "), out);
}

}  // namespace api

}  // namespace mercer
