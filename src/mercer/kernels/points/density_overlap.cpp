#include "mercer/kernels/points/density_overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "mercer/base/context.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/word_counts.h"

namespace mercer {
namespace {

struct neighbour {
    std::size_t element;         // its index among the elements of the cloud
    std::vector<double> away;    // the unit vector towards it; zeros if both points coincide
    std::vector<double> radial;  // g_n
};

struct neighbourhood {
    const point_cloud& of;
    const density_overlap& how;
    std::vector<std::int32_t> kinds;  // the elements that occur, ascending
    std::size_t radials;              // n = 0 … radials-1

    std::size_t place(index i) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(kinds, of.elements[static_cast<std::size_t>(i)]) -
                                        kinds.begin());
    }
    std::vector<neighbour> neighbours(index i) const {
        std::vector<neighbour> out;
        for (index j = 0; j < of.size(); ++j) {
            const double r = of.distance(i, j);
            if (j == i || r >= how.cutoff) continue;
            neighbour one{place(j), {}, {}};
            for (index a = 0; a < of.dims; ++a) one.away.push_back(r > 0 ? (of.at(j)[a] - of.at(i)[a]) / r : 0);
            const double root = std::cos(std::numbers::pi / 2 * r / how.cutoff), fade = root * root;
            for (std::size_t n = 0; n < radials; ++n) {
                const double apart = r / how.sigma - static_cast<double>(n);
                one.radial.push_back(fade * std::exp(-apart * apart / 2));
            }
            out.push_back(std::move(one));
        }
        return out;
    }
};

// P_0(x), P_1(x), … by (l+1)P_{l+1} = (2l+1)xP_l - lP_{l-1}.
void legendre(double x, std::vector<double>& out) {
    for (std::size_t l = 0; l < out.size(); ++l) {
        const auto before = static_cast<double>(l) - 1;
        out[l] = l == 0 ? 1 : l == 1 ? x : ((2 * before + 1) * x * out[l - 1] - before * out[l - 2]) / (before + 1);
    }
}

// Adds the power spectrum of one atom to `sum`, an array with the indices (E n, E' n', l); only E n >= E' n' is filled.
void add_spectrum(const std::vector<neighbour>& around, std::size_t radials, std::size_t width, std::size_t degrees,
                  std::vector<double>& sum) {
    std::vector<double> angular(degrees);
    cancellation_check stop_check;
    for (const neighbour& j : around) {
        stop_check.count(around.size() * radials * radials);
        for (const neighbour& k : around) {
            if (k.element > j.element) continue;
            double cosine = 0;
            for (std::size_t a = 0; a < j.away.size(); ++a) cosine += j.away[a] * k.away[a];
            legendre(std::clamp(cosine, -1.0, 1.0), angular);
            for (std::size_t n = 0; n < radials; ++n) {
                const std::size_t row = j.element * radials + n;
                for (std::size_t m = 0; m < radials; ++m) {
                    const std::size_t column = k.element * radials + m;
                    if (column > row) break;
                    const double both = j.radial[n] * k.radial[m];
                    double* to = &sum[(row * width + column) * degrees];
                    for (std::size_t l = 0; l < degrees; ++l) to[l] += both * angular[l];
                }
            }
        }
    }
}

description spectrum_of(const point_cloud& of, const density_overlap& how) {
    std::vector<std::int32_t> kinds = of.elements;
    std::ranges::sort(kinds);
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    const neighbourhood here{of, how, kinds, static_cast<std::size_t>(how.cutoff / how.sigma) + 1};
    const std::size_t width = kinds.size() * here.radials, degrees = static_cast<std::size_t>(how.degree) + 1;
    // The bits of a coordinate's name: element of the centre, E, n, E', n', l.
    const auto half = [&](std::size_t at) {
        return static_cast<std::uint64_t>(kinds[at / here.radials]) << 8 |
               static_cast<std::uint64_t>(at % here.radials);
    };
    description out;
    std::vector<double> sum;
    workspace held;
    for (std::size_t centre = 0; centre < kinds.size(); ++centre) {
        held.grow_to(width * width * degrees * sizeof(double) + 2 * out.size() * sizeof(out[0]));
        sum.assign(width * width * degrees, 0);
        double atoms = 0;
        for (index i = 0; i < of.size(); ++i)
            if (here.place(i) == centre) {
                add_spectrum(here.neighbours(i), here.radials, width, degrees, sum);
                ++atoms;
            }
        const std::uint64_t first = static_cast<std::uint64_t>(kinds[centre]) << 40;
        out.emplace_back(first | std::uint64_t{1} << 63, atoms);
        for (std::size_t row = 0; row < width; ++row)
            for (std::size_t column = 0; column <= row; ++column)
                for (std::size_t l = 0; l < degrees; ++l) {
                    // √2, because the pair stands for (row, column) and (column, row).
                    const double value =
                        sum[(row * width + column) * degrees + l] * (row == column ? 1 : std::numbers::sqrt2);
                    if (value != 0) out.emplace_back(first | half(row) << 24 | half(column) << 8 | l, value);
                }
    }
    return out;
}

}  // namespace

named_embedding density_overlap::embedding() const {
    const auto write = [how = *this](std::uint64_t name) {
        const std::string centre = element_symbol(static_cast<std::int32_t>(name >> 40 & 255));
        if (name >> 63) return "number of " + centre;
        const auto half = [&](std::uint64_t at) {
            return fmt::format("{} {:.3g} away", element_symbol(static_cast<std::int32_t>(at >> 8 & 255)),
                               how.sigma * static_cast<double>(at & 255));
        };
        return fmt::format("{} with {} and {}, l = {}", centre, half(name >> 24), half(name >> 8), name & 255);
    };
    return description_embedding<points>(
        fmt::format("density overlap {} {} {}", sigma, cutoff, degree),
        [how = *this](const point_cloud& of, index) { return spectrum_of(of, how); }, write);
}

}  // namespace mercer
