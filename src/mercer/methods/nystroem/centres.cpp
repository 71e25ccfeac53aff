#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/random_generator.h"
#include "mercer/gram/distances.h"
#include "mercer/gram/rp_cholesky.h"
#include "mercer/methods/nystroem/nystroem_problem.h"

namespace mercer {
namespace {

std::vector<index> far_apart(const gram<double>& k, index count, std::uint64_t seed) {
    const index n = k.rows();
    std::vector<double> self(static_cast<std::size_t>(n)), column(self.size());
    k.diagonal(self);
    std::vector<double> nearest(self.size(), std::numeric_limits<double>::infinity()), up_to(self.size());
    seeded random(seed);
    std::vector<index> out;
    index next = random.below(n);
    while (std::ssize(out) < count) {
        out.push_back(next);
        k.block(selection(0, n), selection(next, 1), matrix_view<double>(column.data(), n, 1));
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

std::vector<index> pivots_of(const gram<double>& k, index count, std::uint64_t seed, const progress_callback& progress,
                             double enough) {
    rp_cholesky_options o;
    o.rank = std::min(count, k.rows()), o.seed = seed, o.enough = enough;
    if (progress) o.progress = [&](index done, double left) { return progress({"centres", done, count, left}); };
    // Where a share of the trace decides their number, the factor grows with it; the pivots are those of a factor of
    // rank `count`.
    const index most = o.rank;
    o.block = block_of_rank(most);
    if (enough > 0) o.rank = rank_for_pivots(0, most);
    std::vector<index> found = rp_cholesky(k, o).pivots;
    while (std::ssize(found) == o.rank && o.rank < most) {
        o.rank = rank_for_pivots(o.rank, most);
        found = rp_cholesky(k, o).pivots;
    }
    if (found.empty()) found.push_back(0);  // K = 0: any object is as good
    return found;
}

std::vector<index> pivots_and_others(const gram<double>& k, index count, std::uint64_t seed,
                                     const progress_callback& progress) {
    const index wanted = pivots_of_mixed(count);
    std::vector<index> out = pivots_of(k, wanted, seed, progress, 0);
    if (std::ssize(out) < std::min(wanted, k.rows())) return out;  // the others add nothing but rounding
    std::vector<bool> taken(static_cast<std::size_t>(k.rows()));
    for (const index each : out) taken[static_cast<std::size_t>(each)] = true;
    for (const index each : seeded(seed + 1).sample(k.rows(), std::min(count, k.rows())))
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
            if (enough == 0) return pivots_and_others(k, count, seed, progress);
            [[fallthrough]];
        case centre_choice::rpcholesky: return pivots_of(k, count, seed, progress, enough);
        case centre_choice::kmeans_plus_plus: return far_apart(k, count, seed);
        default: return seeded(seed).sample(n, count);
    }
}

}  // namespace mercer
