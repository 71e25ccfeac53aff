// n point clouds. Each point has coordinates and, if it is an atom, the atomic number of its element.
#pragma once

#include <vector>

#include "mercer/data/object_kind.h"

namespace mercer {

// One point cloud, for example a molecule.
struct point_cloud {
    std::vector<std::int32_t> elements;  // one per point: 1 for hydrogen, …; 0 for a point that is not an atom
    std::vector<double> coordinates;     // dims per point, point by point; finite
    index dims = 3;

    index size() const { return static_cast<index>(elements.size()); }
    const double* at(index i) const { return coordinates.data() + i * dims; }
    double distance(index i, index j) const;
    auto operator<=>(const point_cloud&) const = default;
};

// "H" for 1; "X" for 0 and for numbers that are not those of an element.
const char* element_symbol(std::int32_t number);
// 1 for "H" and "h"; 0 for "X"; -1 for a text that is not a symbol.
std::int32_t element_number(std::string_view symbol);

class points : public item_list<points, point_cloud> {
public:
    static constexpr object_kind kind{"points"};
    static constexpr const char* default_kernel = "coulomb()";

    points() = default;
    // Throws errc::invalid_argument if a coordinate is not finite, if a point does not have dims coordinates, if an
    // element is not in 0 … 118, or if two clouds have different dims. -0 becomes 0.
    explicit points(std::vector<point_cloud> clouds);

    std::string text(index i) const;  // "O 0 0 0; H 0.96 0 0; …"
    void write(byte_writer& to) const;
    static points read(byte_reader& from, index count);
};

}  // namespace mercer
