#include "mercer/methods/clustering/faster_pam.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/context.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"

namespace mercer {
namespace {

constexpr index batch = 64;

template <class V>
auto& at(V& list, index i) {
    return list[static_cast<std::size_t>(i)];
}

// Rows of D, some at a time: rows that have to be computed come cheaper together.
template <class T>
class row_reader {
public:
    explicit row_reader(const gram<T>& D) : D_(D), n_(D.rows()) { rows_.uninitialised(std::min(batch, n_) * n_); }
    const T* operator()(index i) {
        if (i < first_ || i >= first_ + count_) {
            first_ = i;
            count_ = std::min(batch, n_ - i);
            // Column strips side by side, each a thread's own.
            constexpr index strip = 4096;
            parallel_for((n_ + strip - 1) / strip, [&](index s) {
                const index c = s * strip, width = std::min(strip, n_ - c);
                D_.block(selection(first_, count_), selection(c, width),
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
class swapping {
public:
    swapping(const gram<T>& D, const std::vector<double>& weight, std::vector<index> medoids)
        : D_(D), w_(weight), n_(D.rows()), k_(static_cast<index>(medoids.size())), medoids_(std::move(medoids)) {
        is_medoid_.assign(static_cast<std::size_t>(n_), 0);
        for (const index m : medoids_) at(is_medoid_, m) = 1;
        near_.resize(static_cast<std::size_t>(n_)), second_.resize(static_cast<std::size_t>(n_));
        dn_.resize(static_cast<std::size_t>(n_)), ds_.resize(static_cast<std::size_t>(n_));
        columns_.uninitialised(k_ * n_);
        for (index c = 0; c < k_; ++c)
            D_.block(selection(at(medoids_, c), 1), selection(0, n_), matrix_view<T>(columns_.data() + c * n_, 1, n_));
        for (index i = 0; i < n_; ++i) look(i);
        total();
    }

    pam_result run(pam_rule rule, index most_passes, const pam_report& report) {
        pam_result out;
        // Stopped on its way, it leaves the medoids of the last swap.
        if (!unless_stopped([&] {
                rule == pam_rule::eager ? eager(out, most_passes, report) : steepest(out, most_passes, report);
            }))
            out.cancelled = true;
        out.medoids = medoids_;
        out.objective = objective_;
        return out;
    }

private:
    void eager(pam_result& out, index most_passes, const pam_report& report) {
        row_reader<T> rows(D_);
        index since = 0;  // candidates looked at since the last swap
        for (index c = 0; since < n_; c = c + 1 == n_ ? 0 : c + 1) {
            if (c == 0) {
                out.cancelled = report && !report(out.passes, objective_);
                if (out.cancelled || out.passes == most_passes) break;
                ++out.passes;
            }
            ++since;
            if (at(is_medoid_, c)) continue;
            const T* d = rows(c);
            const auto [leaves, change] = best_swap(d);
            if (!helps(leaves, change)) continue;
            swap(leaves, c, d);
            ++out.swaps;
            since = 0;
        }
        out.finished = since >= n_;
    }

    void steepest(pam_result& out, index most_passes, const pam_report& report) {
        struct proposal {
            double change = 0;
            index leaves = 0, enters = -1;
        };
        std::vector<proposal> best(static_cast<std::size_t>((n_ + batch - 1) / batch));
        std::vector<T> row(static_cast<std::size_t>(n_));
        for (;;) {
            out.cancelled = report && !report(out.passes, objective_);
            if (out.cancelled || out.passes == most_passes) break;
            ++out.passes;
            parallel_for(static_cast<index>(best.size()), [&](index b) {
                auto& tile = per_thread<buffer<T>>([] {});
                const index first = b * batch, count = std::min(batch, n_ - first);
                const matrix_view<T> d(tile.at_least(count * n_), count, n_);
                D_.block(selection(first, count), selection(0, n_), d);
                at(best, b) = {};
                for (index i = 0; i < count; ++i) {
                    if (at(is_medoid_, first + i)) continue;
                    const auto [leaves, change] = best_swap(d.row(i));
                    if (change < at(best, b).change) at(best, b) = {change, leaves, first + i};
                }
            });
            const proposal top = *std::min_element(
                best.begin(), best.end(), [](const proposal& a, const proposal& b) { return a.change < b.change; });
            out.finished = top.enters < 0 || !helps(top.leaves, top.change);
            if (out.finished) break;
            D_.row(top.enters, row.data());
            swap(top.leaves, top.enters, row.data());
            ++out.swaps;
        }
    }

    // Gains below this are rounding of sums of n terms.
    bool helps(index leaves, double change) const {
        return change < -1e-14 * std::sqrt(static_cast<double>(n_)) * (objective_ + at(loss_, leaves));
    }

    // Nearest and second nearest medoid of object i.
    void look(index i) {
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

    // TD, and what it would grow by if a medoid left: its objects go to their second nearest.
    void total() {
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
        double shared = 0;  // gained whichever medoid leaves
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
                look(i);
                continue;
            }
            const auto dc = static_cast<double>(d[i]);
            if (dc < at(dn_, i))
                at(second_, i) = at(near_, i), at(ds_, i) = at(dn_, i), at(near_, i) = leaves, at(dn_, i) = dc;
            else if (dc < at(ds_, i))
                at(second_, i) = leaves, at(ds_, i) = dc;
        }
        total();
    }

    const gram<T>& D_;
    const std::vector<double>& w_;
    index n_, k_;
    std::vector<index> medoids_, near_, second_;
    std::vector<char> is_medoid_;
    std::vector<double> dn_, ds_, loss_;
    buffer<T> columns_;  // D of each medoid to all
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
            D.block(selection(first, count), selection(0, n), rows);
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
                      index most_passes, const pam_report& report) {
    return swapping<T>(D, weight, std::move(medoids)).run(rule, most_passes, report);
}

template std::vector<index> pam_build(const gram<float>&, const std::vector<double>&, index);
template std::vector<index> pam_build(const gram<double>&, const std::vector<double>&, index);
template pam_result faster_pam(const gram<float>&, const std::vector<double>&, std::vector<index>, pam_rule, index,
                               const pam_report&);
template pam_result faster_pam(const gram<double>&, const std::vector<double>&, std::vector<index>, pam_rule, index,
                               const pam_report&);

}  // namespace mercer
