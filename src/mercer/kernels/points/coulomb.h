// Sorted Coulomb matrices (Rupp, Tkatchenko, Müller, von Lilienfeld 2012; the sorted form and the Laplacian: Montavon
// et al. 2012, Hansen et al. 2013). A molecule is the matrix
//
//     M(i, i) = ½ Zᵢ^2.4,    M(i, j) = ZᵢZⱼ/‖Rᵢ-Rⱼ‖ for i ≠ j,
//
// where Zᵢ is the atomic number and Rᵢ the position of atom i, in the unit of the data, with its rows and columns
// sorted by descending norms of the rows. Its lower triangle is a vector m, padded with zeros to the length for the
// largest molecule. k = exp(-‖m-m'‖₁/σ) for norm 1, exp(-‖m-m'‖²/(2σ²)) for norm 2. A point without an element has
// charge 1. k is invariant under rotations, translations and permutations of the atoms, except if two rows have the
// same norm and are not exchanged by a symmetry of the molecule: then the molecule does not define their order.
#pragma once

#include <cmath>

#include "mercer/data/point_clouds.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

// Returns the lower triangle of the sorted Coulomb matrix M (above) of a cloud of n points, row by row: n(n+1)/2
// numbers, of which entry (i, j), j <= i, has the index i(i+1)/2 + j. The numbers are not padded. Throws errc::data if
// two points coincide.
std::vector<double> sorted_coulomb_matrix(const point_cloud& of);

struct coulomb {
    double sigma = 4000;
    int norm = 1;

    static kernel_info info() {
        return {"coulomb",
                {},
                "exp(-|m-m'|_1/sigma) (norm 1) or exp(-|m-m'|^2/(2*sigma^2)) (norm 2), m the sorted Coulomb matrix",
                points::kind,
                {{"sigma", "4000", "sigma > 0", "width"}, {"norm", "1", "norm = 1 or 2", "1: Laplacian; 2: Gaussian"}},
                "Coulomb: a Laplacian or Gaussian kernel of the vectors m",
                true,
                {.stationary = false, .radial = false, .normalised = true}};
    }
    static coulomb from(const mercer::arguments& given) {
        return {given.number("sigma", 4000), given.whole("norm", 1)};
    }
    void check() const {
        require(sigma > 0 && std::isfinite(sigma), "coulomb", "sigma > 0", sigma);
        require(norm == 1 || norm == 2, "coulomb", "norm = 1 or 2", norm);
    }
    std::vector<argument> arguments() const { return {sigma, static_cast<double>(norm)}; }
    int emit(plan_builder& code) const;
};

}  // namespace mercer
