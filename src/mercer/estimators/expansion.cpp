#include "mercer/estimators/expansion.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/estimators/archive.h"
#include "mercer/gram/adaptors.h"
#include "mercer/gram/computed.h"
#include "mercer/gram/precomputed.h"
#include "mercer/solvers/dense_algebra.h"

namespace mercer {
namespace {

void add_offset(const kernel_expansion& f, matrix<double>& out) {
    for (index i = 0; i < out.rows(); ++i)
        for (index c = 0; c < out.cols(); ++c) out(i, c) += f.offset[static_cast<std::size_t>(c)];
}

}  // namespace

matrix<double> evaluate(const kernel_expansion& f, const dataset& x) {
    if (!f.k) fail(errc::unsupported, "a model of a precomputed matrix needs kernel values, not objects");
    require_finite(x);
    if (f.objects.kind() == domain::vectors && !f.objects.is_sparse() && !x.is_sparse() && x.kind() == domain::vectors && x.size() > 0 && x.dims() != f.dims)
        fail(errc::invalid_argument, fmt::format("the model was fitted on vectors of {} coordinates, got {}", f.dims, x.dims()));
    matrix<double> out(x.size(), f.outputs());
    if (x.size() == 0) return out;
    if (f.objects.size() > 0) {
        // The objects are packed once for all bands of x, where that is at most a few hundred MB.
        const computed<double> K(*f.k, x, f.objects, std::size_t{256} << 20);
        K.multiply(f.coef.view(), out.view());
    }
    add_offset(f, out);
    return out;
}

matrix<double> evaluate_precomputed(const kernel_expansion& f, matrix_view<const double> K) {
    const index kept = static_cast<index>(f.rows.size());
    if (K.cols != f.training_size && K.cols != kept)
        fail(errc::invalid_argument,
             fmt::format("kernel values must have one column for each of the {} training examples, or of the {} that the model keeps; got {}", f.training_size,
                         kept, K.cols));
    require_finite(K, "kernel values");
    matrix<double> out(K.rows, f.outputs());
    if (K.rows == 0) return out;
    const precomputed<double> all(K);
    if (K.cols == f.training_size && kept != f.training_size) {
        std::vector<index> every(static_cast<std::size_t>(K.rows));
        for (index i = 0; i < K.rows; ++i) every[static_cast<std::size_t>(i)] = i;
        subset<double>(all, std::move(every), f.rows).multiply(f.coef.view(), out.view());
    } else {
        all.multiply(f.coef.view(), out.view());
    }
    add_offset(f, out);
    return out;
}

void write_expansion(archive_writer& out, const kernel_expansion& f) {
    out.head["expansion"] = {{"kernel", f.kernel_text()},        {"precomputed", !f.k}, {"objects", f.coef.rows()}, {"outputs", f.coef.cols()},
                             {"training_size", f.training_size}, {"dims", f.dims}};
    out.numbers(f.coef);
    out.all(f.offset);
    out.all(f.rows);
    if (f.k) out.objects("objects", f.objects);
}

kernel_expansion read_expansion(archive_reader& in) {
    const auto& about = in.head.at("expansion");
    kernel_expansion f;
    if (!about.at("precomputed").get<bool>()) f.k = std::make_shared<const kernel>(kernel::parse(about.at("kernel").get<std::string>()));
    const index count = whole(about, "objects"), outputs = whole(about, "outputs", 1 << 24);
    f.training_size = whole(about, "training_size");
    f.dims = whole(about, "dims");
    f.coef = in.numbers(count, outputs);
    f.offset = in.all<double>(outputs);
    f.rows = in.all<index>(count);
    if (f.k) f.objects = in.objects("objects");
    if (f.k && f.objects.size() != count) in.bad(fmt::format("{} objects but {} coefficients", f.objects.size(), count));
    if (f.k && count > 0 && f.objects.dims() != f.dims) in.bad(fmt::format("objects of {} coordinates in a model of {}", f.objects.dims(), f.dims));
    for (const index row : f.rows)
        if (row < 0 || row >= f.training_size) in.bad(fmt::format("example {} of {}", row, f.training_size));
    for (index i = 0; i < count * outputs; ++i)
        if (!std::isfinite(f.coef.data()[i])) in.bad("a coefficient is not finite");
    for (const double b : f.offset)
        if (!std::isfinite(b)) in.bad("an offset is not finite");
    return f;
}

void check_targets(const std::string& owner, index n, matrix_view<const double> y) {
    if (n == 0) fail(errc::data, fmt::format("{}: there are no examples", owner));
    if (y.rows != n) fail(errc::invalid_argument, fmt::format("{}: {} examples but {} rows of targets", owner, n, y.rows));
    if (y.cols < 1) fail(errc::invalid_argument, fmt::format("{}: targets must have at least one column", owner));
    for (index i = 0; i < n; ++i)
        for (index c = 0; c < y.cols; ++c)
            if (!std::isfinite(y(i, c))) fail(errc::data, fmt::format("{}: target {}, column {} is {}, not a finite number", owner, i, c, y(i, c)));
}

std::vector<double> checked_weights(const std::string& owner, index n, std::span<const double> weight) {
    if (weight.empty()) return std::vector<double>(static_cast<std::size_t>(n), 1.0);
    if (static_cast<index>(weight.size()) != n) fail(errc::invalid_argument, fmt::format("{}: {} examples but {} sample weights", owner, n, weight.size()));
    bool some = false;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        if (!(weight[i] >= 0) || !std::isfinite(weight[i]))
            fail(errc::data, fmt::format("{}: sample weight {} must satisfy 0 <= weight < infinity, got {}", owner, i, weight[i]));
        some = some || weight[i] > 0;
    }
    if (!some) fail(errc::data, fmt::format("{}: all sample weights are zero", owner));
    return {weight.begin(), weight.end()};
}

std::vector<index> positive(std::span<const double> weight) {
    std::vector<index> used;
    for (std::size_t i = 0; i < weight.size(); ++i)
        if (weight[i] > 0) used.push_back(static_cast<index>(i));
    return used;
}

std::string bytes_text(double bytes) {
    const char* const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
    return unit == 0 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

void check_budget(const std::string& owner, double needed, std::size_t budget, const std::string& why) {
    if (needed > static_cast<double>(budget))
        fail(errc::memory, fmt::format("{}: {:.0f} bytes ({}) are needed {}, memory_bytes allows {} ({})", owner, needed, bytes_text(needed), why, budget,
                                       bytes_text(static_cast<double>(budget))));
}

}  // namespace mercer
