#include "mercer/methods/nystroem/nystroem_kmeans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/nystroem/nystroem_features.h"

namespace mercer {
namespace {

// Returns the means of k-means on a sample of the rows.
kmeans_start means_of_sample(const training_rows& x, const nystroem_problem& posed, const nystroem_basis& basis,
                             std::span<const double> weight, const nystroem_clusters_options& o) {
    const std::vector<index> there = positive_indices(weight);
    const index n = std::ssize(there), count = start_sample_size(n, o.n_clusters, basis.size());
    std::vector<index> rows = random_generator(o.seed + 2).sample(n, count);
    std::ranges::sort(rows);
    std::vector<double> some;
    for (index& each : rows) {
        each = there[static_cast<std::size_t>(each)];
        some.push_back(weight[static_cast<std::size_t>(each)]);
    }
    const auto k = x.cross_gram(x.gather(rows), rows, posed.centres, posed.centre_rows);
    matrix<double> phi(count, basis.size());
    k->fill(phi.view());
    basis.to_gradient(phi.view());  // φ = T⁻ᵀk
    // The means of a sample are too inaccurate to justify iterations to the last digit.
    return start_kmeans(
        phi.view(), some,
        {o.n_clusters, o.n_init, count < n ? std::max(o.tol, 1e-4) : o.tol, o.max_iter, o.seed + 3, o.progress});
}

}  // namespace

std::vector<double> checked_cluster_weights(const training_rows& x, const nystroem_clusters_options& o,
                                            const char* owner) {
    if (x.processes())
        fail(errc::unsupported, fmt::format("{}: the method runs in one process: start it without mpirun", owner));
    if (x.size() == 0) fail(errc::data, fmt::format("{}: there are no examples", owner));
    std::vector<double> weight = local_weights(x, o, owner);
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

nystroem_kmeans_model fit_nystroem_kmeans(const training_rows& x, const nystroem_clusters_options& o) {
    constexpr const char* owner = "nystroem_kmeans";
    const std::vector<double> weight = checked_cluster_weights(x, o, owner);
    nystroem_problem posed = make_nystroem_problem(x, o, weight, owner, false, [&](index centres, index, index) {
        // The basis; its factorisation, or the sample for the initial means with its features; and k(x, x), weight,
        // label and distance of each row.
        const auto m = static_cast<double>(centres), n = static_cast<double>(x.size());
        const auto some = static_cast<double>(start_sample_size(x.size(), o.n_clusters, centres));
        return 8 * m * m + std::max(16 * m * m, some * (16 * m + 2 * x.bytes_of_row())) + 32 * n;
    });
    const nystroem_basis basis = make_independent_basis(x, posed, o);
    const std::vector<double> self = x.self();
    kmeans_start start = means_of_sample(x, posed, basis, weight, o);
    const auto rough = x.float_passes(posed.centres, o.bytes_for_values(!x.processes()));
    const auto exact =
        x.passes(posed.centres, posed.centre_rows, rough.pointer ? 0 : o.bytes_for_values(!x.processes()));
    lloyd_options how{.clusters = o.n_clusters, .tol = o.tol, .max_rounds = o.max_iter};
    if (o.progress) how.progress = [&](index round, double J) { return o.progress({"k-means", round, 0, J}); };
    const std::uint64_t problem = mark_of(x, weight, posed, owner)
                                      .add({static_cast<double>(o.n_clusters), static_cast<double>(o.n_init), o.tol,
                                            static_cast<double>(o.max_iter), static_cast<double>(o.seed)})
                                      .value();
    checkpoint_file keeper(o.checkpoint, problem, nullptr);
    if (auto state = keeper.read()) how.start = std::move(*state);
    if (!o.checkpoint.path.empty()) how.keep = [&](const std::vector<double>& state) { keeper.keep(state); };
    lloyd_result found = run_lloyd({exact.get(), rough.get(), &basis, self, weight}, std::move(start.means), how);
    if (found.status != fit_status::cancelled) keeper.remove();

    nystroem_kmeans_model out;
    basis.to_coefficients(found.means.view());
    out.means.coef = transpose(found.means.view());
    out.means.offset.assign(found.norms.size(), 0.0);
    out.norms = std::move(found.norms), out.weights = std::move(found.weights), out.labels = std::move(found.labels);
    out.history = std::move(found.history), out.status = found.status;
    out.passes = found.passes, out.runs = start.runs;
    out.unexplained = unexplained_trace(basis, *posed.sample_gram, posed.sample_diagonal);
    move_centres(out.means, posed, x);
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
        a.integer("runs", m.runs);
        a.integer("passes", m.passes);
        a.numbers(m.unexplained);
        a.list(m.norms, clusters);
        a.list(m.weights, clusters);
        a.list(m.labels, m.means.training_size);
        a.list("rounds", m.history);
        a.check(clusters > 0 && !m.history.empty(), "the model has no clusters, or no objective");
        a.check_range(m.labels, 0, clusters, "a label");
    }
};
template struct model_file<nystroem_kmeans_model>;

namespace {

// Returns ‖xᵢ - x_c‖² of all rows.
std::vector<double> squared_distances_to(matrix_view<const double> x, index c) {
    std::vector<double> out(static_cast<std::size_t>(x.rows));
    parallel_chunks(x.rows, 256, [&](index first, index end) {
        const double* to = x.row(c);
        for (index i = first; i < end; ++i) {
            const double* row = x.row(i);
            double sum = 0;
            for (index j = 0; j < x.cols; ++j) sum += (row[j] - to[j]) * (row[j] - to[j]);
            out[static_cast<std::size_t>(i)] = sum;
        }
    });
    return out;
}

// Returns k rows chosen by k-means++; fewer if there are fewer distinct rows.
std::vector<index> choose_far_rows(matrix_view<const double> x, std::span<const double> weight, index k,
                                   random_generator& random) {
    std::vector<double> nearest(weight.size(), std::numeric_limits<double>::infinity());
    std::vector<double> share(weight.begin(), weight.end());
    const index trials = 2 + static_cast<index>(std::log(static_cast<double>(k)));
    std::vector<index> out;
    while (std::ssize(out) < k) {
        double sum = 0, least = std::numeric_limits<double>::infinity();
        for (const double each : share) sum += each;
        if (!(sum > 0)) break;
        index best = 0;
        std::vector<double> best_nearest;
        for (index t = 0; t < (out.empty() ? 1 : trials); ++t) {
            const index tried = random.weighted_index(share, sum);
            std::vector<double> d = squared_distances_to(x, tried);
            double left = 0;
            for (std::size_t i = 0; i < d.size(); ++i) left += weight[i] * (d[i] = std::min(d[i], nearest[i]));
            if (left < least) least = left, best = tried, best_nearest = std::move(d);
        }
        out.push_back(best);
        nearest = std::move(best_nearest);
        for (std::size_t i = 0; i < share.size(); ++i) share[i] = weight[i] * nearest[i];
    }
    return out;
}

}  // namespace

kmeans_start start_kmeans(matrix_view<const double> x, std::span<const double> weight, const kmeans_start_options& o) {
    std::vector<double> self(static_cast<std::size_t>(x.rows));
    for (index i = 0; i < x.rows; ++i)
        for (index j = 0; j < x.cols; ++j) self[static_cast<std::size_t>(i)] += x(i, j) * x(i, j);
    const precomputed<double> features(x);
    const one_batch<double> rows(features);
    kmeans_start out;
    random_generator random(o.seed);
    double least = std::numeric_limits<double>::infinity();
    bool stop = false;
    for (index r = 0; r < o.n_init && !stop; ++r) {
        const std::vector<index> seeds = choose_far_rows(x, weight, o.clusters, random);
        matrix<double> means(std::ssize(seeds), x.cols);
        for (index c = 0; c < means.rows(); ++c)
            std::copy_n(x.row(seeds[static_cast<std::size_t>(c)]), x.cols, means.row(c));
        lloyd_options how{means.rows(), o.tol, o.max_rounds, {}};
        if (o.progress) how.progress = [&](index, double J) { return o.progress({"restarts", r, o.n_init, J}); };
        lloyd_result found = run_lloyd({&rows, nullptr, nullptr, self, weight}, std::move(means), how);
        stop = found.status == fit_status::cancelled;
        ++out.runs;
        if (found.history.back() < least) least = found.history.back(), out.means = std::move(found.means);
    }
    return out;
}

index start_sample_size(index n, index clusters, index features) {
    // At most a quarter of a gibibyte, independent of the budget, because the sample determines the result.
    constexpr index max_numbers = index{1} << 25;
    const index fitting = max_numbers / std::max<index>(features, 1);
    return std::min(n, std::max(std::min(std::max<index>(4096, 32 * clusters), fitting), clusters));
}

namespace {

class lloyd_run {
public:
    lloyd_run(const lloyd_problem& x, matrix<double> start, const lloyd_options& o)
        : x_(x),
          o_(o),
          k_(o.clusters),
          m_(start.cols()),
          n_(std::ssize(x.self)),
          means_(o.clusters, start.cols()),
          sums_(o.clusters, start.cols()),
          has_mean_(static_cast<std::size_t>(o.clusters)),
          labels_(x.self.size(), -1),
          next_(x.self.size()),
          cost_(x.self.size()) {
        for (index c = 0; c < std::min(k_, start.rows()); ++c) {
            std::copy_n(start.row(c), m_, means_.row(c));
            has_mean_[at(c)] = true;
        }
        for (std::size_t i = 0; i < x.self.size(); ++i) {
            size_ = std::max(size_, std::abs(x.self[i]));
            total_ += x.weight[i] * std::abs(x.self[i]);
        }
    }

    lloyd_result run() {
        bool rough = x_.in_float != nullptr && o_.max_rounds > 1, near = false;
        index round = 0;
        if (!o_.start.empty()) restore(o_.start, round, rough, near);
        for (;; ++round) {
            // The last iteration before the step limit runs in double too.
            if (round + 1 == o_.max_rounds) rough = false;
            if (!completes_unless_cancelled([&] { rough ? pass(*x_.in_float) : pass(*x_.in_double); }))
                return cancelled_result();
            ++out_.passes;
            if (!std::isfinite(objective_))
                fail(errc::data, fmt::format("k-means: kernel values must be finite, their sum is {}", objective_));
            const bool first_exact = !rough && x_.in_float && !std::exchange(exact_, true);
            if (first_exact) near = near && std::abs(last() - objective_) <= o_.tol * objective_;
            // Values that float measured below this one were never reached.
            while (first_exact && !out_.history.empty() && out_.history.back() < objective_) out_.history.pop_back();
            if (objective_ > last()) {
                if (rough) {
                    rough = near = false, means_ = out_.means;
                    continue;
                }
                out_.status = objective_ - last() <= 1e-12 * total_ ? fit_status::converged : fit_status::stalled;
                return final_result();
            }
            const bool little = first_exact ? near : last() - objective_ <= o_.tol * objective_;
            accept();
            if (o_.progress && !o_.progress(round, objective_)) return cancelled_result();
            const bool done = !update_means() && (moved_ == 0 || little);
            if (done && !rough) return final_result();
            if (round + 1 == o_.max_rounds) {
                out_.status = fit_status::step_limit;
                return final_result();
            }
            if (done) rough = false, near = true;
            if (o_.keep) o_.keep(state(round + 1, rough, near));
        }
    }

private:
    static std::size_t at(index i) { return static_cast<std::size_t>(i); }
    double last() const { return out_.history.empty() ? infinity : out_.history.back(); }

    // Calls f(number) for every number that the next iteration depends on.
    void for_each_number(auto&& f) {
        f(out_.passes), f(exact_);
        for (matrix<double>* each : {&means_, &out_.means})
            for (index i = 0; i < k_ * m_; ++i) f(each->data()[i]);
        for (char& each : has_mean_) f(each);
        for (double& each : out_.norms) f(each);
        for (double& each : out_.weights) f(each);
        for (index& each : labels_) f(each);
        for (double& each : out_.history) f(each);
    }
    std::vector<double> state(index round, bool rough, bool near) {
        std::vector<double> out{static_cast<double>(round), rough ? 1.0 : 0.0, near ? 1.0 : 0.0,
                                static_cast<double>(out_.history.size())};
        for_each_number([&](auto& number) { out.push_back(static_cast<double>(number)); });
        return out;
    }
    void restore(const std::vector<double>& from, index& round, bool& rough, bool& near) {
        const std::size_t fixed = 4 + 2 + 2 * at(k_ * m_) + 3 * at(k_) + labels_.size();
        if (from.size() < fixed || from.size() - fixed != at(state_count(from[3])))
            fail(errc::invalid_argument, "the checkpoint belongs to another problem");
        for (std::size_t i = 0; i < labels_.size(); ++i) state_integer(from[fixed - labels_.size() + i], -1, k_ - 1);
        for (std::size_t c = 0; c < has_mean_.size(); ++c) state_integer(from[6 + 2 * at(k_ * m_) + c], 0, 1);
        round = state_integer(from[0], 0, o_.max_rounds - 1),
        rough = state_integer(from[1], 0, x_.in_float ? 1 : 0) != 0, near = from[2] != 0;
        out_.means = matrix<double>(k_, m_);
        out_.norms.resize(at(k_)), out_.weights.resize(at(k_)), out_.history.resize(from.size() - fixed);
        state_count(from[4]);  // passes
        const double* next = from.data() + 4;
        for_each_number([&]<class T>(T& number) { number = static_cast<T>(*next++); });
    }

    // One iteration: finds the nearest mean and the cost of every row, and the sums of the features of each cluster.
    template <class T>
    void pass(const gram_batches<T>& k) {
        matrix<double> beta = means_;
        if (x_.basis) x_.basis->to_coefficients(beta.view());
        // ⟨φ, μ⟩ = k(Z, x)ᵀβ is a sum of terms of total size up to size·|β|₁, each rounded.
        norms_.assign(at(k_), infinity);
        double longest = 0;
        for (index c = 0; c < k_; ++c) {
            if (!has_mean_[at(c)]) continue;
            double sum = 0, square = 0;
            for (index j = 0; j < m_; ++j) sum += std::abs(beta(c, j)), square += means_(c, j) * means_(c, j);
            norms_[at(c)] = square, longest = std::max(longest, sum);
        }
        const double values = std::max(size_, x_.basis ? x_.basis->max_diagonal() : 0.0);
        rounding_ = 8 * std::numeric_limits<double>::epsilon() * (size_ + values * longest);

        matrix<double> columns(m_, k_), out(m_, k_);
        for (index c = 0; c < k_; ++c)
            for (index j = 0; j < m_; ++j) columns(j, c) = beta(c, j);
        std::vector<double> totals(at(k_ + 2));
        gram_pass<T>(
            k, columns.view(), [&](index first, matrix_view<double> f, double* add) { assign(first, f, add); },
            out.view(), totals);
        for (index c = 0; c < k_; ++c)
            for (index j = 0; j < m_; ++j) sums_(c, j) = out(j, c);
        if (x_.basis) x_.basis->to_gradient(sums_.view());
        objective_ = std::isnan(totals[at(k_)]) ? totals[at(k_)] : std::max(0.0, totals[at(k_)]);
        moved_ = totals[at(k_ + 1)];
        totals.resize(at(k_));
        weights_ = std::move(totals);
    }

    // Replaces f(i, :) = Φμ by wᵢ in the column of the nearest mean. Adds up the weights, J and the number of rows that
    // moved.
    void assign(index first, matrix_view<double> f, double* add) {
        for (index i = 0; i < f.rows; ++i) {
            const index row = first + i, before = labels_[at(row)];
            const double* product = f.row(i);
            const auto from = [&](index c) { return norms_[at(c)] - 2 * product[c]; };
            const bool stay = before >= 0 && has_mean_[at(before)];
            index best = stay ? before : -1;
            double least = stay ? from(before) - rounding_ : infinity;
            for (index c = 0; c < k_; ++c)
                if (const double d = from(c); d < least) least = d, best = c;
            if (best < 0) best = 0, least = from(0);  // f is NaN; the caller detects it by J
            const double w = x_.weight[at(row)], d = x_.self[at(row)] + (best == before ? from(best) : least);
            next_[at(row)] = best;
            cost_[at(row)] = w * d;
            add[k_] += w * d;
            if (w > 0 && best != before) add[k_ + 1] += 1;
            std::fill_n(f.row(i), k_, 0.0);
            f(i, best) = w;
            add[best] += w;
        }
    }

    // Makes the last iteration the current result.
    void accept() {
        out_.history.push_back(objective_);
        out_.means = means_, out_.norms = norms_, out_.weights = weights_;
        std::swap(labels_, next_);
    }

    // Moves the means to the weighted averages of their rows. Returns true if an empty cluster received a row.
    bool update_means() {
        bool filled = false;
        index empty = -1;
        for (index c = k_ - 1; c >= 0; --c)
            if (has_mean_[at(c)] = weights_[at(c)] > 0; !has_mean_[at(c)]) empty = c;
        std::vector<double> phi;
        if (const index row = empty < 0 ? -1 : costliest(phi); row >= 0) {
            const double w = x_.weight[at(row)];
            const index gave = labels_[at(row)];
            for (index j = 0; j < m_; ++j) sums_(gave, j) -= w * phi[at(j)], sums_(empty, j) = w * phi[at(j)];
            weights_[at(gave)] -= w, weights_[at(empty)] = w;
            has_mean_[at(empty)] = filled = true;
        }
        for (index c = 0; c < k_; ++c)
            for (index j = 0; j < m_; ++j) means_(c, j) = has_mean_[at(c)] ? sums_(c, j) / weights_[at(c)] : 0.0;
        return filled;
    }

    // Returns the row with the highest cost (the first of equal ones) that is not alone in its cluster, and its
    // features, or -1 if no row differs from its mean by more than the rounding error. The cost of a row may lie
    // outside the span of the features, so up to 64 rows are tried; equal rows have the same cost.
    index costliest(std::vector<double>& phi) const {
        std::vector<index> members(at(k_));
        for (index i = 0; i < n_; ++i) members[at(labels_[at(i)])] += x_.weight[at(i)] > 0;
        double below = infinity;
        for (int look = 0; look < 64; ++look) {
            index best = -1;
            for (index i = 0; i < n_; ++i)
                if (cost_[at(i)] > 0 && cost_[at(i)] < below && members[at(labels_[at(i)])] > 1 &&
                    (best < 0 || cost_[at(i)] > cost_[at(best)]))
                    best = i;
            if (best < 0) return -1;
            phi = exact_ || !x_.in_float ? features_of(*x_.in_double, best) : features_of(*x_.in_float, best);
            double away = 0;
            const double* mean = means_.row(labels_[at(best)]);
            for (index j = 0; j < m_; ++j) away += (phi[at(j)] - mean[j]) * (phi[at(j)] - mean[j]);
            if (away > std::max(2 * rounding_, 1e-14 * size_)) return best;
            below = cost_[at(best)];
        }
        return -1;
    }

    template <class T>
    std::vector<double> features_of(const gram_batches<T>& k, index row) const {
        matrix<T> values(1, m_);
        k.each([&](index first, const gram<T>& rows) {
            if (first <= row && row < first + rows.rows())
                rows.block(row_set(row - first, 1), row_set(0, m_), values.view());
        });
        std::vector<double> phi(values.data(), values.data() + m_);
        if (x_.basis) x_.basis->to_gradient(matrix_view<double>(phi.data(), 1, m_));
        return phi;
    }

    lloyd_result cancelled_result() {
        if (out_.history.empty()) fail(errc::cancelled, "k-means: stopped by the caller before there was a model");
        out_.status = fit_status::cancelled;
        return final_result();
    }

    // Returns the result without empty clusters.
    lloyd_result final_result() {
        std::vector<index> place(at(k_), -1), kept;
        for (index c = 0; c < k_; ++c)
            if (out_.weights[at(c)] > 0) place[at(c)] = std::ssize(kept), kept.push_back(c);
        if (std::ssize(kept) < k_) remove_empty(place, kept);
        out_.labels = std::move(labels_);
        return std::move(out_);
    }
    void remove_empty(const std::vector<index>& place, const std::vector<index>& kept) {
        const auto lost = [&](index label) { return place[at(label)] < 0; };
        if (std::ranges::any_of(labels_, lost)) {  // rows with weight 0 move to the nearest remaining mean
            means_ = out_.means;
            for (index c = 0; c < k_; ++c) has_mean_[at(c)] = place[at(c)] >= 0;
            pass(*x_.in_double);
            for (index i = 0; i < n_; ++i)
                if (lost(labels_[at(i)])) labels_[at(i)] = next_[at(i)];
        }
        matrix<double> means(std::ssize(kept), m_);
        for (index c = 0; c < means.rows(); ++c) {
            const index from = kept[at(c)];
            std::copy_n(out_.means.row(from), m_, means.row(c));
            out_.norms[at(c)] = out_.norms[at(from)], out_.weights[at(c)] = out_.weights[at(from)];
        }
        out_.means = std::move(means);
        out_.norms.resize(kept.size()), out_.weights.resize(kept.size());
        for (index& each : labels_) each = place[at(each)];
    }

    const lloyd_problem& x_;
    const lloyd_options& o_;
    index k_, m_, n_;
    matrix<double> means_, sums_;
    std::vector<char> has_mean_;  // clusters that have a mean
    std::vector<index> labels_, next_;
    std::vector<double> cost_, norms_, weights_;
    double size_ = 0, total_ = 0, rounding_ = 0, objective_ = 0, moved_ = 0;
    bool exact_ = false;  // true after an iteration in double, if K is also available in float
    lloyd_result out_;
};

}  // namespace

lloyd_result run_lloyd(const lloyd_problem& x, matrix<double> start, const lloyd_options& o) {
    if (o.clusters < 1 || start.rows() < 1 || start.rows() > o.clusters)
        fail(errc::invalid_argument,
             fmt::format(
                 "k-means: the number of initial means must satisfy 1 <= means <= clusters, got {} with clusters = {}",
                 start.rows(), o.clusters));
    return lloyd_run(x, std::move(start), o).run();
}

namespace api {
namespace {

class nystroem_kmeans_estimator final : public cluster_estimator<nystroem_kmeans_model> {
public:
    using cluster_estimator::cluster_estimator;
    columns transform(const examples& x) const override {
        return {mercer::distances(m_, x.objects()), numbered_names("distance", m_.clusters())};
    }
    columns details(const examples& x) const override { return transform(x); }
    summary summarise() const override {
        return {{"status", name(m_.status)},
                {"objective", m_.objective()},
                {"clusters", m_.clusters()},
                {"cluster_weights", m_.weights},
                {"passes", m_.passes},
                {"runs", m_.runs},
                {"n_centres", m_.means.size()},
                {"out_of_reach", m_.unexplained},
                {"training_size", m_.means.training_size}};
    }
    std::string warning() const override { return fit_warning(m_.status, "max_iter, or take a larger tol"); }
    part_value part(std::string_view name) const override {
        if (name == "history") return m_.history;
        if (name == "centre_rows") return std::vector<std::int64_t>(m_.means.rows.begin(), m_.means.rows.end());
        return cluster_estimator::part(name);
    }
};

}  // namespace

method nystroem_kmeans_method() {
    return entry_of_clusters<nystroem_kmeans, nystroem_kmeans_estimator, fit_nystroem_kmeans>();
}

}  // namespace api

}  // namespace mercer
