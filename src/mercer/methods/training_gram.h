// The Gram matrix of the training examples, in the form that the budget of a fit allows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/row_cache.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/fit_control.h"

namespace mercer {

// Calls body(K) with K = K(x, x) in double if all of it fits into the budget. Otherwise as many rows as fit are kept,
// in float if k(x, x) = 1 and not `exact` (the error of every element is then at most 6e-8), else in double; the other
// rows are computed again in each pass.
template <class Body>
auto with_training_gram(const kernel& k, const dataset& x, std::size_t budget, bool exact, Body&& body) {
    const auto n = static_cast<double>(x.size());
    const bool fits = 8 * n * n <= static_cast<double>(budget);
    if (!fits && !exact && k.properties().normalised) {
        const auto fresh = make_gram<float>(k, x, {budget / 8, budget / 8, true});
        const stored_rows<float> kept(*fresh, budget - budget / 4);
        return body(static_cast<const gram<float>&>(kept));
    }
    const auto fresh = make_gram<double>(k, x, fits ? 0 : budget / 8);
    const stored_rows<double> kept(*fresh, fits ? budget : budget - budget / 8);
    return body(static_cast<const gram<double>&>(kept));
}
// The same for a given matrix. A matrix that is cheap to read is used itself, without keeping rows.
template <class Body>
auto with_training_gram(const gram<double>& k, std::size_t budget, Body&& body) {
    if (k.cycles_per_element() <= 2) return body(k);
    const stored_rows<double> kept(k, budget);
    return body(static_cast<const gram<double>&>(kept));
}

// An uninitialised n × n matrix. If only its upper triangle is written, the memory pages below the diagonal are never
// touched.
class half_matrix {
public:
    explicit half_matrix(index n) : n_(n) { data_.resize_uninitialised(n * n); }
    matrix_view<double> view() { return {data_.data(), n_, n_}; }

private:
    buffer<double> data_;
    index n_;
};

// out(i, j) = K(i, j) for j >= i. Tiles of 512 rows are computed one after another, each by all threads, so that little
// more than half of the elements is computed. Reports progress as `owner`.
inline void fill_upper_triangle(const gram<double>& K, matrix_view<double> out, const progress_callback& progress,
                                const char* owner) {
    constexpr index band = 512;
    const index n = K.rows();
    for (index r = 0; r < n; r += band) {
        report(progress, {"kernel matrix", r, n, 0}, owner);
        const index rows = std::min(band, n - r);
        K.block(row_set(r, rows), row_set(r, n - r), out.block(r, r, rows, n - r));
    }
}

// K(x, x) in memory if it takes at most `budget` bytes. Otherwise its elements are computed whenever they are read.
inline std::unique_ptr<gram<double>> training_gram(const kernel& k, const dataset& x, std::size_t budget) {
    auto made = make_gram<double>(k, x, std::min(budget / 4, std::size_t{256} << 20));
    const double n = static_cast<double>(x.size());
    if (8 * n * n > static_cast<double>(budget)) return made;
    matrix<double> all(x.size(), x.size());
    made->fill(all.view());
    return std::make_unique<precomputed<double>>(std::move(all));
}

}  // namespace mercer
