// Clustering in feature space as methods: kernel_kmeans, kernel_kmedoids.
#include "mercer/api/method.h"
#include "mercer/estimators/kernel_kmeans.h"
#include "mercer/estimators/kernel_kmedoids.h"

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

std::shared_ptr<const fitted> make_kmeans(const fit_task& t) {
    kmeans_options o;
    o.n_clusters = t.options.whole("n_clusters");
    o.n_init = t.options.whole("n_init");
    o.max_iter = t.options.whole("max_iter");
    o.seed = static_cast<std::uint64_t>(t.options.whole("seed"));
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

std::shared_ptr<const fitted> make_kmedoids(const fit_task& t) {
    kmedoids_options o;
    o.n_clusters = t.options.whole("n_clusters");
    o.start = t.options.choice("start") == "random" ? medoid_start::random : medoid_start::build;
    o.n_init = t.options.whole("n_init");
    o.max_iter = t.options.whole("max_iter");
    o.seed = static_cast<std::uint64_t>(t.options.whole("seed"));
    if (t.memory_bytes) o.memory_bytes = t.memory_bytes;
    o.progress = t.progress;
    return std::make_shared<kmedoids_fitted>(fit_kernel_kmedoids(*t.k, t.data.x, o));
}

}  // namespace

std::vector<method> cluster_methods() {
    const option_info clusters = whole("n_clusters", "8", "how many", 1), rounds = whole("max_iter", "300", "rounds at most", 1),
                      seed = whole("seed", "0", "of the random starts", 0);
    method kmeans{
        "kernel_kmeans",
        {"kmeans", "k_means"},
        method_family::clustering,
        "k-means in feature space",
        "min Σ‖φ(xᵢ)-μ_c(i)‖²",
        "mercer-kernel-kmeans-model",
        answer::none,
        true,
        true,
        false,
        {clusters, whole("n_init", "10", "restarts, of which the best is kept", 1), rounds, seed},
        make_kmeans,
        [](std::string_view bytes, const std::string& file) { return std::make_shared<const kmeans_fitted>(parse_kernel_kmeans_model(bytes, file)); }};
    method kmedoids{
        "kernel_kmedoids",
        {"kmedoids", "k_medoids", "pam"},
        method_family::clustering,
        "k objects that stand for all, by FasterPAM",
        "min Σ minₘ ‖φ(xᵢ)-φ(m)‖",
        "mercer-kernel-kmedoids-model",
        answer::none,
        true,
        true,
        false,
        {clusters, choice("start", {"build", "random"}, "the first medoids"), whole("n_init", "1", "random starts, of which the best is kept", 1), rounds,
         seed},
        make_kmedoids,
        [](std::string_view bytes, const std::string& file) { return std::make_shared<const kmedoids_fitted>(parse_kernel_kmedoids_model(bytes, file)); }};
    return {std::move(kmeans), std::move(kmedoids)};
}

}  // namespace mercer::api
