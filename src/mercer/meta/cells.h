// Cells: the data divided into Voronoi cells in feature space, each about as large as an exact machine takes easily,
// and a machine in each (Bottou, Vapnik 1992; Thomann, Blaschzyk, Meister, Steinwart 2017: liquidSVM's way to 10⁷
// examples). The cell of x is that of the nearest centre by ‖φ(x) - φ(c)‖.
//
// Against jumps at the borders cells overlap: cell j has to do with x where
//     ρⱼ = ‖φ(x) - φ(cⱼ)‖/minᵢ ‖φ(x) - φ(cᵢ)‖ < 1 + overlap,
// learns from such examples, and answers for them with weight 1 - (ρⱼ - 1)/overlap among the others: a continuous
// function of x where the machines are. A cell learns from at most as many examples of its neighbours as of its own.
// Where that leaves examples out, the weight of the cell falls to 0 at the nearest of these, its `reach` in place of
// overlap: the cell does not answer for a region from which it has learned nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/model_file.h"

namespace mercer {

struct cell_division {
    std::shared_ptr<const kernel> k;
    dataset centres;
    double overlap = 0;
    std::vector<double> reach{};  // of each cell, in place of overlap, 0 to overlap; empty: overlap

    // Which cells answer for each object, ascending, and with what weight; weights of an object add up to 1.
    struct share {
        index cell;
        double weight;
    };
    std::vector<std::vector<share>> shares(const dataset& x) const;
};

// size: examples of a cell, twice as many at most, but for examples that nothing tells apart. 0 <= overlap <= 1.
cell_division divide_into_cells(const kernel& k, const dataset& x, index size, double overlap, std::uint64_t seed,
                                const progress_callback& progress = {});
// The examples each cell learns from: its own, and of its neighbours' the nearest, as many again at most. Sets `reach`.
std::vector<std::vector<index>> cell_members(cell_division& cells, const dataset& x);

// A machine of any method in every cell, by the bytes of its file form.
struct cell_machine {
    std::string bytes;  // empty: all examples of the cell have the same label
    double label = 0;   // that one
    index examples = 0;
};
struct cells_model {
    cell_division cells;
    std::string machine;  // the method
    std::vector<cell_machine> machines;
    std::vector<double> classes;  // labels, ascending; none: regression
    index training_size = 0;
};

}  // namespace mercer
