#include "level_lines.h"

#include <algorithm>
#include <limits>

#include "mercer/base/error.h"

namespace mercer::page {

plane_grid::plane_grid(const json& from) {
    const auto ends = from.at("plane").get<std::vector<double>>();
    if (ends.size() != 4 || !(ends[0] < ends[1]) || !(ends[2] < ends[3]))
        fail(errc::invalid_argument, "a plane must be [x0, x1, y0, y1] with x0 < x1 and y0 < y1");
    x0 = ends[0], x1 = ends[1], y0 = ends[2], y1 = ends[3];
    nx = from.value("nx", 100), ny = from.value("ny", 100);
    if (nx < 2 || ny < 2 || nx > 2000 || ny > 2000)
        fail(errc::invalid_argument, "a grid must have 2 to 2000 points in each direction, got " + std::to_string(nx) +
                                         " × " + std::to_string(ny));
}

dataset plane_grid::places() const {
    matrix<double> out(nx * ny, 2);
    for (index r = 0; r < ny; ++r)
        for (index c = 0; c < nx; ++c) {
            out(r * nx + c, 0) = x0 + (x1 - x0) * static_cast<double>(c) / static_cast<double>(nx - 1);
            out(r * nx + c, 1) = y0 + (y1 - y0) * static_cast<double>(r) / static_cast<double>(ny - 1);
        }
    return dense<double>(std::move(out));
}

void line_list::add(const plane_grid& on, matrix_view<const double> f, double level,
                    const std::function<bool(index, index)>& inside) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const polyline& each : contour_lines(f, level, inside)) {
        for (const auto& [c, r] : each) {
            points_.push_back(on.x0 + (on.x1 - on.x0) * c / static_cast<double>(on.nx - 1));
            points_.push_back(on.y0 + (on.y1 - on.y0) * r / static_cast<double>(on.ny - 1));
        }
        points_.insert(points_.end(), {nan, nan});
    }
}

void line_list::add_levels(const plane_grid& on, matrix_view<const double> f, index count) {
    const auto [low, high] = std::minmax_element(f.data, f.data + f.rows * f.cols);
    for (index i = 1; i <= count; ++i)
        add(on, f, *low + (*high - *low) * static_cast<double>(i) / static_cast<double>(count + 1));
}

void line_list::add_borders(const plane_grid& on, std::span<const std::uint8_t> number) {
    const std::uint8_t most = number.empty() ? std::uint8_t{0} : *std::max_element(number.begin(), number.end());
    for (int c = 0; c < most; ++c) {
        matrix<double> inside(on.ny, on.nx);
        for (std::size_t i = 0; i < number.size(); ++i) inside.data()[i] = number[i] == c ? 1 : -1;
        add(on, inside.view(), 0);
    }
}

}  // namespace mercer::page
