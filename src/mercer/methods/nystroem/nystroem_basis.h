// The space of functions f(x) = Σ βⱼk(x, zⱼ) over centres z₁ … z_M, with an orthonormal basis. With TᵀT = K_MM + εI and
// β = T⁻¹γ, it is ‖f‖ = ‖γ‖ and f = Φγ on the data, where Φ = K T⁻¹ are the Nyström features. Problems are solved in γ,
// where the ridge is λI and K_MM is not squared. ε = 10·M·2⁻⁵²·max k(z, z), or more if centres are copies of each
// other.
//
// The preconditioner of Newton's equations (ΦᵀDΦ + λI)δ = -g is this matrix computed from a sketch of the rows
// (sketched_preconditioner.h). D is the diagonal matrix of the curvatures of the losses, and S a random matrix with s
// rows that combines the rows of D^½Φ:
//     AᵀA = (SD^½Φ)ᵀ(SD^½Φ) + λI
// The condition number of the preconditioned system depends on s/M only. (Falkon uses the rows of the centres instead,
// Rudi, Carratino, Rosasco 2017, which requires uniformly drawn centres; the sketch is due to Díaz, Epperly, Frangella,
// Tropp, Webber 2023.)
//
// If a process group is given, its processes factor both matrices together and share the rows of the sketch, which
// takes M³ operations that otherwise each process performs itself. Rounding then depends on the number of processes.
#pragma once

#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

class communicator;

class nystroem_basis {
public:
    explicit nystroem_basis(matrix<double> k_mm, const communicator* factor_group = nullptr);

    index size() const { return t_.rows(); }
    double added_ridge() const { return added_ridge_; }      // ε
    double max_diagonal() const { return max_diagonal_; }    // largest k(z, z)
    double mean_diagonal() const { return mean_diagonal_; }  // mean k(z, z)
    // Replaces every row γ by β = T⁻¹γ.
    void to_coefficients(matrix_view<double> rows) const;
    // Replaces every row Kᵀu, a gradient with respect to β, by Φᵀu = T⁻ᵀKᵀu.
    void to_gradient(matrix_view<double> rows) const;
    // The inverse operations: γ = Tβ and Kᵀu = TᵀΦᵀu.
    void from_coefficients(matrix_view<double> rows) const;
    void from_gradient(matrix_view<double> rows) const;
    // Adds TᵀT times `by` to the upper triangle of a.
    void add_to(matrix<double>& a, double by) const;
    // Returns the centres whose squared distance to the span of the centres before them exceeds 8ε.
    std::vector<index> independent_centres() const;
    double diagonal_spread() const;  // largest over smallest diagonal entry of T, an estimate of its condition number
    // Estimates ‖T⁻¹‖² in the Frobenius norm from eight random vectors. Independent errors of kernel values are
    // magnified by this factor in Φ.
    double squared_inverse_norm() const;

private:
    matrix<double> t_;              // T in the upper triangle, TᵀT below the diagonal
    std::vector<double> diagonal_;  // diagonal of TᵀT
    double added_ridge_ = 0, max_diagonal_ = 0, mean_diagonal_ = 0;
};

// The preconditioner AᵀA, factored. If rounding permits, its square is formed in coefficients β as
// (SD^½K)ᵀSD^½K + λTᵀT, which saves the 2M³ operations of the transformation to the basis; otherwise in γ.
class sketched_hessian {
public:
    // `sketch` is SD^½K and is consumed. If f has an offset, it has one more column after those of the centres, without
    // a ridge. The last `targets` columns are SD^½y of that many functions.
    sketched_hessian(const nystroem_basis& basis, matrix<double> sketch, double lambda,
                     const communicator* factor_group = nullptr, index targets = 0);
    // Replaces every row r by (AᵀA)⁻¹r.
    void solve(matrix_view<double> rows) const;
    // Returns true if the matrix was factored without an additional ridge.
    bool is_unmodified() const { return is_unmodified_; }
    // The minimisers of ½‖SD^½(Φγ - y)‖² + λ/2 ‖γ‖², one row for each y. For these γ the unsketched objective
    // ½‖D^½(Φγ - y)‖² + λ/2 ‖γ‖² exceeds its minimum by a factor of about 1 + M/(s - M), which saves conjugate
    // gradients some passes.
    const matrix<double>& solutions() const { return solutions_; }

private:
    bool factor_in_coefficients(double lambda, index targets, const communicator* factor_group);
    void factor_in_basis(double lambda, const communicator* factor_group);
    void extract_targets(index targets);

    const nystroem_basis& basis_;
    matrix<double> a_, solutions_;
    bool in_coefficients_ = false, is_unmodified_ = true;
};

// Returns 1 - Σ‖φ(x)‖²/Σk(x, x) over the rows k of K: the fraction of the trace of K(X, X) that the centres do not
// explain. `self` contains k(x, x) of these rows.
double unexplained_trace(const nystroem_basis& basis, const gram<double>& k, const std::vector<double>& self);

}  // namespace mercer
