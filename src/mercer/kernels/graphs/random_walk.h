// Geometric random walk kernel (Gärtner, Flach, Wrobel 2003; Vishwanathan, Schraudolph, Kondor, Borgwardt 2010):
//     k(G, H) = Σ_{s>=0} λ^s · (number of pairs of walks of s steps in G and H with the same labels)
//             = 1ᵀ(I - λA×)⁻¹1,
// A× the adjacency matrix of the product graph: its nodes are the pairs of nodes with the same label, and two pairs are
// adjacent if both graphs have an edge with the same label between them. The series converges if λ·ρ(G)·ρ(H) < 1, ρ the
// largest eigenvalue of the adjacency matrix of a graph without labels; for other pairs of graphs the kernel throws
// errc::invalid_argument with the bound of λ. Pairs of undirected graphs are computed by conjugate gradients, pairs of
// directed graphs by summing the series.
#pragma once

#include <cmath>

#include "mercer/data/graphs.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

int emit_random_walk(plan_builder& code, double lambda);

struct random_walk {
    double lambda = 0.01;

    static kernel_info info() {
        return {"random_walk",
                {},
                "sum over s of lambda^s * number of common walks of s steps",
                graphs::kind,
                {{"lambda", "0.01", "lambda > 0",
                  "weight factor per step; lambda*rho(G)*rho(H) < 1, rho: spectral radius"}},
                "random walks: the inner product of counts of labelled walks, each step with the weight lambda > 0",
                true,
                {}};
    }
    static random_walk from(const mercer::arguments& given) { return {given.number("lambda", 0.01)}; }
    void check() const { require(lambda > 0 && std::isfinite(lambda), "random_walk", "lambda > 0", lambda); }
    std::vector<argument> arguments() const { return {lambda}; }
    int emit(plan_builder& code) const { return emit_random_walk(code, lambda); }
};

}  // namespace mercer
