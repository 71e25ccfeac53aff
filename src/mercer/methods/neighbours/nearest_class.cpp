#include "mercer/methods/neighbours/nearest_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/gram/gram_product.h"
#include "mercer/gram/gram_views.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/medoid_distances.h"
#include "mercer/methods/method.h"

namespace mercer {
namespace {

constexpr const char* centroid_owner = "nearest centroid";

nearest_centroid_model make_means(std::span<const double> y, index n, const nearest_centroid_options& o) {
    const std::vector<double> weight = checked_weights(o.sample_weight, n, 1, centroid_owner);
    nearest_centroid_model m;
    m.classes = distinct_labels(y, n, centroid_owner);
    const auto place = class_indices(y, m.classes);
    const auto classes = static_cast<index>(m.classes.size());
    std::vector<double> total(m.classes.size());
    for (std::size_t i = 0; i < place.size(); ++i) total[static_cast<std::size_t>(place[i])] += weight[i];
    for (std::size_t c = 0; c < total.size(); ++c)
        if (!(total[c] > 0))
            fail(errc::data, fmt::format("{}: all examples of class {} have weight 0", centroid_owner, m.classes[c]));
    const auto share = [&](index i) {
        return weight[static_cast<std::size_t>(i)] /
               total[static_cast<std::size_t>(place[static_cast<std::size_t>(i)])];
    };
    if (classes > nearest_centroid_model::max_dense_classes) {
        m.means.coef = matrix<double>(n, 0);
        for (index i = 0; i < n; ++i) m.weight.push_back(share(i));
        m.place = place;
        return m;
    }
    m.means.coef = matrix<double>(n, classes);
    m.means.offset.assign(m.classes.size(), 0.0);
    for (index i = 0; i < n; ++i) m.means.coef(i, place[static_cast<std::size_t>(i)]) = share(i);
    return m;
}

// A mean depends on the members of its class only, so the block of K that belongs to them gives its norm.
void add_norms_by_members(nearest_centroid_model& m, const gram<double>& K) {
    constexpr index most = 1024;
    std::vector<std::vector<index>> members(m.classes.size());
    for (std::size_t i = 0; i < m.place.size(); ++i)
        members[static_cast<std::size_t>(m.place[i])].push_back(static_cast<index>(i));
    parallel_for(std::ssize(members), [&](index c) {
        const row_set all{std::span<const index>(members[static_cast<std::size_t>(c)])};
        matrix<double> tile(std::min(most, all.size()), std::min(most, all.size()));
        double sum = 0;
        for (index r = 0; r < all.size(); r += most)
            for (index s = 0; s < all.size(); s += most) {
                throw_if_cancelled();
                const row_set rows = all.slice(r, std::min(most, all.size() - r)),
                              cols = all.slice(s, std::min(most, all.size() - s));
                K.block(rows, cols, tile.view());
                for (index i = 0; i < rows.size(); ++i)
                    for (index j = 0; j < cols.size(); ++j)
                        sum += m.weight[static_cast<std::size_t>(rows[i])] *
                               m.weight[static_cast<std::size_t>(cols[j])] * tile(i, j);
            }
        m.norms[static_cast<std::size_t>(c)] = sum;
    });
    require_finite(matrix_view<const double>(m.norms.data(), 1, std::ssize(m.norms)), centroid_owner);
}

void add_norms(nearest_centroid_model& m, const gram<double>& K) {
    m.norms.assign(m.classes.size(), 0.0);
    if (!m.is_dense()) return add_norms_by_members(m, K);
    matrix<double> products(K.rows(), m.means.functions());
    gram_product(K, m.means.coef.view(), products.view());
    require_finite(products.view(), centroid_owner);
    for (index i = 0; i < K.rows(); ++i)
        for (index c = 0; c < m.means.functions(); ++c)
            m.norms[static_cast<std::size_t>(c)] += m.means.coef(i, c) * products(i, c);
}

// Calls visit(first, f) for batches of rows of K: row i of f has ⟨φ(x), μ_c⟩ of row first + i for every class c. The
// sums add the examples in their order.
template <class Visit>
void for_each_batch(const nearest_centroid_model& m, const gram<double>& K, Visit visit) {
    constexpr index rows_of_tile = 64, columns_of_tile = 1024;
    parallel_for((K.rows() + rows_of_tile - 1) / rows_of_tile, [&](index b) {
        const index first = b * rows_of_tile, count = std::min(rows_of_tile, K.rows() - first);
        matrix<double> f(count, std::ssize(m.classes)), tile(count, std::min(columns_of_tile, K.cols()));
        for (index c = 0; c < K.cols(); c += columns_of_tile) {
            throw_if_cancelled();
            const index depth = std::min(columns_of_tile, K.cols() - c);
            K.block(row_set(first, count), row_set(c, depth), tile.view());
            for (index i = 0; i < count; ++i)
                for (index j = 0; j < depth; ++j)
                    f(i, m.place[static_cast<std::size_t>(c + j)]) +=
                        m.weight[static_cast<std::size_t>(c + j)] * tile(i, j);
        }
        require_finite(f.view(), "kernel values of new objects");
        visit(first, f);
    });
}

// The same for new examples and for kernel values. The calls of means.values() only check the arguments.
template <class Visit>
void for_each_batch(const nearest_centroid_model& m, const dataset& z, Visit visit) {
    (void)m.means.values(z);
    if (z.size() > 0)
        for_each_batch(m, *m.means.ready.gram_of(*m.means.k, z, m.means.x, std::size_t{256} << 20), visit);
}
template <class Visit>
void for_each_checked_batch(const nearest_centroid_model& m, const gram<double>& K, Visit visit) {
    (void)m.means.values(K);
    for_each_batch(m, K, visit);
}

// Returns ⟨φ(z), μ_c⟩ for every row and class.
matrix<double> products_with_means(const nearest_centroid_model& m, const auto& z, index objects) {
    if (m.is_dense()) return m.means.values(z);
    matrix<double> out(objects, std::ssize(m.classes));
    const auto keep = [&](index first, const matrix<double>& f) {
        std::copy_n(f.data(), f.rows() * f.cols(), out.row(first));
    };
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(z)>, dataset>)
        for_each_batch(m, z, keep);
    else
        for_each_checked_batch(m, z, keep);
    return out;
}

matrix<double> distances_from(const nearest_centroid_model& m, matrix<double> f, std::span<const double> self) {
    for (index i = 0; i < f.rows(); ++i)
        for (index c = 0; c < f.cols(); ++c)
            f(i, c) = squared_distance(self[static_cast<std::size_t>(i)], m.norms[static_cast<std::size_t>(c)], f(i, c),
                                       static_cast<std::size_t>(m.means.size()));
    return f;
}

// k(x, x) is the same for all classes and is left out.
void store_nearest(const nearest_centroid_model& m, const matrix<double>& f, double* out) {
    for (index i = 0; i < f.rows(); ++i) {
        index best = 0;
        for (index c = 1; c < f.cols(); ++c)
            if (m.norms[static_cast<std::size_t>(c)] / 2 - f(i, c) <
                m.norms[static_cast<std::size_t>(best)] / 2 - f(i, best))
                best = c;
        out[i] = m.classes[static_cast<std::size_t>(best)];
    }
}

std::vector<double> nearest(const nearest_centroid_model& m, const auto& z, index objects) {
    std::vector<double> out(static_cast<std::size_t>(objects));
    const auto put = [&](index first, const matrix<double>& f) { store_nearest(m, f, out.data() + first); };
    if (m.is_dense())
        put(0, m.means.values(z));
    else if constexpr (std::is_same_v<std::remove_cvref_t<decltype(z)>, dataset>)
        for_each_batch(m, z, put);
    else
        for_each_checked_batch(m, z, put);
    return out;
}

}  // namespace

nearest_centroid_model fit_nearest_centroid(const kernel& k, const dataset& x, std::span<const double> y,
                                            const nearest_centroid_options& o) {
    require_objects(x, centroid_owner);
    nearest_centroid_model m = make_means(y, x.size(), o);
    add_norms(m, *make_gram<double>(k, x, o.memory_bytes));  // there is only one pass, so kernel values are not stored
    m.means.k = std::make_shared<const kernel>(k);
    m.means.x = x;
    return m;
}

nearest_centroid_model fit_nearest_centroid(const gram<double>& K, std::span<const double> y,
                                            const nearest_centroid_options& o) {
    checked_diagonal(K, centroid_owner);
    nearest_centroid_model m = make_means(y, K.rows(), o);
    add_norms(m, K);
    return m;
}

kernel_expansion nearest_centroid_model::dense_means() const {
    kernel_expansion out = means;
    if (is_dense()) return out;
    out.coef = matrix<double>(means.size(), std::ssize(classes));
    out.offset.assign(classes.size(), 0.0);
    for (index i = 0; i < means.size(); ++i)
        out.coef(i, place[static_cast<std::size_t>(i)]) = weight[static_cast<std::size_t>(i)];
    return out;
}

std::vector<double> predict(const nearest_centroid_model& m, const dataset& z) { return nearest(m, z, z.size()); }
std::vector<double> predict(const nearest_centroid_model& m, const gram<double>& K) { return nearest(m, K, K.rows()); }

matrix<double> squared_distances(const nearest_centroid_model& m, const dataset& z) {
    matrix<double> f = products_with_means(m, z, z.size());
    return distances_from(m, std::move(f), kernel_diagonal(*m.means.k, z));
}
matrix<double> squared_distances(const nearest_centroid_model& m, const gram<double>& K, std::span<const double> self) {
    if (static_cast<index>(self.size()) != K.rows())
        fail(errc::invalid_argument,
             fmt::format("{}: {} objects, but {} values k(z, z)", centroid_owner, K.rows(), self.size()));
    return distances_from(m, products_with_means(m, K, K.rows()), self);
}

template <>
struct file_form<nearest_centroid_model> {
    static constexpr std::string_view format = "mercer-nearest-centroid-model";
    // version 1: a coefficient for each example and class, whatever the number of classes
    static constexpr int version = 2;

    static void parts(auto& a, auto& m) {
        a.part(m.means);
        if (a.version() > 1) {
            a.list("classes", m.classes);
            a.list(m.weight, m.means.size());
            a.list(m.place, m.means.size());
            a.check(m.means.functions() == 0 && m.means.size() > 0,
                    "{} coefficients per example, expected one and its weight", m.means.functions());
            a.check_finite(m.weight, "a weight");
            a.check_range(m.place, 0, std::ssize(m.classes), "the class of an example");
            a.list(m.norms, std::ssize(m.classes));
        } else {
            a.list(m.classes, m.means.functions());
            a.list(m.norms, m.means.functions());
        }
        a.check_finite(m.classes, "a class label");
        a.check(!m.classes.empty(), "the model has no classes");
    }
};
// Models with few classes are written as version 1, so that earlier versions of the library can read them.
template <>
std::string model_file<nearest_centroid_model>::bytes(const nearest_centroid_model& m) {
    archive_writer out(m.is_dense() ? 1 : 2);
    out.part(m);
    return out.bytes(file_form<nearest_centroid_model>::format);
}
template struct model_file<nearest_centroid_model>;

namespace {

constexpr const char* medoid_owner = "nearest medoid";

nearest_medoid_model fit_model(const gram<double>& K, std::span<const double> y, const nearest_medoid_options& o) {
    const std::vector<double> self = checked_diagonal(K, medoid_owner),
                              weight = checked_weights(o.sample_weight, K.rows(), 1, medoid_owner);
    nearest_medoid_model m;
    m.training_size = K.rows();
    m.classes = distinct_labels(y, K.rows(), medoid_owner);
    const auto place = class_indices(y, m.classes);
    for (std::size_t c = 0; c < m.classes.size(); ++c) {
        std::vector<index> members;
        for (std::size_t i = 0; i < place.size(); ++i)
            if (place[i] == static_cast<index>(c) && weight[i] > 0) members.push_back(static_cast<index>(i));
        if (members.empty())
            fail(errc::data, fmt::format("{}: all examples of class {} have weight 0", medoid_owner, m.classes[c]));
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
    nearest_medoid_model m = fit_model(*make_gram<double>(k, x), y, o);
    m.k = std::make_shared<const kernel>(k);
    m.medoids = gather(x, std::span<const index>(m.rows));
    return m;
}

nearest_medoid_model fit_nearest_medoid(const gram<double>& K, std::span<const double> y,
                                        const nearest_medoid_options& o) {
    return fit_model(K, y, o);
}

std::vector<double> predict(const nearest_medoid_model& m, const dataset& z) {
    if (!m.k)
        fail(errc::unsupported,
             "nearest medoid: this model was fitted on a precomputed matrix: pass kernel values, not objects");
    if (z.kind() == object_kind::vectors) require_finite(z);
    if (z.size() == 0) return {};
    return predict(m, *make_gram<double>(*m.k, z, m.medoids));
}

std::vector<double> predict(const nearest_medoid_model& m, const gram<double>& K) {
    const auto classes = static_cast<index>(m.classes.size());
    std::vector<index> columns(m.rows);
    if (K.cols() == classes)
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = static_cast<index>(c);
    else if (K.cols() != m.training_size)
        fail(errc::invalid_argument, fmt::format("{}: kernel values must have one column for each of the {} training "
                                                 "examples, or for each of the {} medoids, got {} columns",
                                                 medoid_owner, m.training_size, classes, K.cols()));
    constexpr index batch_rows = 4096;
    std::vector<double> out;
    for (index r = 0; r < K.rows(); r += batch_rows) {
        matrix<double> f(std::min(batch_rows, K.rows() - r), classes);
        K.block(row_set(r, f.rows()), std::span<const index>(columns), f.view());
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
        a.integer("training_size", m.training_size);
        a.list("classes", m.classes);
        a.check_finite(m.classes, "a class label");
        a.check(!m.classes.empty(), "the model has no classes");
        const auto classes = std::ssize(m.classes);
        a.list(m.rows, classes);
        a.check_range(m.rows, 0, m.training_size, "the number of a medoid");
        a.list(m.self, classes);
        a.list(m.sums, classes);
        kernel_and_objects(a, m.k, m.medoids, classes);
    }
};
template struct model_file<nearest_medoid_model>;

namespace api {
namespace {

class centroid_estimator final : public estimator_of<nearest_centroid_model> {
public:
    using estimator_of::estimator_of;
    target_kind prediction_kind() const override { return target_kind::classes; }
    columns transform(const examples& x) const override {
        return {squared_distances(m_, x.objects()), label_names("squared_distance", m_.classes)};
    }
    columns details(const examples& x) const override { return transform(x); }
    matrix<double> scores(const examples& x) const override {
        matrix<double> out = squared_distances(m_, x.objects());
        for (index i = 0; i < out.rows() * out.cols(); ++i) out.data()[i] = -out.data()[i];
        return out;
    }
    summary summarise() const override {
        return {{"squared_norms_of_means", m_.norms}, {"training_size", m_.means.size()}};
    }
    part_value part(std::string_view name) const override {
        if (name == "coef" && !m_.is_dense()) return m_.dense_means().coef;
        if (name == "offset" && !m_.is_dense()) return std::vector<double>(m_.classes.size(), 0.0);
        return estimator_of::part(name);
    }
};

class medoid_estimator final : public estimator_of<nearest_medoid_model> {
public:
    using estimator_of::estimator_of;
    target_kind prediction_kind() const override { return target_kind::classes; }
    summary summarise() const override {
        return {{"medoid_rows", m_.rows}, {"sums_of_distances", m_.sums}, {"training_size", m_.training_size}};
    }
    columns details(const examples& x) const override {
        return {distances_to(m_.medoids, m_.self, *m_.k, x.objects()), label_names("distance", m_.classes)};
    }
    part_value part(std::string_view name) const override {
        if (name == "objects") return m_.medoids;
        return estimator_of::part(name);
    }
};

estimator_ptr make_centroid(const nearest_centroid&, const fit_call& t) {
    const auto o = t.common<nearest_centroid_options>();
    return t.made<centroid_estimator>(
        t.from([&](const auto&... from) { return fit_nearest_centroid(from..., t.targets(), o); }));
}

estimator_ptr make_medoid(const nearest_medoid&, const fit_call& t) {
    const auto o = t.common<nearest_medoid_options>();
    return t.made<medoid_estimator>(
        t.from([&](const auto&... from) { return fit_nearest_medoid(from..., t.targets(), o); }));
}

}  // namespace

method nearest_centroid_method() { return entry<nearest_centroid, centroid_estimator>(make_centroid); }
method nearest_medoid_method() { return entry<nearest_medoid, medoid_estimator>(make_medoid); }

}  // namespace api

}  // namespace mercer
