// Distances and angles between the images φ(x) of objects, from kernel values alone:
//     ‖φ(x)-φ(z)‖² = k(x,x) + k(z,z) - 2k(x,z),   cos = k(x,z)/√(k(x,x)k(z,z)),
//     ‖φ(x)-mean‖² = k(x,x) - 2/m Σⱼ k(x,gⱼ) + 1/m² Σᵢⱼ k(gᵢ,gⱼ).
// A squared distance that rounding made negative is returned as 0. With a kernel that is not positive semidefinite it
// can be negative in truth; then it is returned as it is. All work goes tile by tile; only results are stored.
#pragma once

#include <span>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// Out(i, j) for row object i and column object j.
matrix<double> squared_distances(const kernel& k, const dataset& x, const dataset& z);
matrix<double> squared_distances(const kernel& k, const dataset& x);
// 0 where k(x, x) = 0; refuses k(x, x) < 0.
matrix<double> cosines(const kernel& k, const dataset& x, const dataset& z);
matrix<double> cosines(const kernel& k, const dataset& x);

// The same of a square matrix that is already there.
matrix<double> squared_distances(const gram<double>& k);
matrix<double> cosines(const gram<double>& k);

// Squared distance of each x, or of every row of K, to the mean of φ over a group.
std::vector<double> squared_distances_to_mean(const kernel& k, const dataset& x, const dataset& group);
std::vector<double> squared_distances_to_mean(const gram<double>& k, std::span<const index> group);

// The member with the least sum of dissimilarities to all members; the first of equals. With squared distances that is
// the member nearest to the mean.
enum class dissimilarity { distance, squared_distance };
struct medoid_result {
    index member = 0;  // a position in the data set, or a row of K
    double sum = 0;    // its sum of dissimilarities
};
medoid_result medoid(const kernel& k, const dataset& group, dissimilarity measure = dissimilarity::distance);
medoid_result medoid(const gram<double>& k, std::span<const index> group,
                     dissimilarity measure = dissimilarity::distance);

// Objects that a kernel cannot tell from others: ‖φ(x)-φ(z)‖² = k(x, x) + k(z, z) - 2k(x, z) = 0.

// For every object of x: is one of z the same in feature space? By explicit features where the kernel has them, to the
// precision of float, within some 100 MB; else, and where there are too many objects for that, only objects that are
// equal themselves are found.
std::vector<bool> same_in_feature_space(const kernel& k, const dataset& x, const dataset& z);

}  // namespace mercer
