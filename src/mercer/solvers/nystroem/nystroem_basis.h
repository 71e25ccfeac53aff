// The space of functions f(x) = Σ βⱼk(x, zⱼ) over centres z₁ … z_M with an orthonormal basis: with TᵀT = K_MM + εI,
// β = T⁻¹γ, it is ‖f‖ = ‖γ‖ and f = Φγ on the data, Φ = K T⁻¹ (the Nyström features). Problems are solved in γ, where
// the ridge is λI and nothing of K_MM is squared. ε = 10·M·2⁻⁵²·max k(z, z), more where centres are copies of each
// other.
//
// What preconditions Newton's equations (ΦᵀDΦ + λI)δ = -g (Rudi, Carratino, Rosasco 2017, with any rows in place of
// the centres themselves, so that the centres may be chosen as they like): the same matrix from a sample S of s rows,
//     AᵀA = n/s Φ_SᵀD_SΦ_S + λI.
#pragma once

#include <functional>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

class nystroem_basis {
public:
    explicit nystroem_basis(matrix<double> k_mm);

    index size() const { return t_.rows(); }
    double added() const { return added_; }  // ε
    // Every row γ becomes β = T⁻¹γ.
    void to_coefficients(matrix_view<double> rows) const;
    // Every row Kᵀu, a gradient in β, becomes Φᵀu = T⁻ᵀKᵀu.
    void to_gradient(matrix_view<double> rows) const;

private:
    matrix<double> t_;
    double added_ = 0;
};

// Rows of K to learn the shape of ΦᵀDΦ from.
struct row_sample {
    const gram<double>* k = nullptr;  // s × M
    std::vector<index> rows;          // their numbers among all n
    index of = 0;                     // n
};

class sketched_hessian {
public:
    // weight(row) is that row's entry of D. constant: Φ has a column of ones behind it, without a ridge.
    sketched_hessian(const nystroem_basis& basis, const row_sample& sample, const std::function<double(index)>& weight,
                     double lambda, bool constant);
    // Every row r becomes (AᵀA)⁻¹r.
    void solve(matrix_view<double> rows) const;

private:
    matrix<double> a_;
};

// 1 - Σ‖φ(x)‖²/Σk(x, x) over the sample: the share of the trace of K(X, X) that the centres do not reach. `self` holds
// k(x, x) of its rows.
double share_out_of_reach(const nystroem_basis& basis, const row_sample& sample, const std::vector<double>& self);

}  // namespace mercer
