// out = K·v for many columns at once, sums in double whatever K is made of: tiles of K are asked for and multiplied by
// the micro-kernel of dense/vector_ops. Each row of out is one thread's own and its sum runs over the columns of K in
// ascending order, so the bits do not depend on the number of threads. About ten times as fast as gram::multiply from
// sixteen columns on.
#pragma once

#include <vector>

#include "mercer/base/memory.h"
#include "mercer/gram/gram.h"

namespace mercer {

template <class T>
void gram_product(const gram<T>& k, matrix_view<const double> v, matrix_view<double> out);

extern template void gram_product(const gram<float>&, matrix_view<const double>, matrix_view<double>);
extern template void gram_product(const gram<double>&, matrix_view<const double>, matrix_view<double>);

// A symmetric K in memory as its upper half, for methods that multiply by it again and again: out = K·v for a few
// columns at once.
//
// K is cut into tiles of 288 × 1152 numbers, a band of rows beginning at its diagonal, and a tile into parts of 288 ×
// 96, each in one piece; every part serves its own rows and, turned, the rows of its columns, so that a pass reads half
// of K. Each tile has sums of its own, which are added up in a fixed order: the bits do not depend on the number of
// threads. Floor of a pass: 4n² bytes from memory, 2n²·columns operations; for eight columns both take about as long,
// so the next part is fetched while one is worked on.

class half_gram {
public:
    static double bytes(index n, index columns);  // of the half and of the sums of a product
    explicit half_gram(const gram<double>& k);    // k = kᵀ; it is read once

    index size() const { return n_; }
    void multiply(matrix_view<const double> v, matrix_view<double> out);

private:
    struct tile {
        index row = 0, col = 0, rows = 0, cols = 0;  // whole micro-tiles and whole parts; zeros beyond n
        std::size_t at = 0;
    };
    static std::vector<tile> cut(index n);
    double* place(const tile& t) const { return numbers_ + t.at; }
    void products(const tile& t, const double* v, index width, double* own, double* turned) const;

    index n_ = 0;
    std::vector<tile> tiles_;
    std::vector<std::size_t> first_;  // of every band's tiles
    reserved_memory memory_;
    buffer<double> few_;           // in its place for few objects: memory that was used before is quicker to fill
    double* numbers_ = nullptr;    // in one of the two
    buffer<double> right_, sums_;  // of a product; kept for the next
};

}  // namespace mercer
