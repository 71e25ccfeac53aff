// K = PᵀP, the second of Mercer's three equivalent conditions: column i of P is a feature vector of object i.
#pragma once

#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

struct gram_factor {
    matrix<double> p;           // rank × n
    std::vector<index> pivots;  // the objects that span the feature space to within the tolerance, most telling first
    double tolerance = 0;       // the factorisation ended when no remaining diagonal entry was larger
    double residual = 0;        // ‖K - PᵀP‖_F is at most this, rounding included
    double relative = 0;        // residual/‖K‖_F, 0 for K = 0

    index rank() const { return p.rows(); }
};

// Pivoted Cholesky. tolerance < 0 stands for n·ε·max Kᵢᵢ. On a matrix that is not positive semidefinite it ends early and the
// residual shows it.
gram_factor factorise(const gram<double>& k, double tolerance = -1);

}  // namespace mercer
