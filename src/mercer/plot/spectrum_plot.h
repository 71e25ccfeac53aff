// The eigenvalues of a Gram matrix as a panel.
#pragma once

#include "mercer/kernel_analysis/spectrum.h"
#include "mercer/plot/axes.h"

namespace mercer {

// λ| by index on a logarithmic scale; negative eigenvalues are red.
panel spectrum_panel(const gram_spectrum& spectrum);

}  // namespace mercer
