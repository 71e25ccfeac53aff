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
// Chosen by measurement on the sets of bench/svm; none changes the answer.
constexpr index whole_size = 1000;      // so many active points or fewer are one block: their whole Gram matrix is computed
constexpr index largest_block = 1024;   // otherwise a block is an eighth of the active points, within these
constexpr index smallest_block = 256;
constexpr index first_level = 512;      // the coarsest sample has at least this many points
constexpr index level_ratio = 8;        // and each finer one so many times more
constexpr double coarse_gap = 0.1;      // a level is solved to this gap (in standard deviations of p)
constexpr double refinement = 0.1;      // then each look at all points to this share of the gap before
constexpr double likely_margin = 0.3;   // points this far beyond the offset (in standard deviations of p) are set aside for now
constexpr index stripe = 1024;        // columns of F updated at a time
constexpr index row_chunk = 256;      // rows that are used but not kept are computed this many at a time
constexpr double inner_share = 0.1;   // a block is solved to this share of the outer gap
constexpr double shrink_share = 0.2;  // points are set aside when at least this share of the active ones can be
constexpr double hopeless = 1e8;      // |α|·k(x, x) beyond which a hard margin is given up
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
        has_start_ = !problem.start.empty();
        perm_.resize(static_cast<std::size_t>(n_));
        for (index i = 0; i < n_; ++i) perm_[i] = i;
        F_ = p_;
        mark_.assign(static_cast<std::size_t>(n_), 0);
        diagonal_.resize(static_cast<std::size_t>(n_));
        fast_.diagonal(diagonal_);
    }

    smo_result run() {
        start_F();
        start_coarse();
        const double target = 0.98 * options_.tol;  // what is left of tol covers the float error, as a rule
        while (true) {
            gap_ = measure();
            if (gap_ <= (rough_ > target ? rough_ : target) || at_rest_) {
                if (level_ < n_) {
                    next_level();
                    continue;
                }
                rough_ = std::max(target, rough_ * refinement);
                if (active_ < n_) {
                    bring_back();
                    at_rest_ = false;
                    shrink();
                    continue;
                }
                if (gap_ <= target || at_rest_) {
                    if (certify()) {
                        result_.status = result_.concave_steps > 0 ? smo_status::stationary : smo_status::converged;
                        break;
                    }
                    if (at_rest_ && ++rests_ > 3) {
                        result_.status = smo_status::stalled;
                        break;
                    }
                    at_rest_ = false;
                    if (gap_ <= target) continue;
                }
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
        if (groups_ == 1 && static_cast<index>(previous_.size()) == active_) {
            // The block was everything: its tile holds all the rows.
            std::vector<const float*> rows;
            for (const index i : changed) rows.push_back(tile_.data() + i * static_cast<index>(block_.size()));
            ops_.subtract_rows(F_.data(), rows.data(), delta.data(), static_cast<index>(rows.size()), active_);
            return;
        }
        apply(changed, delta, 0, active_, true);
    }

    // ½αᵀKα of a solvable problem is half its Σ|α|: with n points of k(x, x) about κ, α beyond this is a sign of no solution.
    bool grows() const {
        double scale = 0, largest = 0;
        for (index i = 0; i < n_; ++i) {
            scale = std::max(scale, static_cast<double>(std::abs(diagonal_[i])));
            largest = std::max(largest, std::abs(alpha_[i]));
        }
        return largest * std::max(scale, 1e-30) > hopeless;
    }

    void choose_block() {
        const index limit = std::clamp<index>(active_ / 8 / 16 * 16, smallest_block, largest_block);
        std::vector<index> chosen;
        if (active_ <= whole_size) {
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
        fast_.square(std::span<const index>(who), block_rows<float>(rows.data()));
        if (groups_ == 1) {
            for (float* row : rows) std::fill(row + real, row + q, 0.0f);
        } else {
            // Spread the columns to their padded places, from the right so that nothing is overwritten.
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

    // A variable at a bound can be set aside when F says that it would only want to move further out. That is sure beyond the
    // extremes of the other set; it is likely, and put right later where it was not, beyond the present offset and a margin.
    bool idle(index i) const {
        const int g = group_[i];
        const bool at_upper = alpha_[i] >= upper_[i], at_lower = alpha_[i] <= lower_[i];
        if (at_upper && at_lower) return true;
        if (at_upper) return F_[i] > std::min(max_up_[g], offset_[g] + margin_);
        if (at_lower) return F_[i] < std::max(min_low_[g], offset_[g] - margin_);
        return false;
    }

    // The present offset of each group: the mean of F over free variables.
    void estimate_offset() {
        for (int g = 0; g < groups_; ++g) {
            double sum = 0, count = 0;
            for (index i = 0; i < active_; ++i)
                if (group_[i] == g && alpha_[i] > lower_[i] && alpha_[i] < upper_[i]) sum += F_[i], ++count;
            offset_[g] = count > 0 ? sum / count : (max_up_[g] + min_low_[g]) / 2;
        }
    }

    void shrink() {
        since_shrink_ = 0;
        if (active_ <= whole_size / 2) return;
        gap_ = measure();
        if (gap_ <= options_.tol) return;
        estimate_offset();
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

    // ---- from coarse to fine ----

    // A random sample is solved roughly, then a larger one from there, and so on: the first sketch of α costs little when F has
    // few entries, and most of the points that come in later are set aside at once. This is only where the solver starts from.
    void start_coarse() {
        double mean = 0, spread = 0;
        for (const double v : p_) mean += v / static_cast<double>(n_);
        for (const double v : p_) spread += (v - mean) * (v - mean) / static_cast<double>(n_);
        if (spread > 0) margin_ = likely_margin * std::sqrt(spread);
        rough_ = spread > 0 ? coarse_gap * std::sqrt(spread) : 0;
        level_ = n_;
        if (!options_.shrinking || has_start_ || n_ < 4 * first_level) return;
        while (level_ / level_ratio >= first_level) level_ /= level_ratio;
        alpha_then_ = alpha_;
        F_then_ = F_;
        sample(0, level_);
        active_ = level_;
    }

    // Fills positions first … last with a random choice of the points from first on: a shuffle (Fisher-Yates) that stops there.
    void sample(index first, index last) {
        std::vector<index> order(static_cast<std::size_t>(n_));
        for (index i = 0; i < n_; ++i) order[i] = i;
        std::uint64_t seed = 0x9E3779B97F4A7C15ull;  // always the same: a fit can be repeated
        for (index i = first; i < last; ++i) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            std::swap(order[i], order[i + static_cast<index>((seed >> 33) % static_cast<std::uint64_t>(n_ - i))]);
        }
        reorder(order);
    }

    void next_level() {
        const index next = level_ * level_ratio >= n_ ? n_ : level_ * level_ratio;
        if (next < n_) sample(level_, next);
        level_ = next;
        bring_back();
        at_rest_ = false;
        shrink();
    }

    // All points of the level active again, F exact for those set aside.
    void bring_back() {
        std::vector<index> changed;
        std::vector<double> delta;
        for (index i = 0; i < n_; ++i)
            if (alpha_[i] != alpha_then_[i]) changed.push_back(i), delta.push_back(alpha_[i] - alpha_then_[i]);
        apply(changed, delta, active_, level_, false);
        active_ = level_;
        since_shrink_ = 0;
    }

    // ---- the truth ----

    // Whether the gap, in double, is at most tol. Replaces F by exact values where they matter.
    bool certify() {
        // How far F is from its exact values is seen on a sample of points, a new one each time.
        std::vector<index> sample;
        const index step = std::max<index>(1, n_ / sample_size);
        for (index i = certified_++ % step; i < n_; i += step) sample.push_back(i);
        std::vector<double> before;
        for (const index i : sample) before.push_back(F_[i]);
        make_exact(sample);
        double error = 0;
        for (std::size_t k = 0; k < sample.size(); ++k) error = std::max(error, std::abs(F_[sample[k]] - before[k]));
        error *= safety;
        measure();
        std::vector<index> doubtful;
        for (index i = 0; i < n_; ++i) {
            const int g = group_[i];
            const bool may_be_top = alpha_[i] < upper_[i] && F_[i] + 2 * error >= max_up_[g], may_be_low = alpha_[i] > lower_[i] && F_[i] - 2 * error <= min_low_[g];
            if (may_be_top || may_be_low) doubtful.push_back(i);
        }
        make_exact(doubtful);
        gap_ = measure();
        return gap_ <= options_.tol;
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
                for (index i = 0; i < rows; ++i) F_[points[first + i]] -= ops_.dot(k.row(i), weight.data() + c, width);
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
            level_ = n_;
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
    bool has_start_ = false;
    index level_ = 0;          // points 0 … level_ take part; the others wait for a finer level
    int groups_ = 1;

    double max_up_[2] = {0, 0}, min_low_[2] = {0, 0};
    double offset_[2] = {0, 0};
    double margin_ = infinity;  // see idle()
    double rough_ = coarse_gap; // the gap to reach before all points are looked at again
    double gap_ = 0;
    index certified_ = 0;   // how often the truth was asked for
    bool at_rest_ = false;     // the last block changed nothing
    int rests_ = 0;
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
