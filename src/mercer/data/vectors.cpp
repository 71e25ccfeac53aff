#include "mercer/data/vectors.h"

#include <algorithm>

namespace mercer {
namespace {

// body(x) for sparse vectors of either precision.
template <class Body>
auto of_sparse(const dataset& vectors, Body&& body) {
    if (const auto* single = vectors.as<sparse<float>>()) return body(*single);
    return body(*vectors.as<sparse<double>>());
}

// Where a column stands among some: by a table where that is not large, else by bisection.
class column_places {
public:
    column_places(std::span<const std::int32_t> columns, index nonzeros) : columns_(columns) {
        if (columns.empty() || columns.back() > 65536 + 4 * nonzeros) return;
        table_.assign(static_cast<std::size_t>(columns.back()) + 1, -1);
        for (std::size_t j = 0; j < columns.size(); ++j)
            table_[static_cast<std::size_t>(columns[j])] = static_cast<std::int32_t>(j);
    }
    std::int32_t operator[](std::int32_t column) const {  // -1: not among them
        if (!table_.empty())
            return static_cast<std::size_t>(column) < table_.size() ? table_[static_cast<std::size_t>(column)] : -1;
        const auto at = std::lower_bound(columns_.begin(), columns_.end(), column);
        return at != columns_.end() && *at == column ? static_cast<std::int32_t>(at - columns_.begin()) : -1;
    }

private:
    std::span<const std::int32_t> columns_;
    std::vector<std::int32_t> table_;
};

// The entries whose place is not negative, there.
template <class T, class Place>
dataset moved(const sparse<T>& x, index dims, Place&& place) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<T> val;
    start.reserve(static_cast<std::size_t>(x.size()) + 1);
    col.reserve(static_cast<std::size_t>(x.nonzeros()));
    val.reserve(static_cast<std::size_t>(x.nonzeros()));
    for (index i = 0; i < x.size(); ++i) {
        const auto cols = x.cols(i);
        for (std::size_t e = 0; e < cols.size(); ++e)
            if (const std::int32_t to = place(cols[e]); to >= 0) {
                col.push_back(to);
                val.push_back(x.values(i)[e]);
            }
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<T>(std::move(start), std::move(col), std::move(val), dims);
}

}  // namespace

std::vector<std::int32_t> occurring_columns(const dataset& sparse_vectors) {
    return of_sparse(sparse_vectors, [](const auto& x) {
        std::vector<std::int32_t> columns;
        columns.reserve(static_cast<std::size_t>(x.nonzeros()));
        for (index i = 0; i < x.size(); ++i) columns.insert(columns.end(), x.cols(i).begin(), x.cols(i).end());
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        return columns;
    });
}

dataset renumbered(const dataset& sparse_vectors, std::span<const std::int32_t> columns) {
    return of_sparse(sparse_vectors, [&](const auto& x) {
        const column_places places(columns, x.nonzeros());
        return moved(x, static_cast<index>(columns.size()), [&](std::int32_t column) { return places[column]; });
    });
}

bool mostly_empty_columns(const dataset& vectors) {
    return vectors.is_sparse() && of_sparse(vectors, [](const auto& x) { return x.dims() > 65536 + 4 * x.nonzeros(); });
}

dataset first_columns(const dataset& sparse_vectors, index dims) {
    return of_sparse(sparse_vectors, [&](const auto& x) {
        return moved(x, dims, [&](std::int32_t column) { return column < dims ? column : -1; });
    });
}

}  // namespace mercer
