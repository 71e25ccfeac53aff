// The linear system of an interior-point step:
//     Q du + Mᵀdz + Aᵀdy = -(stationarity),  M du + ds = -residual,  A du = -equation,  s·dz + z·ds = -target,
// reduced to H du + Aᵀdy = r with H = Q + Mᵀ(z/s)M by Cholesky, and to S = A H⁻¹Aᵀ for dy.
#pragma once

#include <array>
#include <vector>

#include "mercer/solvers/interior_point/quadratic_program.h"

namespace mercer {

// Inequalities Mu + s = t, s >= 0, with multipliers z >= 0: the rows of G, or a diagonal M = ∓I over the bounded
// variables.
struct inequalities {
    matrix_view<const double> rows;
    std::vector<index> at;  // the variables of a diagonal family
    double sign = 0;        // 0: rows
    std::vector<double> t, s, z;
    std::vector<double> Mu, residual;    // Mu + s - t
    std::vector<double> ds, dz, target;  // s·dz + z·ds = -target

    std::size_t size() const { return t.size(); }
    void apply(const std::vector<double>& u, std::vector<double>& out) const;           // out = Mu
    void add_transposed(const std::vector<double>& v, std::vector<double>& out) const;  // out += Mᵀv
};

// The rows of G, and the lower and upper bounds there are.
struct all_inequalities {
    explicit all_inequalities(const quadratic_program& q);
    all_inequalities(const all_inequalities&) = delete;

    inequalities rows, low, high;
    std::array<inequalities*, 3> each{&rows, &low, &high};
};

class kkt_system {
public:
    kkt_system(const quadratic_program& q, const all_inequalities& all);

    // Of where s and z are now; false where no small multiple of I makes H, or S, positive definite.
    bool factor();

    // The direction towards s·z = what the targets say: du and dy here, ds and dz there.
    void solve(all_inequalities& all, const std::vector<double>& stationarity, const std::vector<double>& equation);

    std::vector<double> du, dy;

private:
    void assemble();                  // the upper half of H
    double typical_diagonal() const;  // of H
    bool factor_hessian();
    bool factor_equations();

    const quadratic_program& q_;
    const all_inequalities& all_;
    std::size_t n_;
    matrix<double> H_, T_, S_, scaled_;
};

}  // namespace mercer
