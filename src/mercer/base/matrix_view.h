// Row-major matrices: `matrix_view` owns nothing, `matrix` owns aligned memory. Sets of rows, pointers to rows, and
// data as operands of linear solvers. Sizes and offsets are 64-bit throughout. Element access is not checked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace mercer {

// The type of all sizes and positions. Where <strings.h> is included, which declares a function index(), code with
// `using namespace mercer` must write mercer::index.
using index = std::int64_t;

// A view of rows × cols numbers in memory that must outlive the view: element (i, j) is data[i * stride + j]. Copying a
// view does not copy the numbers. matrix_view<const T> is read-only.
template <class T>
struct matrix_view {
    T* data = nullptr;
    index rows = 0;
    index cols = 0;
    index stride = 0;

    matrix_view() = default;
    matrix_view(T* data_, index rows_, index cols_, index stride_)
        : data(data_), rows(rows_), cols(cols_), stride(stride_) {}
    matrix_view(T* data_, index rows_, index cols_) : matrix_view(data_, rows_, cols_, cols_) {}
    // A view of T is also a view of const T.
    template <class U>
        requires(std::is_same_v<const U, T>)
    matrix_view(const matrix_view<U>& other) : matrix_view(other.data, other.rows, other.cols, other.stride) {}

    T& operator()(index i, index j) const { return data[i * stride + j]; }
    T* row(index i) const { return data + i * stride; }
    // The view of n_rows × n_cols elements whose first one is (first_row, first_col).
    matrix_view block(index first_row, index first_col, index n_rows, index n_cols) const {
        return {data + first_row * stride + first_col, n_rows, n_cols, stride};
    }
};

inline constexpr std::size_t cache_line = 64;

// A zero-initialised array aligned to a cache line; resize() discards the contents. 64 more bytes after the end are
// readable, because loops of BLAS libraries read past the end of a matrix (OpenBLAS's dsymv up to 32 bytes).
template <class T>
class buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    buffer() = default;
    explicit buffer(index size) { resize(size); }
    buffer(const buffer& other) : buffer(other.size_) { std::copy_n(other.data(), size_, data()); }
    buffer(buffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
    buffer& operator=(buffer other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }

    void resize(index size) {
        resize_uninitialised(size);
        std::fill_n(data(), size_, T{});
    }
    // resize() without initialisation, for memory that is written before it is read.
    void resize_uninitialised(index size) {
        data_.reset(size > 0 ? static_cast<T*>(::operator new (static_cast<std::size_t>(size) * sizeof(T) + cache_line,
                                                               std::align_val_t{cache_line}))
                             : nullptr);
        size_ = size;
    }
    // Grows without keeping the contents; never shrinks.
    T* at_least(index size) {
        if (size > size_) resize_uninitialised(size);
        return data();
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    index size() const { return size_; }
    T& operator[](index i) { return data_.get()[i]; }
    const T& operator[](index i) const { return data_.get()[i]; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    operator std::span<T>() { return {data(), static_cast<std::size_t>(size_)}; }
    operator std::span<const T>() const { return {data(), static_cast<std::size_t>(size_)}; }

private:
    struct release {
        void operator()(T* p) const noexcept { ::operator delete (p, std::align_val_t{cache_line}); }
    };
    std::unique_ptr<T, release> data_;
    index size_ = 0;
};

// An owning row-major matrix, initialised with zeros; its rows follow each other without gaps. Copies copy all
// elements.
template <class T>
class matrix {
public:
    matrix() = default;
    matrix(index rows, index cols) : data_(rows * cols), rows_(rows), cols_(cols) {}

    index rows() const { return rows_; }
    index cols() const { return cols_; }
    T* data() { return data_.data(); }
    const T* data() const { return data_.data(); }
    T& operator()(index i, index j) { return data_[i * cols_ + j]; }
    const T& operator()(index i, index j) const { return data_[i * cols_ + j]; }
    T* row(index i) { return data_.data() + i * cols_; }
    const T* row(index i) const { return data_.data() + i * cols_; }
    matrix_view<T> view() { return {data(), rows_, cols_}; }
    matrix_view<const T> view() const { return {data(), rows_, cols_}; }

private:
    buffer<T> data_;
    index rows_ = 0;
    index cols_ = 0;
};

// Pointers to the rows of a block of output: the rows of a matrix, or rows at any addresses. Owns nothing: the rows,
// and the array of pointers, must outlive it.
template <class T>
class row_pointers {
public:
    row_pointers(matrix_view<T> out) : data_(out.data), stride_(out.stride) {}  // NOLINT: a matrix is rows
    explicit row_pointers(T* const* rows) : rows_(rows) {}
    T* operator[](index i) const { return rows_ ? rows_[i] : data_ + i * stride_; }
    // The pointers to row `first` and those after it.
    row_pointers from(index first) const {
        row_pointers later = *this;
        if (rows_)
            later.rows_ += first;
        else
            later.data_ += first * stride_;
        return later;
    }

private:
    T* data_ = nullptr;
    index stride_ = 0;
    T* const* rows_ = nullptr;
};

// A set of rows (or columns) of a matrix: a range, or a list of their numbers. The list is not copied: it must outlive
// the selection.
class row_set {
public:
    row_set(index first, index count) : first_(first), count_(count) {}
    row_set(std::span<const index> list)
        : list_(list.data()), count_(static_cast<index>(list.size())) {}  // NOLINT: a list is a selection

    index size() const { return count_; }
    bool is_range() const { return list_ == nullptr; }
    index operator[](index i) const { return list_ ? list_[i] : first_ + i; }
    // The rows at positions first … first + count - 1 of this set.
    row_set slice(index first, index count) const {
        if (list_) return row_set(std::span<const index>(list_ + first, static_cast<std::size_t>(count)));
        return {first_ + first, count};
    }

private:
    const index* list_ = nullptr;
    index first_ = 0;
    index count_ = 0;
};

// Data for a linear solver that updates a vector w: n rows xᵢ of d numbers, with the operations xᵢᵀw and w += a·xᵢ.
// Rows are never copied, and entries that are not stored take no operations, so the cost of a pass over sparse rows is
// proportional to the number of stored entries.
//
// The terms of xᵢᵀw are added one after the other in ascending order of the coordinates, so dense and sparse rows of
// equal vectors give bit-identical results.
class linear_operand {
public:
    virtual ~linear_operand() = default;
    virtual index rows() const = 0;
    virtual index dims() const = 0;
    // xᵢᵀw
    virtual double dot(index i, const double* w) const = 0;
    // w += a·xᵢ
    virtual void add(index i, double a, double* w) const = 0;
    // xᵢᵀxᵢ
    virtual double squared_norm(index i) const = 0;
    // A hint that row i will be used soon.
    virtual void prefetch(index) const {}
};

// A matrix by columns, for a solver that changes one coordinate of w at a time. Zeros are not stored.
struct compressed_columns {
    index rows = 0;
    std::vector<index> start{0};  // column j is row[k], value[k] for start[j] <= k < start[j + 1]
    std::vector<std::int32_t> row;
    std::vector<double> value;

    index cols() const { return static_cast<index>(start.size()) - 1; }
};

}  // namespace mercer
