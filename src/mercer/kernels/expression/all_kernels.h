// The list of all kernels as types. The registry with names, help texts and text forms (listed_kernels.h) and the SIMD
// loops (kernels/evaluation/formula_loops.cpp) are generated from it at compile time. To add a kernel, include its
// header here and add its name to listed_kernels.
#pragma once

#include "mercer/kernels/expression/cosine.h"
#include "mercer/kernels/graphs/graph_histograms.h"
#include "mercer/kernels/graphs/graphlets.h"
#include "mercer/kernels/graphs/propagation.h"
#include "mercer/kernels/graphs/random_walk.h"
#include "mercer/kernels/graphs/shortest_path.h"
#include "mercer/kernels/graphs/weisfeiler_lehman.h"
#include "mercer/kernels/graphs/weisfeiler_lehman_assignment.h"
#include "mercer/kernels/images/colours.h"
#include "mercer/kernels/images/gradients.h"
#include "mercer/kernels/images/pixels.h"
#include "mercer/kernels/images/shifted_pixels.h"
#include "mercer/kernels/images/spatial_pyramid.h"
#include "mercer/kernels/points/coulomb.h"
#include "mercer/kernels/points/density_overlap.h"
#include "mercer/kernels/points/pair_distances.h"
#include "mercer/kernels/series/fourier.h"
#include "mercer/kernels/series/global_alignment.h"
#include "mercer/kernels/series/shapelets.h"
#include "mercer/kernels/series/time_warp.h"
#include "mercer/kernels/sets/multiset_kernels.h"
#include "mercer/kernels/sets/set_kernels.h"
#include "mercer/kernels/strings/all_substrings.h"
#include "mercer/kernels/strings/blended_spectrum.h"
#include "mercer/kernels/strings/gapped_kmer.h"
#include "mercer/kernels/strings/levenshtein.h"
#include "mercer/kernels/strings/local_alignment.h"
#include "mercer/kernels/strings/mismatch.h"
#include "mercer/kernels/strings/spectrum.h"
#include "mercer/kernels/strings/subsequences.h"
#include "mercer/kernels/strings/weighted_degree.h"
#include "mercer/kernels/strings/weighted_degree_shifts.h"
#include "mercer/kernels/strings/words.h"
#include "mercer/kernels/trees/subset_trees.h"
#include "mercer/kernels/trees/subtrees.h"
#include "mercer/kernels/vectors/all_subsets.h"
#include "mercer/kernels/vectors/anisotropic.h"
#include "mercer/kernels/vectors/bilinear.h"
#include "mercer/kernels/vectors/chi2.h"
#include "mercer/kernels/vectors/constant.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/intersection.h"
#include "mercer/kernels/vectors/laplacian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/kernels/vectors/matern.h"
#include "mercer/kernels/vectors/periodic.h"
#include "mercer/kernels/vectors/polynomial.h"
#include "mercer/kernels/vectors/rational_quadratic.h"
#include "mercer/kernels/vectors/sigmoid.h"

namespace mercer {

template <class... F>
struct kernel_list {};

// In the order of help texts and documentation. linear must be the first: a formula_call with place 0 means t ↦ t.
// clang-format off
using listed_kernels = kernel_list<
    linear, constant, polynomial, gaussian, anisotropic, cosine, sigmoid, all_subsets, bilinear,
    laplacian, chi2, intersection, matern, rational_quadratic, periodic,
    set_intersection, set_power, set_exp, jaccard,
    spectrum, blended_spectrum, all_substrings, mismatch, gapped_kmer, subsequences,
    weighted_degree, weighted_degree_shifts, local_alignment, local_alignment_log, levenshtein,
    words,
    multiset_intersection, min_max,
    wl, wl_assignment, shortest_path, graphlets, vertex_histogram, edge_histogram, vertex_edge_histogram,
    random_walk, propagation,
    subset_trees, subtrees,
    coulomb, pair_distances, density_overlap,
    global_alignment, time_warp, fourier, shapelets,
    pixels, shifted_pixels, colours, gradients, spatial_pyramid>;
// clang-format on

}  // namespace mercer
