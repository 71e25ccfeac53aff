#include "mercer/methods/neighbours/nearest_medoid.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/gram/adaptors.h"
#include "mercer/gram/distances.h"
#include "mercer/methods/expansion_archive.h"
#include "mercer/solvers/algebra/dense_algebra.h"

namespace mercer {
namespace {

constexpr std::string_view format_name = "mercer-nearest-medoid-model";
constexpr const char* owner = "nearest medoid";

nearest_medoid_model fitted(const gram<double>& K, std::span<const double> y, const nearest_medoid_options& o) {
    const std::vector<double> self = checked_diagonal(K, owner),
                              weight = checked_weights(o.sample_weight, K.rows(), 1, owner);
    nearest_medoid_model m;
    m.training_size = K.rows();
    m.classes = distinct_labels(y, K.rows(), owner);
    const auto place = label_places(y, m.classes);
    for (std::size_t c = 0; c < m.classes.size(); ++c) {
        std::vector<index> members;
        for (std::size_t i = 0; i < place.size(); ++i)
            if (place[i] == static_cast<index>(c) && weight[i] > 0) members.push_back(static_cast<index>(i));
        if (members.empty())
            fail(errc::data, fmt::format("{}: the examples of class {} all have weight 0", owner, m.classes[c]));
        const subset<double> own(K, members);
        const distances between(own);
        matrix<double> w(between.rows(), 1), sums(between.rows(), 1);
        for (std::size_t i = 0; i < members.size(); ++i)
            w(static_cast<index>(i), 0) = weight[static_cast<std::size_t>(members[i])];
        between.multiply(w.view(), sums.view());
        require_finite(sums.view(), owner);
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
    require_objects(x, owner);
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
                 owner, m.training_size, classes, K.cols()));
    constexpr index stretch = 4096;
    std::vector<double> out;
    for (index r = 0; r < K.rows(); r += stretch) {
        matrix<double> f(std::min(stretch, K.rows() - r), classes);
        K.block(selection(r, f.rows()), std::span<const index>(columns), f.view());
        require_finite(f.view(), owner);
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

std::string model_bytes(const nearest_medoid_model& m) {
    archive_writer out;
    out.head["classes"] = m.classes.size();
    out.head["training_size"] = m.training_size;
    out.all(m.classes);
    out.all(m.rows);
    out.all(m.self);
    out.all(m.sums);
    write_objects(out, m.k, m.medoids);
    return out.bytes(format_name, 1);
}

nearest_medoid_model parse_nearest_medoid_model(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, format_name, 1, name);
    nearest_medoid_model m;
    in.read([&] {
        const index classes = whole(in.head, "classes");
        m.training_size = whole(in.head, "training_size");
        m.classes = in.class_labels(classes);
        m.rows = in.all<index>(classes);
        m.self = in.all<double>(classes);
        m.sums = in.all<double>(classes);
        read_objects(in, classes, m.k, m.medoids);
        if (classes == 0) in.bad("there are no classes");
        for (const index row : m.rows)
            if (row < 0 || row >= m.training_size) in.bad("a medoid is not among the training examples");
    });
    return m;
}

void save_model(const nearest_medoid_model& model, const std::string& path) {
    write_atomically(path, model_bytes(model));
}
nearest_medoid_model load_nearest_medoid_model(const std::string& path) {
    return load_with(path, parse_nearest_medoid_model);
}

}  // namespace mercer
