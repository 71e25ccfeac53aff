// Data sets: n objects of one kind, vectors or objects of data/all_kinds.h. A data set is an immutable value whose
// copies share its storage, so copies are cheap. A data set of vectors can also be a view of the caller's memory; the
// caller must then keep this memory alive and unchanged while any copy of the data set exists.
//
// Example:
//
//     matrix<double> rows(2, 3);  // zeros
//     rows(0, 2) = 1;
//     const dataset x = dense<double>(std::move(rows));  // owns its numbers
//     const double numbers[] = {1, 2, 3, 4, 5, 6};
//     const dataset view = dense<double>({numbers, 2, 3});  // borrows `numbers`
//     const dataset text = strings({"GATTACA", "TATA"});
//     assert(x.size() == 2 && view.dims() == 3 && text.kind() == strings::kind);
//     assert(x.as<dense<double>>()->row(0)[2] == 1 && x.as<strings>() == nullptr);
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

// n dense vectors of d = dims() features, row-major: row i is vector i.
template <class T>
class dense {
public:
    dense() = default;
    // A view of memory that `keep` owns, or, if `keep` is null, of memory that must outlive every copy of this value.
    dense(matrix_view<const T> rows, std::shared_ptr<const void> keep = nullptr)
        : view_(rows), keep_(std::move(keep)) {}
    explicit dense(matrix<T> rows);  // owns the numbers

    index size() const { return view_.rows; }
    index dims() const { return view_.cols; }
    const T* row(index i) const { return view_.row(i); }
    matrix_view<const T> view() const { return view_; }

private:
    matrix_view<const T> view_;
    std::shared_ptr<const void> keep_;
};

// n sparse vectors in compressed rows (CSR): vector i has the value val[k] in column col[k] for start[i] <= k <
// start[i+1], with ascending columns that count from 0; all its other values are 0. `start` has n + 1 entries.
template <class T>
class sparse {
public:
    sparse() = default;
    // Throws errc::invalid_argument unless the columns of each row are ascending and smaller than dims.
    sparse(std::vector<index> start, std::vector<std::int32_t> col, std::vector<T> val, index dims);
    // A view of memory that `keep` owns, or, if `keep` is null, of memory that must outlive every copy of this value.
    // Throws errc::invalid_argument unless the columns of each row are ascending and smaller than dims.
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

// n objects of one kind: vectors in one of four storages, or objects of another kind.
class dataset {
public:
    using storage = std::variant<dense<double>, dense<float>, sparse<double>, sparse<float>, objects>;

    dataset() = default;
    template <class Kind>
        requires(std::is_constructible_v<storage, Kind>)
    dataset(Kind items) : items_(std::move(items)) {}  // NOLINT: every kind is a data set

    index size() const;
    object_kind kind() const;
    index dims() const;  // number of features of vectors, 0 for other objects
    const storage& items() const { return items_; }
    // The data in the storage or of the kind `Kind`, as in x.as<dense<double>>() or x.as<strings>(); null if this data
    // set has another storage or kind. The pointer is valid as long as this data set.
    template <class Kind>
    const Kind* as() const {
        if constexpr (object_collection<Kind>) {
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

// Returns copies of the selected objects, in the order of the selection; an object that is selected twice is copied
// twice. Throws errc::invalid_argument if a position is out of range.
dataset gather(const dataset& from, const row_set& which);
// Returns the objects first … first + count - 1. Vectors are not copied: the result shares their storage. Other objects
// are copied. Throws errc::invalid_argument if a position is out of range.
dataset part(const dataset& from, index first, index count);
// Returns the objects of two data sets of the same storage and kind, those of `first` before those of `second`. For
// sparse vectors the result has the larger dims. Throws errc::unsupported for data sets of different kinds or storage,
// and errc::invalid_argument for dense vectors with different dims.
dataset concatenate(const dataset& first, const dataset& second);
// Returns the vectors as dense rows of T. The result shares the storage if it is dense<T> already, otherwise it is a
// copy. Throws errc::unsupported for objects that are not vectors.
template <class T>
dense<T> as_dense(const dataset& vectors);

// A NaN or infinite coordinate of a vector: its row, its column and its value.
struct non_finite_value {
    index row = 0, column = 0;
    double value = 0;
};
// Returns the first coordinate, row by row, that is NaN or infinite; nullopt if there is none or the objects are not
// vectors.
std::optional<non_finite_value> find_non_finite(const dataset& vectors);
// Checks vectors: throws a row_error (errc::data) for the first coordinate, row by row, that is NaN or infinite. Does
// nothing for objects that are not vectors.
void require_finite(const dataset& vectors);

// A data set as read from a file: objects, one target per object (a class or a number), and the names of a header.
struct table {
    dataset x;
    std::vector<double> y;                   // empty: no targets. y[i] is a number, or a position in class_names
    std::vector<std::string> class_names;    // empty: y contains numbers
    std::vector<std::string> feature_names;  // one per feature; empty: the features have no names
    std::string label{};                     // the target column as the file names or counts it; empty: not known
};

// compare_objects() is a total order of the objects of one kind by their contents.

// Vectors must not contain NaN (fits check that first).
template <class T>
std::partial_ordering compare_objects(const dense<T>& x, index i, const dense<T>& z, index j) {
    return std::lexicographical_compare_three_way(x.row(i), x.row(i) + x.dims(), z.row(j), z.row(j) + z.dims());
}

// Compares sparse vectors as the dense vectors that equal them: entries that are not stored are zero.
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

// Objects of data sets of different storage or kind are unordered.
inline std::partial_ordering compare_objects(const dataset& x, index i, const dataset& z, index j) {
    return std::visit(
        [&](const auto& some) -> std::partial_ordering {
            const auto* other = z.as<std::decay_t<decltype(some)>>();
            if (!other || x.kind() != z.kind()) return std::partial_ordering::unordered;
            return compare_objects(some, i, *other, j);
        },
        x.items());
}

// Returns true if two objects are equal: vectors with the same coordinates in any storage, or equal objects of the same
// kind. Code that has to know whether a distance is zero uses this function instead of kernel values, whose rounding
// may differ from call to call if the kernel is a function of the user.
bool is_same_object(const dataset& a, index i, const dataset& b, index j);

}  // namespace mercer
