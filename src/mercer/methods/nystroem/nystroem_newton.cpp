#include "mercer/methods/nystroem/nystroem_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "mercer/base/communicator.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/methods/nystroem/sketched_preconditioner.h"

namespace mercer {
namespace {

using namespace newton_vectors;

// Where in (0, 1) the cubic is least that is 0 at 0 and `rise` at 1, with these slopes; from ¼ to ½. (Losses grow
// less than a cubic says: with a tenth as the least some fits crept.)
double lowest_of_cubic(double rise, double slope, double slope_there) {
    const double d = slope + slope_there - 3 * rise, root = std::sqrt(d * d - slope * slope_there),
                 at = 1 - (slope_there + root - d) / (slope_there - slope + 2 * root);
    return std::isfinite(at) ? std::clamp(at, 0.25, 0.5) : 0.5;
}

class newton {
public:
    newton(const nystroem_operator& k, row_losses& losses, const nystroem_newton_options& o)
        : k_(k),
          losses_(losses),
          o_(o),
          group_(k.exact->processes()),
          rough_(k.rough != nullptr),
          m_(k.basis->size()),
          n_(m_ + (o.intercept ? 1 : 0)),
          r_(losses.functions()),
          problems_(losses.independent() ? r_ : 1),
          passes_(k, losses, o.intercept),
          shapes_(k, losses, o.intercept),
          level_(o.lambda),
          at_zero_(each(0)) {}

    nystroem_newton_result run() {
        at_ = point(r_, n_);
        bool exact = !k_.rough;
        const bool stopped = !unless_stopped([&] {
            if (o_.start.empty())
                begin(exact);
            else
                take(o_.start, exact);
            while (out_.passes < o_.max_passes && step(exact)) ++out_.rounds;
            if (out_.status == fit_status::step_limit && agreed(group_, exact && last_level() && is_solved()))
                out_.status = fit_status::converged;
            if (o_.level_done) o_.level_done(level_, at_, out_.objective);
        });
        if (stopped) out_.status = fit_status::cancelled;
        finish();
        return std::move(out_);
    }

private:
    numbers each(double value) const { return numbers(static_cast<std::size_t>(problems_), value); }

    // At γ = 0: the λ to start with. A quadratic loss near its end.
    void begin(bool& exact) {
        if (losses_.quadratic()) sketch(exact);
        if (shapes_.start().rows() > 0) return begin_near(shapes_.start(), exact);
        measure(exact);
        first_norm_ = norm_;
        if (losses_.quadratic()) return remember_zero(objective_, gradient_);
        level_ = std::max(o_.lambda, 4e-3 * sum(found_.bend) / static_cast<double>(r_) * k_.basis->mean());
        settle();
        if (o_.near.at.rows() > 0) begin_at(o_.near, exact);
    }
    // There, where P is less than at 0 and bends.
    void begin_at(const newton_start& near, bool exact) {
        const double level = level_, before = out_.objective, size = size_of(gradient_, o_.lambda);
        at_ = near.at, level_ = std::clamp(near.lambda, o_.lambda, level);
        measure(exact);
        if (agreed(group_, out_.objective < before && size_of(gradient_, o_.lambda) <= size)) return;
        at_ = point(r_, n_), level_ = level;
        measure(exact);
    }
    // At the lowest point of the line from 0 to where the loss of the sketched rows is least. One pass for both ends,
    // and all between follows from them.
    void begin_near(const point& far, bool& exact) {
        auto [there, here] = passes_.at_both_ends(far, exact);
        count(1);
        first_norm_ = std::sqrt(dot(here.slope, here.slope));
        remember_zero(here.value, here.slope);
        point change = there.slope;
        combine(change, each(1), here.slope, each(-1));
        const numbers falls = dots(here.slope, far, r_), bends = dots(change, far, r_);
        numbers t = each(0);
        for (index c = 0; c < r_; ++c) {
            const auto q = static_cast<std::size_t>(c);
            const double ridge = o_.lambda * smo::best_vector_ops().dot(far.row(c), far.row(c), m_);
            const double lowest = -falls[q] / (bends[q] + ridge);
            // The end itself, with what was measured there, unless it is better to stay away from it.
            t[q] = lowest > 0.9 ? 1 : lowest > 0 ? lowest : 0;
            here.value[q] = t[q] == 1 ? there.value[q] : here.value[q] + t[q] * falls[q] + t[q] * t[q] / 2 * bends[q];
            exact = exact && (t[q] == 0 || t[q] == 1);
        }
        combine(at_, each(0), far, t);
        combine(here.slope, each(1), change, t);
        found_ = std::move(here);
        settle();
    }
    // Of a quadratic loss at γ = 0: P and ‖g‖² of each problem.
    void remember_zero(const numbers& value, const point& slope) {
        at_zero_ = value, slope_at_zero_ = dots(slope, slope, problems_);
    }
    bool last_level() const { return level_ == o_.lambda; }

    // How loosely Newton's equations are solved: passes over few rows are cheap beside the gradient that follows.
    double dear() const { return taken_.share() < 0.3 ? 0.1 : 0.3; }
    // Passes over K, or over a share of its rows.
    void count(double passes) { out_.passes = static_cast<index>(std::ceil((spent_ += passes) - 1e-6)); }
    // What a row may count for at most (thinned_rows.h), as a share of the ridge; 0: as it is.
    static constexpr double fewest = 0.05;
    double theta(double share) const {
        if (losses_.jumps())  // those that bend, each as it is
            return share > 0 ? std::numeric_limits<double>::min() : 0.0;
        return losses_.quadratic() ? 0.0 : share * level_ / k_.basis->largest();
    }

    // One Newton step from the point whose gradient is known; false at the end.
    bool step(bool& exact) {
        if (!go_on()) return false;
        if (agreed(group_, exact && last_level() && is_solved())) {
            out_.status = fit_status::converged;
            return false;
        }
        if (shapes_.empty() || (!resumed_ && stale())) sketch(exact);
        if (resumed_) spent_ = 0, count(resumed_->passes);
        if (out_.passes >= o_.max_passes) return false;
        taken_.draw(losses_, theta(few_), k_.seed + 2 + static_cast<std::uint64_t>(out_.rounds), k_.exact->rows(),
                    group_);
        // As exact as the stopping rule asks for, or the next step makes good. (0.3 and the cube root: an eighth fewer
        // passes than 0.1 and the square root on eight sets with C = 1 and 100.)
        const double all = size(), loose = losses_.quadratic() ? 0.0 : std::min(dear(), std::cbrt(norm_ / first_norm_)),
                     share = std::max(loose, rough_ ? 1e-4 : 1e-13);
        // A tenth of that where only the curvature of offsets keeps the gap above it.
        const double wanted = 0.7 * o_.tol * all * (gap_ <= 0.7 * o_.tol * all ? 0.1 : 1),
                     rest = std::max(wanted, share * share * gap_);
        const double left = solve(rest, exact);
        if (!agreed(group_, std::isfinite(dot(direction_, direction_)))) {
            // An offset that no row bends. Once more with all rows, and if that does not help stay.
            few_ = 0, direction_ = point(r_, n_);
            if (!taken_.all()) return true;
        }
        // Float will do while far from the end.
        const bool near = agreed(group_, losses_.quadratic() || (last_level() && left <= 1e3 * o_.tol * all));
        const numbers slope = dots(gradient_, direction_, problems_);
        const double last_gap = gap_;
        if (!advance(exact, !rough_ || exact || near)) return false;
        // Too few rows for such steps.
        if (!taken_.all() && agreed(group_, whole_step_ && gap_ > std::max(0.1 * last_gap, 4 * left))) few_ /= 4;
        if (!last_level() && agreed(group_, was_easy(slope))) {
            if (o_.level_done && !o_.level_done(level_, at_, out_.objective)) return false;
            level_ = std::max(o_.lambda, (losses_.jumps() ? 0.3 : 0.1) * level_);
            settle();
        }
        return true;
    }

    // Whether the parabola promised so little that the next λ will be in reach as well. Where curvatures jump more care
    // saves passes: C = 10,000 took a third of them on seven sets.
    bool was_easy(const numbers& slope) const {
        const double share = losses_.jumps() ? 0.1 : 1.0;
        for (std::size_t q = 0; q < slope.size(); ++q)
            if (-0.5 * slope[q] > share * std::abs(objective_[q])) return false;
        return true;
    }

    // λ is another, or curvatures have changed since the rows were sketched and conjugate gradients take longer than
    // right after it, by more than another sketch costs.
    bool stale() const {
        if (losses_.quadratic()) return false;
        if (shapes_.lambda() > (last_level() && !losses_.independent() ? level_ : 10 * level_)) return true;
        if (fresh_steps_ < 0) return false;
        return static_cast<double>(last_steps_ - fresh_steps_) > std::clamp(shapes_.price(taken_.share()), 2.0, 30.0);
    }

    // While λ is large one preconditioner does for all functions, unless each has support vectors of its own.
    void sketch(bool exact) {
        sketched_at_ = at_, sketched_exactly_ = exact;
        fresh_steps_ = -1;
        taken_.draw(losses_, theta(fewest), k_.seed + 1, k_.exact->rows(), group_);
        const index passes = shapes_.make(level_, !last_level() && !losses_.independent(), taken_, theta(fewest));
        count(static_cast<double>(passes) * taken_.share());
    }

    // The gap of a gradient, and what steps go by (gradient_gap.h).
    double gap_of(const point& g, double lambda) const { return gradient_gap(g, shape(lambda), losses_); }
    double size_of(const point& g, double lambda) const { return gradient_size(g, shape(lambda)); }
    // What gaps of a problem, and of all, are relative to.
    static double beside(double objective, double at_zero) {
        return std::max(std::abs(objective), std::numeric_limits<double>::epsilon() * at_zero);
    }
    double size_of_problem(index q) const {
        const auto at = static_cast<std::size_t>(q);
        return beside(objective_[at], at_zero_[at]);
    }
    double size() const { return beside(sum(objective_), sum(at_zero_)); }
    bool is_solved() const { return judged_ <= o_.tol * size(); }
    // Several targets, each with a gap of its own, `gaps_`. Together theirs is the largest relative one, times the size
    // of all.
    bool by_target() const { return losses_.quadratic() && problems_ > 1; }
    double of_worst(const numbers& gaps) const {
        double out = 0;
        for (index q = 0; q < problems_; ++q)
            if (const double gap = gaps[static_cast<std::size_t>(q)]; gap > 0)
                out = std::max(out, gap / size_of_problem(q));
        return out * size();
    }
    // What conjugate gradients have left; rz: products of the residual and its solution by the sketch.
    double left_of(const point& residual, const numbers& rz) const {
        if (!by_target()) return std::min(size_of(residual, level_), shapes_.gap_of(sum(rz)));
        numbers gaps = gradient_sizes(residual, shape(level_));
        for (std::size_t q = 0; q < gaps.size(); ++q) gaps[q] = std::min(gaps[q], shapes_.gap_of(rz[q]));
        return of_worst(gaps);
    }
    gradient_shape shape(double lambda) const { return {m_, problems_, lambda, k_.basis->largest(), found_.bend}; }

    // Conjugate gradients on (ΦᵀDΦ + λI)δ = -g, each problem with steps of its own, until the gap of the residual is no
    // more than `enough`; that gap. Where curvatures are continuous also until a step takes less than 0.3 of the mean
    // from ½δᵀ(ΦᵀDΦ + λI)δ + gᵀδ (Nash, Sofer 1990).
    double solve(double enough, bool exact) {
        point residual(r_, n_), z, p;
        numbers rz;
        double left = gap_, fallen = 0;
        if (resumed_) {
            direction_ = std::move(resumed_->direction), residual = std::move(resumed_->residual);
            p = std::move(resumed_->p), rz = std::move(resumed_->rz), fallen = resumed_->fallen;
            left = left_of(residual, rz);
            resumed_.reset();
        } else {
            combine(residual, each(0), gradient_, each(-1));
            direction_ = point(r_, n_);
            z = residual;
            shapes_.solve(z);
            p = z;
            rz = dots(residual, z, problems_);
        }
        while (out_.passes < o_.max_passes && agreed(group_, left > enough)) {
            ++steps_;
            if (!go_on()) break;
            const point hp = curved(p);
            const numbers php = dots(p, hp, problems_);
            numbers alpha = each(0), back = each(0), beta = each(0);
            double falls = 0;
            for (std::size_t q = 0; q < alpha.size(); ++q) {
                if (php[q] > 0) alpha[q] = rz[q] / php[q];
                back[q] = -alpha[q], falls += 0.5 * alpha[q] * rz[q];
            }
            fallen += falls;
            if (!agreed(group_, std::ranges::any_of(alpha, [](double a) { return a != 0; }))) break;
            combine(direction_, each(1), p, alpha);
            combine(residual, each(1), hp, back);
            out_.trace.push_back(first_norm_ > 0 ? std::sqrt(dot(residual, residual)) / first_norm_ : 0);
            z = residual;
            shapes_.solve(z);
            numbers next = dots(residual, z, problems_);
            left = left_of(residual, next);
            for (std::size_t q = 0; q < beta.size(); ++q)
                if (rz[q] != 0) beta[q] = next[q] / rz[q];
            combine(p, beta, z, each(1));
            rz = std::move(next);
            if (!losses_.quadratic() && !losses_.jumps() &&
                agreed(group_, falls * static_cast<double>(steps_) < dear() * fallen))
                break;
            if (o_.keep) o_.keep(state(exact, residual, p, rz, fallen));
        }
        last_steps_ = std::exchange(steps_, 0);
        if (fresh_steps_ < 0) fresh_steps_ = last_steps_;
        return left;
    }

    // In the middle of conjugate gradients: all else is found again by a pass at γ.
    struct inner_state {
        point direction, residual, p;
        numbers rz;
        double fallen = 0;
        double passes = 0;
    };
    std::vector<double> state(bool exact, const point& residual, const point& p, const numbers& rz,
                              double fallen) const {
        std::vector<double> out{exact ? 1.0 : 0.0,
                                spent_,
                                static_cast<double>(out_.rounds),
                                first_norm_,
                                level_,
                                sketched_exactly_ ? 1.0 : 0.0,
                                static_cast<double>(steps_),
                                static_cast<double>(last_steps_),
                                static_cast<double>(fresh_steps_),
                                rough_ ? 1.0 : 0.0,
                                shapes_.lambda(),
                                fallen,
                                few_};
        out.insert(out.end(), rz.begin(), rz.end());
        for (const point* each : {&sketched_at_, &at_, &direction_, &residual, &p})
            out.insert(out.end(), each->data(), each->data() + r_ * n_);
        out.insert(out.end(), out_.trace.begin(), out_.trace.end());
        return out;
    }
    void take(const std::vector<double>& from, bool& exact) {
        const auto size = static_cast<std::size_t>(r_ * n_), single = std::size_t{13},
                   problems = static_cast<std::size_t>(problems_);
        if (from.size() < single + problems + 5 * size) fail(errc::invalid_argument, "a state of another problem");
        // Passes in float need a K in float, whatever the state says.
        const auto precisely = [&](double flag) { return flag != 0 || !k_.rough; };
        const double* at = from.data() + single;
        resumed_.emplace(inner_state{point(r_, n_), point(r_, n_), point(r_, n_), numbers(at, at + problems), from[11],
                                     number_in_state(from[1], 0, 0x1p53)});
        at += problems;
        // The rows are sketched again where they were.
        if (losses_.quadratic()) {
            begin(exact);
        } else {
            level_ = from[10];
            std::copy_n(at, size, at_.data());
            measure(precisely(from[5]));
            sketch(precisely(from[5]));
        }
        at += size;
        out_.rounds = count_in_state(from[2]), first_norm_ = from[3];
        level_ = from[4], rough_ = from[9] != 0 && k_.rough, few_ = from[12];
        steps_ = whole_in_state(from[6], -1, index{1} << 53), last_steps_ = whole_in_state(from[7], -1, index{1} << 53);
        fresh_steps_ = whole_in_state(from[8], -1, index{1} << 53);
        for (point* each : {&at_, &resumed_->direction, &resumed_->residual, &resumed_->p})
            std::copy_n(at, size, each->data()), at += size;
        out_.trace.assign(at, from.data() + from.size());
        if (!losses_.quadratic() || out_.rounds > 0) measure(exact = precisely(from[0]));
    }

    // γ ← γ + tδ, for each problem with the first t for which its P falls enough, or 0: from 1 on, then half of it
    // where curvatures jump, else where a cubic would be least. False where all are 0.
    bool advance(bool& exact, bool precisely) {
        const numbers before = objective_, slope = dots(gradient_, direction_, problems_);
        // Values from float and from double differ by the rounding of the kernel values.
        const double last_gap = gap_, all = sum(before), slack = (exact == precisely ? 1e-12 : 1e-5) * std::abs(all);
        const point start = at_;
        const losses_at found_there = found_;
        numbers t = each(1);
        const auto shortened = [&] {
            bool any = false;
            const numbers there = dots(gradient_, direction_, problems_);
            for (std::size_t q = 0; q < t.size(); ++q)
                if (!(objective_[q] <= before[q] + 1e-4 * t[q] * slope[q] + slack) && t[q] > 0) {
                    const double rise = objective_[q] - before[q],
                                 by = losses_.jumps() ? 0.5 : lowest_of_cubic(rise, t[q] * slope[q], t[q] * there[q]);
                    t[q] = t[q] > 1e-9 ? by * t[q] : 0, any = true;
                }
            return any;
        };
        while (agreed(group_, std::ranges::max(t) > 0)) {
            at_ = start;
            combine(at_, each(1), direction_, t);
            const bool was = exact;
            measure(precisely);
            exact = precisely;
            whole_step_ = std::ranges::min(t) == 1;
            if (!agreed(group_, shortened())) {
                const bool both = was && exact;
                // What float rounds away keeps the gap up: from here on all in double.
                if (agreed(group_, both && gap_ > 0.1 * last_gap) && std::exchange(rough_, false)) return true;
                if (agreed(group_, both && !(gap_ < last_gap) && !(sum(objective_) < all - slack))) break;
                return true;
            }
            if (out_.passes >= o_.max_passes) return false;
        }
        if (std::exchange(rough_, false)) {
            // Coefficients so large that P in float is not P.
            at_ = start;
            measure(exact = true);
            return true;
        }
        if (!(sum(objective_) <= all)) {
            at_ = start, found_ = found_there;
            settle();
        }
        if (!last_level()) {
            level_ = o_.lambda;  // no further with this one
            settle();
            return true;
        }
        out_.status = is_solved() ? fit_status::converged : fit_status::stalled;
        return false;
    }

    bool go_on() {
        if (everywhere(group_, !o_.progress || o_.progress(out_.passes, out_.gap))) return true;
        out_.status = fit_status::cancelled;
        return false;
    }

    // The losses where γ stands, and all that follows.
    void measure(bool precisely) {
        found_ = passes_.at(at_, precisely || !rough_);
        count(1);
        settle();
    }

    // P, its gradient and the gap with the λ of this level; and with that of the problem.
    void settle() {
        numbers square = each(0);
        for (index c = 0; c < r_; ++c)
            for (index j = 0; j < m_; ++j)
                square[static_cast<std::size_t>(problems_ == 1 ? 0 : c)] += at_(c, j) * at_(c, j);
        const auto gradient = [&](double lambda) {
            point out = found_.slope;
            for (index c = 0; c < r_; ++c)
                for (index j = 0; j < m_; ++j) out(c, j) += lambda * at_(c, j);
            return out;
        };
        gradient_ = gradient(level_);
        objective_ = found_.value;
        for (std::size_t q = 0; q < square.size(); ++q) objective_[q] += 0.5 * level_ * square[q];
        if (by_target()) {
            gaps_ = gradient_sizes(gradient_, shape(level_));
            const numbers by_sketch = shapes_.gaps_of(gradient_, problems_);
            for (std::size_t q = 0; q < gaps_.size(); ++q) gaps_[q] = std::min(gaps_[q], by_sketch[q]);
            gap_ = of_worst(gaps_);
        } else {
            gap_ = std::min(size_of(gradient_, level_), shapes_.gap_of(gradient_));
        }
        norm_ = std::sqrt(dot(gradient_, gradient_));
        const point own = last_level() ? gradient_ : gradient(o_.lambda);
        out_.objective = sum(found_.value) + 0.5 * o_.lambda * sum(square);
        out_.gap = by_target() ? sum(gaps_) : last_level() && !o_.intercept ? gap_ : gap_of(own, o_.lambda);
        judged_ = by_target() ? gap_ : out_.gap;
        out_.residual = first_norm_ > 0 ? std::sqrt(dot(own, own)) / first_norm_ : 1;
    }

    // (ΦᵀDΦ + λI)p
    point curved(const point& p) {
        point out = passes_.curved(p, !rough_, taken_);
        count(taken_.share());
        for (index c = 0; c < r_; ++c)
            for (index j = 0; j < m_; ++j) out(c, j) += level_ * p(c, j);
        return out;
    }

    void finish() {
        const matrix<double> all = passes_.coefficients(at_);
        out_.coef = matrix<double>(m_, r_);
        std::copy_n(all.data(), m_ * r_, out_.coef.data());
        out_.offset.assign(static_cast<std::size_t>(r_), 0.0);
        if (o_.intercept) std::copy_n(all.row(m_), r_, out_.offset.data());
        if (!by_target()) return;
        out_.objectives = objective_, out_.gaps = gaps_;
        const numbers squares = dots(gradient_, gradient_, problems_);
        for (index q = 0; q < problems_; ++q) {
            const auto at = static_cast<std::size_t>(q);
            out_.residuals.push_back(slope_at_zero_[at] > 0 ? std::sqrt(squares[at] / slope_at_zero_[at]) : 0);
            if (!(gaps_[at] <= o_.tol * size_of_problem(q))) out_.unsolved.push_back(q);
        }
    }

    const nystroem_operator& k_;
    row_losses& losses_;
    const nystroem_newton_options& o_;
    const process_group* group_;
    bool rough_;  // passes in float still help
    thinned_rows taken_;
    double few_ = fewest;
    bool whole_step_ = false;  // the last one, of all problems
    double spent_ = 0;         // passes
    index m_, n_, r_, problems_;
    loss_passes passes_;
    sketched_shapes shapes_;
    point sketched_at_;
    bool sketched_exactly_ = false;
    index steps_ = 0, last_steps_ = 0, fresh_steps_ = -1;  // of conjugate gradients: now, last, right after a sketch
    point at_, direction_;
    losses_at found_;
    // With the λ of this level.
    double level_;
    numbers objective_;
    point gradient_;
    numbers gaps_;               // of each of several targets
    double gap_ = 0, norm_ = 0;  // without offsets the gap; with them what steps go by
    double judged_ = 0;          // the gap that the stopping rule compares
    numbers at_zero_, slope_at_zero_;
    double first_norm_ = 0;  // at γ = 0
    std::optional<inner_state> resumed_;
    nystroem_newton_result out_;
};

}  // namespace

nystroem_newton_result nystroem_newton(const nystroem_operator& k, row_losses& losses,
                                       const nystroem_newton_options& options) {
    return newton(k, losses, options).run();
}

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// fall: what an offset with this slope and curvature can gain by itself.
template <class Fall>
newton_vectors::numbers larger_case(const newton_vectors::point& g, const gradient_shape& s, const Fall& fall) {
    const index functions = g.rows() / s.problems;
    newton_vectors::numbers out;
    for (index q = 0; q < s.problems; ++q) {
        double square = 0, slopes = 0, falls = 0;
        for (index c = q * functions; c < (q + 1) * functions; ++c) {
            for (index j = 0; j < s.m; ++j) square += g(c, j) * g(c, j);
            const double slope = g.cols() > s.m ? std::abs(g(c, s.m)) : 0, bend = s.bend[static_cast<std::size_t>(c)];
            if (slope == 0) continue;
            slopes += slope;
            falls += bend > 0 ? fall(slope, bend) : infinite;
        }
        const double all = std::sqrt(square) + (functions == 1 ? 2 : 4) * std::sqrt(s.largest) * slopes;
        out.push_back(std::max(square / (2 * s.lambda) + falls, all * all / (2 * s.lambda)));
    }
    return out;
}

}  // namespace

double gradient_gap(const newton_vectors::point& g, const gradient_shape& shape, const row_losses& losses) {
    if (losses.quadratic() || losses.jumps()) return gradient_size(g, shape);
    return newton_vectors::sum(larger_case(g, shape, [](double slope, double bend) {
        const double t = 2 * slope / bend;
        return t < 1 ? bend * (t + (1 - t) * std::log1p(-t)) : infinite;
    }));
}

double gradient_size(const newton_vectors::point& g, const gradient_shape& shape) {
    return newton_vectors::sum(gradient_sizes(g, shape));
}

newton_vectors::numbers gradient_sizes(const newton_vectors::point& g, const gradient_shape& shape) {
    return larger_case(g, shape, [](double slope, double bend) { return 2 * slope * slope / bend; });
}

loss_passes::loss_passes(const nystroem_operator& k, row_losses& losses, bool offset)
    : k_(k), losses_(losses), m_(k.basis->size()), n_(m_ + (offset ? 1 : 0)), r_(losses.functions()) {}

losses_at loss_passes::at(const point& p, bool precisely) {
    const index problems = losses_.independent() ? r_ : 1;
    numbers totals(static_cast<std::size_t>(problems + r_));
    const auto step = [&](index first, matrix_view<double> f, double* sums) {
        losses_.derive(first, f, sums);
        add_curvatures(first, f.rows, sums + problems);
    };
    losses_at out;
    out.slope = pass(dot(p, p) == 0 ? nullptr : &p, step, precisely, totals);
    out.value.assign(totals.begin(), totals.begin() + problems);
    out.bend.assign(totals.begin() + problems, totals.end());
    return out;
}

std::pair<losses_at, losses_at> loss_passes::at_both_ends(const point& p, bool precisely) {
    point ends(2 * r_, n_);
    std::copy_n(p.data(), r_ * n_, ends.data());
    numbers totals(static_cast<std::size_t>(3 * r_));
    const auto step = [&](index first, matrix_view<double> f, double* sums) {
        losses_.derive(first, f.block(0, r_, f.rows, r_), sums + r_);
        losses_.derive(first, f.block(0, 0, f.rows, r_), sums);
        add_curvatures(first, f.rows, sums + 2 * r_);
    };
    const point slopes = pass(&ends, step, precisely, totals);
    const auto end = [&](index which) {
        losses_at out{{totals.begin() + which * r_, totals.begin() + (which + 1) * r_},
                      {totals.begin() + 2 * r_, totals.end()},
                      point(r_, n_)};
        std::copy_n(slopes.row(which * r_), r_ * n_, out.slope.data());
        return out;
    };
    return {end(0), end(1)};
}

point loss_passes::curved(const point& p, bool precisely, const thinned_rows& rows) const {
    if (rows.all())
        return pass(&p, [&](index first, matrix_view<double> f, double*) { losses_.curve(first, f); }, precisely, {});
    const auto step = [&](index row, matrix_view<double> f, double*) {
        losses_.curve(row, f);
        const double times = rows.times(row);
        for (index c = 0; c < f.cols; ++c) f(0, c) *= times;
    };
    return pass(&p, step, precisely, {}, [&](index row) { return rows.times(row) > 0; });
}

matrix<double> loss_passes::coefficients(point p) const {
    k_.basis->to_coefficients({p.data(), p.rows(), m_, n_});
    matrix<double> out(n_, p.rows());
    for (index j = 0; j < n_; ++j)
        for (index c = 0; c < p.rows(); ++c) out(j, c) = p(c, j);
    return out;
}

void loss_passes::add_curvatures(index first, index rows, double* sums) const {
    for (index c = 0; c < r_; ++c)
        for (index i = 0; i < rows; ++i) sums[c] += losses_.curvature(first + i, c);
}

point loss_passes::pass(const point* p, const row_step& step, bool precisely, std::span<double> totals,
                        const row_filter& only) const {
    const index columns = p ? p->rows() : r_;
    const process_group* group = k_.exact->processes();
    matrix<double> v, out(n_, columns);
    if (p) v = coefficients(*p);
    if (group && p) group->broadcast(v.data(), static_cast<std::size_t>(v.rows() * v.cols()) * sizeof(double));
    if (precisely)
        round_trip<double>(*k_.exact, v.view(), step, out.view(), totals, only);
    else
        round_trip<float>(*k_.rough, v.view(), step, out.view(), totals, only);
    point turned(columns, n_);
    for (index j = 0; j < n_; ++j)
        for (index c = 0; c < columns; ++c) turned(c, j) = out(j, c);
    k_.basis->to_gradient({turned.data(), columns, m_, n_});
    return turned;
}

newton_start start_on_some(const nystroem_operator& k, row_losses& some, const gram_batches<double>& others,
                           row_losses& judges, double rows, const nystroem_newton_options& whole) {
    constexpr double too_near = 1.5;
    const double times = rows / static_cast<double>(k.exact->rows());
    nystroem_operator seen = k;
    seen.exact = &others;
    loss_passes judged(seen, judges, whole.intercept);
    newton_start best;
    double lowest = std::numeric_limits<double>::infinity();
    nystroem_newton_options o;
    o.lambda = whole.lambda / times, o.intercept = whole.intercept, o.tol = 1e-2,
    o.max_passes = std::min<index>(whole.max_passes, 100);
    if (whole.progress)
        o.progress = [&](index, double) { return whole.progress(0, std::numeric_limits<double>::infinity()); };
    o.level_done = [&](double level, const point& at, double own) {
        double p = sum(judged.at(at, true).value) * rows / static_cast<double>(others.rows());
        for (index c = 0; c < at.rows(); ++c)
            p += 0.5 * whole.lambda * smo::best_vector_ops().dot(at.row(c), at.row(c), k.basis->size());
        if (!(p < lowest) || p > too_near * own * times) return false;
        lowest = p, best = {at, level * times};
        return true;
    };
    nystroem_newton(k, some, o);
    return best;
}

}  // namespace mercer
