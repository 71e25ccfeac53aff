// The Gram matrix of the training examples as the dense methods want it. The library's own use.
#pragma once

#include <memory>

#include "mercer/gram/gram.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/precomputed.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

// n × n numbers of which only those on and above the diagonal are written: the pages of the rest are never touched.
class half_matrix {
public:
    explicit half_matrix(index n) : n_(n) { data_.uninitialised(n * n); }
    matrix_view<double> view() { return {data_.data(), n_, n_}; }

private:
    buffer<double> data_;
    index n_;
};

// out(i, j) = K(i, j) for j >= i, straight into the matrix that will be decomposed. Band by band of rows, so that about
// half of the elements are computed; each band is shared over the threads.
inline void fill_half(const gram<double>& K, matrix_view<double> out, const progress_callback& progress,
                      const char* owner) {
    constexpr index band = 512;
    const index n = K.rows();
    for (index r = 0; r < n; r += band) {
        report(progress, {"kernel matrix", r, n, 0}, owner);
        const index rows = std::min(band, n - r);
        K.block(selection(r, rows), selection(r, n - r), out.block(r, r, rows, n - r));
    }
}

// K(x, x) in memory where it takes at most `budget` bytes, else computed again whenever a part of it is asked for.
inline std::unique_ptr<gram<double>> training_gram(const kernel& k, const dataset& x, std::size_t budget) {
    auto made = make_gram<double>(k, x, std::min(budget / 4, std::size_t{256} << 20));
    const double n = static_cast<double>(x.size());
    if (8 * n * n > static_cast<double>(budget)) return made;
    matrix<double> all(x.size(), x.size());
    made->all(all.view());
    return std::make_unique<precomputed<double>>(std::move(all));
}

}  // namespace mercer
