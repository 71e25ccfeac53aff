// Distances and angles between the images φ(x) of objects, computed from kernel values:
//
//     ‖φ(x)-φ(z)‖² = k(x,x) + k(z,z) - 2k(x,z),   cos = k(x,z)/√(k(x,x)k(z,z)),
//     ‖φ(x)-mean‖² = k(x,x) - 2/m Σⱼ k(x,gⱼ) + 1/m² Σᵢⱼ k(gᵢ,gⱼ).
//
// Here `mean` is the mean of φ over a group of m objects g₁ … g_m. A squared distance that is negative only by rounding
// is returned as 0. If the kernel is not positive semidefinite, the squared distance itself can be negative and is
// returned unchanged. Kernel values are computed tile by tile, in double; only the results are stored. All functions
// throw errc::invalid_argument for a matrix that is not square, an empty group, or a position out of range.
//
// Example:
//
//     const double numbers[] = {0, 3, 10};
//     const dataset x = dense<double>({numbers, 3, 1});
//     assert(squared_distances(linear{}, x)(0, 1) == 9);
//     assert(medoid(linear{}, x).member == 1);
#pragma once

#include <span>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// ‖φ(xᵢ)-φ(zⱼ)‖² in row i and column j, for all objects of x and z; without z, for all pairs of objects of x.
matrix<double> squared_distances(const kernel& k, const dataset& x, const dataset& z);
matrix<double> squared_distances(const kernel& k, const dataset& x);
// The cosine of the angle between φ(xᵢ) and φ(zⱼ) in row i and column j; 0 if k(x, x) = 0 or k(z, z) = 0. Throws
// errc::not_psd if k(x, x) < 0.
matrix<double> cosines(const kernel& k, const dataset& x, const dataset& z);
matrix<double> cosines(const kernel& k, const dataset& x);

// The squared distances and cosines of all pairs of examples from their square kernel matrix.
matrix<double> squared_distances(const gram<double>& k);
matrix<double> cosines(const gram<double>& k);

// The squared distance of each object of x (or of each row of K) to the mean of φ over a group of objects (or over the
// rows of K that are listed in `group`).
std::vector<double> squared_distances_to_mean(const kernel& k, const dataset& x, const dataset& group);
std::vector<double> squared_distances_to_mean(const gram<double>& k, std::span<const index> group);

// The medoid: the member of the group with the smallest sum of dissimilarities to all members, the first one in case of
// ties. With squared distances the medoid is the member nearest to the mean.
enum class dissimilarity { distance, squared_distance };
// The result of medoid().
struct medoid_result {
    index member = 0;  // its position in `group` if that is a data set, otherwise its row in K
    double sum = 0;    // sum of dissimilarities of the medoid
};
medoid_result medoid(const kernel& k, const dataset& group, dissimilarity measure = dissimilarity::distance);
medoid_result medoid(const gram<double>& k, std::span<const index> group,
                     dissimilarity measure = dissimilarity::distance);

// Objects with the same image: ‖φ(x)-φ(z)‖² = k(x, x) + k(z, z) - 2k(x, z) = 0.

// Returns, for every object of x, true if an object of z has the same image in feature space. Compares the explicit
// features in float precision if the kernel has them and they fit into about 100 MB; otherwise only objects that are
// equal themselves are found.
std::vector<bool> find_equal_images(const kernel& k, const dataset& x, const dataset& z);

}  // namespace mercer
