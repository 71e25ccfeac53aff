#include "mercer/methods/clustering/kernel_kmedoids.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/threads.h"
#include "mercer/dense/matrix_checks.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/row_cache.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/medoid_distances.h"
#include "mercer/methods/method.h"

namespace mercer {
namespace {

constexpr const char* kmedoids_owner = "k-medoids";

void check(const kmedoids_options& o, index n) {
    if (o.n_clusters < 1 || o.n_clusters > n)
        fail(errc::invalid_argument,
             fmt::format("{}: must satisfy 1 <= n_clusters <= n, got {} with n = {}", kmedoids_owner, o.n_clusters, n));
    if (o.n_init < 1)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy n_init >= 1, got {}", kmedoids_owner, o.n_init));
    if (o.max_iter < 0)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy max_iter >= 0, got {}", kmedoids_owner, o.max_iter));
    if (o.init.empty()) return;
    if (static_cast<index>(o.init.size()) != o.n_clusters)
        fail(errc::invalid_argument,
             fmt::format("{}: {} clusters, but {} initial medoids", kmedoids_owner, o.n_clusters, o.init.size()));
    for (std::size_t c = 0; c < o.init.size(); ++c) {
        if (o.init[c] < 0 || o.init[c] >= n)
            fail(errc::invalid_argument, fmt::format("{}: an initial medoid must satisfy 0 <= medoid < {}, got {}",
                                                     kmedoids_owner, n, o.init[c]));
        if (std::find(o.init.begin(), o.init.begin() + static_cast<std::ptrdiff_t>(c), o.init[c]) !=
            o.init.begin() + static_cast<std::ptrdiff_t>(c))
            fail(errc::invalid_argument,
                 fmt::format("{}: the initial medoids must differ, got {} twice", kmedoids_owner, o.init[c]));
    }
}

// Fails unless all entries of D are finite and not negative. One pass over D.
template <class T>
void check_distances(const gram<T>& D) {
    constexpr index tile_rows = 64;
    parallel_for((D.rows() + tile_rows - 1) / tile_rows, [&](index b) {
        const index first = b * tile_rows, count = std::min(tile_rows, D.rows() - first);
        matrix<T> tile(count, D.cols());
        D.block(row_set(first, count), row_set(0, D.cols()), tile.view());
        for (index i = 0; i < count; ++i)
            for (index j = 0; j < D.cols(); ++j)
                if (!(tile(i, j) >= 0) || !std::isfinite(tile(i, j)))
                    fail(errc::data,
                         fmt::format("{}: distances must satisfy 0 <= d < infinity, got {} at row {}, column {}",
                                     kmedoids_owner, tile(i, j), first + i, j));
    });
}

// Computes the sums of the distances of each example to each cluster, and s(i) from them.
template <class T>
std::vector<double> silhouettes_of(const gram<T>& D, std::span<const index> labels, index k) {
    const index n = D.rows();
    std::vector<index> members(static_cast<std::size_t>(k));
    for (const index c : labels) ++members[static_cast<std::size_t>(c)];
    std::vector<double> out(static_cast<std::size_t>(n));
    constexpr index tile_rows = 32;
    parallel_for((n + tile_rows - 1) / tile_rows, [&](index b) {
        const index first = b * tile_rows, count = std::min(tile_rows, n - first);
        matrix<T> tile(count, n);
        D.block(row_set(first, count), row_set(0, n), tile.view());
        std::vector<double> sums;
        for (index i = 0; i < count; ++i) {
            const auto own = static_cast<std::size_t>(labels[static_cast<std::size_t>(first + i)]);
            if (members[own] <= 1) continue;
            sums.assign(static_cast<std::size_t>(k), 0.0);
            for (index j = 0; j < n; ++j)
                sums[static_cast<std::size_t>(labels[static_cast<std::size_t>(j)])] += static_cast<double>(tile(i, j));
            const double a = sums[own] / static_cast<double>(members[own] - 1);
            double other = std::numeric_limits<double>::infinity();
            for (std::size_t c = 0; c < sums.size(); ++c)
                if (c != own && members[c] > 0) other = std::min(other, sums[c] / static_cast<double>(members[c]));
            const double larger = std::max(a, other);
            if (std::isfinite(other) && larger > 0) out[static_cast<std::size_t>(first + i)] = (other - a) / larger;
        }
    });
    return out;
}

// Assigns every example to the nearest medoid, the first of equally near ones. A cancelled fit needs labels too, so
// cancellation is switched off here.
template <class T>
std::vector<index> nearest(const gram<T>& D, const std::vector<index>& medoids) {
    const index n = D.cols(), k = static_cast<index>(medoids.size());
    matrix<T> to(k, n);
    const cancellation_override nobody(nullptr);
    D.block(std::span<const index>(medoids), row_set(0, n), to.view());
    std::vector<index> labels(static_cast<std::size_t>(n));
    for (index c = k - 1; c >= 0; --c)
        for (index i = 0; i < n; ++i)
            if (to(c, i) <= to(labels[static_cast<std::size_t>(i)], i)) labels[static_cast<std::size_t>(i)] = c;
    // A medoid stays in its own cluster, even if a duplicate of it is the medoid of another cluster.
    for (index c = 0; c < k; ++c) labels[static_cast<std::size_t>(medoids[static_cast<std::size_t>(c)])] = c;
    return labels;
}

template <class T>
kmedoids_model fit_model(const gram<T>& D, const kmedoids_options& o);

// Fits to the examples of positive weight only. The other examples are neither medoids nor starts and enter no mean;
// they only get labels.
template <class T>
kmedoids_model fit_weighted(const gram<T>& D, kmedoids_options o, const std::vector<index>& used) {
    std::vector<double> weight;
    for (const index i : used) weight.push_back(o.sample_weight[static_cast<std::size_t>(i)]);
    o.sample_weight = std::move(weight);
    for (index& start : o.init) {
        const auto at = std::lower_bound(used.begin(), used.end(), start);
        if (at == used.end() || *at != start)
            fail(errc::invalid_argument,
                 fmt::format("{}: init names object {}, whose weight is zero", kmedoids_owner, start));
        start = at - used.begin();
    }
    kmedoids_model m = fit_model(static_cast<const gram<T>&>(subset<T>(D, used)), o);
    for (index& medoid : m.medoids) medoid = used[static_cast<std::size_t>(medoid)];
    m.labels = nearest(D, m.medoids);
    return m;
}

template <class T>
kmedoids_model fit_model(const gram<T>& D, const kmedoids_options& o) {
    const index n = D.rows();
    check(o, n);
    const std::vector<double> weight = checked_weights(o.sample_weight, n, 1, kmedoids_owner);
    if (const std::vector<index> used = positive_indices(weight); static_cast<index>(used.size()) < n)
        return fit_weighted(D, o, used);
    const index runs = o.init.empty() && o.start == medoid_start::random ? o.n_init : 1;
    random_generator random(o.seed);
    pam_result best;
    bool stop = false;
    for (index r = 0; r < runs && !stop; ++r) {
        std::vector<index> start = o.init;
        if (start.empty())
            start =
                o.start == medoid_start::random ? random.sample(n, o.n_clusters) : pam_build(D, weight, o.n_clusters);
        for (const pam_rule rule : {pam_rule::eager, pam_rule::steepest}) {
            if (stop || o.swaps == (rule == pam_rule::eager ? medoid_swaps::steepest : medoid_swaps::eager)) continue;
            pam_result one = faster_pam(D, weight, start, rule, o.max_iter, [&](index, double TD) {
                return !o.progress || o.progress({"k-medoids", r, runs, TD});
            });
            stop = one.cancelled;
            if (best.medoids.empty() || one.objective < best.objective) best = std::move(one);
        }
    }
    kmedoids_model m;
    m.status = stop ? fit_status::cancelled : best.finished ? fit_status::converged : fit_status::step_limit;
    m.medoids = best.medoids;
    std::sort(m.medoids.begin(), m.medoids.end());
    m.objective = best.objective;
    m.swaps = best.swaps, m.passes = best.passes;
    m.labels = nearest(D, m.medoids);
    if (o.n_clusters > 1) {
        std::vector<double> each{std::numeric_limits<double>::quiet_NaN()};  // NaN if the fit is cancelled here
        completes_unless_cancelled([&] { each = silhouettes_of(D, m.labels, o.n_clusters); });
        for (const double s : each) m.silhouette += s / static_cast<double>(n);
    }
    return m;
}

// Calls body(D) with D stored in double if it fits the budget; otherwise in float, where rows beyond the budget are
// computed on each use.
template <class Body>
auto with_distances(const gram<double>& D, std::size_t budget, Body body) {
    if (D.cycles_per_element() <= 2) return body(D);
    const auto n = static_cast<double>(D.rows());
    if (8 * n * n <= static_cast<double>(budget))
        return body(static_cast<const gram<double>&>(stored_rows<double>(D, budget)));
    const float_gram floats(D);
    return body(static_cast<const gram<float>&>(stored_rows<float>(floats, budget, false)));
}

void store_medoids(kmedoids_model& m, const std::vector<double>& self, const kernel* k, const dataset& x) {
    for (const index row : m.medoids) m.self.push_back(self[static_cast<std::size_t>(row)]);
    if (!k) return;
    m.k = std::make_shared<const kernel>(*k);
    m.objects = gather(x, std::span<const index>(m.medoids));
}

template <class T>
std::vector<kmedoids_model> scan(const gram<T>& D, index first, index last, kmedoids_options o) {
    if (first < 1 || last < first || last > D.rows())
        fail(errc::invalid_argument, fmt::format("{}: must satisfy 1 <= first <= last <= n, got {} … {} with n = {}",
                                                 kmedoids_owner, first, last, D.rows()));
    std::vector<kmedoids_model> out;
    o.init.clear();
    for (index k = first; k <= last; ++k) {
        o.n_clusters = k;
        out.push_back(fit_model(D, o));
        if (out.back().status == fit_status::cancelled) break;
    }
    return out;
}

}  // namespace

kmedoids_model fit_kmedoids(const gram<double>& D, const kmedoids_options& o) {
    require_square(D, kmedoids_owner);
    if (D.rows() == 0) fail(errc::data, fmt::format("{}: there are no examples", kmedoids_owner));
    return with_distances(D, o.memory_bytes, [&](const auto& some) {
        check_distances(some);
        return fit_model(some, o);
    });
}

kmedoids_model fit_kernel_kmedoids(const gram<double>& K, const kmedoids_options& o) {
    const std::vector<double> self = checked_diagonal(K, kmedoids_owner);
    kmedoids_model m = fit_kmedoids(distance_gram(K), o);
    store_medoids(m, self, nullptr, {});
    return m;
}

kmedoids_model fit_kernel_kmedoids(const kernel& k, const dataset& x, const kmedoids_options& o) {
    require_objects(x, kmedoids_owner);
    check(o, x.size());
    const auto K = make_gram<double>(k, x);
    kmedoids_model m = fit_kmedoids(distance_gram(*K), o);
    store_medoids(m, kernel_diagonal(k, x), &k, x);
    return m;
}

std::vector<kmedoids_model> scan_kmedoids(const gram<double>& D, index first, index last, const kmedoids_options& o) {
    require_square(D, kmedoids_owner);
    return with_distances(D, o.memory_bytes, [&](const auto& some) {
        check_distances(some);
        return scan(some, first, last, o);
    });
}

std::vector<kmedoids_model> scan_kernel_kmedoids(const kernel& k, const dataset& x, index first, index last,
                                                 const kmedoids_options& o) {
    require_objects(x, kmedoids_owner);
    const auto K = make_gram<double>(k, x);
    std::vector<kmedoids_model> out = scan_kmedoids(distance_gram(*K), first, last, o);
    const std::vector<double> self = kernel_diagonal(k, x);
    for (auto& each : out) store_medoids(each, self, &k, x);
    return out;
}

std::vector<double> silhouettes(const gram<double>& D, std::span<const index> labels) {
    require_square(D, "silhouettes");
    if (static_cast<index>(labels.size()) != D.rows())
        fail(errc::invalid_argument, fmt::format("silhouettes: {} objects but {} labels", D.rows(), labels.size()));
    index k = 0;
    for (const index c : labels) {
        if (c < 0 || c >= D.rows())
            fail(errc::invalid_argument,
                 fmt::format("silhouettes: a label must satisfy 0 <= label < {}, got {}", D.rows(), c));
        k = std::max(k, c + 1);
    }
    return silhouettes_of(D, labels, k);
}

std::vector<index> predict(const kmedoids_model& m, const dataset& z) {
    if (!m.k)
        fail(errc::unsupported,
             "k-medoids: this model was fitted on a precomputed matrix: pass kernel values or distances, not objects");
    if (z.kind() == object_kind::vectors) require_finite(z);
    if (z.size() == 0) return {};
    return predict(m, *make_gram<double>(*m.k, z, m.objects));
}

std::vector<index> predict(const kmedoids_model& m, const gram<double>& K) {
    const auto k = static_cast<index>(m.medoids.size());
    std::vector<index> columns(m.medoids);
    if (K.cols() == k)
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c] = static_cast<index>(c);
    else if (K.cols() != static_cast<index>(m.labels.size()))
        fail(errc::invalid_argument, fmt::format("{}: the matrix must have one column for each of the {} training "
                                                 "examples, or for each of the {} medoids, got {} columns",
                                                 kmedoids_owner, m.labels.size(), k, K.cols()));
    std::vector<index> out;
    constexpr index batch_rows = 4096;
    for (index r = 0; r < K.rows(); r += batch_rows) {
        matrix<double> f(std::min(batch_rows, K.rows() - r), k);
        K.block(row_set(r, f.rows()), std::span<const index>(columns), f.view());
        require_finite(f.view(), kmedoids_owner);
        for (index i = 0; i < f.rows(); ++i) {
            const auto far = [&](index c) {
                return m.self.empty() ? f(i, c) : m.self[static_cast<std::size_t>(c)] / 2 - f(i, c);
            };
            index best = 0;
            for (index c = 1; c < k; ++c)
                if (far(c) < far(best)) best = c;
            out.push_back(best);
        }
    }
    return out;
}

template <>
struct file_form<kmedoids_model> {
    static constexpr std::string_view format = "mercer-kernel-kmedoids-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        const index clusters = a.count("clusters", std::ssize(m.medoids)),
                    examples = a.count("examples", std::ssize(m.labels));
        a.integer("swaps", m.swaps);
        a.integer("passes", m.passes);
        a.status(m.status);
        a.numbers(m.objective, m.silhouette);
        a.list(m.medoids, clusters);
        a.list(m.labels, examples);
        if (!a.flag("distances", m.self.empty())) a.list(m.self, clusters);
        kernel_and_objects(a, m.k, m.objects, clusters);
        a.check(clusters > 0, "the model has no clusters");
        a.check_range(m.medoids, 0, examples, "the number of a medoid");
        a.check_range(m.labels, 0, clusters, "a label");
    }
};
template struct model_file<kmedoids_model>;

namespace {

constexpr index batch = 64;

template <class V>
auto& at(V& list, index i) {
    return list[static_cast<std::size_t>(i)];
}

// Reads rows of D in batches, because computing several rows together is cheaper.
template <class T>
class row_reader {
public:
    explicit row_reader(const gram<T>& D) : D_(D), n_(D.rows()) {
        rows_.resize_uninitialised(std::min(batch, n_) * n_);
    }
    const T* operator()(index i) {
        if (i < first_ || i >= first_ + count_) {
            first_ = i;
            count_ = std::min(batch, n_ - i);
            // Threads compute different column tiles.
            constexpr index tile_cols = 4096;
            parallel_for((n_ + tile_cols - 1) / tile_cols, [&](index s) {
                const index c = s * tile_cols, width = std::min(tile_cols, n_ - c);
                D_.block(row_set(first_, count_), row_set(c, width),
                         matrix_view<T>(rows_.data() + c, count_, width, n_));
            });
        }
        return rows_.data() + (i - first_) * n_;
    }

private:
    const gram<T>& D_;
    index n_, first_ = 0, count_ = 0;
    buffer<T> rows_;
};

template <class T>
class swap_search {
public:
    swap_search(const gram<T>& D, const std::vector<double>& weight, std::vector<index> medoids)
        : D_(D), w_(weight), n_(D.rows()), k_(static_cast<index>(medoids.size())), medoids_(std::move(medoids)) {
        is_medoid_.assign(static_cast<std::size_t>(n_), 0);
        for (const index m : medoids_) at(is_medoid_, m) = 1;
        near_.resize(static_cast<std::size_t>(n_)), second_.resize(static_cast<std::size_t>(n_));
        dn_.resize(static_cast<std::size_t>(n_)), ds_.resize(static_cast<std::size_t>(n_));
        columns_.resize_uninitialised(k_ * n_);
        for (index c = 0; c < k_; ++c)
            D_.block(row_set(at(medoids_, c), 1), row_set(0, n_), matrix_view<T>(columns_.data() + c * n_, 1, n_));
        for (index i = 0; i < n_; ++i) find_nearest(i);
        update_objective();
    }

    pam_result run(pam_rule rule, index max_passes, const pam_report& report) {
        pam_result out;
        // A cancelled run returns the medoids after the last swap.
        if (!completes_unless_cancelled(
                [&] { rule == pam_rule::eager ? eager(out, max_passes, report) : steepest(out, max_passes, report); }))
            out.cancelled = true;
        out.medoids = medoids_;
        out.objective = objective_;
        return out;
    }

private:
    void eager(pam_result& out, index max_passes, const pam_report& report) {
        row_reader<T> rows(D_);
        index since = 0;  // candidates tried since the last swap
        for (index c = 0; since < n_; c = c + 1 == n_ ? 0 : c + 1) {
            if (c == 0) {
                out.cancelled = report && !report(out.passes, objective_);
                if (out.cancelled || out.passes == max_passes) break;
                ++out.passes;
            }
            ++since;
            if (at(is_medoid_, c)) continue;
            const T* d = rows(c);
            const auto [leaves, change] = best_swap(d);
            if (!lowers_objective(leaves, change)) continue;
            swap(leaves, c, d);
            ++out.swaps;
            since = 0;
        }
        out.finished = since >= n_;
    }

    void steepest(pam_result& out, index max_passes, const pam_report& report) {
        struct proposal {
            double change = 0;
            index leaves = 0, enters = -1;
        };
        std::vector<proposal> best(static_cast<std::size_t>((n_ + batch - 1) / batch));
        std::vector<T> row(static_cast<std::size_t>(n_));
        for (;;) {
            out.cancelled = report && !report(out.passes, objective_);
            if (out.cancelled || out.passes == max_passes) break;
            ++out.passes;
            parallel_for(static_cast<index>(best.size()), [&](index b) {
                auto& tile = per_thread<buffer<T>>([] {});
                const index first = b * batch, count = std::min(batch, n_ - first);
                const matrix_view<T> d(tile.at_least(count * n_), count, n_);
                D_.block(row_set(first, count), row_set(0, n_), d);
                at(best, b) = {};
                for (index i = 0; i < count; ++i) {
                    if (at(is_medoid_, first + i)) continue;
                    const auto [leaves, change] = best_swap(d.row(i));
                    if (change < at(best, b).change) at(best, b) = {change, leaves, first + i};
                }
            });
            const proposal top = *std::min_element(
                best.begin(), best.end(), [](const proposal& a, const proposal& b) { return a.change < b.change; });
            out.finished = top.enters < 0 || !lowers_objective(top.leaves, top.change);
            if (out.finished) break;
            D_.row(top.enters, row.data());
            swap(top.leaves, top.enters, row.data());
            ++out.swaps;
        }
    }

    // Smaller gains are within the rounding error of sums of n terms.
    bool lowers_objective(index leaves, double change) const {
        return change < -1e-14 * std::sqrt(static_cast<double>(n_)) * (objective_ + at(loss_, leaves));
    }

    // Finds the nearest and the second nearest medoid of example i.
    void find_nearest(index i) {
        double dn = std::numeric_limits<double>::infinity(), ds = dn;
        index near = 0, second = 0;
        for (index c = 0; c < k_; ++c) {
            const auto d = static_cast<double>(columns_[c * n_ + i]);
            if (d < dn)
                ds = dn, second = near, dn = d, near = c;
            else if (d < ds)
                ds = d, second = c;
        }
        at(near_, i) = near, at(second_, i) = second, at(dn_, i) = dn, at(ds_, i) = ds;
    }

    // Computes TD, and for every medoid the increase of TD if it is removed: its examples then belong to their second
    // nearest medoid.
    void update_objective() {
        loss_.assign(static_cast<std::size_t>(k_), 0.0);
        objective_ = 0;
        for (index i = 0; i < n_; ++i) {
            if (at(w_, i) == 0) continue;
            objective_ += at(w_, i) * at(dn_, i);
            if (k_ > 1) at(loss_, at(near_, i)) += at(w_, i) * (at(ds_, i) - at(dn_, i));
        }
    }

    std::pair<index, double> best_swap(const T* d) const {
        if (k_ == 1) {
            double sum = 0;
            for (index i = 0; i < n_; ++i) sum += at(w_, i) * static_cast<double>(d[i]);
            return {0, sum - objective_};
        }
        auto& change = per_thread<std::vector<double>>([] {});
        change = loss_;
        double shared = 0;  // change that does not depend on which medoid is removed
        for (index i = 0; i < n_; ++i) {
            const auto dc = static_cast<double>(d[i]);
            if (dc >= at(ds_, i)) continue;
            if (dc < at(dn_, i)) {
                shared += at(w_, i) * (dc - at(dn_, i));
                at(change, at(near_, i)) += at(w_, i) * (at(dn_, i) - at(ds_, i));
            } else {
                at(change, at(near_, i)) += at(w_, i) * (dc - at(ds_, i));
            }
        }
        const auto best = std::min_element(change.begin(), change.end());
        return {best - change.begin(), *best + shared};
    }

    void swap(index leaves, index c, const T* d) {
        at(is_medoid_, at(medoids_, leaves)) = 0;
        at(is_medoid_, c) = 1;
        at(medoids_, leaves) = c;
        std::copy_n(d, n_, columns_.data() + leaves * n_);
        for (index i = 0; i < n_; ++i) {
            if (at(near_, i) == leaves || at(second_, i) == leaves) {
                find_nearest(i);
                continue;
            }
            const auto dc = static_cast<double>(d[i]);
            if (dc < at(dn_, i))
                at(second_, i) = at(near_, i), at(ds_, i) = at(dn_, i), at(near_, i) = leaves, at(dn_, i) = dc;
            else if (dc < at(ds_, i))
                at(second_, i) = leaves, at(ds_, i) = dc;
        }
        update_objective();
    }

    const gram<T>& D_;
    const std::vector<double>& w_;
    index n_, k_;
    std::vector<index> medoids_, near_, second_;
    std::vector<char> is_medoid_;
    std::vector<double> dn_, ds_, loss_;
    buffer<T> columns_;  // distances of each medoid to all examples
    double objective_ = 0;
};

}  // namespace

template <class T>
std::vector<index> pam_build(const gram<T>& D, const std::vector<double>& w, index k) {
    const index n = D.rows();
    std::vector<double> nearest(static_cast<std::size_t>(n), std::numeric_limits<double>::infinity()),
        gain(static_cast<std::size_t>(n));
    std::vector<index> medoids;
    std::vector<char> taken(static_cast<std::size_t>(n));
    for (index c = 0; c < k; ++c) {
        parallel_for((n + batch - 1) / batch, [&](index b) {
            const index first = b * batch, count = std::min(batch, n - first);
            auto& tile = per_thread<buffer<T>>([] {});
            const matrix_view<T> rows(tile.at_least(count * n), count, n);
            D.block(row_set(first, count), row_set(0, n), rows);
            for (index i = 0; i < count; ++i) {
                double sum = 0;
                for (index j = 0; j < n; ++j) {
                    const auto d = static_cast<double>(rows(i, j));
                    sum += at(w, j) * (c == 0 ? d : std::min(0.0, d - at(nearest, j)));
                }
                at(gain, first + i) = sum;
            }
        });
        index best = -1;
        for (index i = 0; i < n; ++i)
            if (!at(taken, i) && (best < 0 || at(gain, i) < at(gain, best))) best = i;
        at(taken, best) = 1;
        medoids.push_back(best);
        std::vector<T> row(static_cast<std::size_t>(n));
        D.row(best, row.data());
        for (index j = 0; j < n; ++j) at(nearest, j) = std::min(at(nearest, j), static_cast<double>(at(row, j)));
    }
    return medoids;
}

template <class T>
pam_result faster_pam(const gram<T>& D, const std::vector<double>& weight, std::vector<index> medoids, pam_rule rule,
                      index max_passes, const pam_report& report) {
    return swap_search<T>(D, weight, std::move(medoids)).run(rule, max_passes, report);
}

template std::vector<index> pam_build(const gram<float>&, const std::vector<double>&, index);
template std::vector<index> pam_build(const gram<double>&, const std::vector<double>&, index);
template pam_result faster_pam(const gram<float>&, const std::vector<double>&, std::vector<index>, pam_rule, index,
                               const pam_report&);
template pam_result faster_pam(const gram<double>&, const std::vector<double>&, std::vector<index>, pam_rule, index,
                               const pam_report&);

namespace api {
namespace {

class kmedoids_estimator final : public cluster_estimator<kmedoids_model> {
public:
    using cluster_estimator::cluster_estimator;
    summary summarise() const override {
        return {{"status", name(m_.status)},
                {"objective", m_.objective},
                {"silhouette", m_.silhouette},
                {"swaps", m_.swaps},
                {"passes", m_.passes},
                {"medoid_rows", medoids()},
                {"training_size", m_.labels.size()}};
    }
    columns details(const examples& x) const override {
        return {distances_to(m_.objects, m_.self, *m_.k, x.objects()),
                numbered_names("distance", std::ssize(m_.medoids))};
    }
    part_value part(std::string_view name) const override {
        if (name == "objects") return m_.objects;
        return cluster_estimator::part(name);
    }

private:
    std::vector<std::int64_t> medoids() const {
        std::vector<std::int64_t> out;
        for (const index row : m_.medoids) out.push_back(number(row));
        return out;
    }
};

estimator_ptr make_kmedoids(const kernel_kmedoids& m, const fit_call& t) {
    auto o = t.common<kmedoids_options>(m);
    o.start = m.init == "random" ? medoid_start::random : medoid_start::build;
    return fit_clusters<kmedoids_estimator>(
        t, o, [](const kmedoids_options& how, const auto&... from) { return fit_kernel_kmedoids(from..., how); });
}

}  // namespace

method kernel_kmedoids_method() { return entry<kernel_kmedoids, kmedoids_estimator>(make_kmedoids); }

}  // namespace api

}  // namespace mercer
