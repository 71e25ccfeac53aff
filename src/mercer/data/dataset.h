// Data sets: n objects of one kind, vectors or any kind of data. Each is an immutable value that shares its
// storage, so copies are cheap and a view of the caller's memory costs nothing (the caller then keeps that memory alive
// and unchanged).
#pragma once

#include <cstdint>
#include <memory>
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
// Two data sets of the same kind, one after the other (dims: the larger of the two for sparse, equal for dense).
dataset concatenate(const dataset& first, const dataset& second);
// The vectors as dense rows of T: shares the storage when it already is that, else copies. Fails for objects that are
// not vectors.
template <class T>
dense<T> as_dense(const dataset& vectors);
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

}  // namespace mercer
