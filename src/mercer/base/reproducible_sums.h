// Sums that do not depend on the number of threads or processes: pairwise sums in a fixed order, and exact sums.
#pragma once

#include <cmath>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

class communicator;

// Pairwise summation of vectors, which are the leaves of a binary tree. The sums of leaves 2i and 2i + 1 are added,
// then the sums of two such pairs, and so on. Which numbers are added depends on the numbers of the leaves alone, so
// results are bit-identical whichever thread or process computes a leaf, and in whatever order the leaves come. If L
// leaves come about in order, about log₂ L vectors are in memory at a time.
class pairwise_sums {
public:
    explicit pairwise_sums(index width) : width_(width) {}
    // A vector of `width` zeros for the sums of a leaf.
    std::vector<double> zeros();
    // Adds a leaf. Every leaf is added once, by any thread.
    void add(index leaf, std::vector<double> sums);
    // The sum of all leaves, on every rank of the group (null: one process). Called once.
    std::vector<double> total(const communicator* group);

private:
    using place = std::pair<int, index>;  // level, number
    void put(place at, std::vector<double> sums);
    void gather(const communicator& group);

    index width_;
    std::mutex lock_;
    std::map<place, std::vector<double>> nodes_;  // nodes whose sibling has not come yet
    std::vector<std::vector<double>> unused_;
};

// Sums of bounded numbers that do not depend on the order of the additions, and so not on the number of threads and
// processes. The addends are multiples of a unit so large that every sum has at most 53 bits, so no addition rounds.

// Rounds x to the nearest multiple of 2^exponent, for |x| < 2^(exponent + 51).
class nearest_multiple {
public:
    explicit nearest_multiple(int exponent) : shift_(std::ldexp(1.5, exponent + 52)) {}
    double operator()(double x) const { return (x + shift_) - shift_; }

private:
    double shift_;
};

// The sum of up to 2^31 numbers |x| <= 4, each of which is rounded by at most 2^-63.
class exact_sum {
public:
    void add(double x) {
        const double high = coarse_(x), rest = x - high, middle = fine_(rest);
        parts[0] += high, parts[1] += middle, parts[2] += finest_(rest - middle);
    }
    double value() const { return parts[0] + (parts[1] + parts[2]); }

    double parts[3] = {};  // exact sums; several exact_sums are added part by part

private:
    // Multiples of 2^-18 up to 4, of 2^-40 up to 2^-19, of 2^-62 up to 2^-41. A sum of 2^31 multiples is at most 2^53
    // units.
    static inline const nearest_multiple coarse_{-18}, fine_{-40}, finest_{-62};
};

}  // namespace mercer
