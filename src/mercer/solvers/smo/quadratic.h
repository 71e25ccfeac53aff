// The matrix K of a free problem as Newton's methods use it: whole, or as ΦΦᵀ with few columns, where every operation
// costs only those.
#pragma once

#include <memory>
#include <vector>

#include "mercer/solvers/smo/free_problem.h"

namespace mercer::smo {

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

}  // namespace mercer::smo
