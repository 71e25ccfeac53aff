#include "mercer/methods/nystroem/nystroem_kmeans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"
#include "mercer/methods/codec.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/nystroem/feature_passes.h"
#include "mercer/methods/nystroem/kmeans_start.h"

namespace mercer {
namespace {

// The means of k-means on a sample of the rows.
kmeans_start means_of_sample(const kernel_rows& x, const nystroem_problem& posed, const nystroem_basis& basis,
                             std::span<const double> weight, const nystroem_clusters_options& o) {
    const std::vector<index> there = positive(weight);
    const index n = std::ssize(there), count = rows_to_start_from(n, o.n_clusters, basis.size());
    std::vector<index> rows = seeded(o.seed + 2).sample(n, count);
    std::ranges::sort(rows);
    std::vector<double> some;
    for (index& each : rows) {
        each = there[static_cast<std::size_t>(each)];
        some.push_back(weight[static_cast<std::size_t>(each)]);
    }
    const auto k = x.between(x.gather(rows), rows, posed.objects, posed.centres);
    matrix<double> phi(count, basis.size());
    k->all(phi.view());
    basis.to_gradient(phi.view());  // φ = T⁻ᵀk
    // A sample says too little of the end to go there to the last digit.
    return start_kmeans(
        phi.view(), some,
        {o.n_clusters, o.n_init, count < n ? std::max(o.tol, 1e-4) : o.tol, o.max_iter, o.seed + 3, o.progress});
}

}  // namespace

std::vector<double> checked_cluster_weights(const kernel_rows& x, const nystroem_clusters_options& o,
                                            const char* owner) {
    if (x.processes()) fail(errc::unsupported, fmt::format("{}: is for one process", owner));
    if (x.size() == 0) fail(errc::data, fmt::format("{}: there are no examples", owner));
    std::vector<double> weight = own_weights(x, o, owner);
    const index there = std::ranges::count_if(weight, [](double w) { return w > 0; });
    if (o.n_clusters < 1 || o.n_clusters > there)
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy 1 <= n_clusters <= n, got {} with n = {}", owner, o.n_clusters, there));
    if (o.n_init < 1)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy n_init >= 1, got {}", owner, o.n_init));
    if (o.max_iter < 1)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy max_iter >= 1, got {}", owner, o.max_iter));
    if (!(o.tol >= 0)) fail(errc::invalid_argument, fmt::format("{}: must satisfy tol >= 0, got {}", owner, o.tol));
    return weight;
}

nystroem_kmeans_model fit_nystroem_kmeans(const kernel_rows& x, const nystroem_clusters_options& o) {
    constexpr const char* owner = "nystroem_kmeans";
    const std::vector<double> weight = checked_cluster_weights(x, o, owner);
    nystroem_problem posed = pose_nystroem(x, o, weight, owner, false, [&](index centres, index, index) {
        // The basis; its factorisation, or the sample for the first means with its features; and k(x, x), weight, label
        // and distance of each row.
        const auto m = static_cast<double>(centres), n = static_cast<double>(x.size());
        const auto some = static_cast<double>(rows_to_start_from(x.size(), o.n_clusters, centres));
        return 8 * m * m + std::max(16 * m * m, some * (16 * m + 2 * x.bytes_of_row())) + 32 * n;
    });
    const nystroem_basis basis = independent_basis(x, posed, o);
    const std::vector<double> self = x.self();
    kmeans_start start = means_of_sample(x, posed, basis, weight, o);
    const auto rough = x.rough_passes(posed.objects, o.for_values(!x.processes()));
    const auto exact = x.passes(posed.objects, posed.centres, rough.it ? 0 : o.for_values(!x.processes()));
    lloyd_options how{.clusters = o.n_clusters, .tol = o.tol, .max_rounds = o.max_iter};
    if (o.progress) how.progress = [&](index round, double J) { return o.progress({"k-means", round, 0, J}); };
    const std::uint64_t problem = mark_of(x, weight, posed, owner)
                                      .add({static_cast<double>(o.n_clusters), static_cast<double>(o.n_init), o.tol,
                                            static_cast<double>(o.max_iter), static_cast<double>(o.seed)})
                                      .value();
    state_keeper keeper(o.checkpoint, problem, nullptr);
    if (auto state = keeper.found()) how.start = std::move(*state);
    if (!o.checkpoint.path.empty()) how.keep = [&](const std::vector<double>& state) { keeper.keep(state); };
    lloyd_result found = lloyd_rounds({exact.get(), rough.get(), &basis, self, weight}, std::move(start.means), how);
    if (found.status != fit_status::cancelled) keeper.remove();

    nystroem_kmeans_model out;
    basis.to_coefficients(found.means.view());
    out.means.coef = turned(found.means.view());
    out.means.offset.assign(found.norms.size(), 0.0);
    out.norms = std::move(found.norms), out.weights = std::move(found.weights), out.labels = std::move(found.labels);
    out.history = std::move(found.history), out.status = found.status;
    out.passes = found.passes, out.runs = start.runs;
    out.out_of_reach = share_out_of_reach(basis, *posed.sample, posed.sample_self);
    take_centres(out.means, posed, x);
    return out;
}

template <>
struct file_form<nystroem_kmeans_model> {
    static constexpr std::string_view format = "mercer-nystroem-kmeans-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.part(m.means);
        const index clusters = m.clusters();
        a.status(m.status);
        a.whole("runs", m.runs);
        a.whole("passes", m.passes);
        a.numbers(m.out_of_reach);
        a.list(m.norms, clusters);
        a.list(m.weights, clusters);
        a.list(m.labels, m.means.training_size);
        a.list("rounds", m.history);
        a.check(clusters > 0 && !m.history.empty(), "there are no clusters, or there is no objective");
        a.within(m.labels, 0, clusters, "a label");
    }
};
template struct model_file<nystroem_kmeans_model>;

}  // namespace mercer
