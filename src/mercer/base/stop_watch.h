// Work in one thread whose steps are too short to ask at each of them whether to stop.
#pragma once

#include <cstddef>

#include "mercer/base/context.h"

namespace mercer {

class stop_watch {
public:
    // Counts steps of a few nanoseconds each, and calls stop_point() once for about every 2¹⁶ of them.
    void after(std::size_t steps) {
        steps_ += steps;
        if (steps_ < std::size_t{1} << 16) return;
        steps_ = 0;
        stop_point();
    }

private:
    std::size_t steps_ = 0;
};

}  // namespace mercer
