#include "mercer/methods/neighbours/nearest_centroid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/distances.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/methods/codec.h"
#include "mercer/solvers/algebra/dense_algebra.h"
#include "mercer/solvers/algebra/gram_product.h"

namespace mercer {
namespace {

constexpr const char* centroid_owner = "nearest centroid";

nearest_centroid_model without_norms(std::span<const double> y, index n, const nearest_centroid_options& o) {
    const std::vector<double> weight = checked_weights(o.sample_weight, n, 1, centroid_owner);
    nearest_centroid_model m;
    m.classes = distinct_labels(y, n, centroid_owner);
    const auto place = label_places(y, m.classes);
    const auto classes = static_cast<index>(m.classes.size());
    std::vector<double> total(m.classes.size());
    for (std::size_t i = 0; i < place.size(); ++i) total[static_cast<std::size_t>(place[i])] += weight[i];
    for (std::size_t c = 0; c < total.size(); ++c)
        if (!(total[c] > 0))
            fail(errc::data,
                 fmt::format("{}: the examples of class {} all have weight 0", centroid_owner, m.classes[c]));
    m.means.coef = matrix<double>(n, classes);
    m.means.offset.assign(m.classes.size(), 0.0);
    for (index i = 0; i < n; ++i) {
        const index c = place[static_cast<std::size_t>(i)];
        m.means.coef(i, c) = weight[static_cast<std::size_t>(i)] / total[static_cast<std::size_t>(c)];
    }
    return m;
}

template <class T>
void add_norms(nearest_centroid_model& m, const gram<T>& K) {
    matrix<double> products(K.rows(), m.means.functions());
    gram_product(K, m.means.coef.view(), products.view());
    require_finite(products.view(), centroid_owner);
    m.norms.assign(m.classes.size(), 0.0);
    for (index i = 0; i < K.rows(); ++i)
        for (index c = 0; c < m.means.functions(); ++c)
            m.norms[static_cast<std::size_t>(c)] += m.means.coef(i, c) * products(i, c);
}

matrix<double> distances_from(const nearest_centroid_model& m, matrix<double> f, std::span<const double> self) {
    for (index i = 0; i < f.rows(); ++i)
        for (index c = 0; c < f.cols(); ++c)
            f(i, c) = squared_distance(self[static_cast<std::size_t>(i)], m.norms[static_cast<std::size_t>(c)], f(i, c),
                                       static_cast<std::size_t>(m.means.size()));
    return f;
}

// k(x, x) is the same for all classes, so it is left out.
std::vector<double> nearest(const nearest_centroid_model& m, const matrix<double>& f) {
    std::vector<double> out;
    for (index i = 0; i < f.rows(); ++i) {
        index best = 0;
        for (index c = 1; c < f.cols(); ++c)
            if (m.norms[static_cast<std::size_t>(c)] / 2 - f(i, c) <
                m.norms[static_cast<std::size_t>(best)] / 2 - f(i, best))
                best = c;
        out.push_back(m.classes[static_cast<std::size_t>(best)]);
    }
    return out;
}

}  // namespace

nearest_centroid_model fit_nearest_centroid(const kernel& k, const dataset& x, std::span<const double> y,
                                            const nearest_centroid_options& o) {
    require_objects(x, centroid_owner);
    nearest_centroid_model m = without_norms(y, x.size(), o);
    add_norms(m, *make_gram<double>(k, x, o.memory_bytes));  // one pass: nothing is worth keeping
    m.means.k = std::make_shared<const kernel>(k);
    m.means.x = x;
    return m;
}

nearest_centroid_model fit_nearest_centroid(const gram<double>& K, std::span<const double> y,
                                            const nearest_centroid_options& o) {
    checked_diagonal(K, centroid_owner);
    nearest_centroid_model m = without_norms(y, K.rows(), o);
    add_norms(m, K);
    return m;
}

std::vector<double> predict(const nearest_centroid_model& m, const dataset& z) { return nearest(m, m.means.values(z)); }
std::vector<double> predict(const nearest_centroid_model& m, const gram<double>& K) {
    return nearest(m, m.means.values(K));
}

matrix<double> squared_distances(const nearest_centroid_model& m, const dataset& z) {
    matrix<double> f = m.means.values(z);
    return distances_from(m, std::move(f), self_values(*m.means.k, z));
}
matrix<double> squared_distances(const nearest_centroid_model& m, const gram<double>& K, std::span<const double> self) {
    if (static_cast<index>(self.size()) != K.rows())
        fail(errc::invalid_argument,
             fmt::format("{}: {} objects, but k(z, z) of {}", centroid_owner, K.rows(), self.size()));
    return distances_from(m, m.means.values(K), self);
}

template <>
struct file_form<nearest_centroid_model> {
    static constexpr std::string_view format = "mercer-nearest-centroid-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.part(m.means);
        a.list(m.classes, m.means.functions());
        a.finite(m.classes, "a class label");
        a.check(!m.classes.empty(), "there are no classes");
        a.list(m.norms, m.means.functions());
    }
};
template struct model_file<nearest_centroid_model>;

}  // namespace mercer
