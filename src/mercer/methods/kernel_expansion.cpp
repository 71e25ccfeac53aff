#include "mercer/methods/kernel_expansion.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/adaptors.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/precomputed.h"
#include "mercer/kernels/algebra.h"
#include "mercer/methods/expansion_archive.h"
#include "mercer/solvers/algebra/dense_algebra.h"
#include "mercer/solvers/algebra/gram_product.h"

namespace mercer {

matrix<double> kernel_expansion::values(const dataset& z) const {
    if (!k)
        fail(errc::unsupported, "this model was fitted on a precomputed matrix: it needs kernel values, not objects");
    if (z.kind() == domain::vectors) require_finite(z);
    if (x.kind() == domain::vectors && z.kind() == domain::vectors && !x.is_sparse() && !z.is_sparse() &&
        x.size() > 0 && z.size() > 0 && z.dims() != x.dims())
        fail(errc::invalid_argument,
             fmt::format("the model was fitted on vectors of {} coordinates, got {}", x.dims(), z.dims()));
    if (z.size() == 0 || size() == 0) {
        matrix<double> out(z.size(), functions());
        for (index i = 0; i < out.rows(); ++i) std::copy(offset.begin(), offset.end(), out.row(i));
        return out;
    }
    return values(*make_gram<double>(*k, z, x, std::size_t{256} << 20));
}

matrix<double> kernel_expansion::values(const gram<double>& K) const {
    const index all = training_size > 0 ? training_size : size();
    if (K.cols() != all && K.cols() != size())
        fail(errc::invalid_argument,
             all == size() ? fmt::format("kernel values against the {} training examples are needed, got {} columns",
                                         all, K.cols())
                           : fmt::format("kernel values must have one column for each of the {} training examples, or "
                                         "of the {} that the model keeps; got {}",
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

void write_objects(archive_writer& out, const std::shared_ptr<const kernel>& k, const dataset& x) {
    out.head["kernel"] = k ? lasting_text(*k) : "";
    out.head["precomputed"] = !k;
    if (k) out.objects("objects", x);
}

void read_objects(archive_reader& in, index size, std::shared_ptr<const kernel>& k, dataset& x) {
    if (in.head.at("precomputed").get<bool>()) return;
    k = std::make_shared<const kernel>(kernel::parse(in.head.at("kernel").get<std::string>()));
    x = in.objects("objects");
    if (x.size() != size) in.bad(fmt::format("{} objects, but coefficients for {}", x.size(), size));
}

void write_expansion(archive_writer& out, const kernel_expansion& f) {
    out.head["examples"] = f.size();
    out.head["functions"] = f.functions();
    out.head["training_size"] = f.training_size;
    out.head["kept"] = f.rows.size();
    out.numbers(f.coef);
    out.all(f.offset);
    out.all(f.rows);
    write_objects(out, f.k, f.x);
}

kernel_expansion read_expansion(archive_reader& in) {
    kernel_expansion f;
    const index functions = whole(in.head, "functions", index{1} << 24);
    f.training_size = whole(in.head, "training_size");
    f.coef = in.numbers(whole(in.head, "examples"), functions);
    f.offset = in.all<double>(functions);
    const index kept = whole(in.head, "kept");
    if (kept != 0 && kept != f.size())
        in.bad(fmt::format("{} numbers of examples, but coefficients for {}", kept, f.size()));
    f.rows = in.all<index>(kept);
    for (const index row : f.rows)
        if (row < 0 || row >= f.training_size) in.bad(fmt::format("example {} of {}", row, f.training_size));
    read_objects(in, f.size(), f.k, f.x);
    for (index i = 0; i < f.size() * functions; ++i)
        if (!std::isfinite(f.coef.data()[i])) in.bad("a coefficient is not finite");
    for (const double b : f.offset)
        if (!std::isfinite(b)) in.bad("an offset is not finite");
    return f;
}

}  // namespace mercer
