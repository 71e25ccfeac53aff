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
    double allowed = 0;         // what the residual of a positive semidefinite K is at most

    // K = PᵀP to within the tolerance. Otherwise K is not positive semidefinite, and no P is a factor of it.
    bool holds() const { return residual <= allowed; }

    index rank() const { return p.rows(); }
};

// Pivoted Cholesky. tolerance < 0 stands for n·ε·max Kᵢᵢ. Of a positive semidefinite K what is left is so too, with no
// diagonal entry above the tolerance: its norm is at most its trace, (n - rank)·tolerance, and rounding. A larger
// residual shows that K is not.
gram_factor factorise(const gram<double>& k, double tolerance = -1);

}  // namespace mercer
