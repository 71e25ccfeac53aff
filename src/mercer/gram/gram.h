// A kernel matrix nobody has to store. Everything a kernel method needs of its data is blocks of one.
//
// A complete one, written by a user:
//
//     class hilbert final : public gram<double> {                       // K(i, j) = 1/(i + j + 1)
//     public:
//         index rows() const override { return 100; }
//         index cols() const override { return 100; }
//         void block(const selection& r, const selection& c, block_rows<double> out) const override {
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

    // out[i][j] = K(rows[i], cols[j]): the one primitive. Safe to call from several threads at once.
    virtual void block(const selection& rows, const selection& cols, block_rows<T> out) const = 0;

    // out[i] = K(i, i)
    virtual void diagonal(std::span<T> out) const;
    // out = K·v, one column of v and out per right-hand side; sums are in double whatever T is.
    virtual void multiply(matrix_view<const double> v, matrix_view<double> out) const;
    // The whole matrix: n×m numbers, only when somebody asks.
    virtual void all(matrix_view<T> out) const;

    // out[i][j] = K(which[i], which[j]), of a symmetric matrix: half the work where elements have to be computed.
    virtual void square(const selection& which, block_rows<T> out) const { block(which, which, out); }
    // The first rows, as many as lie in memory: read there, they need not be copied.
    virtual matrix_view<const T> in_memory() const { return {}; }
    // About how many processor cycles one element costs: a solver weighs keeping a row against computing it again.
    virtual double element_cost() const { return 100; }
    // Whether it is proven to be positive semidefinite, so that √K(i, i) bounds what a change of w can do to point i.
    virtual bool positive() const { return false; }

    // Φ, one row an object, with K = ΦΦᵀ, where such a map is known and has at most `most` columns; else nothing.
    virtual matrix<double> features(index /*most*/) const { return {}; }

    void row(index i, T* out) const { block(selection(i, 1), selection(0, cols()), block_rows<T>(&out)); }
};

// Fails, saying what for, unless K is square.
template <class T>
void require_square(const gram<T>& k, const char* what);

extern template class gram<float>;
extern template class gram<double>;

// A Gram matrix made into numbers in memory, for what has to see all of it at once.

// Where K and Kᵀ differ most. row = col = 0 and size = 0 for a symmetric matrix.
struct asymmetry {
    double size = 0;
    index row = 0;
    index col = 0;
};
asymmetry largest_asymmetry(matrix_view<const double> k);

// All of K, entry by entry: `gram::all` may mirror one half and so hide that a user's kernel is not symmetric.
matrix<double> formed(const gram<double>& k);
// ½(K + Kᵀ); fails unless K is square, finite, and symmetric to 1e-12 of its largest entry.
matrix<double> formed_symmetric(const gram<double>& k, const std::string& owner);
// a ← ½(a + aᵀ)
void symmetrise(matrix<double>& a);

}  // namespace mercer
