// Every kernel by its own type, and the list of them: the registry, with names, help and text forms, and the vector
// code's loops are made from it at compile time. A new kernel is its file, the include of it and its name in the list.
#pragma once

#include "mercer/kernels/all_subsets.h"
#include "mercer/kernels/anisotropic.h"
#include "mercer/kernels/bilinear.h"
#include "mercer/kernels/chi2.h"
#include "mercer/kernels/constant.h"
#include "mercer/kernels/cosine.h"
#include "mercer/kernels/gaussian.h"
#include "mercer/kernels/graphs/graphlets.h"
#include "mercer/kernels/graphs/histograms.h"
#include "mercer/kernels/graphs/propagation.h"
#include "mercer/kernels/graphs/random_walk.h"
#include "mercer/kernels/graphs/shortest_path.h"
#include "mercer/kernels/graphs/wl.h"
#include "mercer/kernels/graphs/wl_assignment.h"
#include "mercer/kernels/intersection.h"
#include "mercer/kernels/laplacian.h"
#include "mercer/kernels/linear.h"
#include "mercer/kernels/matern.h"
#include "mercer/kernels/periodic.h"
#include "mercer/kernels/points/coulomb.h"
#include "mercer/kernels/points/density_overlap.h"
#include "mercer/kernels/points/pair_distances.h"
#include "mercer/kernels/polynomial.h"
#include "mercer/kernels/rational_quadratic.h"
#include "mercer/kernels/sets/multiset_kernels.h"
#include "mercer/kernels/sets/set_kernels.h"
#include "mercer/kernels/sigmoid.h"
#include "mercer/kernels/strings/spectrum.h"
#include "mercer/kernels/texts/words.h"

namespace mercer {

template <class... F>
struct kernel_list {};

// In the order in which people see them. linear is the first: a call without a formula means t ↦ t.
// clang-format off
using listed_kernels = kernel_list<
    linear, constant, polynomial, gaussian, anisotropic, cosine, sigmoid, all_subsets, bilinear,
    laplacian, chi2, intersection, matern, rational_quadratic, periodic,
    set_intersection, set_power, set_exp, jaccard,
    spectrum,
    wl, wl_assignment, shortest_path, graphlets, vertex_histogram, edge_histogram, vertex_edge_histogram,
    random_walk, propagation,
    words,
    multiset_intersection, min_max,
    coulomb, pair_distances, density_overlap>;
// clang-format on

}  // namespace mercer
