// The scores of a search over two parameters as a panel: a cell for each setting, coloured by its score.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/plot/axes.h"

namespace mercer {

struct score_map {
    std::vector<double> across, up;  // values of both parameters, ascending
    matrix<double> score;            // a row for each value of `up`; NaN: not evaluated
    matrix<std::uint8_t> dropped;    // 1 if the setting was dropped by the race
    index best_across = 0, best_up = 0;
    bool larger_is_better = true;
    std::string across_name, up_name, score_name, title = "Score", note;
};
// Returns the panel that draws the map.
panel score_map_panel(score_map of);

}  // namespace mercer
