// Vectors added up in a tree over numbered leaves: leaf i is a sum of its own, leaves 2i and 2i + 1 make a node, two
// such nodes the next one, and so on. What is added to what depends on the numbers of the leaves alone, so the bits are
// the same whichever thread or process had a leaf, and in whatever order they come. Of L leaves that come about in
// order only about log₂ L vectors are there at a time.
#pragma once

#include <cmath>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

class process_group;

class tree_sums {
public:
    explicit tree_sums(index width) : width_(width) {}
    // `width` zeros to add to.
    std::vector<double> zeros();
    // From any thread; every leaf once.
    void add(index leaf, std::vector<double> sums);
    // The sum of all leaves, at each process where there are several. Once.
    std::vector<double> total(const process_group* group);

private:
    using place = std::pair<int, index>;  // level, number
    void put(place at, std::vector<double> sums);
    void gather(const process_group& group);

    index width_;
    std::mutex lock_;
    std::map<place, std::vector<double>> nodes_;  // no two of which make a node together
    std::vector<std::vector<double>> unused_;
};

// Sums of bounded numbers that are the same in whatever order they are added up, and so for any number of threads and
// processes: what is added is a multiple of a unit so large that no sum has more than 53 bits, so no addition rounds.

// Rounds to multiples of 2^exponent, exactly for |x| < 2^(exponent + 51).
class multiple_of {
public:
    explicit multiple_of(int exponent) : shift_(std::ldexp(1.5, exponent + 52)) {}
    double operator()(double x) const { return (x + shift_) - shift_; }

private:
    double shift_;
};

// Of up to 2^31 numbers |x| <= 4, each to within 2^-63.
class order_free_sum {
public:
    void add(double x) {
        const double high = coarse_(x), rest = x - high, middle = fine_(rest);
        parts[0] += high, parts[1] += middle, parts[2] += finest_(rest - middle);
    }
    double value() const { return parts[0] + (parts[1] + parts[2]); }

    double parts[3] = {};  // each exact: add up those of several, one by one

private:
    // Multiples of 2^-18 up to 4, of 2^-40 up to 2^-19, of 2^-62 up to 2^-41; 2^31 of them stay below 2^53 units.
    static inline const multiple_of coarse_{-18}, fine_{-40}, finest_{-62};
};

}  // namespace mercer
