// Preconditioned conjugate gradients for linear systems with a kernel matrix K that is multiplied by vectors but not
// decomposed: newton_equations for the steps of Newton's method (solve_representer.h, solve_softmax.h), ridge_cg for
// kernel ridge regression. Both precondition with FFᵀ ≈ K from randomly pivoted Cholesky (Díaz, Epperly, Frangella,
// Tropp, Webber 2023).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/matrix_view.h"
#include "mercer/dense/lanczos.h"
#include "mercer/gram/gram.h"

namespace mercer {

struct newton_step {
    matrix<double> x, Kx;
};

// The equations of a Newton step for n × C numbers, where C functions are fitted at once:
//
//     (λI + D'K)X = -R,     D' = S Q S
//
// with a diagonal S >= 0 and an orthogonal projection Q. Q removes from the curvature the directions in which the best
// offsets compensate, and with several classes the direction in which the probabilities do not change. Write
// X = X₀ + S U with X₀ = -(R - S Q S⁺R)/λ, the part that Q does not see. Then
//
//     (λI + Q S K S Q)U = -Q S⁺R - Q S K X₀,
//
// which is symmetric positive definite and is solved by conjugate gradients. One product with K per step also gives KX.
// The preconditioner replaces K by FFᵀ, and S Q by T, the root of D's own diagonal. It treats each function separately,
// by Woodbury's identity with G = T F:
//
//     Q(λI + GGᵀ)⁻¹Q,     (λI + GGᵀ)⁻¹ = (I - G(λI + GᵀG)⁻¹Gᵀ)/λ.
//
// The iteration ends when the residual E = -R - (λI + D'K)X satisfies tr(EᵀKE) <= goal, with K ≈ FFᵀ + diag(K - FFᵀ).
//
// If FFᵀ is all of K, as for a linear kernel, v = FᵀX has equations of its own, without K,
//
//     (λI + FᵀS Q S F)v = -FᵀR,     X = F(FᵀF)⁻¹v,  KX = Fv,
//
// with the same λI + GᵀG as preconditioner. This X is the smallest one with this KX. The equations above also solve for
// the part of R in the null space of K; for a linear kernel on unscaled data Kα would then consist mostly of rounding
// errors.
//
// For few examples and a K of high rank, plain conjugate gradients in the inner product tr(XᵀKZ), in which λI + D'K is
// symmetric, take less time.
class newton_equations {
public:
    // F takes at most a third of `memory_bytes`. Problems with fewer than `many` examples are solved without a
    // preconditioner, unless F is all of K.
    newton_equations(const gram<double>& K, double lambda, std::size_t memory_bytes, index many = 2000)
        : K_(K), lambda_(lambda), memory_bytes_(memory_bytes), min_preconditioned_(many) {}

    // Applies Q in place.
    using projection = std::function<void(matrix<double>&)>;
    using product = std::function<matrix<double>(const matrix<double>&)>;
    // Solves for X and KX. T: root of D's own diagonal, for the preconditioner. KR: K times R. goal: see above.
    // `multiply` returns K·v, so that the caller counts the products. `go_on` is called before every product. The step
    // so far is returned if `go_on` returns false or K turns out not to be positive semidefinite.
    newton_step solve(const matrix<double>& S, const matrix<double>& T, const projection& Q, const matrix<double>& R,
                      const matrix<double>& KR, double goal, const product& multiply,
                      const std::function<bool()>& go_on);

    // Returns a bound on the rounding error of tr(RᵀKR), which is not negative in exact arithmetic.
    double rounding_error(const matrix<double>& R) const;

private:
    newton_step solve_preconditioned(const matrix<double>& S, const matrix<double>& T, const projection& Q,
                                     const matrix<double>& R, double goal, const product& multiply,
                                     const std::function<bool()>& go_on);
    newton_step solve_plain(const matrix<double>& S, const projection& Q, const matrix<double>& R,
                            const matrix<double>& KR, double goal, const product& multiply,
                            const std::function<bool()>& go_on) const;
    // Solves with F alone; returns nothing if FᵀF is singular.
    std::optional<newton_step> solve_low_rank(const matrix<double>& S, const projection& Q, const matrix<double>& R,
                                              double goal);
    void make_preconditioner(index functions);
    bool factor_preconditioner(
        const matrix<double>& T);  // returns false if λI + GᵀG is not positive definite after rounding
    // z ← (λI + GGᵀ)⁻¹r
    void precondition(const matrix<double>& T, const matrix<double>& r, matrix<double>& z) const;
    double squared_k_norm(const matrix<double>& E) const;  // tr(EᵀKE) with K ≈ FFᵀ + diag(K - FFᵀ)

    const gram<double>& K_;
    double lambda_;
    std::size_t memory_bytes_;
    index min_preconditioned_;
    bool is_prepared_ = false, is_low_rank_ = false;
    matrix<double> f_;                           // F
    std::vector<double> residual_diagonal_;      // diag(K - FFᵀ)
    std::vector<matrix<double>> inner_factors_;  // per function: the Cholesky factor of λI + GᵀG
};

// Solves (K + D)x = b for a positive semidefinite K, of which only products are needed, a diagonal D > 0 and several
// right-hand sides b, which share D or have one each: the equations of kernel ridge regression without n² numbers in
// memory.
//
// Every right-hand side has its own conjugate gradients; all share one product with K per step. The preconditioner is P
// = FFᵀ + D with FFᵀ ≈ K of rank r. If the eigenvalues of K beyond the r-th are of the size of D, the number of steps
// does not grow with n. By Woodbury's identity
//     P⁻¹ = D⁻¹ - D⁻¹F(I + FᵀD⁻¹F)⁻¹FᵀD⁻¹.
// The iteration ends when ‖b - (K + D)x‖ <= tol·‖b‖ for every right-hand side, with the residual recomputed in
// double. If that residual is larger than the recurrence claims, the iteration starts again from it.
struct ridge_cg_options {
    double tol = 1e-10;
    index max_iter = 1000;                                            // number of products with K
    std::function<bool(index products, double residual)> progress{};  // returns false to stop with the current x
    // `keep` receives the state after every product. `start` is such a state; the resumed solution is bit-identical to
    // one that was never interrupted.
    std::function<void(const std::vector<double>& state)> keep{};
    std::vector<double> start{};
};

struct ridge_cg_result {
    fit_status status = fit_status::step_limit;
    index products = 0;
    // ‖b - (K + D)x‖/‖b‖ of each right-hand side: recomputed, or taken from the recurrence if the solver was
    // cancelled before that.
    std::vector<double> residuals;
};

// `multiply` computes out = K·v. Every row of b is a right-hand side and is overwritten with its solution. d: the
// diagonal of D, one row per right-hand side or one row for all. factor: F, n × r.
ridge_cg_result ridge_cg(const block_operator& multiply, matrix_view<const double> d, matrix_view<const double> factor,
                         matrix_view<double> b, const ridge_cg_options& options);

// Operations on matrices as vectors of all their numbers, for iterations whose vectors are n × C. Internal to this
// folder.
namespace block_vectors {

inline double dot(const matrix<double>& a, const matrix<double>& b) {
    double sum = 0;
    for (index k = 0; k < a.rows() * a.cols(); ++k) sum += a.data()[k] * b.data()[k];
    return sum;
}

// a ← a + t·b
inline void add(matrix<double>& a, double t, const matrix<double>& b) {
    for (index k = 0; k < a.rows() * a.cols(); ++k) a.data()[k] += t * b.data()[k];
}

}  // namespace block_vectors

}  // namespace mercer
