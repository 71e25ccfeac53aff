// Frequencies that are nowhere written out (Yu, Suresh, Choromanski, Holtmann-Rice, Kumar 2016, "Orthogonal random
// features", section 4; after Le, Sarlós, Smola 2013, "Fastfood"): of a block of p frequencies the matrix is
//     W = S·H·D₁·H·D₂·H·D₃ / p^(3/2),
// H the Walsh-Hadamard matrix of p, a power of two, Dᵢ diagonal matrices of random signs, S the lengths of the
// frequencies. Its rows are at right angles, a block takes 4p numbers in place of p², and Wx takes 3p·log₂p additions.
// x has zeros behind its d coordinates.
//
// The directions are uniform only nearly. For a unit vector u the coordinate v = uᵀHD₁HD₂HD₃e/p has E v² = 1/p and
// E v⁴ = 3/p² - 6/p³ + O(p⁻⁴), where the sphere's is 3/(p²+2p) = 3/p² - 6/p³ + O(p⁻⁴): with lengths as those of normal
// vectors of p coordinates, a kernel is met up to O(1/p²). Blocks have at least 64 frequencies for that reason (an rbf
// is then met up to 3e-4 in the worst direction found, and 0.005 with 16): in the plane p = 2 would know four
// directions and no others.
#pragma once

#include <functional>
#include <vector>

#include "mercer/base/linear_operand.h"
#include "mercer/base/matrix_view.h"
#include "mercer/base/normal_numbers.h"

namespace mercer {

struct structured_frequencies {
    static constexpr index least_width = 64;

    index dims = 0;               // d
    matrix<double> signs;         // a block has three rows of p: D₃, D₂, D₁
    std::vector<double> lengths;  // ‖w‖ in p coordinates

    index size() const { return static_cast<index>(lengths.size()); }
    index width() const { return signs.cols(); }
    index blocks() const { return signs.rows() / 3; }
    static index width_for(index dims);
    static index blocks_for(index count, index width) { return (count + width - 1) / width; }

    // out[j] = w_jᵀxᵢ; scratch of 2p.
    void angles(const linear_operand& x, index i, double* scratch, double* out) const;
    // The same frequencies written out, one a row.
    matrix<double> written_out() const;
};

// `count` frequencies for vectors of `dims` coordinates; factor() is drawn for each and multiplies a normal length.
structured_frequencies draw_structured(index dims, index count, normal_numbers& random,
                                       const std::function<double()>& factor);

}  // namespace mercer
