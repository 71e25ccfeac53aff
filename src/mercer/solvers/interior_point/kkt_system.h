// kkt_system: the linear system of a step of the interior-point method in quadratic_program.h:
//     Q du + Mᵀdz + Aᵀdy = -(stationarity),  M du + ds = -residual,  A du = -equation,  s·dz + z·ds = -target.
// It is reduced to H du + Aᵀdy = r with H = Q + Mᵀ(z/s)M, which is solved by Cholesky, and to S = A H⁻¹Aᵀ for dy.
#pragma once

#include <array>
#include <vector>

#include "mercer/solvers/interior_point/quadratic_program.h"

namespace mercer {

// Inequalities Mu + s = t, s >= 0, for the unknowns u, with multipliers z >= 0 and a given right-hand side t. M
// consists of the rows of the constraint matrix G, or it is the diagonal matrix ∓I of the lower or upper bounds of the
// bounded variables.
struct inequalities {
    matrix_view<const double> rows;
    std::vector<index> variables;  // the variables of a diagonal M
    double sign = 0;               // of a diagonal M; 0: M has rows
    std::vector<double> t, s, z;
    std::vector<double> Mu, residual;    // residual = Mu + s - t
    std::vector<double> ds, dz, target;  // s·dz + z·ds = -target

    std::size_t size() const { return t.size(); }
    void apply(const std::vector<double>& u, std::vector<double>& out) const;           // out = Mu
    void add_transposed(const std::vector<double>& v, std::vector<double>& out) const;  // out += Mᵀv
};

// The rows of G and the finite lower and upper bounds.
struct all_inequalities {
    explicit all_inequalities(const quadratic_program& q);
    all_inequalities(const all_inequalities&) = delete;

    inequalities rows, low, high;
    std::array<inequalities*, 3> each{&rows, &low, &high};
};

class kkt_system {
public:
    kkt_system(const quadratic_program& q, const all_inequalities& all);

    // Factors the system for the current s and z. Returns false if no small multiple of I makes H, or S, positive
    // definite.
    bool factor();

    // Computes the direction in which s·z reaches the targets: du and dy in this object, ds and dz in `all`.
    void solve(all_inequalities& all, const std::vector<double>& stationarity, const std::vector<double>& equation);

    std::vector<double> du, dy;

private:
    void assemble();                  // fills the upper half of H
    double typical_diagonal() const;  // a typical size of the diagonal entries of H
    bool factor_hessian();
    bool factor_equations();

    const quadratic_program& q_;
    const all_inequalities& all_;
    std::size_t n_;
    matrix<double> H_, T_, S_, scaled_;
};

}  // namespace mercer
