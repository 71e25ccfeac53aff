#include "mercer/methods/neighbours/nearest_medoid.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/distances.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/codec.h"

namespace mercer {
namespace {

constexpr const char* medoid_owner = "nearest medoid";

nearest_medoid_model fitted(const gram<double>& K, std::span<const double> y, const nearest_medoid_options& o) {
    const std::vector<double> self = checked_diagonal(K, medoid_owner),
                              weight = checked_weights(o.sample_weight, K.rows(), 1, medoid_owner);
    nearest_medoid_model m;
    m.training_size = K.rows();
    m.classes = distinct_labels(y, K.rows(), medoid_owner);
    const auto place = label_places(y, m.classes);
    for (std::size_t c = 0; c < m.classes.size(); ++c) {
        std::vector<index> members;
        for (std::size_t i = 0; i < place.size(); ++i)
            if (place[i] == static_cast<index>(c) && weight[i] > 0) members.push_back(static_cast<index>(i));
        if (members.empty())
            fail(errc::data, fmt::format("{}: the examples of class {} all have weight 0", medoid_owner, m.classes[c]));
        const subset<double> own(K, members);
        const distance_gram between(own);
        matrix<double> w(between.rows(), 1), sums(between.rows(), 1);
        for (std::size_t i = 0; i < members.size(); ++i)
            w(static_cast<index>(i), 0) = weight[static_cast<std::size_t>(members[i])];
        between.multiply(w.view(), sums.view());
        require_finite(sums.view(), medoid_owner);
        const index best = std::min_element(sums.data(), sums.data() + sums.rows()) - sums.data();
        m.rows.push_back(members[static_cast<std::size_t>(best)]);
        m.sums.push_back(sums(best, 0));
        m.self.push_back(self[static_cast<std::size_t>(m.rows.back())]);
    }
    return m;
}

}  // namespace

nearest_medoid_model fit_nearest_medoid(const kernel& k, const dataset& x, std::span<const double> y,
                                        const nearest_medoid_options& o) {
    require_objects(x, medoid_owner);
    nearest_medoid_model m = fitted(*make_gram<double>(k, x), y, o);
    m.k = std::make_shared<const kernel>(k);
    m.medoids = gather(x, std::span<const index>(m.rows));
    return m;
}

nearest_medoid_model fit_nearest_medoid(const gram<double>& K, std::span<const double> y,
                                        const nearest_medoid_options& o) {
    return fitted(K, y, o);
}

std::vector<double> predict(const nearest_medoid_model& m, const dataset& z) {
    if (!m.k)
        fail(errc::unsupported, "nearest medoid: this model was fitted on a matrix; give kernel values, not objects");
    if (z.kind() == domain::vectors) require_finite(z);
    if (z.size() == 0) return {};
    return predict(m, *make_gram<double>(*m.k, z, m.medoids));
}

std::vector<double> predict(const nearest_medoid_model& m, const gram<double>& K) {
    const auto classes = static_cast<index>(m.classes.size());
    std::vector<index> columns(m.rows);
    if (K.cols() == classes)
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = static_cast<index>(c);
    else if (K.cols() != m.training_size)
        fail(errc::invalid_argument,
             fmt::format(
                 "{}: kernel values against the {} training examples or the {} medoids are needed, got {} columns",
                 medoid_owner, m.training_size, classes, K.cols()));
    constexpr index stretch = 4096;
    std::vector<double> out;
    for (index r = 0; r < K.rows(); r += stretch) {
        matrix<double> f(std::min(stretch, K.rows() - r), classes);
        K.block(selection(r, f.rows()), std::span<const index>(columns), f.view());
        require_finite(f.view(), medoid_owner);
        for (index i = 0; i < f.rows(); ++i) {
            index best = 0;
            for (index c = 1; c < classes; ++c)
                if (m.self[static_cast<std::size_t>(c)] / 2 - f(i, c) <
                    m.self[static_cast<std::size_t>(best)] / 2 - f(i, best))
                    best = c;
            out.push_back(m.classes[static_cast<std::size_t>(best)]);
        }
    }
    return out;
}

template <>
struct file_form<nearest_medoid_model> {
    static constexpr std::string_view format = "mercer-nearest-medoid-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.whole("training_size", m.training_size);
        a.list("classes", m.classes);
        a.finite(m.classes, "a class label");
        a.check(!m.classes.empty(), "there are no classes");
        const auto classes = std::ssize(m.classes);
        a.list(m.rows, classes);
        a.within(m.rows, 0, m.training_size, "the number of a medoid");
        a.list(m.self, classes);
        a.list(m.sums, classes);
        kernel_and_objects(a, m.k, m.medoids, classes);
    }
};
template struct model_file<nearest_medoid_model>;

}  // namespace mercer
