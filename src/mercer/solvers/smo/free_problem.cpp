// The small problem by guessing who is at a bound: a primal-dual active set method (Bergounioux, Ito, Kunisch, SIAM J.
// Control Optim. 37, 1999) solves
//     K_ff x_f + λ = r_f - K_fb x_b,   Σx_f = s - Σx_b in each group, λ one number for each
// by Cholesky, and corrects the guess: free ones outside their box go to the bound, bound ones with F beyond λ become
// free. It ends after a few factorisations, exactly, or not at all.
#include "mercer/solvers/smo/free_problem.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "mercer/dense/blocked_cholesky.h"
#include "mercer/solvers/smo/limits.h"

namespace mercer::smo {

sum_multipliers::sum_multipliers(const matrix<double>& factor, std::vector<std::uint8_t> group)
    : group_(std::move(group)) {
    for (const std::uint8_t g : group_) ++count_[g];
    for (std::size_t g = 0; g < 2; ++g) {
        if (count_[g] == 0) continue;
        for (const std::uint8_t own : group_) solved_[g].push_back(own == g ? 1.0 : 0.0);
        solve_cholesky(factor, solved_[g]);
        for (std::size_t i = 0; i < group_.size(); ++i) A_[group_[i]][g] += solved_[g][i];
    }
}

two sum_multipliers::apply(std::vector<double>& x, const two& sum) const {
    // Aλ = Σx - sum, in each group
    two b{}, lambda{};
    for (std::size_t i = 0; i < x.size(); ++i) b[group_[i]] += x[i];
    for (std::size_t g = 0; g < 2; ++g) b[g] -= sum[g];
    if (has(0) && has(1)) {
        const double determinant = A_[0][0] * A_[1][1] - A_[0][1] * A_[1][0];
        lambda = {(b[0] * A_[1][1] - b[1] * A_[0][1]) / determinant, (b[1] * A_[0][0] - b[0] * A_[1][0]) / determinant};
    } else {
        const std::size_t g = has(0) ? 0 : 1;
        lambda[g] = b[g] / A_[g][g];
    }
    for (std::size_t g = 0; g < 2; ++g)
        for (std::size_t i = 0; i < solved_[g].size(); ++i) x[i] -= lambda[g] * solved_[g][i];
    return lambda;
}

namespace {

// Those the guess leaves free, and what they must add up to in each group once the others rest at their bounds.
struct free_part {
    std::vector<index> members;
    std::vector<std::uint8_t> group;
    two left;
};

free_part fix_bound_ones(free_problem& q) {
    free_part f;
    f.left = q.sum;
    for (index i = 0; i < q.K.rows(); ++i) {
        if (q.where[i] == at::free) {
            f.members.push_back(i);
            f.group.push_back(q.group[i]);
            continue;
        }
        q.x[i] = q.where[i] == at::lower ? q.lower[i] : q.upper[i];
        f.left[q.group[i]] -= q.x[i];
    }
    return f;
}

struct multipliers {
    two lambda{};
    bool known[2] = {false, false};  // only a group with free ones says its λ
};

// (K_ff + ridge·I) x_f + λ = r_f - K_fb x_b with the sums that are left. Nothing where the matrix is not positive
// definite.
std::optional<multipliers> solve_free(free_problem& q, const free_part& free, double ridge) {
    const index f = static_cast<index>(free.members.size()), m = q.K.rows();
    matrix<double> part(f, f);
    std::vector<double> z(free.members.size());
    for (index a = 0; a < f; ++a) {
        const double* row = q.K.row(free.members[a]);
        for (index b = 0; b < f; ++b) part(a, b) = row[free.members[b]];
        part(a, a) += ridge;
        double fixed = 0;
        for (index j = 0; j < m; ++j)
            if (q.where[j] != at::free) fixed += row[j] * q.x[j];
        z[a] = q.r[free.members[a]] - fixed;
    }
    if (!blocked_cholesky(part)) return {};
    solve_cholesky(part, z);
    const sum_multipliers sums(part, free.group);
    multipliers out{sums.apply(z, free.left), {sums.has(0), sums.has(1)}};
    for (index a = 0; a < f; ++a) q.x[free.members[a]] = z[a];
    return out;
}

// F = r - Kx of those at a bound. A group with all at their bounds rests where λ lies between those that could rise and
// those that could fall.
std::vector<double> slopes_at_bounds(const free_problem& q, multipliers& found) {
    const index m = q.K.rows();
    std::vector<double> F(static_cast<std::size_t>(m));
    two rise{-infinity, -infinity}, fall{infinity, infinity};
    for (index i = 0; i < m; ++i) {
        if (q.where[i] == at::free) continue;
        F[i] = q.r[i];
        const double* row = q.K.row(i);
        for (index j = 0; j < m; ++j) F[i] -= row[j] * q.x[j];
        double& end = q.where[i] == at::lower ? rise[q.group[i]] : fall[q.group[i]];
        end = q.where[i] == at::lower ? std::max(end, F[i]) : std::min(end, F[i]);
    }
    for (std::size_t g = 0; g < 2; ++g)
        if (!found.known[g])
            found.lambda[g] = !std::isfinite(rise[g])   ? fall[g]
                              : !std::isfinite(fall[g]) ? rise[g]
                                                        : (rise[g] + fall[g]) / 2;
    return F;
}

// The next guess, and how many it corrects.
index corrected(const free_problem& q, const std::vector<double>& F, const two& lambda, std::vector<at>& next) {
    index changes = 0;
    for (index i = 0; i < q.K.rows(); ++i) {
        if (q.where[i] == at::free) {
            if (q.x[i] < q.lower[i]) next[i] = at::lower, ++changes;
            if (q.x[i] > q.upper[i]) next[i] = at::upper, ++changes;
            continue;
        }
        const double own = lambda[q.group[i]];
        if (q.where[i] == at::lower ? F[i] > own : F[i] < own) next[i] = at::free, ++changes;
    }
    return changes;
}

}  // namespace

bool guess_bounds(free_problem& q) {
    const index m = q.K.rows();
    double trace = 0;
    for (index i = 0; i < m; ++i) trace += q.K(i, i);
    const double ridge = 1e-12 * trace / static_cast<double>(m);
    // The number of corrections should fall quickly; where it does not, pairs do better for now.
    constexpr int most_rounds = 12;
    index last_changes = m + 1;
    for (int round = 0; round < most_rounds; ++round) {
        const free_part free = fix_bound_ones(q);
        if (free.members.size() < 2) return false;
        std::optional<multipliers> found = solve_free(q, free, ridge);
        if (!found) return false;
        const std::vector<double> F = slopes_at_bounds(q, *found);
        std::vector<at> next = q.where;
        const index changes = corrected(q, F, found->lambda, next);
        if (changes == 0) return true;
        if (changes > 0.8 * static_cast<double>(last_changes)) return false;
        last_changes = changes;
        q.where = std::move(next);
    }
    return false;
}

}  // namespace mercer::smo
