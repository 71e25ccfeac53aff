// A grid of places on the plane of the page, and lines on it where a function takes a value: chains of points, one
// array of x, y pairs with NaN between chains.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "mercer/inspection/decision_grid.h"
#include "session.h"

namespace mercer::page {

// nx × ny places, the outer ones on the edges of the plane; row 0 is the lowest.
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
    // At so many values between the smallest and the largest.
    void levels(const plane_grid& on, matrix_view<const double> f, index count);
    // Between places of different numbers, along the cells.
    void between(const plane_grid& on, std::span<const std::uint8_t> number);
    void put(const std::string& name, reply& out) const { out.array<float>(name, points_); }

private:
    std::vector<double> points_;
};

}  // namespace mercer::page
