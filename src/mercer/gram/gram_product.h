// Products out = K·v with a Gram matrix for many right-hand sides: gram_product for any Gram matrix, half_gram for a
// stored symmetric one that is multiplied repeatedly. Right-hand sides are the columns of v, sums are in double. The
// results are bit-identical for any number of threads.
#pragma once

#include <vector>

#include "mercer/base/memory.h"
#include "mercer/gram/gram.h"

namespace mercer {

// out = K·v. Tiles of K are computed and multiplied by the micro-kernel of dense/vector_ops. Each row of out belongs to
// one thread, and its sum runs over the columns of K in ascending order. With 16 or more columns this is about ten
// times as fast as gram::multiply.
template <class T>
void gram_product(const gram<T>& k, matrix_view<const double> v, matrix_view<double> out);

extern template void gram_product(const gram<float>&, matrix_view<const double>, matrix_view<double>);
extern template void gram_product(const gram<double>&, matrix_view<const double>, matrix_view<double>);

// Stores the upper half of a symmetric K and multiplies by it repeatedly: out = K·v for a few columns at once.
//
// K is cut into tiles of 288 × 1152 numbers, beginning at the diagonal in each band of 288 rows, and a tile into parts
// of 288 × 96 numbers, each contiguous. Every part is used for its own rows and, transposed, for the rows that belong
// to its columns, so one product reads half of K. Each tile has its own sums, which are added in a fixed order, so the
// results are bit-identical for any number of threads. A product takes at least 4n² bytes of memory traffic and
// 2n²·columns operations. For eight columns both take about the same time, so the next part is prefetched while one is
// processed.
class half_gram {
public:
    static double bytes(index n, index columns);  // bytes of the stored half and of the sums of a product
    explicit half_gram(const gram<double>& k);    // k must be symmetric; it is read once

    index size() const { return n_; }
    void multiply(matrix_view<const double> v, matrix_view<double> out);

private:
    struct tile {
        index row = 0, col = 0, rows = 0, cols = 0;  // padded with zeros to whole micro-tiles and parts
        std::size_t at = 0;
    };
    static std::vector<tile> cut_into_tiles(index n);
    double* place(const tile& t) const { return numbers_ + t.at; }
    void multiply_tile(const tile& t, const double* v, index width, double* own, double* turned) const;

    index n_ = 0;
    std::vector<tile> tiles_;
    std::vector<std::size_t> first_;  // number of the first tile of each band
    reserved_memory memory_;
    buffer<double>
        small_buffer_;  // used instead of memory_ for small n, since memory that was used before is faster to fill
    double* numbers_ = nullptr;    // points into memory_ or small_buffer_
    buffer<double> right_, sums_;  // of a product; reused by the next one
};

}  // namespace mercer
