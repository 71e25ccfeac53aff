// The space of functions f(x) = Σ βⱼk(x, zⱼ) over centres z₁ … z_M with an orthonormal basis: with TᵀT = K_MM + εI,
// β = T⁻¹γ, it is ‖f‖ = ‖γ‖ and f = Φγ on the data, Φ = K T⁻¹ (the Nyström features). Problems are solved in γ, where
// the ridge is λI and nothing of K_MM is squared. ε = 10·M·2⁻⁵²·max k(z, z), more where centres are copies of each
// other.
//
// What preconditions Newton's equations (ΦᵀDΦ + λI)δ = -g: the same matrix from a sketch of the rows (row_sketch.h),
//     AᵀA = (SD^½Φ)ᵀ(SD^½Φ) + λI
// with a condition number that depends on s/M alone (Falkon has the rows of the centres in its place, Rudi, Carratino,
// Rosasco 2017, which needs them to be drawn uniformly; Díaz, Epperly, Frangella, Tropp, Webber 2023 have the sketch).
//
// Where processes are given both are factored by all of them together, and the rows of the sketch divided: M³
// operations that each does by itself otherwise. The last bits then depend on their number.
#pragma once

#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

class process_group;

class nystroem_basis {
public:
    explicit nystroem_basis(matrix<double> k_mm, const process_group* together = nullptr);

    index size() const { return t_.rows(); }
    double added() const { return added_; }      // ε
    double largest() const { return largest_; }  // k(z, z)
    double mean() const { return mean_; }        // of them
    // Every row γ becomes β = T⁻¹γ.
    void to_coefficients(matrix_view<double> rows) const;
    // Every row Kᵀu, a gradient in β, becomes Φᵀu = T⁻ᵀKᵀu.
    void to_gradient(matrix_view<double> rows) const;
    // And back: γ = Tβ, Kᵀu = TᵀΦᵀu.
    void from_coefficients(matrix_view<double> rows) const;
    void from_gradient(matrix_view<double> rows) const;
    // TᵀT times `by` is added to the upper half of a.
    void add_to(matrix<double>& a, double by) const;
    // Those that are more than ε away from the span of the ones before them, squared, by a factor that leaves no doubt.
    std::vector<index> independent() const;
    double spread() const;  // of T's diagonal, the largest by the smallest: about its condition
    // ‖T⁻¹‖² in Frobenius' norm, from a few random vectors: what independent errors of kernel values become in Φ.
    double inverse_square() const;

private:
    matrix<double> t_;              // below its diagonal that of TᵀT
    std::vector<double> diagonal_;  // of TᵀT
    double added_ = 0, largest_ = 0, mean_ = 0;
};

// A in γ or, where its square is formed before it is brought to the basis, in β: (SD^½K)ᵀSD^½K + λTᵀT, without the way
// to the basis, 2M³ operations.
class sketched_hessian {
public:
    // sketch: SD^½K, used up; with one more column than there are centres where f has an offset, without a ridge. The
    // last `targets` columns are SD^½y of as many functions.
    sketched_hessian(const nystroem_basis& basis, matrix<double> sketch, double lambda,
                     const process_group* together = nullptr, index targets = 0);
    // Every row r becomes (AᵀA)⁻¹r.
    void solve(matrix_view<double> rows) const;
    // Whether the matrix could be factored as it is.
    bool as_it_is() const { return as_it_is_; }
    // The minimisers of ½‖SD^½(Φγ - y)‖² + λ/2 ‖γ‖², a row for each y. Their ½‖D^½(Φγ - y)‖² + λ/2 ‖γ‖² is above its
    // own minimum by a share of about M/(s - M), which conjugate gradients take some passes to come to.
    const matrix<double>& solutions() const { return solutions_; }

private:
    bool factor_in_coefficients(double lambda, index targets, const process_group* together);
    void factor_in_basis(double lambda, const process_group* together);
    void take_targets(index targets);

    const nystroem_basis& basis_;
    matrix<double> a_, solutions_;
    bool in_coefficients_ = false, as_it_is_ = true;
};

// 1 - Σ‖φ(x)‖²/Σk(x, x) over some rows k of K: the share of the trace of K(X, X) that the centres do not reach. `self`
// holds their k(x, x).
double share_out_of_reach(const nystroem_basis& basis, const gram<double>& k, const std::vector<double>& self);

}  // namespace mercer
