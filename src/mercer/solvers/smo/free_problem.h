// The small problem that newton_step.cpp poses and guess_bounds, barrier solve: min ½xᵀKx - rᵀx, l <= x <= u, Σx fixed
// within each group (one or two).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/dense/vector_ops.h"

namespace mercer::smo {

enum class at : std::uint8_t { free, lower, upper };
using two = std::array<double, 2>;  // one number for each group

struct free_problem {
    matrix<double> K;  // empty where K is known as ΦΦᵀ
    std::vector<double> r, lower, upper, x;
    std::vector<std::uint8_t> group;
    std::vector<at> where;  // who is at a bound: a first guess, then what was found
    two sum{};
};

// The multipliers λ of the sums. With M factored, x = M⁻¹b - Σ_g λ_g M⁻¹e_g, where e_g is 1 on group g, and λ is such
// that Σx over each group is what it is to be. A group without variables has λ = 0.
class sum_multipliers {
public:
    sum_multipliers(const matrix<double>& factor, std::vector<std::uint8_t> group);
    bool has(int g) const { return count_[static_cast<std::size_t>(g)] > 0; }
    // From x = M⁻¹b to the x above; gives λ.
    two apply(std::vector<double>& x, const two& sum) const;

private:
    std::vector<std::uint8_t> group_;
    std::array<std::vector<double>, 2> solved_;  // M⁻¹e_g
    std::array<two, 2> A_{};                     // e_hᵀM⁻¹e_g
    std::array<index, 2> count_{};
};

// The matrix K of a free problem as Newton's methods use it: whole, or as ΦΦᵀ with few columns, where every operation
// costs only those.

class quadratic {
public:
    virtual ~quadratic() = default;
    // out = Kx
    virtual void multiply(const std::vector<double>& x, std::vector<double>& out) const = 0;
    virtual double diagonal(index i) const = 0;
    // Makes K + diag(d) ready, d > 0; false where rounding leaves it no factor.
    virtual bool factor(const std::vector<double>& d) = 0;
    // x and the λ of each group with (K + diag(d))x + λ = b and Σx = sum in each group; x takes the place of b.
    virtual two solve(std::vector<double>& b, const two& sum) const = 0;
};

class whole_quadratic final : public quadratic {
public:
    whole_quadratic(const matrix<double>& K, const std::vector<std::uint8_t>& group, const vector_ops& ops)
        : K_(K), group_(group), ops_(ops) {}
    void multiply(const std::vector<double>& x, std::vector<double>& out) const override;
    double diagonal(index i) const override { return K_(i, i); }
    bool factor(const std::vector<double>& d) override;
    two solve(std::vector<double>& b, const two& sum) const override;

private:
    const matrix<double>& K_;
    const std::vector<std::uint8_t>& group_;
    const vector_ops& ops_;
    matrix<double> M_;
    std::unique_ptr<sum_multipliers> sums_;
};

// K = ΦΦᵀ. With w = Φᵀx the equations are diag(d)x + Φw + λ = b, so that x goes and a system in w and λ is left, of the
// size of a row of Φ (Ferris, Munson, SIAM J. Optim. 13, 2003). The columns of Φ stand about their means, which go into
// λ: raw columns far from zero would leave w and λ nearly indistinguishable.
class thin_quadratic final : public quadratic {
public:
    thin_quadratic(const matrix<double>& features, const std::vector<std::uint8_t>& group, const vector_ops& ops);
    void multiply(const std::vector<double>& x, std::vector<double>& out) const override;
    double diagonal(index i) const override { return diagonal_[static_cast<std::size_t>(i)]; }
    bool factor(const std::vector<double>& d) override;
    two solve(std::vector<double>& b, const two& sum) const override;

private:
    two solve_once(std::vector<double>& b, const two& sum) const;

    index m_, columns_;
    const std::vector<std::uint8_t>& group_;
    const vector_ops& ops_;
    matrix<double> turned_;  // a row for every column of Φ, about its mean
    std::vector<double> mean_, diagonal_, d_;
    std::vector<int> groups_;  // those that have variables
    matrix<double> normal_;    // factored
    std::vector<double> scale_;
};

// Leaves the solution in x and where; false where it did not reach it.
bool guess_bounds(free_problem& q);
// The same up to a tolerance of F = r - Kx, or as near as rounding allows.
void barrier(free_problem& q, quadratic& K, double tol);

}  // namespace mercer::smo
