#include "mercer/methods/random_features/random_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/data/vectors.h"
#include "mercer/dense/fast_transforms.h"
#include "mercer/dense/gemm.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/method.h"

namespace mercer {
namespace {

double parameter_of(const kernel_form& form, const char* name) {
    for (const auto& [key, value] : form.arguments)
        if (key == name) return std::get<double>(value);
    fail(errc::unsupported, fmt::format("random_features: the kernel has no parameter {}", name));
}

// Makes the rows orthogonal by Gram-Schmidt, applied twice to each row; each row keeps its length.
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

// Returns a function that draws the factor by which a normal vector is multiplied to become a frequency.
std::function<double()> frequency_factor(const kernel_form& form, normal_generator& normal) {
    if (form.operation == "rbf") return [by = std::sqrt(2 * parameter_of(form, "gamma"))] { return by; };
    const double nu = parameter_of(form, "nu"), length = parameter_of(form, "length_scale");
    return [&normal, length, terms = static_cast<int>(std::lround(2 * nu))] {
        double chi = 0;
        for (int t = 0; t < terms; ++t) {
            const double each = normal();
            chi += each * each;
        }
        return 1 / (length * std::sqrt(chi / terms));
    };
}

void draw_frequencies(random_features_model& out, const kernel_form& form, index d, const random_features_options& o) {
    const index half = (o.n_components + 1) / 2;
    normal_generator normal(o.seed);
    out.phase = 2 * std::numbers::pi * normal.uniform();
    if (o.frequencies == frequency_choice::structured) {
        if (form.operation == "laplacian")
            fail(errc::unsupported,
                 "random_features: frequencies=structured needs rbf or matern, whose frequencies are equally likely in "
                 "all directions; the frequencies of laplacian are drawn for each feature separately");
        out.kind = random_feature_kind::structured;
        out.structured = draw_structured(d, half, normal, frequency_factor(form, normal));
        return;
    }
    matrix<double>& w = out.frequencies = matrix<double>(half, d);
    if (form.operation == "laplacian") {
        const double gamma = parameter_of(form, "gamma");
        for (index i = 0; i < half * d; ++i)
            w.data()[i] = gamma * std::tan(std::numbers::pi * (normal.uniform() - 0.5));
        return;
    }
    for (index i = 0; i < half * d; ++i) w.data()[i] = normal();
    if (o.frequencies == frequency_choice::orthogonal)
        for (index i = 0; i < half && d > 0; i += d) orthogonalise(w.view().block(i, 0, std::min(d, half - i), d));
    const auto factor = frequency_factor(form, normal);
    for (index i = 0; i < half; ++i) scale_row(w.row(i), d, factor());
}

// Returns w_jᵀx of rows first … first+count-1 for an explicit matrix of frequencies. Sparse rows are used as stored if
// few of their coordinates are stored (mostly_zeros), otherwise they are made dense.
matrix<double> compute_angles(const matrix<double>& w, const dataset& x, const linear_operand* sparse_rows, index first,
                              index count) {
    if (!sparse_rows) {
        const dense<double> rows = as_dense<double>(gather(x, row_set(first, count)));
        return product(rows.view(), transposed::no, w.view().block(0, 0, w.rows(), rows.dims()), transposed::yes);
    }
    matrix<double> out(count, w.rows());
    parallel_chunks(w.rows(), 8, [&](index from, index end) {
        for (index j = from; j < end; ++j)
            for (index i = 0; i < count; ++i) out(i, j) = sparse_rows->dot(first + i, w.row(j));
    });
    return out;
}

bool mostly_zeros(const dataset& x) {
    index stored = x.size() * x.dims();
    if (const auto* some = x.as<sparse<double>>()) stored = some->nonzeros();
    if (const auto* some = x.as<sparse<float>>()) stored = some->nonzeros();
    return stored < x.size() * x.dims() / 16;
}

// Fails, naming the row, at the first row that has a feature that is not finite because its products overflow.
void require_finite_features(const std::vector<char>& finite) {
    const auto bad = std::ranges::find(finite, 0);
    if (bad != finite.end())
        fail(errc::data, fmt::format("random_features: features of row {} are beyond the range of double: scale the "
                                     "data, or take a smaller gamma or degree",
                                     bad - finite.begin()));
}

// Computes the features of a row from its angles. Returns true if all of them are finite.
bool compute_waves(const random_features_model& m, const double* angles, double* to) {
    const double scale = std::sqrt(2 / static_cast<double>(m.features));
    const index pairs = m.features / 2;
    const bool good = best_transform_ops().cos_sin(angles, pairs, scale, to);
    if (m.features % 2 == 0) return good;
    to[m.features - 1] = scale * std::cos(angles[pairs] + m.phase);
    return good && std::isfinite(angles[pairs]);
}

void compute_fourier_features(const random_features_model& m, const dataset& x, matrix<double>& out,
                              std::vector<char>& finite) {
    const std::unique_ptr<linear_operand> rows = make_linear_operand(x);
    const index half = (m.features + 1) / 2;
    if (m.kind == random_feature_kind::structured) {
        parallel_chunks(x.size(), 8, [&](index from, index end) {
            buffer<double> scratch(2 * m.structured.width()), angles(half);
            for (index i = from; i < end; ++i) {
                m.structured.angles(*rows, i, scratch.data(), angles.data());
                finite[static_cast<std::size_t>(i)] = compute_waves(m, angles.data(), out.row(i));
            }
        });
        return;
    }
    const linear_operand* sparse_rows = mostly_zeros(x) ? rows.get() : nullptr;
    // The rows and angles of a batch fit 16 MB.
    const index band = std::clamp((index{1} << 21) / std::max({index{1}, x.dims(), half}), index{8}, index{1024});
    for (index first = 0; first < x.size(); first += band) {
        const index count = std::min(band, x.size() - first);
        const matrix<double> angles = compute_angles(m.frequencies, x, sparse_rows, first, count);
        parallel_chunks(count, 32, [&](index from, index end) {
            for (index i = from; i < end; ++i)
                finite[static_cast<std::size_t>(first + i)] = compute_waves(m, angles.row(i), out.row(first + i));
        });
    }
}

}  // namespace

index random_features_model::dims() const {
    return kind == random_feature_kind::frequencies  ? frequencies.cols()
           : kind == random_feature_kind::structured ? structured.dims
                                                     : sketch.dims;
}

matrix<double> random_features_model::to_matrix() const {
    if (kind == random_feature_kind::sketch)
        fail(errc::unsupported,
             fmt::format("random_features: the features of {} are a count sketch and have no frequencies",
                         k ? k->text() : std::string("poly")));
    return kind == random_feature_kind::structured ? structured.to_matrix() : frequencies;
}

random_features_model fit_random_features(const kernel& k, const dataset& x, const random_features_options& o) {
    if (o.n_components < 1)
        fail(errc::invalid_argument,
             fmt::format("random_features: must satisfy n_components >= 1, got {}", o.n_components));
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("random_features: expected vectors, got {}", name(x.kind())));
    require_finite(x);
    const kernel_form form = k.node().form();
    random_features_model out;
    out.k = std::make_shared<const kernel>(k);
    out.features = o.n_components;
    if (form.operation == "poly" || form.operation == "linear") {
        if (o.frequencies != frequency_choice::orthogonal)
            fail(errc::invalid_argument,
                 fmt::format("random_features: frequencies has no effect on {}, whose features are a count sketch: "
                             "leave it out",
                             k.text()));
        const bool poly = form.operation == "poly";
        out.kind = random_feature_kind::sketch;
        out.sketch = draw_count_sketch(x.dims(), poly ? std::lround(parameter_of(form, "degree")) : 1,
                                       poly ? parameter_of(form, "gamma") : 1, poly ? parameter_of(form, "coef0") : 0,
                                       o.n_components, o.seed);
        return out;
    }
    if (form.operation != "rbf" && form.operation != "matern" && form.operation != "laplacian")
        fail(errc::unsupported,
             fmt::format("random_features: supports rbf, laplacian and matern (by random frequencies) and poly and "
                         "linear (by a count sketch), not {}: take nystroem",
                         k.text()));
    draw_frequencies(out, form, x.dims(), o);
    return out;
}

matrix<double> transform(const random_features_model& model, const dataset& x) {
    require_finite(x);
    const index d = model.dims();
    if (x.kind() != object_kind::vectors || (x.size() > 0 && x.dims() > d) ||
        (!x.is_sparse() && x.size() > 0 && x.dims() != d))
        fail(errc::invalid_argument,
             fmt::format("the model was fitted on vectors of {} features, got {}", d, x.dims()));
    matrix<double> out(x.size(), model.features);
    std::vector<char> finite(static_cast<std::size_t>(x.size()), 1);
    if (model.kind == random_feature_kind::sketch) {
        apply(model.sketch, x, out.view());
        parallel_chunks(x.size(), 32, [&](index from, index end) {
            for (index i = from; i < end; ++i)
                finite[static_cast<std::size_t>(i)] = std::all_of(out.row(i), out.row(i) + model.features,
                                                                  [](double value) { return std::isfinite(value); });
        });
    } else {
        compute_fourier_features(model, x, out, finite);
    }
    require_finite_features(finite);
    return out;
}

template <>
struct file_form<structured_frequencies> {
    static void parts(auto& a, auto& f) {
        const index dims = a.count("dims", f.dims, index{1} << 30), count = a.count("frequencies", f.size());
        const index width = structured_frequencies::width_for(dims);
        if constexpr (std::decay_t<decltype(a)>::reading) f.dims = dims;
        a.table(f.signs, 3 * structured_frequencies::blocks_for(count, width), width);
        a.list(f.lengths, count);
        a.check_finite(f.lengths, "the length of a frequency");
        for (index i = 0; i < f.signs.rows() * f.signs.cols(); ++i)
            a.check(std::abs(f.signs.data()[i]) == 1, "a sign must be 1 or -1, got {}", f.signs.data()[i]);
    }
};

template <>
struct file_form<count_sketch> {
    static void parts(auto& a, auto& s) {
        a.integer("dims", s.dims, index{1} << 30);
        a.integer("degree", s.degree, index{1} << 28);
        a.numbers(s.gamma, s.coef0);
        a.check(s.degree >= 1 && s.features >= 1, "a sketch of degree {} with {} features", s.degree, s.features);
        a.check(s.gamma > 0 && std::isfinite(s.gamma) && s.coef0 >= 0 && std::isfinite(s.coef0),
                "a sketch must satisfy gamma > 0 and coef0 >= 0, got {} and {}", s.gamma, s.coef0);
        if constexpr (std::decay_t<decltype(a)>::reading) s.buckets = count_sketch::buckets_for(s.features, s.degree);
        a.list("places", s.places, index{1} << 28);
        a.check(std::ssize(s.places) == s.degree * s.coordinates(), "{} places for {} features and degree {}",
                s.places.size(), s.coordinates(), s.degree);
        a.check_range(s.places, 0, 2 * s.buckets, "a place");
    }
};

template <>
struct file_form<random_features_model> {
    static constexpr std::string_view format = "mercer-random-features-model";
    static constexpr int version = 2;
    static void parts(auto& a, auto& m) {
        a.integer("features", m.features, index{1} << 31);
        if (a.version() > 1) a.choice("map", m.kind, {"frequencies", "structured", "sketch"});
        if (m.kind == random_feature_kind::frequencies) {
            const index half = a.count("frequencies", m.frequencies.rows(), index{1} << 30),
                        dims = a.count("dims", m.frequencies.cols(), index{1} << 30);
            a.kernel(m.k);
            a.table(m.frequencies, half, dims);
            a.check_finite(m.frequencies, "a frequency");
            a.numbers(m.phase);
            a.check(half == (m.features + 1) / 2, "{} frequencies for {} features", half, m.features);
            return;
        }
        a.kernel(m.k);
        a.numbers(m.phase);
        if (m.kind == random_feature_kind::structured) {
            a.part(m.structured);
            a.check(m.structured.size() == (m.features + 1) / 2, "{} frequencies for {} features", m.structured.size(),
                    m.features);
        } else {
            if constexpr (std::decay_t<decltype(a)>::reading) m.sketch.features = m.features;
            a.part(m.sketch);
        }
    }
};
template struct model_file<random_features_model>;

namespace {

void turn_signs(const double* signs, double* x, index p) {
    for (index a = 0; a < p; ++a) x[a] *= signs[a];
}
// H is p^½ times an orthogonal matrix; three factors H are normalised by 1/p^(3/2).
double normalisation(index p) { return 1 / (static_cast<double>(p) * std::sqrt(static_cast<double>(p))); }

}  // namespace

index structured_frequencies::width_for(index dims) { return std::max(min_width, next_power_of_two(dims)); }

structured_frequencies draw_structured(index dims, index count, normal_generator& random,
                                       const std::function<double()>& factor) {
    const index p = structured_frequencies::width_for(dims);
    structured_frequencies out;
    out.dims = dims;
    out.signs = matrix<double>(3 * structured_frequencies::blocks_for(count, p), p);
    for (index i = 0; i < out.signs.rows() * p; ++i) out.signs.data()[i] = random.uniform() < 0.5 ? -1 : 1;
    out.lengths.resize(static_cast<std::size_t>(count));
    for (double& length : out.lengths) length = factor() * random.chi(p);
    return out;
}

void structured_frequencies::angles(const linear_operand& x, index i, double* scratch, double* out) const {
    const index p = width();
    const auto hadamard = best_transform_ops().walsh_hadamard;
    double *row = scratch, *y = scratch + p;
    std::fill_n(row, p, 0.0);
    x.add(i, normalisation(p), row);
    for (index first = 0, b = 0; first < size(); first += p, ++b) {
        std::copy_n(row, p, y);
        for (index step = 0; step < 3; ++step) {
            turn_signs(signs.row(3 * b + step), y, p);
            hadamard(y, p);
        }
        for (index j = 0; j < std::min(p, size() - first); ++j)
            out[first + j] = lengths[static_cast<std::size_t>(first + j)] * y[j];
    }
}

// w_jᵀ = s_j·e_jᵀHD₁HD₂HD₃/p^(3/2), so w_j is the transposed product applied to e_j; H and D are symmetric.
matrix<double> structured_frequencies::to_matrix() const {
    const index p = width();
    matrix<double> out(size(), dims);
    const auto hadamard = best_transform_ops().walsh_hadamard;
    parallel_chunks(size(), 8, [&](index from, index end) {
        buffer<double> y(p);
        for (index j = from; j < end; ++j) {
            std::fill_n(y.data(), p, 0.0);
            y[j % p] = normalisation(p) * lengths[static_cast<std::size_t>(j)];
            for (index step = 3; step-- > 0;) {
                hadamard(y.data(), p);
                turn_signs(signs.row(3 * (j / p) + step), y.data(), p);
            }
            std::copy_n(y.data(), dims, out.row(j));
        }
    });
    return out;
}

namespace api {
namespace {

class random_features_estimator final : public estimator_of<random_features_model> {
public:
    using estimator_of::estimator_of;
    columns transform(const examples& x) const override {
        return {mercer::transform(m_, x.objects()), numbered_names("feature", m_.features)};
    }
    summary summarise() const override { return {{"n_components", m_.features}}; }
    part_value part(std::string_view name) const override {
        if (name == "frequencies" && m_.kind != random_feature_kind::sketch) return m_.to_matrix();
        if (name == "places" && m_.kind == random_feature_kind::sketch)
            return std::vector<std::int64_t>(m_.sketch.places.begin(), m_.sketch.places.end());
        return estimator_of::part(name);
    }
};

estimator_ptr make_random_features(const random_features& m, const fit_call& t) {
    auto o = t.common<random_features_options>(m);
    o.n_components = m.n_components;
    o.frequencies = m.frequencies == "structured"    ? frequency_choice::structured
                    : m.frequencies == "independent" ? frequency_choice::independent
                                                     : frequency_choice::orthogonal;
    return t.made<random_features_estimator>(fit_random_features(*t.k, t.x.objects(), o));
}

}  // namespace

method random_features_method() { return entry<random_features, random_features_estimator>(make_random_features); }

}  // namespace api

}  // namespace mercer
