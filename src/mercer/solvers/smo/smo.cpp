#include "mercer/solvers/smo/smo.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/solvers/smo/row_store.h"
#include "mercer/solvers/smo/vector_ops.h"

namespace mercer {

const char* name(smo_status status) noexcept {
    switch (status) {
        case smo_status::converged: return "converged";
        case smo_status::stationary: return "stationary, not certified";
        case smo_status::step_limit: return "step limit";
        case smo_status::time_limit: return "time limit";
        case smo_status::cancelled: return "cancelled";
        case smo_status::unbounded: return "unbounded";
        case smo_status::stalled: return "stalled";
    }
    return "?";
}

namespace {

using smo::inner_problem;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr index whole_size = 1400;    // problems up to this size are one block: the whole Gram matrix is computed
constexpr index block_size = 512;     // variables in a block otherwise
constexpr index stripe = 1024;        // columns of F updated at a time
constexpr index row_chunk = 256;      // rows that are used but not kept are computed this many at a time
constexpr double inner_share = 0.1;   // a block is solved to this share of the outer gap
constexpr double shrink_share = 0.2;  // points are set aside when at least this share of the active ones can be
constexpr double hopeless = 1e10;     // ‖w‖²·k(x, x) needed, beyond which a hard margin is given up: a margin of 1e-5 of the radius
constexpr int most_denied = 25;       // ends denied by exact kernel values before the solver gives up
constexpr index sample_size = 64;     // points whose F is recomputed in double to see how far float kernel values have led
constexpr double safety = 4;          // the largest error seen there is multiplied by this

class solver {
public:
    solver(const gram<float>& fast, const gram<double>& exact, const box_problem& problem, const smo_options& options)
        : fast_(fast), exact_(exact), options_(options), n_(static_cast<index>(problem.p.size())), active_(n_), ops_(smo::best_vector_ops()), store_(n_, options.cache_bytes, fast.element_cost()) {
        const auto copy = [&](std::span<const double> from) { return std::vector<double>(from.begin(), from.end()); };
        p_ = copy(problem.p);
        lower_ = copy(problem.lower);
        upper_ = copy(problem.upper);
        groups_ = problem.group.empty() ? 1 : 2;
        group_.assign(problem.group.begin(), problem.group.end());
        if (group_.empty()) group_.assign(static_cast<std::size_t>(n_), 0);
        alpha_ = problem.start.empty() ? std::vector<double>(static_cast<std::size_t>(n_), 0.0) : copy(problem.start);
        perm_.resize(static_cast<std::size_t>(n_));
        for (index i = 0; i < n_; ++i) perm_[i] = i;
        F_ = p_;
        mark_.assign(static_cast<std::size_t>(n_), 0);
        diagonal_.resize(static_cast<std::size_t>(n_));
        fast_.diagonal(diagonal_);
    }

    smo_result run() {
        start_F();
        const double target = 0.98 * options_.tol;  // what is left of tol covers the float error, as a rule
        while (true) {
            gap_ = measure();
            if (gap_ <= target || at_rest_) {
                if (active_ < n_) {
                    bring_back();
                    at_rest_ = false;
                    continue;
                }
                if (certify()) {
                    result_.status = result_.concave_steps > 0 ? smo_status::stationary : smo_status::converged;
                    break;
                }
                if (no_nearer() || (at_rest_ && ++rests_ > 3)) {
                    result_.status = smo_status::stalled;
                    break;
                }
                at_rest_ = false;
                if (gap_ <= target) continue;
            }
            if (interrupted()) break;
            round(target);
            if (!options_.bounded && grows()) {
                result_.status = smo_status::unbounded;
                break;
            }
            if (options_.shrinking && ++since_shrink_ >= 4) shrink();
        }
        return finish();
    }

private:
    // ---- the gap ----

    double measure() {
        double gap = -infinity;
        for (int g = 0; g < groups_; ++g) {
            if (groups_ == 1) {
                ops_.extremes(F_.data(), alpha_.data(), lower_.data(), upper_.data(), active_, max_up_[0], min_low_[0]);
            } else {
                max_up_[g] = -infinity;
                min_low_[g] = infinity;
                for (index i = 0; i < active_; ++i) {
                    if (group_[i] != g) continue;
                    if (alpha_[i] < upper_[i]) max_up_[g] = std::max(max_up_[g], F_[i]);
                    if (alpha_[i] > lower_[i]) min_low_[g] = std::min(min_low_[g], F_[i]);
                }
            }
            gap = std::max(gap, max_up_[g] - min_low_[g]);
        }
        return gap;
    }

    // ---- one round: choose a block, solve it, update F ----

    void round(double target) {
        choose_block();
        solve_block(target);
        ++result_.rounds;
        // Δα of the block, and what it does to everybody's F.
        std::vector<index> changed;
        std::vector<double> delta;
        for (std::size_t k = 0; k < block_.size(); ++k) {
            const index i = block_[k];
            if (i < 0) continue;
            const double d = inner_alpha_[k] - alpha_[i];
            if (d == 0) continue;
            changed.push_back(i);
            delta.push_back(d);
            alpha_[i] = inner_alpha_[k];
        }
        if (changed.empty()) at_rest_ = true;
        apply(changed, delta, 0, active_, true);
    }

    // A function w that meets all constraints has pᵀα <= ‖w‖·√(αᵀKα) for every feasible α: α is a certificate of how large ‖w‖
    // must be. Beyond what double can tell from infinity there is none. Float values only raise the suspicion.
    bool grows() {
        const auto needs_too_much = [&] {
            double linear = 0, quadratic = 0, self = 0, low = infinity, high = -infinity;
            for (index i = 0; i < n_; ++i) {
                self = std::max(self, static_cast<double>(std::abs(diagonal_[i])));
                low = std::min(low, p_[i]);
                high = std::max(high, p_[i]);
                if (alpha_[i] == 0) continue;
                linear += alpha_[i] * p_[i];
                quadratic += alpha_[i] * (p_[i] - F_[i]);
            }
            const double spread = (high - low) / 2;
            return linear > 0 && quadratic * spread * spread * hopeless <= self * linear * linear;
        };
        if (!needs_too_much()) return false;
        std::vector<index> support;
        for (index i = 0; i < n_; ++i)
            if (alpha_[i] != 0) support.push_back(i);
        make_exact(support);
        return needs_too_much();
    }

    void choose_block() {
        const index limit = n_ <= whole_size ? whole_size : block_size;
        std::vector<index> chosen;
        if (active_ <= limit) {
            for (index i = 0; i < active_; ++i) chosen.push_back(i);
        } else {
            choose_violators(limit, chosen);
        }
        // Grouped, each group padded to whole vectors.
        previous_.clear();
        block_.clear();
        for (int g = 0; g < groups_; ++g) {
            begin_[g] = static_cast<index>(block_.size());
            for (const index i : chosen)
                if (group_[i] == g) block_.push_back(i);
            while (block_.size() % ops_.padding) block_.push_back(-1);
            end_[g] = static_cast<index>(block_.size());
        }
        for (const index i : chosen) {
            mark_[i] = 0;
            previous_.push_back(perm_[i]);
        }
    }

    void choose_violators(index limit, std::vector<index>& chosen) {
        const auto take = [&](index i) {
            if (mark_[i]) return;
            mark_[i] = 1;
            chosen.push_back(i);
        };
        // The worst from both ends, half the block.
        using candidate = std::pair<double, index>;
        std::vector<candidate> up[2], low[2];
        for (index i = 0; i < active_; ++i) {
            const int g = group_[i];
            if (alpha_[i] < upper_[i] && F_[i] > min_low_[g]) up[g].emplace_back(-F_[i], i);
            if (alpha_[i] > lower_[i] && F_[i] < max_up_[g]) low[g].emplace_back(F_[i], i);
        }
        const auto worst = [&](std::vector<candidate>& from, index count) {
            if (static_cast<index>(from.size()) > count) {
                std::nth_element(from.begin(), from.begin() + count, from.end());
                from.resize(static_cast<std::size_t>(count));
            }
            std::sort(from.begin(), from.end());
            for (const auto& each : from) take(each.second);
        };
        // Free variables of the last block are still in motion: they stay, up to half of the block.
        std::vector<index> moving;
        for (const index original : previous_) {
            const index i = store_.position(original);
            if (i < active_ && alpha_[i] > lower_[i] && alpha_[i] < upper_[i]) moving.push_back(i);
        }
        const index kept = std::min<index>(static_cast<index>(moving.size()), limit / 2);
        const index each = (limit - kept) / (2 * groups_);
        for (int g = 0; g < groups_; ++g) {
            worst(up[g], each);
            worst(low[g], each);
        }
        for (const index i : moving) {
            if (static_cast<index>(chosen.size()) >= limit) break;
            take(i);
        }
    }

    void solve_block(double target) {
        const index q = static_cast<index>(block_.size());
        float* tile = tile_.at_least(q * q);
        std::vector<index> who, place;
        for (index k = 0; k < q; ++k)
            if (block_[k] >= 0) who.push_back(perm_[block_[k]]), place.push_back(k);
        const index real = static_cast<index>(who.size());
        std::vector<float*> rows;
        for (const index k : place) rows.push_back(tile + k * q);
        if (real == n_ && real == q) {
            fast_.all(matrix_view<float>(tile, q, q));
        } else {
            fast_.block(std::span<const index>(who), std::span<const index>(who), block_rows<float>(rows.data()));
            if (real < q)  // spread the columns to their padded places, from the right so that nothing is overwritten
                parallel_for(real, [&](index r) {
                    float* row = rows[r];
                    index k = q - 1;
                    for (index m = real - 1; m >= 0; --m) {
                        for (; k > place[m]; --k) row[k] = 0;
                        row[k--] = row[m];
                    }
                    for (; k >= 0; --k) row[k] = 0;
                });
        }
        inner_diagonal_.assign(static_cast<std::size_t>(q), 1.0f);
        inner_alpha_.assign(static_cast<std::size_t>(q), 0.0);
        inner_lower_.assign(static_cast<std::size_t>(q), 0.0);
        inner_upper_.assign(static_cast<std::size_t>(q), 0.0);
        for (index k = 0; k < q; ++k) {
            const index i = block_[k];
            if (i < 0) continue;
            inner_diagonal_[k] = diagonal_[i];
            inner_alpha_[k] = alpha_[i];
            inner_lower_[k] = lower_[i];
            inner_upper_[k] = upper_[i];
        }
        const double enough = active_ == static_cast<index>(who.size()) ? target : std::max(inner_share * gap_, 0.5 * target);
        // Float is fine enough for choosing pairs unless the tolerance is near its rounding.
        double largest = 1;
        for (const index i : block_)
            if (i >= 0) largest = std::max(largest, std::abs(F_[i]));
        if (enough > 1e-5 * largest)
            solve_inner(inner_float_, enough, tile, q);
        else
            solve_inner(inner_double_, enough, tile, q);
    }

    template <class R>
    struct inner_arrays {
        buffer<R> F, up, low;
    };

    template <class R>
    void solve_inner(inner_arrays<R>& a, double enough, const float* tile, index q) {
        inner_problem<R> p;
        p.F = a.F.at_least(q);
        p.up = a.up.at_least(q);
        p.low = a.low.at_least(q);
        for (index k = 0; k < q; ++k) {
            const index i = block_[k];
            p.F[k] = i < 0 ? R(0) : static_cast<R>(F_[i]);
            p.up[k] = i >= 0 && alpha_[i] < upper_[i] ? R(0) : static_cast<R>(-infinity);
            p.low[k] = i >= 0 && alpha_[i] > lower_[i] ? R(0) : static_cast<R>(infinity);
        }
        p.size = p.stride = q;
        p.K = tile;
        p.diagonal = inner_diagonal_.data();
        p.alpha = inner_alpha_.data();
        p.lower = inner_lower_.data();
        p.upper = inner_upper_.data();
        p.groups = groups_;
        for (int g = 0; g < groups_; ++g) p.begin[g] = begin_[g], p.end[g] = end_[g];
        p.enough = enough;
        p.most_steps = std::min<std::int64_t>(options_.most_steps - result_.steps, std::max<std::int64_t>(100 * q, 20000));
        if constexpr (sizeof(R) == 4)
            ops_.solve_float(p);
        else
            ops_.solve_double(p);
        result_.steps += p.steps;
        result_.flat_steps += p.flat_steps;
        result_.concave_steps += p.concave_steps;
    }

    // F[from … to) -= Σ delta·K(changed, ·), stripe by stripe; rows come from the store or are computed, and kept where there is room.
    void apply(const std::vector<index>& changed, const std::vector<double>& delta, index from, index to, bool keep) {
        if (changed.empty() || from >= to) return;
        const index rows = static_cast<index>(changed.size());
        std::vector<index> original(changed.size());
        std::vector<float*> slot(changed.size(), nullptr);
        std::vector<index> valid(changed.size(), 0);
        for (index r = 0; r < rows; ++r) {
            original[r] = perm_[changed[r]];
            if (keep) slot[r] = store_.fetch(original[r], valid[r]);
            (valid[r] >= to ? result_.rows_reused : result_.rows_computed) += 1;
        }
        const index stripes = (to - from + stripe - 1) / stripe;
        parallel_for(stripes, [&](index s) {
            const index c0 = from + s * stripe, width = std::min(stripe, to - c0);
            const selection cols = columns(c0, width);
            thread_local buffer<float> scratch;
            thread_local std::vector<index> missing;
            thread_local std::vector<float*> target;
            thread_local std::vector<const float*> ready;
            for (index r0 = 0; r0 < rows; r0 += row_chunk) {
                const index count = std::min(row_chunk, rows - r0);
                missing.clear();
                target.clear();
                ready.clear();
                float* spare = scratch.at_least(row_chunk * stripe);
                for (index r = r0; r < r0 + count; ++r) {
                    float* at = slot[r] ? slot[r] + c0 : spare + (r - r0) * stripe;
                    ready.push_back(at);
                    if (valid[r] >= c0 + width) continue;
                    missing.push_back(original[r]);
                    target.push_back(at);
                }
                if (!missing.empty()) fast_.block(std::span<const index>(missing), cols, block_rows<float>(target.data()));
                ops_.subtract_rows(F_.data() + c0, ready.data(), delta.data() + r0, count, width);
            }
        });
        if (keep)
            for (index r = 0; r < rows; ++r) store_.extended(original[r], to);
    }

    selection columns(index first, index count) const {
        if (!permuted_) return {first, count};
        return std::span<const index>(perm_.data() + first, static_cast<std::size_t>(count));
    }

    void start_F() {
        std::vector<index> changed;
        std::vector<double> delta;
        for (index i = 0; i < n_; ++i)
            if (alpha_[i] != 0) {
                changed.push_back(i);
                delta.push_back(alpha_[i]);
            }
        apply(changed, delta, 0, n_, false);
    }

    // ---- shrinking ----

    // A variable at a bound can be set aside when F says that it would only want to move further out.
    bool idle(index i) const {
        const int g = group_[i];
        const bool at_upper = alpha_[i] >= upper_[i], at_lower = alpha_[i] <= lower_[i];
        if (at_upper && at_lower) return true;
        if (at_upper) return F_[i] > max_up_[g];
        if (at_lower) return F_[i] < min_low_[g];
        return false;
    }

    void shrink() {
        since_shrink_ = 0;
        if (active_ <= whole_size) return;
        gap_ = measure();
        std::vector<index> stay, leave;
        for (index i = 0; i < active_; ++i) (idle(i) ? leave : stay).push_back(i);
        if (static_cast<double>(leave.size()) < shrink_share * static_cast<double>(active_)) return;
        if (active_ == n_) {
            // Everything is exact now: what is set aside from here on is measured against this moment.
            alpha_then_ = alpha_;
            F_then_ = F_;
        }
        for (const index i : leave) F_[i] = F_then_[i];
        std::vector<index> order = stay;
        order.insert(order.end(), leave.begin(), leave.end());
        reorder(order);
        active_ = static_cast<index>(stay.size());
    }

    template <class Value>
    static void reorder(std::vector<Value>& values, const std::vector<index>& order) {
        std::vector<Value> moved(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) moved[i] = values[order[i]];
        std::copy(moved.begin(), moved.end(), values.begin());
    }

    // Position i of the active part becomes what was at order[i].
    void reorder(const std::vector<index>& order) {
        reorder(perm_, order), reorder(alpha_, order), reorder(F_, order), reorder(p_, order), reorder(lower_, order), reorder(upper_, order);
        reorder(group_, order), reorder(diagonal_, order), reorder(alpha_then_, order), reorder(F_then_, order);
        store_.reorder(order, perm_);
        permuted_ = true;
    }

    // All points active again, F exact for those set aside.
    void bring_back() {
        std::vector<index> changed;
        std::vector<double> delta;
        for (index i = 0; i < n_; ++i)
            if (alpha_[i] != alpha_then_[i]) changed.push_back(i), delta.push_back(alpha_[i] - alpha_then_[i]);
        apply(changed, delta, active_, n_, false);
        active_ = n_;
        since_shrink_ = 0;
    }

    // ---- the truth ----

    // Whether the gap, in double, is at most tol. Replaces F by exact values where they matter.
    bool certify() {
        // How far F is from its exact values is seen on a sample of points, a new one each time, and on those of the largest |α|:
        // float errors gather around them. Small problems are made exact altogether.
        std::vector<index> points;
        const index step = n_ <= whole_size ? 1 : std::max<index>(1, n_ / sample_size);
        for (index i = certified_++ % step; i < n_; i += step) points.push_back(i);
        std::vector<std::uint8_t> known(static_cast<std::size_t>(n_), 0);
        for (const index i : points) known[i] = 1;
        if (step > 1) {
            std::vector<index> heavy;
            for (index i = 0; i < n_; ++i)
                if (alpha_[i] != 0 && !known[i]) heavy.push_back(i);
            const auto count = std::min<std::size_t>(heavy.size(), static_cast<std::size_t>(sample_size));
            std::partial_sort(heavy.begin(), heavy.begin() + static_cast<std::ptrdiff_t>(count), heavy.end(), [&](index i, index j) {
                const double a = std::abs(alpha_[i]), b = std::abs(alpha_[j]);
                return a > b || (a == b && i < j);
            });
            for (std::size_t k = 0; k < count; ++k) known[heavy[k]] = 1, points.push_back(heavy[k]);
        }
        // Points that could decide the gap if they were as wrong as that; what they turn out to be may widen the doubt.
        for (double error = 0; !points.empty();) {
            std::vector<double> before;
            for (const index i : points) before.push_back(F_[i]);
            make_exact(points);
            for (std::size_t k = 0; k < points.size(); ++k) error = std::max(error, std::abs(F_[points[k]] - before[k]));
            measure();
            points.clear();
            const double doubt = 2 * safety * error;
            for (index i = 0; i < n_; ++i) {
                const int g = group_[i];
                const bool may_be_top = alpha_[i] < upper_[i] && F_[i] + doubt >= max_up_[g], may_be_low = alpha_[i] > lower_[i] && F_[i] - doubt <= min_low_[g];
                if (known[i] || !(may_be_top || may_be_low || safety * error > 0.25 * options_.tol)) continue;
                known[i] = 1;
                points.push_back(i);
            }
        }
        gap_ = measure();
        return gap_ <= options_.tol;
    }

    // Whether float kernel values lead nowhere any more: time and again they promised an end that the exact ones denied, and the
    // objective has not fallen since.
    bool no_nearer() {
        double objective = 0;
        for (index i = 0; i < n_; ++i) objective -= 0.5 * alpha_[i] * (p_[i] + F_[i]);
        if (denied_ == 0 || objective < least_ - 1e-9 * std::abs(least_)) {
            least_ = objective;
            denied_ = 1;
            return false;
        }
        return ++denied_ > most_denied;
    }

    void make_exact(const std::vector<index>& points) {
        std::vector<index> support;
        std::vector<double> weight;
        for (index j = 0; j < n_; ++j)
            if (alpha_[j] != 0) support.push_back(perm_[j]), weight.push_back(alpha_[j]);
        constexpr index band = 96, strip = 1024;
        const index count = static_cast<index>(points.size()), terms = static_cast<index>(support.size());
        parallel_for((count + band - 1) / band, [&](index b) {
            thread_local buffer<double> tile;
            const index first = b * band, rows = std::min(band, count - first);
            std::vector<index> who;
            for (index i = first; i < first + rows; ++i) {
                who.push_back(perm_[points[i]]);
                F_[points[i]] = p_[points[i]];
            }
            for (index c = 0; c < terms; c += strip) {
                const index width = std::min(strip, terms - c);
                const matrix_view<double> k(tile.at_least(band * strip), rows, width);
                exact_.block(std::span<const index>(who), std::span<const index>(support.data() + c, static_cast<std::size_t>(width)), k);
                for (index i = 0; i < rows; ++i) {
                    double sum = 0;
                    for (index j = 0; j < width; ++j) sum += k(i, j) * weight[c + j];
                    F_[points[first + i]] -= sum;
                }
            }
        });
    }

    // ---- limits, progress, the end ----

    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count(); }

    bool interrupted() {
        if (result_.steps >= options_.most_steps) {
            result_.status = smo_status::step_limit;
            return true;
        }
        const double now = seconds();
        if (now >= options_.most_seconds) {
            result_.status = smo_status::time_limit;
            return true;
        }
        if (options_.checkpoint && now - last_checkpoint_ >= options_.checkpoint_seconds) {
            last_checkpoint_ = now;
            options_.checkpoint(original_order(alpha_));
        }
        if (options_.progress && now - last_report_ >= 0.1) {
            last_report_ = now;
            smo_progress report{result_.steps, result_.rounds, gap_, active_, n_, 0, now, infinity};
            const double asked = static_cast<double>(result_.rows_computed + result_.rows_reused);
            if (asked > 0) report.cache_hits = static_cast<double>(result_.rows_reused) / asked;
            // The gap falls about geometrically in time: what is left is in proportion to the orders of magnitude left.
            if (first_gap_ <= 0) first_gap_ = gap_;
            const double fallen = std::log(first_gap_ / gap_), to_fall = std::log(gap_ / options_.tol);
            if (fallen > 0) report.seconds_left = std::max(0.0, now * to_fall / fallen);
            if (!options_.progress(report)) {
                result_.status = smo_status::cancelled;
                return true;
            }
        }
        return false;
    }

    std::vector<double> original_order(const std::vector<double>& values) const {
        std::vector<double> out(static_cast<std::size_t>(n_));
        for (index i = 0; i < n_; ++i) out[perm_[i]] = values[i];
        return out;
    }

    smo_result finish() {
        if (active_ < n_) {
            bring_back();
            gap_ = measure();
        }
        result_.gap = std::max(0.0, gap_);
        for (index i = 0; i < n_; ++i) result_.objective -= 0.5 * alpha_[i] * (p_[i] + F_[i]);
        result_.alpha = original_order(alpha_);
        result_.F = original_order(F_);
        result_.seconds = seconds();
        return std::move(result_);
    }

    const gram<float>& fast_;
    const gram<double>& exact_;
    const smo_options& options_;
    const index n_;
    index active_;
    const smo::vector_ops& ops_;
    smo::row_store store_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();

    // All in the order of positions: active points first.
    std::vector<double> p_, lower_, upper_, alpha_, F_, alpha_then_, F_then_;
    std::vector<float> diagonal_;
    std::vector<std::uint8_t> group_, mark_;
    std::vector<index> perm_;  // position → original number
    bool permuted_ = false;
    int groups_ = 1;

    double max_up_[2] = {0, 0}, min_low_[2] = {0, 0};
    double gap_ = 0;
    index certified_ = 0;   // how often the truth was asked for
    bool at_rest_ = false;     // the last block changed nothing
    int rests_ = 0;
    int denied_ = 0;           // ends that turned out to be none since the objective last fell
    double least_ = 0;
    int since_shrink_ = 0;

    std::vector<index> block_, previous_;
    index begin_[2] = {0, 0}, end_[2] = {0, 0};
    buffer<float> tile_;
    std::vector<float> inner_diagonal_;
    std::vector<double> inner_alpha_, inner_lower_, inner_upper_;
    inner_arrays<float> inner_float_;
    inner_arrays<double> inner_double_;

    double last_report_ = 0, last_checkpoint_ = 0, first_gap_ = 0;
    smo_result result_;
};

}  // namespace

smo_result solve_smo(const gram<float>& fast, const gram<double>& exact, const box_problem& problem, const smo_options& options) {
    const auto n = static_cast<index>(problem.p.size());
    if (fast.rows() != n || fast.cols() != n || exact.rows() != n || exact.cols() != n)
        fail(errc::invalid_argument, "smo: the Gram matrix must be n × n with n = " + std::to_string(n) + ", got " + std::to_string(fast.rows()) + " × " + std::to_string(fast.cols()));
    if (!(options.tol > 0)) fail(errc::invalid_argument, "smo: tol must satisfy tol > 0, got " + std::to_string(options.tol));
    for (std::size_t i = 0; i < problem.p.size(); ++i)
        if (!(problem.lower[i] <= problem.upper[i]))
            fail(errc::invalid_argument, "smo: bounds must satisfy lower <= upper, got " + std::to_string(problem.lower[i]) + " and " + std::to_string(problem.upper[i]) + " for variable " + std::to_string(i));
    return solver(fast, exact, problem, options).run();
}

}  // namespace mercer
