// Weisfeiler-Lehman colours of the nodes of graphs, all depths in one pass. Two nodes of any two graphs have the same
// colour exactly when their labelled neighbourhoods, unfolded to that depth, are the same: signatures are compared, not
// hashes.
#pragma once

#include "mercer/kernels/embedding.h"

namespace mercer {

// A graph as the counts of its colours of depths 0 … h.
named_feature colour_counts(int h, bool edge_labels);
// A graph as 0/1 features (colour, t), t = 1 … its count: their inner product is Σ min(count, count).
named_feature colour_steps(int h, bool edge_labels);

}  // namespace mercer
