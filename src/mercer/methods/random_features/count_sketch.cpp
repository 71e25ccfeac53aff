#include "mercer/methods/random_features/count_sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/fast_transforms.h"

namespace mercer {
namespace {

// Writes y of rows first … first+count-1 interleaved: coordinate a of row r is at [a·lanes + r].
template <class T>
void interleave_rows(const count_sketch& s, const dense<T>& x, index first, index count, index lanes, double* to) {
    const double root = std::sqrt(s.gamma);
    for (index r = 0; r < count; ++r) {
        const T* row = x.row(first + r);
        for (index a = 0; a < x.dims(); ++a) to[a * lanes + r] = root * static_cast<double>(row[a]);
        if (s.coef0 > 0) to[s.dims * lanes + r] = std::sqrt(s.coef0);
    }
}

void add(double* z, index where, index lanes, index r, double value) {
    z[(where >> 1) * lanes + r] += where & 1 ? -value : value;
}

// Adds the sketches of some rows with the hash and signs of one factor to z. `y` is scratch for all coordinates of y in
// every lane.
template <class T>
void sketch_rows(const count_sketch& s, const dense<T>& x, index first, index count, index lanes, const index* where,
                 double* y, double* z) {
    if (where == s.places.data()) {  // y is the same for all factors, so it is computed for the first one
        std::fill_n(y, s.coordinates() * lanes, 0.0);
        interleave_rows(s, x, first, count, lanes, y);
    }
    best_transform_ops().scatter(z, where, y, s.coordinates());
}
template <class T>
void sketch_rows(const count_sketch& s, const sparse<T>& x, index first, index count, index lanes, const index* where,
                 double*, double* z) {
    const double root = std::sqrt(s.gamma);
    for (index r = 0; r < count; ++r) {
        const auto cols = x.cols(first + r);
        const T* value = x.values(first + r).data();
        for (std::size_t k = 0; k < cols.size(); ++k)
            add(z, where[cols[k]], lanes, r, root * static_cast<double>(value[k]));
        if (s.coef0 > 0) add(z, where[s.dims], lanes, r, std::sqrt(s.coef0));
    }
}

// Scratch memory for a group of `lanes` rows.
struct sketch_scratch {
    buffer<double> y, z, product;
};

template <class Rows>
void apply_to_bundle(const count_sketch& s, const Rows& x, index first, index count, const convolution* turn,
                     sketch_scratch& scratch, matrix_view<double> out) {
    const index lanes = best_transform_ops().lanes, bundle = s.buckets * lanes;
    double* y = scratch.y.at_least(s.coordinates() * lanes);
    double *z = scratch.z.at_least(bundle), *product = scratch.product.at_least(bundle);
    for (index t = 0; t < s.degree; ++t) {
        double* to = t == 0 ? product : z;
        std::fill_n(to, bundle, 0.0);
        sketch_rows(s, x, first, count, lanes, s.places.data() + t * s.coordinates(), y, to);
        if (turn) turn->forward(to);
        if (t > 0) turn->multiply(product, z);
    }
    if (turn) turn->inverse(product);
    for (index r = 0; r < count; ++r) {
        double* row = out.row(first + r);
        for (index b = 0; b < s.features; ++b) row[b] = product[b * lanes + r];
        for (index b = s.features; b < s.buckets; ++b) row[b % s.features] += product[b * lanes + r];
    }
}

template <class Rows>
void apply_to(const count_sketch& s, const Rows& x, matrix_view<double> out) {
    std::unique_ptr<const convolution> turn;
    if (s.degree > 1) turn = std::make_unique<const convolution>(s.buckets);
    const index lanes = best_transform_ops().lanes;
    std::vector<sketch_scratch> scratch(static_cast<std::size_t>(threads()));
    parallel_for((x.size() + lanes - 1) / lanes, [&](index bundle, int worker) {
        const index first = bundle * lanes, count = std::min(lanes, x.size() - first);
        apply_to_bundle(s, x, first, count, turn.get(), scratch[static_cast<std::size_t>(worker)], out);
    });
}

}  // namespace

index count_sketch::buckets_for(index features, index degree) {
    return degree == 1 ? features : std::max<index>(2, next_power_of_two(features));
}

count_sketch draw_count_sketch(index dims, index degree, double gamma, double coef0, index features,
                               std::uint64_t seed) {
    count_sketch out{
        dims, degree, features, count_sketch::buckets_for(features, degree), gamma, coef0, std::vector<index>{}};
    constexpr index most = index{1} << 28;
    if (degree > most / std::max<index>(1, out.coordinates()))
        fail(errc::unsupported, fmt::format("random_features: a count sketch needs degree·features <= 2^28, got {}·{}",
                                            degree, out.coordinates()));
    random_generator random(seed);
    out.places.resize(static_cast<std::size_t>(degree * out.coordinates()));
    for (index& each : out.places) each = random.below(2 * out.buckets);
    return out;
}

void apply(const count_sketch& sketch, const dataset& x, matrix_view<double> out) {
    std::visit(
        [&]<class Rows>(const Rows& rows) {
            if constexpr (!std::is_same_v<Rows, objects>) apply_to(sketch, rows, out);
        },
        x.items());
}

}  // namespace mercer
