#include "mercer/data/point_clouds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {
namespace {

constexpr const char* symbols[] = {
    "X",  "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",
    "Cl", "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As",
    "Se", "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn",
    "Sb", "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho",
    "Er", "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po",
    "At", "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md",
    "No", "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};
constexpr std::int32_t last_element = std::size(symbols) - 1;

std::vector<point_cloud> checked(std::vector<point_cloud> clouds) {
    for (std::size_t i = 0; i < clouds.size(); ++i) {
        point_cloud& one = clouds[i];
        const auto wrong = [&](const std::string& what) {
            fail(errc::invalid_argument, fmt::format("point cloud {}: {}", i, what));
        };
        if (one.dims < 1) wrong(fmt::format("points must satisfy 1 <= dims, got {}", one.dims));
        if (one.dims != clouds.front().dims)
            wrong(fmt::format("all points must have {} coordinates like the first point, got {}", clouds.front().dims,
                              one.dims));
        if (static_cast<index>(one.coordinates.size()) != one.size() * one.dims)
            wrong(fmt::format("{} points of {} coordinates need one number per coordinate, got {} numbers", one.size(),
                              one.dims, one.coordinates.size()));
        for (double& each : one.coordinates) {
            if (!std::isfinite(each)) wrong(fmt::format("coordinates must be finite, got {}", each));
            each += 0.0;  // -0 is 0
        }
        for (const std::int32_t each : one.elements)
            if (each < 0 || each > last_element)
                wrong(fmt::format("an element must satisfy 0 <= number <= {}, got {}", last_element, each));
    }
    return clouds;
}

}  // namespace

double point_cloud::distance(index i, index j) const {
    double sum = 0;
    for (index a = 0; a < dims; ++a) sum += (at(i)[a] - at(j)[a]) * (at(i)[a] - at(j)[a]);
    return std::sqrt(sum);
}

const char* element_symbol(std::int32_t number) { return symbols[number >= 0 && number <= last_element ? number : 0]; }

std::int32_t element_number(std::string_view symbol) {
    const auto same = [](char a, char b) { return (a | 32) == (b | 32); };
    for (std::int32_t e = 0; e <= last_element; ++e)
        if (std::ranges::equal(symbol, std::string_view(symbols[e]), same)) return e;
    return -1;
}

points::points(std::vector<point_cloud> clouds) : item_list(checked(std::move(clouds))) {}

std::string points::text(index i) const {
    const point_cloud& one = (*this)[i];
    std::string out;
    for (index p = 0; p < one.size(); ++p) {
        out += fmt::format("{}{}", p ? "; " : "", element_symbol(one.elements[static_cast<std::size_t>(p)]));
        for (index a = 0; a < one.dims; ++a) out += fmt::format(" {}", one.at(p)[a]);
    }
    return out;
}

void points::write(byte_writer& to) const {
    std::vector<index> sizes;
    for (index i = 0; i < size(); ++i) sizes.push_back((*this)[i].size());
    to.write_numbers(sizes);
    to.write_numbers(std::vector<index>{size() > 0 ? (*this)[0].dims : 3});
    for (index i = 0; i < size(); ++i) {
        to.write_numbers((*this)[i].elements);
        to.write_numbers((*this)[i].coordinates);
    }
}

points points::read(byte_reader& from, index count) {
    const auto start = from.read_offsets(count);
    const index dims = from.read_numbers<index>(1)[0];
    if (dims < 1 || dims > (index{1} << 30)) fail(errc::parse, fmt::format("points with {} coordinates", dims));
    std::vector<point_cloud> clouds;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) {
        const index n = start[i + 1] - start[i];
        point_cloud one;
        one.dims = dims;
        one.elements = from.read_numbers<std::int32_t>(n);
        if (n > 0 && dims > (index{1} << 60) / n)
            fail(errc::parse, fmt::format("{} points of {} coordinates", n, dims));
        one.coordinates = from.read_numbers<double>(n * dims);
        clouds.push_back(std::move(one));
    }
    return points(std::move(clouds));
}

}  // namespace mercer
