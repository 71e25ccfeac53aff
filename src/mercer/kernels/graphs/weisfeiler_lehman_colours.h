// Weisfeiler-Lehman colours of the nodes of graphs (weisfeiler_lehman.h), for all graphs together. Two nodes have the
// same colour if and only if their labelled neighbourhoods, unfolded to trees of that depth, are equal: the signatures
// are compared, not only their hashes.
#pragma once

#include "mercer/kernels/embedding.h"

namespace mercer {

// The embedding of graphs as the counts of their node colours of depths 0 … h; `edge_labels`: the labels of edges are
// part of the colours.
named_embedding colour_counts(int h, bool edge_labels);
// The embedding of graphs as the 0/1 features (colour, t) for t = 1 … the count of the colour; their inner product is
// Σ_c min(count_c, count_c).
named_embedding colour_steps(int h, bool edge_labels);

}  // namespace mercer
