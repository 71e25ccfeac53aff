#include "mercer/kernels/features/features.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/text/joined.h"

namespace mercer {
namespace {

// A feature that treats X and Z alike and independently.
feature each(std::string key, std::function<dataset(const dataset&)> apply) {
    return {std::move(key), [apply = std::move(apply)](const dataset& x, const dataset* z) {
                return std::pair(apply(x), z ? apply(*z) : dataset());
            }};
}

void refuse_negative(const std::string& owner, index row, index column, double value) {
    if (value < 0)
        fail(errc::data, fmt::format("{}: coordinates must satisfy 0 <= x, got {} at row {}, column {}", owner, value,
                                     row, column));
}

}  // namespace

feature non_negative(const std::string& owner) {
    return each("non_negative", [owner](const dataset& x) {
        std::visit(
            [&](const auto& some) {
                if constexpr (requires { some.row(0); }) {
                    for (index i = 0; i < some.size(); ++i)
                        for (index j = 0; j < some.dims(); ++j) refuse_negative(owner, i, j, some.row(i)[j]);
                } else if constexpr (requires { some.values(0); }) {
                    for (index i = 0; i < some.size(); ++i)
                        for (std::size_t k = 0; k < some.values(i).size(); ++k)
                            refuse_negative(owner, i, some.cols(i)[k], some.values(i)[k]);
                }
            },
            x.items());
        return x;
    });
}

namespace {
// M(x - origin), origin: the vector of zeros where it is empty.
dataset mapped(const std::vector<std::vector<double>>& m, const dataset& x, const std::vector<double>& origin) {
    const dense<double> from = as_dense<double>(x);
    const auto d = m.empty() ? 0 : static_cast<index>(m.front().size());
    if (from.dims() != d)
        fail(errc::invalid_argument,
             fmt::format("the kernel's matrix is for vectors of {} coordinates, the data have {}", d, from.dims()));
    matrix<double> to(from.size(), static_cast<index>(m.size()));
    for (index i = 0; i < from.size(); ++i)
        for (index a = 0; a < to.cols(); ++a) {
            double sum = 0;
            for (index b = 0; b < d; ++b)
                sum += m[a][b] * (origin.empty() ? from.row(i)[b] : from.row(i)[b] - origin[b]);
            to(i, a) = sum;
        }
    return dense<double>(std::move(to));
}
}  // namespace

feature linear_map(std::string key, std::vector<std::vector<double>> m) {
    return each(std::move(key), [m = std::move(m)](const dataset& x) { return mapped(m, x, {}); });
}

feature linear_map_of_differences(std::string key, std::vector<std::vector<double>> m) {
    return {std::move(key), [m = std::move(m)](const dataset& x, const dataset* z) {
                const dataset& right = z ? *z : x;
                std::vector<double> origin;
                if (right.size() > 0) {
                    const dense<double> first = as_dense<double>(gather(right, selection(0, 1)));
                    origin.assign(first.row(0), first.row(0) + first.dims());
                }
                return std::pair(mapped(m, x, origin), z ? mapped(m, *z, origin) : dataset());
            }};
}

feature circle_map(double period) {
    return each(fmt::format("circle {}", period), [period](const dataset& x) {
        const dense<double> from = as_dense<double>(x);
        matrix<double> to(from.size(), 2 * from.dims());
        for (index i = 0; i < from.size(); ++i)
            for (index a = 0; a < from.dims(); ++a) {
                const double angle =
                    2 * std::numbers::pi *
                    (std::remainder(from.row(i)[a], period) / period);  // exact, however many periods from 0
                to(i, 2 * a) = std::cos(angle);
                to(i, 2 * a + 1) = std::sin(angle);
            }
        return dataset(dense<double>(std::move(to)));
    });
}

feature vector_map(std::string key, std::function<std::vector<double>(std::span<const double>)> phi) {
    // Two functions may go by one name: the number keeps their images apart.
    static std::atomic<int> made{0};
    return each(fmt::format("{} #{}", key, made++), [phi = std::move(phi)](const dataset& x) {
        const dense<double> from = as_dense<double>(x);
        matrix<double> to;
        for (index i = 0; i < from.size(); ++i) {
            const std::vector<double> image = phi({from.row(i), static_cast<std::size_t>(from.dims())});
            if (i == 0) to = matrix<double>(from.size(), static_cast<index>(image.size()));
            if (static_cast<index>(image.size()) != to.cols())
                fail(errc::invalid_argument,
                     fmt::format("the map gives {} coordinates for object {} and {} for object 0", image.size(), i,
                                 to.cols()));
            std::copy(image.begin(), image.end(), to.row(i));
        }
        return dataset(dense<double>(std::move(to)));
    });
}

feature column_map(const std::vector<index>& columns) {
    return each(fmt::format("columns {}", joined(columns, ",")), [columns](const dataset& x) {
        for (const index c : columns)
            if (c < 0 || c >= x.dims())
                fail(errc::invalid_argument, fmt::format("columns must satisfy 0 <= column < {}, got {}", x.dims(), c));
        const dense<double> from = as_dense<double>(x);
        matrix<double> to(from.size(), static_cast<index>(columns.size()));
        for (index i = 0; i < from.size(); ++i)
            for (index a = 0; a < to.cols(); ++a) to(i, a) = from.row(i)[columns[a]];
        return dataset(dense<double>(std::move(to)));
    });
}

feature scale_map(const std::vector<double>& factors) {
    return each(fmt::format("scaled {}", joined(factors, ",")), [factors](const dataset& x) {
        const dense<double> from = as_dense<double>(x);
        if (from.dims() != static_cast<index>(factors.size()))
            fail(errc::invalid_argument, fmt::format("scaled: there are factors for {} columns, the data have {}",
                                                     factors.size(), from.dims()));
        matrix<double> to(from.size(), from.dims());
        for (index i = 0; i < from.size(); ++i)
            for (index a = 0; a < to.cols(); ++a) to(i, a) = factors[static_cast<std::size_t>(a)] * from.row(i)[a];
        return dataset(dense<double>(std::move(to)));
    });
}

feature compose(feature first, feature second) {
    if (!first.apply) return second;
    if (!second.apply) return first;
    return {first.key + " | " + second.key, [first, second](const dataset& x, const dataset* z) {
                const auto [fx, fz] = first.apply(x, z);
                return second.apply(fx, z ? &fz : nullptr);
            }};
}

}  // namespace mercer
