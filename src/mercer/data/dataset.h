// Data sets: n objects of one kind, vectors or any kind of data. Each is an immutable value that shares its
// storage, so copies are cheap and a view of the caller's memory costs nothing (the caller then keeps that memory alive
// and unchanged).
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/data/object_kind.h"

namespace mercer {

// n dense vectors, row-major.
template <class T>
class dense {
public:
    dense() = default;
    // Borrows memory that must outlive every copy of this value, or shares it when `keep` owns it.
    dense(matrix_view<const T> rows, std::shared_ptr<const void> keep = nullptr)
        : view_(rows), keep_(std::move(keep)) {}
    explicit dense(matrix<T> rows);

    index size() const { return view_.rows; }
    index dims() const { return view_.cols; }
    const T* row(index i) const { return view_.row(i); }
    matrix_view<const T> view() const { return view_; }

private:
    matrix_view<const T> view_;
    std::shared_ptr<const void> keep_;
};

// n sparse vectors in compressed rows: row i has columns col[start[i] … start[i+1]) ascending, 0-based.
template <class T>
class sparse {
public:
    sparse() = default;
    // Checks that the rows are ascending and within dims.
    sparse(std::vector<index> start, std::vector<std::int32_t> col, std::vector<T> val, index dims);
    // Borrows, as for dense.
    sparse(std::span<const index> start, std::span<const std::int32_t> col, std::span<const T> val, index dims,
           std::shared_ptr<const void> keep);

    index size() const { return start_.empty() ? 0 : static_cast<index>(start_.size()) - 1; }
    index dims() const { return dims_; }
    index nonzeros() const { return start_.empty() ? 0 : start_.back() - start_.front(); }
    std::span<const std::int32_t> cols(index i) const {
        return col_.subspan(static_cast<std::size_t>(start_[i]), length(i));
    }
    std::span<const T> values(index i) const { return val_.subspan(static_cast<std::size_t>(start_[i]), length(i)); }

private:
    std::size_t length(index i) const { return static_cast<std::size_t>(start_[i + 1] - start_[i]); }
    void check() const;

    std::span<const index> start_;
    std::span<const std::int32_t> col_;
    std::span<const T> val_;
    index dims_ = 0;
    std::shared_ptr<const void> keep_;
};

// Any of them.
class dataset {
public:
    using storage = std::variant<dense<double>, dense<float>, sparse<double>, sparse<float>, objects>;

    dataset() = default;
    template <class Kind>
        requires(std::is_constructible_v<storage, Kind>)
    dataset(Kind items) : items_(std::move(items)) {}  // NOLINT: every kind is a data set

    index size() const;
    domain kind() const;
    index dims() const;  // number of coordinates of vectors, 0 for other objects
    const storage& items() const { return items_; }
    // The rows of one storage, or the objects of one kind; null where it is another.
    template <class Kind>
    const Kind* as() const {
        if constexpr (object_kind<Kind>) {
            const auto* some = std::get_if<objects>(&items_);
            return some ? some->as<Kind>() : nullptr;
        } else {
            return std::get_if<Kind>(&items_);
        }
    }
    bool is_sparse() const { return as<sparse<double>>() || as<sparse<float>>(); }

private:
    storage items_;
};

// The chosen objects, copied, in the order of the selection.
dataset gather(const dataset& from, const selection& which);
// Objects first … first + count - 1: vectors where they lie, other objects copied.
dataset part(const dataset& from, index first, index count);
// Two data sets of the same kind, one after the other (dims: the larger of the two for sparse, equal for dense).
dataset concatenate(const dataset& first, const dataset& second);
// The vectors as dense rows of T: shares the storage when it already is that, else copies. Fails for objects that are
// not vectors.
template <class T>
dense<T> as_dense(const dataset& vectors);
struct not_finite_value {
    index row = 0, column = 0;
    double value = 0;
};
// The first coordinate that is NaN or infinite, by rows; nothing where there is none, or the objects are not vectors.
// require_finite() fails with it.
std::optional<not_finite_value> first_not_finite(const dataset& vectors);
// Fails, naming row and column, when a coordinate is NaN or infinite.
void require_finite(const dataset& vectors);

// A data set as read from a file: objects, one target a row (class index or value), and the names a header gave.
struct table {
    dataset x;
    std::vector<double> y;  // empty: no label column. For class names, y holds 0, 1, … = position in class_names
    std::vector<std::string> class_names;    // empty: y holds numbers
    std::vector<std::string> feature_names;  // empty: unnamed
    std::string label{};                     // the column of targets, in the file's own terms; empty: not known
};

// An order of the objects of one kind, by what they hold.

// Vectors have no NaN here (fits check that first), so the order is total.
template <class T>
std::partial_ordering compare_objects(const dense<T>& x, index i, const dense<T>& z, index j) {
    return std::lexicographical_compare_three_way(x.row(i), x.row(i) + x.dims(), z.row(j), z.row(j) + z.dims());
}

// As the dense rows they stand for: what is not stored is zero.
template <class T>
std::partial_ordering compare_objects(const sparse<T>& x, index i, const sparse<T>& z, index j) {
    const auto x_cols = x.cols(i), z_cols = z.cols(j);
    const auto x_values = x.values(i), z_values = z.values(j);
    std::size_t a = 0, b = 0;
    while (a < x_cols.size() || b < z_cols.size()) {
        const bool in_x = a < x_cols.size() && (b == z_cols.size() || x_cols[a] <= z_cols[b]);
        const bool in_z = b < z_cols.size() && (a == x_cols.size() || z_cols[b] <= x_cols[a]);
        const auto c = (in_x ? x_values[a++] : T{0}) <=> (in_z ? z_values[b++] : T{0});
        if (c != 0) return c;
    }
    return std::partial_ordering::equivalent;
}

inline std::partial_ordering compare_objects(const objects& x, index i, const objects& z, index j) {
    return x.compare(i, z, j);
}

// Of data sets of the same storage; others have no order.
inline std::partial_ordering compare_objects(const dataset& x, index i, const dataset& z, index j) {
    return std::visit(
        [&](const auto& some) -> std::partial_ordering {
            const auto* other = z.as<std::decay_t<decltype(some)>>();
            if (!other || x.kind() != z.kind()) return std::partial_ordering::unordered;
            return compare_objects(some, i, *other, j);
        },
        x.items());
}

// Whether two objects are one and the same: equal coordinates (however they are stored), strings or sets. What has a
// distance of zero in truth should not be left to the last bit of kernel values, which a function of the user's may
// round differently each time it is asked.

bool same_object(const dataset& a, index i, const dataset& b, index j);

}  // namespace mercer
