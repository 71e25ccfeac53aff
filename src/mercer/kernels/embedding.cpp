#include "mercer/kernels/embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/vector_sample.h"

namespace mercer {
namespace {

// The embedding that applies the same function to X and to Z.
embedding each(std::string key, std::function<dataset(const dataset&)> apply) {
    return {std::move(key), [apply = std::move(apply)](const dataset& x, const dataset* z) {
                return std::pair(apply(x), z ? apply(*z) : dataset());
            }};
}

void refuse_negative(const std::string& owner, index row, index column, double value) {
    if (value < 0)
        fail(errc::data,
             fmt::format("{}: features must satisfy 0 <= x, got {} at row {}, column {}", owner, value, row, column));
}

}  // namespace

embedding non_negative(const std::string& owner) {
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

// Reads vectors as dense rows of double; sparse vectors are expanded one row at a time, without a dense copy of all.
class dense_rows {
public:
    explicit dense_rows(const dataset& x) : x_(x) {
        if (x.is_sparse())
            row_.resize(static_cast<std::size_t>(x.dims()));
        else
            all_ = as_dense<double>(x);
    }
    // The pointer is valid until the next call of row() and not longer than this object.
    const double* row(index i) & {
        if (!x_.is_sparse()) return all_.row(i);
        for_entries(last_, [&](std::int32_t column, double) { row_[static_cast<std::size_t>(column)] = 0; });
        for_entries(i, [&](std::int32_t column, double value) { row_[static_cast<std::size_t>(column)] = value; });
        last_ = i;
        return row_.data();
    }

private:
    template <class Body>
    void for_entries(index i, Body&& body) {
        if (i < 0) return;
        const auto of = [&](const auto& some) {
            for (std::size_t e = 0; e < some.cols(i).size(); ++e)
                body(some.cols(i)[e], static_cast<double>(some.values(i)[e]));
        };
        if (const auto* wide = x_.as<sparse<double>>())
            of(*wide);
        else
            of(*x_.as<sparse<float>>());
    }
    const dataset& x_;
    dense<double> all_;
    std::vector<double> row_;
    index last_ = -1;
};

// Maps sparse vectors to sparse vectors of `dims` coordinates: entries(cols, values, to_cols, to_values) appends the
// entries of the image of one row, columns ascending.
template <class Entries>
dataset sparse_from(const dataset& x, index dims, Entries&& entries) {
    std::vector<index> start{0};
    std::vector<std::int32_t> cols;
    std::vector<double> values;
    const auto of = [&](const auto& some) {
        for (index i = 0; i < some.size(); ++i) {
            entries(some.cols(i), some.values(i), cols, values);
            start.push_back(static_cast<index>(cols.size()));
        }
    };
    if (const auto* wide = x.as<sparse<double>>())
        of(*wide);
    else
        of(*x.as<sparse<float>>());
    return sparse<double>(std::move(start), std::move(cols), std::move(values), dims);
}

// M(x - origin) for all x; an empty origin means 0.
dataset mapped(const std::vector<std::vector<double>>& m, const dataset& x, const std::vector<double>& origin) {
    const auto d = m.empty() ? 0 : static_cast<index>(m.front().size());
    if (x.dims() != d)
        fail(errc::invalid_argument,
             fmt::format("the matrix of the kernel is for vectors of {} features, but the data have {}", d, x.dims()));
    dense_rows from(x);
    matrix<double> to(x.size(), static_cast<index>(m.size()));
    for (index i = 0; i < x.size(); ++i) {
        const double* row = from.row(i);
        for (index a = 0; a < to.cols(); ++a) {
            double sum = 0;
            for (index b = 0; b < d; ++b) sum += m[a][b] * (origin.empty() ? row[b] : row[b] - origin[b]);
            to(i, a) = sum;
        }
    }
    return dense<double>(std::move(to));
}

// s∘(x - origin) for all x; an empty origin means 0, and then sparse vectors stay sparse.
dataset multiplied(const std::string& numbers, const std::vector<double>& s, const dataset& x,
                   const std::vector<double>& origin) {
    if (x.dims() != static_cast<index>(s.size()))
        fail(errc::invalid_argument,
             fmt::format("{} of {} features, but the data have {}", numbers, s.size(), x.dims()));
    if (origin.empty() && x.is_sparse())
        return sparse_from(x, x.dims(), [&](const auto& cols, const auto& values, auto& to_cols, auto& to_values) {
            for (std::size_t e = 0; e < cols.size(); ++e) {
                to_cols.push_back(cols[e]);
                to_values.push_back(s[static_cast<std::size_t>(cols[e])] * static_cast<double>(values[e]));
            }
        });
    dense_rows from(x);
    matrix<double> to(x.size(), x.dims());
    for (index i = 0; i < x.size(); ++i) {
        const double* row = from.row(i);
        for (index a = 0; a < to.cols(); ++a)
            to(i, a) = s[static_cast<std::size_t>(a)] * (origin.empty() ? row[a] : row[a] - origin[a]);
    }
    return dense<double>(std::move(to));
}

// The origin of linear_map_of_differences: the first vector of the data set that a model stores (z if there are two),
// because the other vectors are usually near it.
std::vector<double> origin_of(const dataset& x, const dataset* z) {
    const dataset& right = z ? *z : x;
    if (right.size() == 0) return {};
    dense_rows rows(right);  // named, because the row is valid only as long as its reader
    const double* first = rows.row(0);
    return std::vector<double>(first, first + right.dims());
}

// The origin of scale_map_of_differences. If a centre of the vectors that a model stores (z, or x if there is one data
// set) can be estimated, the origin is this centre if subtracting it removes more than half of their squared norms, and
// empty (no shift) otherwise. If no centre can be estimated, the origin is the first vector for dense vectors and empty
// for sparse ones, so that sparse vectors stay sparse.
std::vector<double> far_centre(const dataset& x, const dataset* z) {
    const dataset& right = z ? *z : x;
    vector_sample<double> seen = sample_vectors<double>(right);
    if (!seen.centre.empty()) return seen.centred_fraction > 0.5 ? std::move(seen.centre) : std::vector<double>();
    return right.is_sparse() ? std::vector<double>() : origin_of(x, z);
}

}  // namespace

embedding linear_map(std::string key, std::vector<std::vector<double>> m) {
    return each(std::move(key), [m = std::move(m)](const dataset& x) { return mapped(m, x, {}); });
}

embedding linear_map_of_differences(std::string key, std::vector<std::vector<double>> m) {
    return {std::move(key), [m = std::move(m)](const dataset& x, const dataset* z) {
                const std::vector<double> origin = origin_of(x, z);
                return std::pair(mapped(m, x, origin), z ? mapped(m, *z, origin) : dataset());
            }};
}

embedding scale_map_of_differences(std::string key, std::string numbers, std::vector<double> factors) {
    return {std::move(key),
            [numbers = std::move(numbers), factors = std::move(factors)](const dataset& x, const dataset* z) {
                const std::vector<double> origin = far_centre(x, z);
                return std::pair(multiplied(numbers, factors, x, origin),
                                 z ? multiplied(numbers, factors, *z, origin) : dataset());
            }};
}

embedding circle_map(double period) {
    // The coordinate is cos - 1 instead of cos, so that 0 maps to 0 and sparse vectors stay sparse.
    const auto angle = [period](double x) {
        return 2 * std::numbers::pi * (std::remainder(x, period) / period);  // std::remainder is exact
    };
    const auto cosine_less_one = [](double angle) { return -2 * std::sin(angle / 2) * std::sin(angle / 2); };
    return each(fmt::format("circle {}", period), [angle, cosine_less_one](const dataset& x) {
        if (x.is_sparse() && 2 * x.dims() <= std::numeric_limits<std::int32_t>::max())
            return sparse_from(x, 2 * x.dims(),
                               [&](const auto& cols, const auto& values, auto& to_cols, auto& to_values) {
                                   for (std::size_t e = 0; e < cols.size(); ++e) {
                                       const double at = angle(static_cast<double>(values[e]));
                                       to_cols.insert(to_cols.end(), {2 * cols[e], 2 * cols[e] + 1});
                                       to_values.insert(to_values.end(), {cosine_less_one(at), std::sin(at)});
                                   }
                               });
        const dense<double> from = as_dense<double>(x);
        matrix<double> to(from.size(), 2 * from.dims());
        for (index i = 0; i < from.size(); ++i)
            for (index a = 0; a < from.dims(); ++a) {
                const double at = angle(from.row(i)[a]);
                to(i, 2 * a) = cosine_less_one(at);
                to(i, 2 * a + 1) = std::sin(at);
            }
        return dataset(dense<double>(std::move(to)));
    });
}

embedding vector_map(std::string key, std::function<std::vector<double>(std::span<const double>)> phi) {
    // Two functions may have the same name; the number makes their keys different.
    static std::atomic<int> made{0};
    return each(fmt::format("{} #{}", key, made++), [phi = std::move(phi)](const dataset& x) {
        dense_rows from(x);
        matrix<double> to;
        for (index i = 0; i < x.size(); ++i) {
            const std::vector<double> image = phi({from.row(i), static_cast<std::size_t>(x.dims())});
            if (i == 0) to = matrix<double>(x.size(), static_cast<index>(image.size()));
            if (static_cast<index>(image.size()) != to.cols())
                fail(errc::invalid_argument,
                     fmt::format("the map returns {} features for object {}, but {} for object 0", image.size(), i,
                                 to.cols()));
            std::copy(image.begin(), image.end(), to.row(i));
        }
        return dataset(dense<double>(std::move(to)));
    });
}

embedding column_map(const std::vector<index>& columns) {
    // Pairs (column of x, column of the image), sorted by the column of x.
    std::vector<std::pair<index, std::int32_t>> places;
    for (std::size_t a = 0; a < columns.size(); ++a) places.emplace_back(columns[a], static_cast<std::int32_t>(a));
    std::ranges::sort(places);
    return each(fmt::format("columns {}", join(columns, ",")), [columns, places](const dataset& x) {
        for (const index c : columns)
            if (c < 0 || c >= x.dims())
                fail(errc::invalid_argument, fmt::format("columns must satisfy 0 <= column < {}, got {}", x.dims(), c));
        const auto many = static_cast<index>(columns.size());
        if (x.is_sparse())
            return sparse_from(x, many, [&](const auto& cols, const auto& values, auto& to_cols, auto& to_values) {
                std::vector<std::pair<std::int32_t, double>> found;
                // Looks up the elements of the shorter list (columns or entries) in the longer one.
                if (places.size() < cols.size()) {
                    for (const auto& [column, place] : places)
                        if (const auto at = std::ranges::lower_bound(cols, column); at != cols.end() && *at == column)
                            found.emplace_back(place, values[static_cast<std::size_t>(at - cols.begin())]);
                } else {
                    for (std::size_t e = 0; e < cols.size(); ++e)
                        for (auto at = std::ranges::lower_bound(places, std::pair<index, std::int32_t>(cols[e], 0));
                             at != places.end() && at->first == cols[e]; ++at)
                            found.emplace_back(at->second, values[e]);
                }
                std::ranges::sort(found);
                for (const auto& [place, value] : found) to_cols.push_back(place), to_values.push_back(value);
            });
        const auto chosen = [&]<class T>(const dense<T>& from) {
            matrix<double> to(from.size(), many);
            for (index i = 0; i < from.size(); ++i)
                for (index a = 0; a < many; ++a) to(i, a) = from.row(i)[columns[a]];
            return dataset(dense<double>(std::move(to)));
        };
        if (const auto* single = x.as<dense<float>>()) return chosen(*single);
        return chosen(as_dense<double>(x));
    });
}

embedding scale_map(const std::vector<double>& factors) {
    return each(fmt::format("scaled {}", join(factors, ",")), [factors](const dataset& x) {
        return multiplied("scaled: there are factors for vectors", factors, x, {});
    });
}

}  // namespace mercer
