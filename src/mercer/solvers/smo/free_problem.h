// The quadratic program of newton_step.h:  min ½xᵀKx - rᵀx,  l <= x <= u,  Σx fixed within each group (one or two).
// solve_active_set solves it by an active-set method, solve_barrier by an interior-point method.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/dense/vector_ops.h"

namespace mercer::smo {

enum class bound_status : std::uint8_t { free, lower, upper };
using per_group = std::array<double, 2>;  // one number for each group

struct free_problem {
    matrix<double> K;  // empty where K is known as ΦΦᵀ
    std::vector<double> r, lower, upper, x;
    std::vector<std::uint8_t> group;
    std::vector<bound_status> status;  // the bound at which each variable is: a first guess, then the solution
    per_group sum{};                   // Σx of each group
};

// The multipliers λ of the sums. With M factored, x = M⁻¹b - Σ_g λ_g M⁻¹e_g, where e_g is 1 on group g, and λ is such
// that Σx over each group has its given value. A group without variables has λ = 0.
class sum_multipliers {
public:
    // `factor` is the Cholesky factor of M.
    sum_multipliers(const matrix<double>& factor, std::vector<std::uint8_t> group);
    bool has(int g) const { return count_[static_cast<std::size_t>(g)] > 0; }
    // Replaces x = M⁻¹b by the x above and returns λ.
    per_group apply(std::vector<double>& x, const per_group& sum) const;

private:
    std::vector<std::uint8_t> group_;
    std::array<std::vector<double>, 2> solved_;  // M⁻¹e_g
    std::array<per_group, 2> A_{};               // e_hᵀM⁻¹e_g
    std::array<index, 2> count_{};
};

// The matrix K of a free problem with the operations of the barrier method.
class quadratic_form {
public:
    virtual ~quadratic_form() = default;
    // out = Kx
    virtual void multiply(const std::vector<double>& x, std::vector<double>& out) const = 0;
    virtual double diagonal(index i) const = 0;
    // Factors K + diag(d), d > 0; returns false if rounding makes that impossible.
    virtual bool factor(const std::vector<double>& d) = 0;
    // Solves (K + diag(d))x + λ = b with Σx = sum in each group. Replaces b by x and returns the λ of each group.
    virtual per_group solve(std::vector<double>& b, const per_group& sum) const = 0;
};

// K as a dense matrix, which is borrowed.
class dense_quadratic final : public quadratic_form {
public:
    dense_quadratic(const matrix<double>& K, const std::vector<std::uint8_t>& group, const vector_ops& ops)
        : K_(K), group_(group), ops_(ops) {}
    void multiply(const std::vector<double>& x, std::vector<double>& out) const override;
    double diagonal(index i) const override { return K_(i, i); }
    bool factor(const std::vector<double>& d) override;
    per_group solve(std::vector<double>& b, const per_group& sum) const override;

private:
    const matrix<double>& K_;
    const std::vector<std::uint8_t>& group_;
    const vector_ops& ops_;
    matrix<double> M_;
    std::unique_ptr<sum_multipliers> sums_;
};

// K = ΦΦᵀ with few columns; every operation costs only these. With w = Φᵀx the equations are diag(d)x + Φw + λ = b.
// Eliminating x leaves a system in w and λ, of the size of a row of Φ (Ferris, Munson, SIAM J. Optim. 13, 2003). The
// columns of Φ are centred at their means, whose part goes into λ: with columns far from zero, w and λ would be nearly
// indistinguishable.
class low_rank_quadratic final : public quadratic_form {
public:
    low_rank_quadratic(const matrix<double>& features, const std::vector<std::uint8_t>& group, const vector_ops& ops);
    void multiply(const std::vector<double>& x, std::vector<double>& out) const override;
    double diagonal(index i) const override { return diagonal_[static_cast<std::size_t>(i)]; }
    bool factor(const std::vector<double>& d) override;
    per_group solve(std::vector<double>& b, const per_group& sum) const override;

private:
    per_group solve_once(std::vector<double>& b, const per_group& sum) const;

    index m_, columns_;
    const std::vector<std::uint8_t>& group_;
    const vector_ops& ops_;
    matrix<double> centred_;  // the centred Φ, transposed
    std::vector<double> mean_, diagonal_, d_;
    std::vector<int> groups_;  // the groups that have variables
    matrix<double> normal_;    // Cholesky factor of the system in w and λ, scaled by scale_
    std::vector<double> scale_;
};

// Solves q by an active-set method. Returns true if the exact solution was reached, which is then in q.x and q.status.
bool solve_active_set(free_problem& q);
// Solves q by an interior-point method until F = r - Kx is optimal to within `tol`, or as far as rounding allows. The
// solution is in q.x and q.status.
void solve_barrier(free_problem& q, quadratic_form& K, double tol);

}  // namespace mercer::smo
