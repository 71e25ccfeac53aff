#include "mercer/estimators/kernel_expansion.h"

#include <fmt/format.h>

#include "mercer/base/error.h"
#include "mercer/estimators/expansion_archive.h"
#include "mercer/gram/computed.h"
#include "mercer/solvers/dense_algebra.h"
#include "mercer/solvers/gram_product.h"

namespace mercer {

matrix<double> kernel_expansion::values(const dataset& z) const {
    if (!k) fail(errc::unsupported, "this model was fitted on a matrix; give kernel values, not objects");
    if (z.kind() == domain::vectors) require_finite(z);
    if (z.size() == 0) return {0, functions()};
    return values(computed<double>(*k, z, x, std::size_t{64} << 20));
}

matrix<double> kernel_expansion::values(const gram<double>& K) const {
    if (K.cols() != size())
        fail(errc::invalid_argument, fmt::format("kernel values against the {} training examples are needed, got {} columns", size(), K.cols()));
    matrix<double> out(K.rows(), functions());
    if (functions() > 0) gram_product(K, coef.view(), out.view());
    for (index i = 0; i < out.rows(); ++i)
        for (index j = 0; j < out.cols(); ++j) out(i, j) += offset[static_cast<std::size_t>(j)];
    require_finite(out.view(), "kernel values of new objects");
    return out;
}

void write_objects(archive_writer& out, const std::shared_ptr<const kernel>& k, const dataset& x) {
    out.head["kernel"] = k ? k->text() : "";
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
    out.numbers(f.coef);
    out.all(f.offset);
    write_objects(out, f.k, f.x);
}

kernel_expansion read_expansion(archive_reader& in) {
    kernel_expansion f;
    const index functions = whole(in.head, "functions", index{1} << 24);
    f.coef = in.numbers(whole(in.head, "examples"), functions);
    f.offset = in.all<double>(functions);
    read_objects(in, f.size(), f.k, f.x);
    return f;
}

}  // namespace mercer
