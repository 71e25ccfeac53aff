// The equations of a Newton step (solve_representer.h, solve_softmax.h) where K is multiplied by and not decomposed:
// for n × C numbers, C functions at once,
//
//     (λI + D'K)X = -R,     D' = S Q S
//
// with a diagonal S >= 0 and an orthogonal projection Q: what the best offsets take out of the curvature, and for
// several classes that their probabilities sum to one. With X = X₀ + S U, X₀ = -(R - S Q S⁺R)/λ what Q does not see,
//
//     (λI + Q S K S Q)U = -Q S⁺R - Q S K X₀,
//
// symmetric and positive definite, by conjugate gradients. One product with K a step gives KX as well. The
// preconditioner has FFᵀ ≈ K from randomly pivoted Cholesky (Díaz, Epperly, Frangella, Tropp, Webber 2023) in the place
// of K and T, the root of D's own diagonal, in that of S Q, each function by itself, by Woodbury's identity with G = T
// F:
//
//     Q(λI + GGᵀ)⁻¹Q,     (λI + GGᵀ)⁻¹ = (I - G(λI + GᵀG)⁻¹Gᵀ)/λ.
//
// They end where the residual E = -R - (λI + D'K)X has tr(EᵀKE) <= goal, K there being FFᵀ + diag(K - FFᵀ).
//
// Where F is all of K, as of a linear kernel, v = FᵀX has equations of its own, without K,
//
//     (λI + FᵀS Q S F)v = -FᵀR,     X = F(FᵀF)⁻¹v,  KX = Fv,
//
// with the same λI + GᵀG as preconditioner. X is then the smallest that has this KX: the one above also solves for what
// K does not see of R, and of a linear kernel on unscaled data Kα was then little but rounding.
//
// For few examples that are not of low rank plain conjugate gradients in the inner product tr(XᵀKZ), in which λI + D'K
// is symmetric, take less time.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

struct newton_step {
    matrix<double> x, Kx;
};

class newton_equations {
public:
    // F takes at most a third of `memory_bytes`; it preconditions from `many` examples on.
    newton_equations(const gram<double>& K, double lambda, std::size_t memory_bytes, index many = 2000)
        : K_(K), lambda_(lambda), memory_bytes_(memory_bytes), many_(many) {}

    // Q, in place
    using projection = std::function<void(matrix<double>&)>;
    using product = std::function<matrix<double>(const matrix<double>&)>;
    // `multiply` is K·v as the caller counts it; KR is known. `go_on` is asked before every product; where it says no,
    // or where K is found not to be positive, the step so far is returned.
    newton_step solve(const matrix<double>& S, const matrix<double>& T, const projection& Q, const matrix<double>& R,
                      const matrix<double>& KR, double goal, const product& multiply,
                      const std::function<bool()>& go_on);

    // What rounding may make of tr(RᵀKR), which is not negative for a K that is a kernel matrix.
    double rounding(const matrix<double>& R) const;

private:
    newton_step preconditioned(const matrix<double>& S, const matrix<double>& T, const projection& Q,
                               const matrix<double>& R, double goal, const product& multiply,
                               const std::function<bool()>& go_on);
    newton_step plain(const matrix<double>& S, const projection& Q, const matrix<double>& R, const matrix<double>& KR,
                      double goal, const product& multiply, const std::function<bool()>& go_on) const;
    // By F alone; nothing where FᵀF is singular.
    std::optional<newton_step> low_rank(const matrix<double>& S, const projection& Q, const matrix<double>& R,
                                        double goal);
    void factor(index functions);
    bool weigh(const matrix<double>& T);  // false where rounding leaves λI + GᵀG no longer positive definite
    // z ← (λI + GGᵀ)⁻¹r
    void precondition(const matrix<double>& T, const matrix<double>& r, matrix<double>& z) const;
    double square(const matrix<double>& E) const;  // tr(EᵀKE), nearly

    const gram<double>& K_;
    double lambda_;
    std::size_t memory_bytes_;
    index many_;
    bool made_ = false, whole_ = false;
    matrix<double> f_;                   // F
    std::vector<double> left_;           // diag(K - FFᵀ)
    std::vector<matrix<double>> inner_;  // of each function, the factor of λI + GᵀG
};

}  // namespace mercer
