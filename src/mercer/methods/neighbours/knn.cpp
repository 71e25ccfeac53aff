#include "mercer/methods/neighbours/knn.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <tuple>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/data/dataset.h"
#include "mercer/gram/gram_views.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/method.h"

namespace mercer {

namespace {

void check_options(const knn_options& o, index n) {
    if (o.n_neighbors < 1 || o.n_neighbors > n)
        fail(errc::invalid_argument,
             fmt::format("nearest neighbours: must satisfy 1 <= n_neighbors <= n, got {} with n = {}", o.n_neighbors,
                         n));
}

knn_model make_model(std::vector<double> self, std::span<const double> y, const knn_options& o) {
    knn_model m;
    const auto n = static_cast<index>(self.size());
    check_options(o, n);
    checked_weights(o.sample_weight, n, 0, "nearest neighbours");
    m.options = o;
    m.self = std::move(self);
    const std::vector<double> labels = distinct_labels(y, n, "nearest neighbours");
    if (o.task == knn_task::classification) {
        m.classes = labels;
        for (const index place : class_indices(y, labels)) m.y.push_back(static_cast<double>(place));
    } else {
        m.y.assign(y.begin(), y.end());
    }
    return m;
}

}  // namespace

knn_model fit_knn(const kernel& k, const dataset& x, std::span<const double> y, const knn_options& options) {
    require_objects(x, "nearest neighbours");
    knn_model m = make_model(kernel_diagonal(k, x), y, options);
    m.k = std::make_shared<const kernel>(k);
    m.x = x;
    return m;
}

knn_model fit_knn(const gram<double>& K, std::span<const double> y, const knn_options& options) {
    return make_model(checked_diagonal(K, "nearest neighbours"), y, options);
}

namespace {

constexpr index tile_rows = 192, tile_cols = 1024;
constexpr index batch_queries = 64 * tile_rows;  // queries between two calls of the progress callback

// A candidate neighbour. Its score k(xᵢ,xᵢ)/2 - k(x,xᵢ) increases with the distance. k(xᵢ,xᵢ) is left out if it is the
// same for all examples, so that small kernel values keep their digits.
template <class T>
struct candidate {
    T score;
    index place;
    bool operator<(const candidate& other) const {
        return score < other.score || (score == other.score && place < other.place);
    }
};

// The candidates with the lowest scores so far, as a heap with the worst one on top.
template <class T>
class shortlist {
public:
    explicit shortlist(index most) : most_(static_cast<std::size_t>(most)) { heap_.reserve(most_); }
    // Candidates with this score or a higher one are rejected. Positions arrive in ascending order, so the first of
    // equal scores stays.
    T limit() const { return heap_.size() < most_ ? std::numeric_limits<T>::infinity() : heap_.front().score; }
    void offer(T score, index place) {
        if (heap_.size() == most_) {
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.back() = {score, place};
        } else {
            heap_.push_back({score, place});
        }
        std::push_heap(heap_.begin(), heap_.end());
    }
    std::vector<candidate<T>> sorted() const {
        std::vector<candidate<T>> out = heap_;
        std::sort(out.begin(), out.end());
        return out;
    }

private:
    std::size_t most_;
    std::vector<candidate<T>> heap_;
};

// Offers every score half[j] - k[j] to the shortlist. Groups of sixteen scores are compared with the limit at once.
template <class T>
void scan(const T* k, const T* half, index count, index first, shortlist<T>& best) {
    constexpr index group = 16;
    index j = 0;
    for (; j + group <= count; j += group) {
        T least = half[j] - k[j];
        T score[group];
        for (index s = 0; s < group; ++s) score[s] = half[j + s] - k[j + s];
        for (index s = 0; s < group; ++s) least = score[s] < least ? score[s] : least;
        if (!(least < best.limit())) continue;
        for (index s = 0; s < group; ++s)
            if (score[s] < best.limit()) best.offer(score[s], first + j + s);
    }
    for (; j < count; ++j)
        if (const T score = half[j] - k[j]; score < best.limit()) best.offer(score, first + j);
}

bool has_constant_self(const std::vector<double>& self) {
    return std::all_of(self.begin(), self.end(), [&](double each) { return each == self.front(); });
}

template <class T>
std::vector<T> half_self_values(const std::vector<double>& self) {
    std::vector<T> half(self.size());
    if (!has_constant_self(self))
        for (std::size_t i = 0; i < half.size(); ++i) half[i] = static_cast<T>(self[i] / 2);
    return half;
}

// Returns the `most` best columns for each of the given rows of K. If there are few rows, parts of the columns are
// searched in parallel. The order (score, place) is total, so the result does not depend on the partition.
template <class T>
std::vector<std::vector<candidate<T>>> find_best(const gram<T>& K, const std::vector<T>& half, const row_set& rows,
                                                 index most) {
    const index n = K.cols(), bands = (rows.size() + tile_rows - 1) / tile_rows;
    const index parts = bands >= 8 ? 1 : std::min<index>(8, (n + 4 * tile_cols - 1) / (4 * tile_cols));
    const index part = (n + parts - 1) / parts;
    std::vector<std::vector<candidate<T>>> pieces(static_cast<std::size_t>(parts * rows.size()));
    parallel_for(bands * parts, [&](index item) {
        auto& tile = per_thread<buffer<T>>([] {});
        const index r0 = item / parts * tile_rows, count = std::min(tile_rows, rows.size() - r0), p = item % parts;
        const index from = p * part, to = std::min(n, from + part);
        std::vector<shortlist<T>> best(static_cast<std::size_t>(count), shortlist<T>(std::min(most, n)));
        for (index c = from; c < to; c += tile_cols) {
            const index width = std::min(tile_cols, to - c);
            const matrix_view<T> k(tile.at_least(tile_rows * tile_cols), count, width, tile_cols);
            K.block(rows.slice(r0, count), row_set(c, width), k);
            for (index i = 0; i < count; ++i)
                scan(k.row(i), half.data() + c, width, c, best[static_cast<std::size_t>(i)]);
        }
        for (index i = 0; i < count; ++i)
            pieces[static_cast<std::size_t>((r0 + i) * parts + p)] = best[static_cast<std::size_t>(i)].sorted();
    });
    if (parts == 1) return pieces;
    std::vector<std::vector<candidate<T>>> out(static_cast<std::size_t>(rows.size()));
    for (std::size_t i = 0; i < out.size(); ++i) {
        for (index p = 0; p < parts; ++p) {
            const auto& piece = pieces[i * static_cast<std::size_t>(parts) + static_cast<std::size_t>(p)];
            out[i].insert(out[i].end(), piece.begin(), piece.end());
        }
        std::sort(out[i].begin(), out[i].end());
        if (static_cast<index>(out[i].size()) > most) out[i].resize(static_cast<std::size_t>(most));
    }
    return out;
}

void store(neighbours& out, index row, const std::vector<candidate<double>>& best, const std::vector<double>& self,
           const std::vector<double>& half, double own) {
    if (static_cast<index>(best.size()) < out.indices.cols())
        fail(errc::data, fmt::format("nearest neighbours: kernel values of query {} are not numbers", row));
    for (index j = 0; j < out.indices.cols(); ++j) {
        const auto& each = best[static_cast<std::size_t>(j)];
        const auto at = static_cast<std::size_t>(each.place);
        const double d = squared_distance(own, self[at], half[at] - each.score);
        out.indices(row, j) = each.place;
        out.distances(row, j) = d > 0 ? std::sqrt(d) : 0.0;
    }
}

neighbours empty_result(const knn_model& m, index queries) {
    return {matrix<index>(queries, m.options.n_neighbors), matrix<double>(queries, m.options.n_neighbors), 0,
            fit_status::converged, 0};
}

bool report(const knn_model& m, neighbours& out, index done, index total) {
    out.done = done;
    if (!m.options.progress || m.options.progress({"neighbours", done, total, 0})) return true;
    out.status = done < total ? fit_status::cancelled : out.status;
    return done == total;
}

}  // namespace

neighbours find_neighbours(const knn_model& m, const gram<double>& K, std::span<const double> self) {
    if (K.cols() != m.size())
        fail(errc::invalid_argument, fmt::format("nearest neighbours: kernel values must have one column for each of "
                                                 "the {} training examples, got {} columns",
                                                 m.size(), K.cols()));
    if (static_cast<index>(self.size()) != K.rows())
        fail(errc::invalid_argument,
             fmt::format("nearest neighbours: {} queries, but {} values k(z, z)", K.rows(), self.size()));
    neighbours out = empty_result(m, K.rows());
    const std::vector<double> half = half_self_values<double>(m.self);
    for (index r = 0; r < K.rows(); r += batch_queries) {
        const index count = std::min(batch_queries, K.rows() - r);
        const auto best = find_best<double>(K, half, row_set(r, count), m.options.n_neighbors);
        for (index i = 0; i < count; ++i)
            store(out, r + i, best[static_cast<std::size_t>(i)], m.self, half, self[static_cast<std::size_t>(r + i)]);
        if (!report(m, out, r + count, K.rows())) break;
    }
    return out;
}

namespace {

// Sets the distance of a training example that equals the query to 0, whatever rounding its kernel values have. A
// user-defined function need not return the same k(x, z) and k(x, x) for x = z, and with 1/distance as weight a
// distance of 1e-8 would leave other neighbours an influence.
void set_twin_distances(neighbours& found, const dataset& x, const dataset& z) {
    parallel_chunks(found.done, 256, [&](index first, index end) {
        std::vector<std::pair<double, index>> row;
        for (index i = first; i < end; ++i) {
            row.clear();
            bool moved = false;
            for (index j = 0; j < found.indices.cols(); ++j) {
                const bool twin = is_same_object(z, i, x, found.indices(i, j));
                moved |= twin && found.distances(i, j) != 0;
                row.emplace_back(twin ? 0.0 : found.distances(i, j), found.indices(i, j));
            }
            if (!moved) continue;
            std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            for (index j = 0; j < found.indices.cols(); ++j)
                std::tie(found.distances(i, j), found.indices(i, j)) = row[static_cast<std::size_t>(j)];
        }
    });
}

// The candidates of a batch of queries, found in float and ranked in double.
struct ranking {
    std::vector<std::vector<candidate<double>>> ranked;
    // largest error of the float scores of each query's candidates; infinity if it has none
    std::vector<double> error;
};

ranking rank_exactly(const std::vector<std::vector<candidate<float>>>& best, const gram<double>& exact,
                     const std::vector<double>& half, index first) {
    ranking out{std::vector<std::vector<candidate<double>>>(best.size()),
                std::vector<double>(best.size(), std::numeric_limits<double>::infinity())};
    parallel_for(static_cast<index>(best.size()), [&](index i) {
        const auto& some = best[static_cast<std::size_t>(i)];
        auto& ranked = out.ranked[static_cast<std::size_t>(i)];
        std::vector<index> places;
        for (const auto& each : some) places.push_back(each.place);
        std::vector<double> value(places.size());
        double* to = value.data();
        exact.block(row_set(first + i, 1), std::span<const index>(places), row_pointers<double>(&to));
        double worst = 0;
        for (std::size_t j = 0; j < places.size(); ++j) {
            const double score = half[static_cast<std::size_t>(places[j])] - value[j];
            worst = std::max(worst, std::abs(score - static_cast<double>(some[j].score)));
            ranked.push_back({score, places[j]});
        }
        std::sort(ranked.begin(), ranked.end());
        if (!places.empty() && std::isfinite(worst)) out.error[static_cast<std::size_t>(i)] = worst;
    });
    return out;
}

// Returns true if the k nearest neighbours of a query are certainly among its `most` candidates. An example that is no
// candidate has at least the float score of the last candidate, up to `error`.
bool is_certain(const std::vector<candidate<double>>& ranked, double last, double error, index k, index most, index n) {
    if (static_cast<index>(ranked.size()) < most) return false;
    return most == n || (std::isfinite(error) && ranked[static_cast<std::size_t>(k - 1)].score < last - error);
}

// Returns a bound on the float error of a score, from the query and the model alone: sixteen times the error observed
// on the candidates or, if that is larger, the rounding error of a sum with one term per coordinate whose size k(x, x)
// and k(z, z) bound.
double float_error_bound(double seen, double own, double largest, index dims) {
    const double units = 4 * (8 + std::sqrt(static_cast<double>(dims)));
    return std::max(16 * seen, 0x1p-24 * units * std::sqrt(std::abs(own * largest)));
}

neighbours search(const knn_model& m, const dataset& z) {
    if (!m.k)
        fail(errc::unsupported,
             "nearest neighbours: this model was fitted on a precomputed matrix: pass kernel values, not objects");
    if (z.kind() == object_kind::vectors) require_finite(z);
    neighbours out = empty_result(m, z.size());
    if (z.size() == 0) return out;
    const std::vector<double> own = kernel_diagonal(*m.k, z), half = half_self_values<double>(m.self);
    const double largest =
        *std::max_element(m.self.begin(), m.self.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
    const auto exact = make_gram<double>(*m.k, z, m.x);
    // Larger values overflow in float, and for few pairs two passes are slower than one in double.
    if (!(std::abs(largest) < 1e30) || static_cast<double>(z.size()) * static_cast<double>(m.size()) < 1e4) {
        neighbours plain = find_neighbours(m, *exact, own);
        plain.repeated_queries = z.size();
        return plain;
    }
    const std::vector<float> half_float = half_self_values<float>(m.self);
    const auto fast = make_gram<float>(*m.k, z, m.x, {m.options.memory_bytes / 2, m.options.memory_bytes / 2, true});
    const index k = m.options.n_neighbors, most = std::min(m.size(), k + std::max<index>(8, k / 2));
    const auto keep = [&](index query, const std::vector<candidate<double>>& list) {
        store(out, query, list, m.self, half, own[static_cast<std::size_t>(query)]);
    };
    for (index r = 0; r < z.size(); r += batch_queries) {
        const index count = std::min(batch_queries, z.size() - r);
        const auto best = find_best<float>(*fast, half_float, row_set(r, count), most);
        const ranking found = rank_exactly(best, *exact, half, r);
        std::vector<index> doubtful;
        for (index i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const double last = best[at].empty() ? 0 : static_cast<double>(best[at].back().score),
                         error = float_error_bound(found.error[at], own[static_cast<std::size_t>(r + i)], largest,
                                                   z.dims());
            if (is_certain(found.ranked[at], last, error, k, most, m.size()))
                keep(r + i, found.ranked[at]);
            else
                doubtful.push_back(r + i);
        }
        if (!doubtful.empty()) {
            const auto list = find_best<double>(*exact, half, std::span<const index>(doubtful), k);
            for (std::size_t i = 0; i < doubtful.size(); ++i) keep(doubtful[i], list[i]);
            out.repeated_queries += static_cast<index>(doubtful.size());
        }
        if (!report(m, out, r + count, z.size())) break;
    }
    return out;
}

}  // namespace

neighbours find_neighbours(const knn_model& m, const dataset& z) {
    neighbours found = search(m, z);
    set_twin_distances(found, m.x, z);
    return found;
}

namespace {

// Returns the weights of the votes of one query's neighbours.
std::vector<double> votes(const knn_model& m, const neighbours& found, index row) {
    std::vector<double> w(static_cast<std::size_t>(found.indices.cols()), 1.0);
    if (m.options.weights == knn_weights::distance) {
        const bool touches = found.distances(row, 0) == 0;
        for (std::size_t j = 0; j < w.size(); ++j) {
            const double d = found.distances(row, static_cast<index>(j));
            w[j] = touches ? (d == 0 ? 1.0 : 0.0)
                           : found.distances(row, 0) / d;  // relative to the nearest, because 1/d could overflow
        }
    }
    if (!m.options.sample_weight.empty())
        for (std::size_t j = 0; j < w.size(); ++j)
            w[j] *= m.options.sample_weight[static_cast<std::size_t>(found.indices(row, static_cast<index>(j)))];
    return w;
}

}  // namespace

matrix<double> class_shares(const knn_model& m, const neighbours& found) {
    if (m.options.task != knn_task::classification)
        fail(errc::unsupported,
             "nearest neighbours: shares of classes need a classifier, and this model predicts values");
    matrix<double> shares(found.indices.rows(), static_cast<index>(m.classes.size()));
    for (index i = 0; i < shares.rows(); ++i) {
        const std::vector<double> w = votes(m, found, i);
        double sum = 0;
        for (std::size_t j = 0; j < w.size(); ++j) {
            shares(i, static_cast<index>(m.y[static_cast<std::size_t>(found.indices(i, static_cast<index>(j)))])) +=
                w[j];
            sum += w[j];
        }
        for (index c = 0; c < shares.cols(); ++c)
            shares(i, c) = sum > 0 ? shares(i, c) / sum : 1.0 / static_cast<double>(shares.cols());
    }
    return shares;
}

std::vector<double> predict(const knn_model& m, const neighbours& found) {
    if (found.status == fit_status::cancelled)
        fail(errc::unsupported, fmt::format("nearest neighbours: the search was stopped after {} of {} queries",
                                            found.done, found.indices.rows()));
    std::vector<double> out;
    if (m.options.task == knn_task::classification) {
        const matrix<double> shares = class_shares(m, found);
        for (index i = 0; i < shares.rows(); ++i)
            out.push_back(m.classes[static_cast<std::size_t>(
                std::max_element(shares.row(i), shares.row(i) + shares.cols()) - shares.row(i))]);
        return out;
    }
    for (index i = 0; i < found.indices.rows(); ++i) {
        const std::vector<double> w = votes(m, found, i);
        double sum = 0, weight = 0, plain = 0;
        for (std::size_t j = 0; j < w.size(); ++j) {
            const double y = m.y[static_cast<std::size_t>(found.indices(i, static_cast<index>(j)))];
            sum += w[j] * y;
            weight += w[j];
            plain += y;
        }
        out.push_back(weight > 0 ? sum / weight : plain / static_cast<double>(w.size()));
    }
    return out;
}

std::vector<double> predict(const knn_model& m, const dataset& z) { return predict(m, find_neighbours(m, z)); }

template <>
struct file_form<knn_model> {
    static constexpr std::string_view format = "mercer-knn-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.choice("task", m.options.task, {"classification", "regression"});
        a.choice("weights", m.options.weights, {"uniform", "distance"});
        a.integer("n_neighbors", m.options.n_neighbors);
        a.integer("memory_bytes", m.options.memory_bytes);
        const index n = a.count("examples", m.size());
        a.list(m.self, n);
        a.list(m.y, n);
        a.list("classes", m.classes);
        a.check_finite(m.classes, "a class label");
        a.list("sample_weights", m.options.sample_weight);
        kernel_and_objects(a, m.k, m.x, n);
        check_options(m.options, n);
        checked_weights(m.options.sample_weight, n, 0, "nearest neighbours");
        if (m.options.task != knn_task::classification) return;
        for (const double place : m.y)
            a.check(0 <= place && place < static_cast<double>(m.classes.size()) && place == std::floor(place),
                    "a label is not among the classes");
    }
};
template struct model_file<knn_model>;

namespace api {
namespace {

class knn_estimator final : public estimator_of<knn_model> {
public:
    using estimator_of::estimator_of;
    target_kind prediction_kind() const override {
        return m_.options.task == knn_task::classification ? target_kind::classes : target_kind::values;
    }
    std::vector<double> predict(const examples& x) const override { return mercer::predict(m_, x.objects()); }
    matrix<double> probabilities(const examples& x) const override {
        if (m_.options.task == knn_task::regression)
            fail(errc::unsupported, "nearest neighbours: a regression has no shares of votes");
        return class_shares(m_, find_neighbours(m_, x.objects()));
    }
    columns details(const examples& x) const override { return {probabilities(x), label_names("p", m_.classes)}; }
    summary summarise() const override {
        return {{"neighbours", m_.options.n_neighbors}, {"training_size", m_.size()}};
    }
    part_value part(std::string_view name) const override {
        if (name == "objects") return m_.x;
        if (name == "self") return m_.self;
        return estimator_of::part(name);
    }
};

template <class Method>
estimator_ptr make_knn(const Method& m, const fit_call& t) {
    auto o = t.common<knn_options>();
    o.task = std::is_same_v<Method, knn> ? knn_task::classification : knn_task::regression;
    o.n_neighbors = m.n_neighbors;
    o.weights = m.weights == "distance" ? knn_weights::distance : knn_weights::uniform;
    o.progress = {};  // the model would keep the callback for its predictions, which do not belong to this fit
    return t.made<knn_estimator>(t.from([&](const auto&... from) { return fit_knn(from..., t.targets(), o); }));
}

}  // namespace

method knn_method() { return entry<knn, knn_estimator>(make_knn); }
method knn_regression_method() { return entry<knn_regression, knn_estimator>(make_knn); }

}  // namespace api

}  // namespace mercer
