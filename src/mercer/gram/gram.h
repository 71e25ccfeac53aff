// gram<T>: a kernel matrix K that need not be stored. Kernel methods read blocks of it. The header also has functions
// that write a whole matrix to memory, for code that needs all of it at once.
//
// A complete matrix written by a user:
//
//     class hilbert final : public gram<double> {                       // K(i, j) = 1/(i + j + 1)
//     public:
//         index rows() const override { return 100; }
//         index cols() const override { return 100; }
//         void block(const row_set& r, const row_set& c, row_pointers<double> out) const override {
//             for (index i = 0; i < r.size(); ++i)
//                 for (index j = 0; j < c.size(); ++j) out[i][j] = 1.0 / (r[i] + c[j] + 1);
//         }
//     };
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

    // out[i][j] = K(rows[i], cols[j]). This is the one primitive. It may be called from several threads at once.
    virtual void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const = 0;

    // out[i] = K(i, i)
    virtual void diagonal(std::span<T> out) const;
    // out = K·v, where v and out have one column per right-hand side. Sums are in double for every T.
    virtual void multiply(matrix_view<const double> v, matrix_view<double> out) const;
    // Fills the whole matrix, n×m numbers. A symmetric matrix may compute one half and mirror it.
    virtual void fill(matrix_view<T> out) const;

    // out[i][j] = K(which[i], which[j]), for a symmetric matrix. It takes half the work of `block` if elements have to
    // be computed.
    virtual void symmetric_block(const row_set& which, row_pointers<T> out) const { block(which, which, out); }
    // Returns the first rows, as many as are stored in memory, so that they can be read without a copy.
    virtual matrix_view<const T> stored() const { return {}; }
    // Returns the approximate number of processor cycles per element, by which a solver decides whether to store a row
    // or to compute it again.
    virtual double cycles_per_element() const { return 100; }
    // Returns true if K is proven to be positive semidefinite, so that √K(i, i) bounds the change of w·φ(xᵢ) per unit
    // change of w.
    virtual bool is_psd() const { return false; }

    // Returns Φ with K = ΦΦᵀ, one row per object, if such a map is known and has at most `most` columns; else an empty
    // matrix.
    virtual matrix<double> features(index /*most*/) const { return {}; }

    void row(index i, T* out) const { block(row_set(i, 1), row_set(0, cols()), row_pointers<T>(&out)); }
};

// Throws unless K is square; the message says that `what` needs it.
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
// Returns ½(K + Kᵀ). Throws unless K is square, finite, and symmetric to 1e-12 of its largest entry; the message begins
// with `owner`.
matrix<double> form_symmetric_matrix(const gram<double>& k, const std::string& owner);
// a ← ½(a + aᵀ)
void symmetrise(matrix<double>& a);

}  // namespace mercer
