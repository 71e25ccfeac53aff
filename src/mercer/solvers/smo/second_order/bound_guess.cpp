// The small problem by guessing who is at a bound: a primal-dual active set method (Bergounioux, Ito, Kunisch, SIAM J. Control Optim. 37, 1999) solves
//     K_ff x_f + λ = r_f - K_fb x_b,   Σx_f = s - Σx_b in each group, λ one number for each
// by Cholesky, and corrects the guess: free ones outside their box go to the bound, bound ones with F beyond λ become free. It ends after a few
// factorisations, exactly, or not at all.
#include <algorithm>
#include <cmath>

#include "mercer/solvers/smo/limits.h"
#include "mercer/solvers/smo/second_order/blocked_cholesky.h"
#include "mercer/solvers/smo/second_order/free_problem.h"

namespace mercer::smo {

sum_multipliers::sum_multipliers(const matrix<double>& factor, std::vector<std::uint8_t> group) : group_(std::move(group)) {
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

bool guess_bounds(free_problem& q) {
    const index m = q.K.rows();
    std::vector<at>& where = q.where;
    double trace = 0;
    for (index i = 0; i < m; ++i) trace += q.K(i, i);
    const double ridge = 1e-12 * trace / static_cast<double>(m);
    // The number of corrections should fall quickly; where it does not, pairs do better for now.
    constexpr int most_rounds = 12;
    index last_changes = m + 1;
    for (int round = 0; round < most_rounds; ++round) {
        std::vector<index> free;
        std::vector<std::uint8_t> group;
        two left = q.sum;
        for (index i = 0; i < m; ++i) {
            if (where[i] == at::free) {
                free.push_back(i);
                group.push_back(q.group[i]);
                continue;
            }
            q.x[i] = where[i] == at::lower ? q.lower[i] : q.upper[i];
            left[q.group[i]] -= q.x[i];
        }
        const index f = static_cast<index>(free.size());
        if (f < 2) return false;
        matrix<double> part(f, f);
        std::vector<double> z(free.size());
        for (index a = 0; a < f; ++a) {
            const double* row = q.K.row(free[a]);
            for (index b = 0; b < f; ++b) part(a, b) = row[free[b]];
            part(a, a) += ridge;
            double fixed = 0;
            for (index j = 0; j < m; ++j)
                if (where[j] != at::free) fixed += row[j] * q.x[j];
            z[a] = q.r[free[a]] - fixed;
        }
        if (!blocked_cholesky(part)) return false;
        solve_cholesky(part, z);
        const sum_multipliers sums(part, group);
        two lambda = sums.apply(z, left);
        for (index a = 0; a < f; ++a) q.x[free[a]] = z[a];
        std::vector<double> F(static_cast<std::size_t>(m));
        two rise{-infinity, -infinity}, fall{infinity, infinity};
        for (index i = 0; i < m; ++i) {
            if (where[i] == at::free) continue;
            F[i] = q.r[i];
            const double* row = q.K.row(i);
            for (index j = 0; j < m; ++j) F[i] -= row[j] * q.x[j];
            double& end = where[i] == at::lower ? rise[q.group[i]] : fall[q.group[i]];
            end = where[i] == at::lower ? std::max(end, F[i]) : std::min(end, F[i]);
        }
        // A group with all at their bounds rests where λ lies between those that could rise and those that could fall.
        for (std::size_t g = 0; g < 2; ++g)
            if (!sums.has(static_cast<int>(g))) lambda[g] = !std::isfinite(rise[g]) ? fall[g] : !std::isfinite(fall[g]) ? rise[g] : (rise[g] + fall[g]) / 2;
        index changes = 0;
        std::vector<at> next = where;
        for (index i = 0; i < m; ++i) {
            if (where[i] == at::free) {
                if (q.x[i] < q.lower[i]) next[i] = at::lower, ++changes;
                if (q.x[i] > q.upper[i]) next[i] = at::upper, ++changes;
                continue;
            }
            const double own = lambda[q.group[i]];
            if (where[i] == at::lower ? F[i] > own : F[i] < own) next[i] = at::free, ++changes;
        }
        if (changes == 0) return true;
        if (changes > 0.8 * static_cast<double>(last_changes)) return false;
        last_changes = changes;
        where = std::move(next);
    }
    return false;
}

}  // namespace mercer::smo
