#include "mercer/methods/approximate/random_features.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/seeded.h"
#include "mercer/methods/codec.h"
#include "mercer/solvers/algebra/dense_algebra.h"

namespace mercer {
namespace {

// Box and Muller's pairs, the same on every machine up to the rounding of log and cos.
class normal_numbers {
public:
    explicit normal_numbers(std::uint64_t seed) : random_(seed) {}
    double operator()() {
        if (has_) return has_ = false, other_;
        const double r = std::sqrt(-2 * std::log(1 - random_.uniform())),
                     angle = 2 * std::numbers::pi * random_.uniform();
        other_ = r * std::sin(angle), has_ = true;
        return r * std::cos(angle);
    }
    double uniform() { return random_.uniform(); }

private:
    seeded random_;
    double other_ = 0;
    bool has_ = false;
};

double number_of(const kernel_form& form, const char* name) {
    for (const auto& [key, value] : form.arguments)
        if (key == name) return std::get<double>(value);
    fail(errc::unsupported, fmt::format("random_features: the kernel has no parameter {}", name));
}

// The rows made orthogonal, one after the other, each with the length it had: Gram and Schmidt, twice.
void orthogonalise(matrix_view<double> rows) {
    for (index i = 0; i < rows.rows; ++i) {
        double* row = rows.row(i);
        const auto length = [&] {
            double sum = 0;
            for (index a = 0; a < rows.cols; ++a) sum += row[a] * row[a];
            return std::sqrt(sum);
        };
        const double wanted = length();
        for (int twice = 0; twice < 2; ++twice)
            for (index j = 0; j < i; ++j) {
                const double* other = rows.row(j);
                double along = 0, size = 0;
                for (index a = 0; a < rows.cols; ++a) along += row[a] * other[a], size += other[a] * other[a];
                for (index a = 0; a < rows.cols && size > 0; ++a) row[a] -= along / size * other[a];
            }
        const double left = length();
        for (index a = 0; a < rows.cols && left > 0; ++a) row[a] *= wanted / left;
    }
}

void scale_row(double* row, index d, double by) {
    for (index a = 0; a < d; ++a) row[a] *= by;
}

}  // namespace

random_features_model fit_random_features(const kernel& k, const dataset& x, const random_features_options& o) {
    if (o.n_components < 1)
        fail(errc::invalid_argument,
             fmt::format("random_features: must satisfy n_components >= 1, got {}", o.n_components));
    if (x.kind() != domain::vectors)
        fail(errc::unsupported, fmt::format("random_features: needs vectors, the data are {}", name(x.kind())));
    require_finite(x);
    const kernel_form form = k.node().form();
    const index d = x.dims(), half = (o.n_components + 1) / 2;
    random_features_model out{std::make_shared<const kernel>(k), matrix<double>(half, d), o.n_components};
    normal_numbers normal(o.seed);
    out.phase = 2 * std::numbers::pi * normal.uniform();
    matrix<double>& w = out.frequencies;
    if (form.what == "laplacian") {
        const double gamma = number_of(form, "gamma");
        for (index i = 0; i < half * d; ++i)
            w.data()[i] = gamma * std::tan(std::numbers::pi * (normal.uniform() - 0.5));
        return out;
    }
    if (form.what != "rbf" && form.what != "matern")
        fail(errc::unsupported, fmt::format("random_features: rbf, laplacian and matern have a known density of "
                                            "frequencies, {} does not: take nystroem",
                                            k.text()));
    for (index i = 0; i < half * d; ++i) w.data()[i] = normal();
    for (index i = 0; i < half && o.orthogonal; i += d) orthogonalise(w.view().block(i, 0, std::min(d, half - i), d));
    if (form.what == "rbf") {
        const double by = std::sqrt(2 * number_of(form, "gamma"));
        for (index i = 0; i < half; ++i) scale_row(w.row(i), d, by);
    } else {
        const double nu = number_of(form, "nu"), length = number_of(form, "length_scale");
        const int terms = static_cast<int>(std::lround(2 * nu));
        for (index i = 0; i < half; ++i) {
            double chi = 0;
            for (int t = 0; t < terms; ++t) {
                const double each = normal();
                chi += each * each;
            }
            scale_row(w.row(i), d, 1 / (length * std::sqrt(chi / terms)));
        }
    }
    return out;
}

matrix<double> transform(const random_features_model& model, const dataset& x) {
    require_finite(x);
    const index half = model.frequencies.rows(), d = model.frequencies.cols();
    if (x.kind() != domain::vectors || (x.size() > 0 && x.dims() > d) ||
        (!x.is_sparse() && x.size() > 0 && x.dims() != d))
        fail(errc::invalid_argument,
             fmt::format("the model was fitted on vectors of {} coordinates, got {}", d, x.dims()));
    matrix<double> out(x.size(), model.features);
    const double scale = std::sqrt(2 / static_cast<double>(model.features));
    constexpr index band = 1024;
    for (index first = 0; first < x.size(); first += band) {
        const index count = std::min(band, x.size() - first);
        const dense<double> rows = as_dense<double>(gather(x, selection(first, count)));
        const matrix<double> angles = product(rows.view(), transposed::no,
                                              model.frequencies.view().block(0, 0, half, rows.dims()), transposed::yes);
        parallel_runs(count, 32, [&](index from, index end) {
            for (index i = from; i < end; ++i) {
                double* to = out.row(first + i);
                for (index j = 0; j < model.features / 2; ++j) {
                    to[2 * j] = scale * std::cos(angles(i, j));
                    to[2 * j + 1] = scale * std::sin(angles(i, j));
                }
                if (model.features % 2) to[model.features - 1] = scale * std::cos(angles(i, half - 1) + model.phase);
            }
        });
    }
    return out;
}

template <>
struct file_form<random_features_model> {
    static constexpr std::string_view format = "mercer-random-features-model";
    static constexpr int version = 1;
    static void parts(auto& a, auto& m) {
        a.whole("features", m.features, index{1} << 31);
        const index half = a.count("frequencies", m.frequencies.rows(), index{1} << 30),
                    dims = a.count("dims", m.frequencies.cols(), index{1} << 30);
        a.kernel(m.k);
        a.table(m.frequencies, half, dims);
        a.finite(m.frequencies, "a frequency");
        a.numbers(m.phase);
        a.check(half == (m.features + 1) / 2, "{} frequencies for {} features", half, m.features);
    }
};
template struct model_file<random_features_model>;

}  // namespace mercer
