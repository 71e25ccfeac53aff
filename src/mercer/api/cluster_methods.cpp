// Clustering in feature space as methods: kernel_kmeans, kernel_kmedoids.
#include "mercer/api/described.h"
#include "mercer/methods/clusters/kernel_kmeans.h"
#include "mercer/methods/clusters/kernel_kmedoids.h"
#include "mercer/methods/clusters/methods.h"

namespace mercer::api {
namespace {

class kmeans_fitted final : public fitted {
public:
    explicit kmeans_fitted(kmeans_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override { return m_.means.kernel_text(); }
    answer gives() const override { return answer::clusters; }
    std::vector<double> predict(const dataset& x) const override { return as_numbers(mercer::predict(m_, x)); }
    std::vector<index> training_clusters() const override { return m_.labels; }
    figures about() const override {
        figures out;
        out.add("status", name(m_.status));
        out.add("objective", m_.objective());
        out.add("rounds", std::int64_t(m_.history.size()) - 1);
        out.add("runs", std::int64_t{m_.runs});
        out.add("cluster_weights", m_.weights);
        out.add("training_size", std::int64_t{m_.means.size()});
        return out;
    }

    std::string trouble() const override { return trouble_of(m_.status, "max_iter"); }

private:
    kmeans_model m_;
};

std::shared_ptr<const fitted> make_kmeans(const kernel_kmeans& m, const fit_task& t) {
    kmeans_options o;
    o.n_clusters = m.n_clusters;
    o.n_init = m.n_init;
    o.max_iter = m.max_iter;
    o.seed = static_cast<std::uint64_t>(m.seed);
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    return std::make_shared<kmeans_fitted>(fit_kernel_kmeans(*t.k, t.data.x, o));
}

class kmedoids_fitted final : public fitted {
public:
    explicit kmedoids_fitted(kmedoids_model m) : m_(std::move(m)) {}
    std::string bytes() const override { return model_bytes(m_); }
    std::string kernel_text() const override { return m_.k ? m_.k->text() : std::string(); }
    answer gives() const override { return answer::clusters; }
    std::vector<double> predict(const dataset& x) const override { return as_numbers(mercer::predict(m_, x)); }
    std::vector<index> training_clusters() const override { return m_.labels; }
    figures about() const override {
        figures out;
        out.add("status", name(m_.status));
        out.add("objective", m_.objective);
        out.add("silhouette", m_.silhouette);
        out.add("swaps", std::int64_t{m_.swaps});
        out.add("passes", std::int64_t{m_.passes});
        out.add("medoid_rows", std::vector<std::int64_t>(m_.medoids.begin(), m_.medoids.end()));
        out.add("training_size", std::int64_t(m_.labels.size()));
        return out;
    }

    std::string trouble() const override { return trouble_of(m_.status, "max_iter"); }

private:
    kmedoids_model m_;
};

std::shared_ptr<const fitted> make_kmedoids(const kernel_kmedoids& m, const fit_task& t) {
    kmedoids_options o;
    o.n_clusters = m.n_clusters;
    o.start = m.start == "random" ? medoid_start::random : medoid_start::build;
    o.n_init = m.n_init;
    o.max_iter = m.max_iter;
    o.seed = static_cast<std::uint64_t>(m.seed);
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    return std::make_shared<kmedoids_fitted>(fit_kernel_kmedoids(*t.k, t.data.x, o));
}

}  // namespace

std::vector<method> cluster_methods() {
    return {entry<kernel_kmeans>(make_kmeans, parsed<kmeans_fitted, parse_kernel_kmeans_model>),
            entry<kernel_kmedoids>(make_kmedoids, parsed<kmedoids_fitted, parse_kernel_kmedoids_model>)};
}

}  // namespace mercer::api
