// The eigenvalues of a Gram matrix as a panel.
#pragma once

#include "mercer/kernel_analysis/spectrum.h"
#include "mercer/plot/axes.h"

namespace mercer {

// Eigenvalues by index on a logarithmic scale: |λ|, the negative ones in red.
panel spectrum_panel(const gram_spectrum& spectrum);

}  // namespace mercer
