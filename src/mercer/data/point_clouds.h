// n clouds of points in space: each point has coordinates and, where it is an atom, the number of its element.
#pragma once

#include <vector>

#include "mercer/data/object_kind.h"

namespace mercer {

struct point_cloud {
    std::vector<std::int32_t> elements;  // one a point: 1 for hydrogen, …; 0 for a point that is nothing in particular
    std::vector<double> coordinates;     // dims a point, one point after the other; finite
    index dims = 3;

    index size() const { return static_cast<index>(elements.size()); }
    const double* at(index i) const { return coordinates.data() + i * dims; }
    double distance(index i, index j) const;
    auto operator<=>(const point_cloud&) const = default;
};

// "H" for 1; "X" for 0 and numbers that are no element.
const char* element_symbol(std::int32_t number);
// 1 for "H" and "h"; 0 for "X", -1 for a symbol that is none.
std::int32_t element_number(std::string_view symbol);

class points : public item_list<points, point_cloud> {
public:
    static constexpr domain where{"points"};
    static constexpr const char* default_kernel = "coulomb()";

    points() = default;
    // Fails where coordinates are not finite, there are not dims of them a point, an element is not 0 … 118, or two
    // clouds are of different dimensions.
    explicit points(std::vector<point_cloud> clouds);

    std::string text(index i) const;  // "O 0 0 0; H 0.96 0 0; …"
    void write(object_sink& to) const;
    static points read(object_source& from, index count);
};

}  // namespace mercer
