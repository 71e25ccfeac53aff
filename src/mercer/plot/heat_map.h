// Heat maps of Gram matrices.
//
// Example:
//
//     #include <mercer/gram/make_gram.h>
//     #include <mercer/kernel_analysis/spectrum.h>
//     #include <mercer/plot/spectrum_plot.h>
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const auto K = make_gram<double>(gaussian{0.5}, iris.x);
//     const object_order order = order_by_target(iris);
//     write_atomically("gram.svg", picture_page("rbf on iris", "150 examples",
//                                               {heat_map_panel(average_cells(*K, order.objects), order),
//                                                spectrum_panel(decompose(*K))}));
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/plot/axes.h"

namespace mercer {

// The order of the objects along both sides of a heat map.
struct object_order {
    struct band {
        std::string name;
        index count = 0;
    };
    std::vector<index> objects;
    std::vector<band> bands;  // classes in the order of `objects`; empty: none
    std::string about;        // e.g. "objects in the order of the file"
    static object_order plain(index n);
};
// Sorts the examples by class, keeping the order of the file within each class; or by target if the targets have more
// than `max_classes` different values.
object_order order_by_target(const table& data, index max_classes = 12);

// A matrix reduced to at most `most` × `most` cells, each the mean of its entries.
struct heat_cells {
    matrix<double> mean;
    std::vector<index> start;  // cell r covers the positions start[r] … start[r+1]-1 of the order
    index n = 0;
    bool shrunk() const { return mean.rows() < n; }
};
// Computes n² kernel values in batches of about 32 MB. `order` lists the rows of k in the order of the cells.
// `progress` receives the completed fraction, from 0 to 1.
heat_cells average_cells(const gram<double>& k, const std::vector<index>& order, index most = 400,
                         const std::function<void(double)>& progress = {});

// The values of the first and the last colour of a heat map.
struct colour_range {
    double low = 0;
    double high = 1;
    bool diverging = false;  // there are negative values: zero is in the middle of the scale
    bool clipped_below = false,
         // a few cells lie beyond this end of the scale (for instance a large diagonal) and take its colour
        clipped_above = false;
    int level(double value) const;  // colour number, 0 to 255
};
// Returns the range of colours for these cells.
colour_range choose_range(const heat_cells& cells);

// Returns the panel that draws the cells, with the names of the bands beside them.
panel heat_map_panel(heat_cells cells, object_order order);

}  // namespace mercer
