#include "mercer/methods/kernel_expansion.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/gram/gram_product.h"
#include "mercer/gram/gram_views.h"

namespace mercer {

matrix<double> kernel_expansion::values(const dataset& z) const {
    if (!k)
        fail(errc::unsupported,
             "this model was fitted on a precomputed kernel matrix: pass kernel values, not objects");
    if (z.kind() == object_kind::vectors) require_finite(z);
    if (x.kind() == object_kind::vectors && z.kind() == object_kind::vectors && !x.is_sparse() && !z.is_sparse() &&
        x.size() > 0 && z.size() > 0 && z.dims() != x.dims())
        fail(errc::invalid_argument,
             fmt::format("the model was fitted on vectors of {} features, got {}", x.dims(), z.dims()));
    if (z.size() == 0 || size() == 0) {
        matrix<double> out(z.size(), functions());
        for (index i = 0; i < out.rows(); ++i) std::copy(offset.begin(), offset.end(), out.row(i));
        return out;
    }
    return values(*ready.gram_of(*k, z, x, std::size_t{256} << 20));
}

matrix<double> kernel_expansion::values(const gram<double>& K) const {
    const index all = training_size > 0 ? training_size : size();
    if (K.cols() != all && K.cols() != size())
        fail(
            errc::invalid_argument,
            all == size()
                ? fmt::format("kernel values must have one column for each of the {} training examples, got {} columns",
                              all, K.cols())
                : fmt::format("kernel values must have one column for each of the {} training examples, or for each of "
                              "the {} examples in the model, got {} columns",
                              all, size(), K.cols()));
    matrix<double> out(K.rows(), functions());
    if (functions() > 0 && K.rows() > 0) {
        if (K.cols() != size()) {
            std::vector<index> every(static_cast<std::size_t>(K.rows()));
            for (index i = 0; i < K.rows(); ++i) every[static_cast<std::size_t>(i)] = i;
            gram_product<double>(subset<double>(K, std::move(every), rows), coef.view(), out.view());
        } else {
            gram_product(K, coef.view(), out.view());
        }
    }
    for (index i = 0; i < out.rows(); ++i)
        for (index j = 0; j < out.cols(); ++j) out(i, j) += offset[static_cast<std::size_t>(j)];
    require_finite(out.view(), "kernel values of new objects");
    return out;
}

matrix<double> kernel_expansion::values(matrix_view<const double> K) const {
    require_finite(K, "kernel values");
    return values(precomputed<double>(K));
}

}  // namespace mercer
