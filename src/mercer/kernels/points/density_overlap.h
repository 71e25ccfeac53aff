// Overlap of the neighbour densities of atoms, averaged over rotations: the power spectrum of SOAP with point-like
// neighbours on a radial grid (Bartók, Kondor, Csányi 2013), summed over the atoms of an element (the average kernel of
// De, Bartók, Csányi, Ceriotti 2016). The neighbours j of atom i at distances r = ‖Rⱼ-Rᵢ‖ < cutoff have the radial
// functions g_n(j) = c(r)·exp(-(r-nσ)²/(2σ²)), n = 0, 1, …, ⌊cutoff/σ⌋, with c(r) = cos²(½πr/cutoff), and
//
//     p(E n, E' n', l) = Σ over neighbours j of element E and k of element E' of g_n(j)·g_n'(k)·P_l(cos ∠jik)
//
// for l = 0 … degree, with the Legendre polynomials P_l.
//
// k(A, B) = Σ over elements F of ⟨P_F(A), P_F(B)⟩, P_F being the sum over the atoms of element F of the vector of 1 and
// all p(E n, E' n', l). k is invariant under rotations, translations and permutations of the points.
#pragma once

#include <cmath>

#include "mercer/data/point_clouds.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {

struct density_overlap {
    double sigma = 0.5;
    double cutoff = 4;
    int degree = 3;

    static kernel_info info() {
        return {"density_overlap",
                {},
                "sum over elements of <sum of p(i), i in A; sum of p(j), j in B>, p the power spectrum around an atom",
                points::kind,
                {{"sigma", "0.5", "sigma > 0", "width and spacing of the radial functions"},
                 {"cutoff", "4", "sigma <= cutoff <= 100*sigma", "radius of the neighbourhood of an atom"},
                 {"degree", "3", "integer, 0 <= degree <= 20", "largest angular degree; 0: angles are ignored"}},
                "density overlap: the inner product of power spectra",
                true,
                {}};
    }
    static density_overlap from(const mercer::arguments& given) {
        return {given.number("sigma", 0.5), given.number("cutoff", 4), given.whole("degree", 3)};
    }
    void check() const {
        require(sigma > 0 && std::isfinite(sigma), "density_overlap", "sigma > 0", sigma);
        require(cutoff >= sigma && cutoff <= 100 * sigma, "density_overlap", "sigma <= cutoff <= 100*sigma", cutoff);
        require(degree >= 0 && degree <= 20, "density_overlap", "0 <= degree <= 20", degree);
    }
    std::vector<argument> arguments() const { return {sigma, cutoff, static_cast<double>(degree)}; }
    named_embedding embedding() const;

    static constexpr pair_statistic statistic = pair_statistic::dot;
    static constexpr map_input input = map_input::value;
    linear map() const { return {}; }
};

}  // namespace mercer
