// Vectors added up in a tree over numbered leaves: leaf i is a sum of its own, leaves 2i and 2i + 1 make a node, two
// such nodes the next one, and so on. What is added to what depends on the numbers of the leaves alone, so the bits are
// the same whichever thread or process had a leaf, and in whatever order they come. Of L leaves that come about in
// order only about log₂ L vectors are there at a time.
#pragma once

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

}  // namespace mercer
