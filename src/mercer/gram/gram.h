// gram<T>: a kernel matrix K (Gram matrix) of rows() × cols() numbers that need not be stored. Kernel methods read
// blocks of K, which are computed when they are read. make_gram.h makes K from a kernel and data, gram_views.h derives
// other matrices from it. A user's own matrix is a class that implements rows(), cols() and block(). The functions at
// the end of this header write a whole matrix to memory.
//
// Example:
//
//     class hilbert final : public gram<double> {  // K(i, j) = 1/(i + j + 1)
//     public:
//         mercer::index rows() const override { return 10; }
//         mercer::index cols() const override { return 10; }
//         void block(const row_set& r, const row_set& c, row_pointers<double> out) const override {
//             for (mercer::index i = 0; i < r.size(); ++i)
//                 for (mercer::index j = 0; j < c.size(); ++j) out[i][j] = 1.0 / static_cast<double>(r[i] + c[j] + 1);
//         }
//     };
//     assert(form_matrix(hilbert{})(1, 2) == 0.25);
#pragma once

#include <span>
#include <string>

#include "mercer/base/matrix_view.h"

namespace mercer {

template <class T>
class gram {
public:
    virtual ~gram() = default;
    virtual index rows() const = 0;
    virtual index cols() const = 0;

    // out[i][j] = K(rows[i], cols[j]). All other functions have a default that calls block(), so it is enough to
    // implement this one. It may be called from several threads at once.
    virtual void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const = 0;

    // out[i] = K(i, i) for a square matrix; `out` has rows() elements.
    virtual void diagonal(std::span<T> out) const;
    // out = K·v, where v (cols() × r) and out (rows() × r) have one column per right-hand side. Sums are in double for
    // every T. K is computed tile by tile and not stored. Throws errc::invalid_argument if the sizes do not match.
    virtual void multiply(matrix_view<const double> v, matrix_view<double> out) const;
    // Writes the whole matrix to `out`, which must be rows() × cols(). A symmetric matrix may compute one half and
    // mirror it.
    virtual void fill(matrix_view<T> out) const;

    // out[i][j] = K(which[i], which[j]), for a symmetric matrix. It takes half the work of `block` if elements have to
    // be computed.
    virtual void symmetric_block(const row_set& which, row_pointers<T> out) const { block(which, which, out); }
    // Returns a view of rows 0 … s - 1 if the first s rows are stored in memory, so that they can be read without a
    // copy. The default has no stored rows. The view is valid as long as this matrix.
    virtual matrix_view<const T> stored() const { return {}; }
    // Returns the approximate number of processor cycles per element, by which a solver decides whether to store a row
    // or to compute it again.
    virtual double cycles_per_element() const { return 100; }
    // Returns true if K is proven to be positive semidefinite, so that √K(i, i) bounds the change of w·φ(xᵢ) per unit
    // change of w.
    virtual bool is_psd() const { return false; }

    // Returns a matrix Φ with K = ΦΦᵀ, one row per object, if an explicit feature map is known and has at most `most`
    // features; else a matrix without rows.
    virtual matrix<double> features(index /*most*/) const { return {}; }

    // out[j] = K(i, j) for all columns j.
    void row(index i, T* out) const { block(row_set(i, 1), row_set(0, cols()), row_pointers<T>(&out)); }
};

// Checks a matrix: throws errc::invalid_argument unless K is square; the message begins with `what`.
template <class T>
void require_square(const gram<T>& k, const char* what);

extern template class gram<float>;
extern template class gram<double>;

// The pair of entries in which K and Kᵀ differ most. For a symmetric matrix row = col = 0 and size = 0.
struct asymmetry {
    double size = 0;
    index row = 0;
    index col = 0;
};
asymmetry find_largest_asymmetry(matrix_view<const double> k);

// Returns all of K, entry by entry. Unlike gram::fill it never mirrors one half, which would hide that a user's kernel
// is not symmetric.
matrix<double> form_matrix(const gram<double>& k);
// Returns ½(K + Kᵀ). Throws errc::invalid_argument unless K is square and symmetric to 1e-12 of its largest entry, and
// errc::data if an entry is NaN or infinite; the message begins with `owner`.
matrix<double> form_symmetric_matrix(const gram<double>& k, const std::string& owner);
// a ← ½(a + aᵀ)
void symmetrise(matrix<double>& a);

}  // namespace mercer
