// A grid on the plane of the page, and level lines of functions on it. The lines are polylines in one array of x, y
// pairs, separated by NaN.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "mercer/inspection/decision_grid.h"
#include "session.h"

namespace mercer::page {

// A grid of nx × ny points; the outer points lie on the edges of the plane; row 0 is the lowest.
struct plane_grid {
    double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
    index nx = 0, ny = 0;

    explicit plane_grid(const json& from);
    dataset places() const;
};

class line_list {
public:
    void add(const plane_grid& on, matrix_view<const double> f, double level,
             const std::function<bool(index, index)>& inside = {});
    // Adds lines at `count` values, evenly spaced between the minimum and the maximum.
    void add_levels(const plane_grid& on, matrix_view<const double> f, index count);
    // Adds the borders between grid points with different numbers.
    void add_borders(const plane_grid& on, std::span<const std::uint8_t> number);
    void put(const std::string& name, reply& out) const { out.array<float>(name, points_); }

private:
    std::vector<double> points_;
};

}  // namespace mercer::page
