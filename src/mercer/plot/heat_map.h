// Pictures of Gram matrices, each a self-contained SVG page.
//
//     const auto k = make_gram<double>(gaussian{0.5}, data.x);
//     const object_order order = order_by_target(data);
//     write_atomically("k.svg", picture_page("rbf on iris", "150 objects",
//                                            {heat_map_panel(average_cells(*k, order.objects), order),
//                                            spectrum_panel(decompose(*k))}));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/plot/axes.h"

namespace mercer {

// How the objects stand along both sides of a heat map.
struct object_order {
    struct band {
        std::string name;
        index count = 0;
    };
    std::vector<index> objects;
    std::vector<band> bands;  // the classes, in the order of `objects`; empty: there are none
    std::string about;        // "in the order of the file"
    static object_order plain(index n);
};
// By class, the order of the file within each; by value where the targets take more than `most_classes` values.
object_order order_by_target(const table& data, index most_classes = 12);

// A matrix shrunk to at most `most` × `most` cells, each the mean of the entries that fall into it.
struct heat_cells {
    matrix<double> mean;
    std::vector<index> start;  // cell r holds places start[r] … start[r+1]-1 of the order
    index n = 0;
    bool shrunk() const { return mean.rows() < n; }
};
// Computes n² entries, a few megabytes of them at a time. `progress` is told the share done.
heat_cells average_cells(const gram<double>& k, const std::vector<index>& order, index most = 400,
                         const std::function<void(double)>& progress = {});

// The values that the first and the last colour of a heat map stand for.
struct colour_range {
    double low = 0;
    double high = 1;
    bool diverging = false;  // negative values: zero lies in the middle
    bool clipped_below = false,
         clipped_above = false;     // few cells lie beyond (a large diagonal): they take the end colours
    int level(double value) const;  // 0 … 255
};
colour_range choose_range(const heat_cells& cells);

panel heat_map_panel(heat_cells cells, object_order order);

}  // namespace mercer
