#include "mercer/methods/nystroem/nystroem_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/low_rank.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/nystroem/sketched_preconditioner.h"
#include "mercer/methods/nystroem/streamed_rows.h"

namespace mercer {
namespace {

// Returns the number of rows among which centres are chosen: all rows, or ten times the number of centres (of pivots),
// limited by the memory of the factor.
index candidate_row_count(index n, index m, const nystroem_options& o) {
    if (o.centres == centre_choice::uniform || o.centres == centre_choice::given) return std::min(n, m);
    const bool mixed = o.centres == centre_choice::mixed && !(o.trace_tol > 0);
    const index pivots = mixed ? pivots_of_mixed(m) : m;
    index most = std::min(n, std::max(10 * pivots, m));
    if (o.centres != centre_choice::kmeans_plus_plus)
        most = std::min(most, static_cast<index>(assumed_bytes(m) / 3 / (8.0 * static_cast<double>(pivots))));
    return most;
}

// Returns the maximum number of centres with `trace_tol`: those for which a gibibyte suffices (a sketch of 12M rows and
// three squares in three quarters of it), or the budget if it is larger, so that a small budget changes no result;
// limited by thirty passes in the given time at a rate that any machine reaches.
index max_centres(index n, std::size_t memory, const nystroem_options& o) {
    const double fitting = std::sqrt(static_cast<double>(std::max(memory, gibibytes(1))) / 160),
                 in_time = o.seconds / 30 * 3e8 / static_cast<double>(std::max<index>(n, 1));
    return static_cast<index>(std::clamp(std::min(fitting, in_time), 10.0, 1e6));
}

// Returns the number of rows on which the unexplained fraction is measured, at M² operations each.
index sample_row_count(index m) { return std::clamp<index>(index{400'000'000} / std::max<index>(m * m, 1), 400, 1000); }

// Returns the number of rows of the sketch for the preconditioner (sketched_preconditioner.h): all rows if they are
// few, limited by memory.
index sketch_row_count(index n, index m) {
    const index fitting = static_cast<index>(assumed_bytes(m) / 3 / (8.0 * static_cast<double>(m)));
    const index wanted = n <= 6 * m ? n : buckets_for(static_cast<double>(n), static_cast<double>(m));
    return std::min({n, wanted, std::max(fitting, m)});
}

// Returns the number of rows for the starting point (start_on_sample in nystroem_newton.h), in at most 64 MB. Returns 0
// if that would be more than a quarter of all rows.
index start_row_count(index n, index m, index dims) {
    const index wanted = 24 * m,
                fitting = static_cast<index>(assumed_bytes(m) / 16 / sizeof(double)) / std::max<index>(dims, 1),
                count = std::min(wanted, fitting);
    return count >= 8 * m && n >= 4 * count ? count : 0;
}

std::vector<index> positions(std::span<const index> of, std::span<const index> in) {
    std::vector<index> out;
    for (const index each : of) out.push_back(std::ranges::lower_bound(in, each) - in.begin());
    return out;
}

std::vector<index> given_rows(const nystroem_options& o, index n, const char* owner) {
    if (o.centre_rows.empty())
        fail(errc::invalid_argument,
             fmt::format("{}: centres=given needs centre_rows, the numbers of the rows (counted from 0)", owner));
    std::vector<index> out = o.centre_rows;
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if (out.front() < 0 || out.back() >= n)
        fail(errc::invalid_argument, fmt::format("{}: centre_rows must satisfy 0 <= row < {}, got {}", owner, n,
                                                 out.front() < 0 ? out.front() : out.back()));
    return out;
}

std::vector<index> select_entries(const std::vector<index>& from, std::span<const index> at) {
    std::vector<index> out;
    for (const index each : at) out.push_back(from[static_cast<std::size_t>(each)]);
    return out;
}

// The examples of positive weight over all processes; examples of weight 0 are treated as absent.
class weighted_rows {
public:
    weighted_rows(const training_rows& x, std::span<const double> weight)
        : group_(x.processes()), first_(x.first()), size_(x.size()) {
        all_ = all_ranks(group_, std::ranges::all_of(weight, [](double w) { return w > 0; }));
        if (all_) return;
        mine_ = positive_indices(weight), size_ = 0;
        std::vector<double> counts(static_cast<std::size_t>(group_ ? group_->size() : 1), 0.0);
        const auto me = static_cast<std::size_t>(group_ ? group_->rank() : 0);
        counts[me] = static_cast<double>(mine_.size());
        if (group_) group_->all_sum(counts.data(), counts.size());
        for (std::size_t rank = 0; rank < counts.size(); ++rank) {
            if (rank < me) before_ += static_cast<index>(counts[rank]);
            size_ += static_cast<index>(counts[rank]);
        }
    }
    index size() const { return size_; }
    // Returns the row numbers of the examples at these positions among those of positive weight.
    std::vector<index> rows(const std::vector<index>& places) const {
        if (all_) return places;
        std::vector<double> found(places.size(), 0.0);
        for (std::size_t i = 0; i < places.size(); ++i) {
            const index at = places[i] - before_;
            if (at >= 0 && at < std::ssize(mine_))
                found[i] = static_cast<double>(first_ + mine_[static_cast<std::size_t>(at)]);
        }
        if (group_) group_->all_sum(found.data(), found.size());
        return {found.begin(), found.end()};
    }

private:
    const communicator* group_;
    index first_, size_, before_ = 0;
    bool all_ = true;
    std::vector<index> mine_;
};

// Returns what `find` returns at rank 0, on all processes.
template <class Find>
std::vector<index> broadcast_result(const communicator* group, Find find) {
    if (!group) return find();
    std::vector<index> out;
    if (group->rank() == 0) out = find();
    std::uint64_t count = out.size();
    group->broadcast(&count, sizeof count);
    out.resize(count);
    group->broadcast(out.data(), count * sizeof(index));
    return out;
}

// Sets the matrices and the size of the sketch, which depend on the centres.
void set_grams(const training_rows& x, nystroem_problem& posed) {
    posed.buckets = sketch_row_count(x.size(), std::ssize(posed.centre_rows));
    posed.centre_gram = x.square_gram(posed.centres, posed.centre_rows);
    posed.sample_gram = x.cross_gram(posed.sample_examples, posed.sample_rows, posed.centres, posed.centre_rows);
}

}  // namespace

std::vector<double> local_weights(const training_rows& x, const nystroem_options& o, const char* owner) {
    if (!x.processes()) return checked_weights(owner, x.local_size(), o.sample_weight);
    // A process may have no examples, or none of positive weight.
    std::vector<double> out(static_cast<std::size_t>(x.local_size()), 1.0);
    if (!o.sample_weight.empty()) check_weights(owner, x.local_size(), out = o.sample_weight);
    if (all_ranks(x.processes(), std::ranges::none_of(out, [](double w) { return w > 0; })))
        fail(errc::data, fmt::format("{}: all sample weights are zero", owner));
    return out;
}

void require_memory(const training_rows& x, double bytes, index m, const nystroem_options& o, const char* owner) {
    // While rows are read from files three batches are in memory: one in use, one being prepared and one being read. A
    // quarter of the budget is left for stored rows.
    const double batches =
        3 * x.bytes_of_row() * static_cast<double>(std::min(x.local_size(), streamed_rows::batch_rows));
    const double least = (bytes + batches) * 4 / 3;
    const auto budget =
        static_cast<double>(o.memory_bytes ? o.memory_bytes : std::max(gibibytes(1), 4 * default_memory_budget()));
    // all processes fail together; otherwise the others would wait for one that has failed
    if (!all_ranks(x.processes(), least <= budget))
        fail(errc::memory,
             fmt::format(
                 "{}: {} take {:.0f} MB of memory, but the memory limit is {:.1f} MB: raise the memory limit, or {}",
                 owner, m > 0 ? fmt::format("{} centres", m) : "the rows that centres are chosen from",
                 std::ceil(least / (1 << 20)), budget / (1 << 20),
                 o.trace_tol > 0 ? "take a larger trace_tol"
                 : o.hinge       ? "take fewer centres, or loss=squared_hinge, which stores no features"
                                 : "take fewer centres"));
}

matrix<double> centre_matrix(const nystroem_problem& posed) {
    matrix<double> k(std::ssize(posed.centre_rows), std::ssize(posed.centre_rows));
    posed.centre_gram->fill(k.view());
    return k;
}

namespace {

// The memory of a fit in bytes.
struct fit_memory {
    const training_rows& x;
    const nystroem_options& o;
    const char* owner;
    const solver_bytes& besides;
    bool with_start;
    index present, max_centres, sample_count;

    static double numbers(index rows, index cols) {
        return 8.0 * static_cast<double>(rows) * static_cast<double>(cols);
    }
    double to_fetch(index rows) const { return x.bytes_of_row() * 2 * static_cast<double>(rows); }
    double to_choose(index from, index centres, double trace_tol) const {
        if (trace_tol > 0) return numbers(from, rank_for_pivots(centres, std::min(max_centres, from)));
        return numbers(from, o.centres == centre_choice::mixed ? pivots_of_mixed(centres) : centres);
    }
    double to_solve(index centres, index start_rows) const {
        const double squares = 3 * numbers(centres, centres);
        return besides ? std::max(squares, besides(centres, sketch_row_count(x.size(), centres), start_rows)) : squares;
    }
    // Fails unless the budget suffices for these numbers of rows; with `doubling` also for the fit with 2M centres.
    void require_for(index centres, index fetched, index chosen_from, index start_rows) const {
        const double bytes =
            to_fetch(fetched) + std::max(to_choose(chosen_from, centres, o.trace_tol), to_solve(centres, start_rows));
        const index twice = std::min(present, 2 * centres);
        const double for_twice = o.doubling ? bytes_for_twice(twice) : 0;
        require_memory(x, std::max(bytes, for_twice), for_twice > bytes ? twice : centres, o, owner);
    }

private:
    double bytes_for_twice(index centres) const {
        nystroem_options how = o;
        how.trace_tol = 0;
        const index from = candidate_row_count(present, centres, how),
                    first = with_start ? start_row_count(present, centres, x.dims()) : 0;
        return to_fetch(std::min(present, from + sample_count + first)) +
               std::max(to_choose(from, centres, 0), to_solve(centres, first));
    }
};

}  // namespace

nystroem_problem make_nystroem_problem(const training_rows& x, const nystroem_options& o,
                                       std::span<const double> weight, const char* owner, bool with_start,
                                       const solver_bytes& besides) {
    if (o.n_centres < 1)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy n_centres >= 1, got {}", owner, o.n_centres));
    if (!(o.trace_tol >= 0 && o.trace_tol < 1))
        fail(errc::invalid_argument, fmt::format("{}: must satisfy 0 <= trace_tol < 1, got {}", owner, o.trace_tol));
    const weighted_rows present(x, weight);
    const index n = present.size();
    const std::vector<index> given =
        o.centres == centre_choice::given ? given_rows(o, x.size(), owner) : std::vector<index>{};
    const index m = std::min(n, !given.empty()    ? std::ssize(given)
                                : o.trace_tol > 0 ? max_centres(x.size(), o.memory(), o)
                                                  : o.n_centres);
    // The samples for choosing and for measuring have the sizes for one gibibyte, whatever the budget is.
    const index usual = o.trace_tol > 0 && given.empty() ? std::min(n, max_centres(x.size(), 0, o)) : m;
    // One uniform sample: its first rows are those to choose centres from; its last rows, which are different ones if
    // there are enough, measure the approximation.
    random_generator random(o.seed);
    const index to_choose = candidate_row_count(n, usual, o), sample_count = std::min(n, sample_row_count(usual));
    std::vector<index> sample = present.rows(random.sample(n, std::min(n, to_choose + sample_count)));
    std::vector<index> pool(sample.begin(), sample.begin() + to_choose),
        judges(sample.end() - sample_count, sample.end());
    if (!given.empty()) pool = given, sample.insert(sample.end(), given.begin(), given.end());
    nystroem_problem out;
    out.weighted_count = n;
    if (const index count = with_start ? start_row_count(n, usual, x.dims()) : 0; count > 0)
        out.start_rows = present.rows(random_generator(o.seed + 2).sample(n, count));
    sample.insert(sample.end(), out.start_rows.begin(), out.start_rows.end());
    for (auto* each : {&sample, &pool, &judges, &out.start_rows}) std::ranges::sort(*each);
    sample.erase(std::unique(sample.begin(), sample.end()), sample.end());

    const fit_memory memory{x, o, owner, besides, with_start, n, m, sample_count};
    const bool by_trace = o.trace_tol > 0 && given.empty();  // the number of centres is not known yet
    const auto require_memory_for = [&](index centres) {
        memory.require_for(centres, std::ssize(sample), given.empty() ? to_choose : 0, std::ssize(out.start_rows));
    };
    if (by_trace)
        require_memory(x, memory.to_fetch(std::ssize(sample)), 0, o, owner);
    else
        require_memory_for(m);

    // All examples are fetched at once, because from files this takes a pass.
    const dataset objects = x.gather(sample);
    const auto some = [&](std::span<const index> which) {
        const std::vector<index> at = positions(which, sample);
        return objects.size() == 0 ? dataset() : gather(objects, std::span<const index>(at));
    };
    out.start_examples = some(out.start_rows);
    if (given.empty()) {
        out.centre_rows = broadcast_result(x.processes(), [&] {
            const auto k = x.square_gram(some(pool), pool);
            std::vector<index> found =
                select_entries(pool, choose_centres(*k, m, o.centres, o.seed + 1, o.progress, o.trace_tol));
            std::ranges::sort(found);
            return found;
        });
    } else {
        out.centre_rows = given;
    }
    if (by_trace) require_memory_for(std::ssize(out.centre_rows));
    out.centres = some(out.centre_rows);
    out.sample_examples = some(judges), out.sample_rows = std::move(judges);
    out.sample_diagonal.resize(out.sample_rows.size());
    x.square_gram(out.sample_examples, out.sample_rows)->diagonal(out.sample_diagonal);
    set_grams(x, out);
    return out;
}

nystroem_basis make_independent_basis(const training_rows& x, nystroem_problem& posed, const nystroem_options& o,
                                      const communicator* factor_group) {
    nystroem_basis all(centre_matrix(posed), factor_group);
    if (o.centres == centre_choice::given) return all;
    const std::vector<index> kept = broadcast_result(x.processes(), [&] { return all.independent_centres(); });
    // No centre is independent if nothing but the ridge added for an indefinite kernel is left of any of them.
    if (kept.empty() || std::ssize(kept) == all.size()) return all;
    posed.centre_rows = select_entries(posed.centre_rows, kept);
    if (posed.centres.size() > 0) posed.centres = gather(posed.centres, std::span<const index>(kept));
    set_grams(x, posed);
    return nystroem_basis(centre_matrix(posed), factor_group);
}

problem_hash mark_of(const training_rows& x, std::span<const double> weight, const nystroem_problem& posed,
                     const char* owner) {
    problem_hash mark;
    const auto k = x.kernel_if_known();
    mark.add(owner).add(k ? k->text() : "").add(static_cast<double>(x.size())).add(static_cast<double>(posed.buckets));
    for (const index each : posed.centre_rows) mark.add(static_cast<double>(each));
    mark.add(kernel_fingerprint(*posed.centre_gram));
    mark.add(static_cast<double>(hash_rows(x.processes(), weight, static_cast<std::size_t>(x.first()))));
    return mark;
}

namespace {

std::vector<index> choose_far_apart(const gram<double>& k, index count, std::uint64_t seed) {
    const index n = k.rows();
    std::vector<double> self(static_cast<std::size_t>(n)), column(self.size());
    k.diagonal(self);
    std::vector<double> nearest(self.size(), std::numeric_limits<double>::infinity()), up_to(self.size());
    random_generator random(seed);
    std::vector<index> out;
    index next = random.below(n);
    while (std::ssize(out) < count) {
        out.push_back(next);
        k.block(row_set(0, n), row_set(next, 1), matrix_view<double>(column.data(), n, 1));
        double sum = 0;
        for (index i = 0; i < n; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const double d = squared_distance(self[at], self[static_cast<std::size_t>(next)], column[at], 1);
            nearest[at] = i == next ? 0 : std::min(nearest[at], std::max(d, 0.0));
            up_to[at] = sum += nearest[at];
        }
        if (!(sum > 0)) break;
        next = std::min<index>(std::ranges::upper_bound(up_to, random.uniform() * sum) - up_to.begin(), n - 1);
    }
    return out;
}

std::vector<index> choose_pivots(const gram<double>& k, index count, std::uint64_t seed,
                                 const progress_callback& progress, double enough) {
    rp_cholesky_options o;
    o.rank = std::min(count, k.rows()), o.seed = seed, o.trace_tolerance = enough;
    if (progress) o.progress = [&](index done, double left) { return progress({"centres", done, count, left}); };
    // If a fraction of the trace determines the number of pivots, the factor grows with them; the pivots are the same
    // as with a factor of rank `count`.
    const index most = o.rank;
    o.block = block_size_for_rank(most);
    if (enough > 0) o.rank = rank_for_pivots(0, most);
    std::vector<index> found = rp_cholesky(k, o).pivots;
    while (std::ssize(found) == o.rank && o.rank < most) {
        o.rank = rank_for_pivots(o.rank, most);
        found = rp_cholesky(k, o).pivots;
    }
    if (found.empty()) found.push_back(0);  // K = 0: all examples are equivalent
    return found;
}

std::vector<index> choose_mixed(const gram<double>& k, index count, std::uint64_t seed,
                                const progress_callback& progress) {
    const index wanted = pivots_of_mixed(count);
    std::vector<index> out = choose_pivots(k, wanted, seed, progress, 0);
    if (std::ssize(out) < std::min(wanted, k.rows())) return out;  // the others add only rounding errors
    std::vector<bool> taken(static_cast<std::size_t>(k.rows()));
    for (const index each : out) taken[static_cast<std::size_t>(each)] = true;
    for (const index each : random_generator(seed + 1).sample(k.rows(), std::min(count, k.rows())))
        if (std::ssize(out) < count && !taken[static_cast<std::size_t>(each)]) out.push_back(each);
    return out;
}

}  // namespace

const char* name(centre_choice how) noexcept {
    constexpr const char* names[] = {"mixed", "rpcholesky", "uniform", "kmeans++", "given"};
    return names[static_cast<int>(how)];
}

index rank_for_pivots(index found, index most) {
    index rank = 64;
    while (rank <= found) rank *= 2;
    return std::min(rank, most);
}

std::vector<index> choose_centres(const gram<double>& k, index count, centre_choice how, std::uint64_t seed,
                                  const progress_callback& progress, double enough) {
    const index n = k.rows();
    const bool by_pivots = how == centre_choice::rpcholesky || how == centre_choice::mixed;
    if (count >= n && !by_pivots) {
        std::vector<index> all(static_cast<std::size_t>(n));
        std::iota(all.begin(), all.end(), index{0});
        return all;
    }
    switch (how) {
        case centre_choice::mixed:
            if (enough == 0) return choose_mixed(k, count, seed, progress);
            [[fallthrough]];
        case centre_choice::rpcholesky: return choose_pivots(k, count, seed, progress, enough);
        case centre_choice::kmeans_plus_plus: return choose_far_apart(k, count, seed);
        default: return random_generator(seed).sample(n, count);
    }
}

namespace api {

centre_choice parse_centre_choice(std::string_view name) {
    for (const auto each :
         {centre_choice::rpcholesky, centre_choice::uniform, centre_choice::kmeans_plus_plus, centre_choice::given})
        if (name == mercer::name(each)) return each;
    return centre_choice::mixed;
}

std::vector<index> to_row_numbers(const std::vector<double>& given) {
    std::vector<index> out;
    for (const double each : given) {
        if (each != std::floor(each) || each > 0x1p53)
            fail(errc::invalid_argument, fmt::format("centre_rows: row numbers must be whole numbers, got {}", each));
        out.push_back(static_cast<index>(each));
    }
    return out;
}

}  // namespace api

}  // namespace mercer
