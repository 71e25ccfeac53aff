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

// Returns the minimiser in (0, 1) of the cubic that is 0 at 0 and `rise` at 1 and has these slopes there, clamped to
// [¼, ½]. (Losses grow more slowly than the cubic predicts: with a lower limit of 0.1 some fits made very little
// progress.)
double minimise_cubic(double rise, double slope, double slope_there) {
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
          group_(k.in_double->processes()),
          use_float_(k.in_float != nullptr),
          m_(k.basis->size()),
          n_(m_ + (o.intercept ? 1 : 0)),
          r_(losses.functions()),
          problems_(losses.is_independent() ? r_ : 1),
          passes_(k, losses, o.intercept),
          preconditioner_(k, losses, o.intercept),
          level_(o.lambda),
          at_zero_(constant(0)) {}

    nystroem_newton_result run() {
        at_ = point(r_, n_);
        bool exact = !k_.in_float;
        const bool stopped = !completes_unless_cancelled([&] {
            if (o_.start.empty())
                start(exact);
            else
                restore(o_.start, exact);
            while (out_.passes < o_.max_passes && step(exact)) ++out_.rounds;
            if (out_.status == fit_status::step_limit && agree(group_, exact && last_level() && is_solved()))
                out_.status = fit_status::converged;
            if (o_.on_level) o_.on_level(level_, at_, out_.objective);
        });
        if (stopped) out_.status = fit_status::cancelled;
        finish();
        return std::move(out_);
    }

private:
    numbers constant(double value) const { return numbers(static_cast<std::size_t>(problems_), value); }

    // Starts at γ = 0 and sets the first level of the ridge; a quadratic loss starts near its minimum.
    void start(bool& exact) {
        if (losses_.is_quadratic()) sketch(exact);
        if (preconditioner_.start().rows() > 0) return start_on_line(preconditioner_.start(), exact);
        measure(exact);
        first_norm_ = norm_;
        if (losses_.is_quadratic()) return store_zero(objective_, gradient_);
        level_ =
            std::max(o_.lambda, 4e-3 * sum(found_.curvature) / static_cast<double>(r_) * k_.basis->mean_diagonal());
        update_objective();
        if (o_.suggested_start.at.rows() > 0) start_at(o_.suggested_start, exact);
    }
    // Starts at the given point if P is smaller there than at 0 and the gap is not larger.
    void start_at(const newton_start& near, bool exact) {
        const double level = level_, before = out_.objective, size = estimated_gap_of(gradient_, o_.lambda);
        at_ = near.at, level_ = std::clamp(near.lambda, o_.lambda, level);
        measure(exact);
        if (agree(group_, out_.objective < before && estimated_gap_of(gradient_, o_.lambda) <= size)) return;
        at_ = point(r_, n_), level_ = level;
        measure(exact);
    }
    // Starts at the minimum of P on the line from 0 to the minimiser of the loss of the sketched rows. One pass
    // evaluates both ends, which determine P on the whole line.
    void start_on_line(const point& far, bool& exact) {
        auto [there, here] = passes_.at_point_and_zero(far, exact);
        add_passes(1);
        first_norm_ = std::sqrt(dot(here.slope, here.slope));
        store_zero(here.value, here.slope);
        point change = there.slope;
        combine(change, constant(1), here.slope, constant(-1));
        const numbers falls = dots(here.slope, far, r_), bends = dots(change, far, r_);
        numbers t = constant(0);
        for (index c = 0; c < r_; ++c) {
            const auto q = static_cast<std::size_t>(c);
            const double ridge = o_.lambda * best_vector_ops().dot(far.row(c), far.row(c), m_);
            const double lowest = -falls[q] / (bends[q] + ridge);
            // If the minimum of the interpolation is close to t = 1, the step ends at t = 1, where the loss and the
            // derivative have been measured.
            t[q] = lowest > 0.9 ? 1 : lowest > 0 ? lowest : 0;
            here.value[q] = t[q] == 1 ? there.value[q] : here.value[q] + t[q] * falls[q] + t[q] * t[q] / 2 * bends[q];
            exact = exact && (t[q] == 0 || t[q] == 1);
        }
        combine(at_, constant(0), far, t);
        combine(here.slope, constant(1), change, t);
        found_ = std::move(here);
        update_objective();
    }
    // Stores P and ‖g‖² of each problem at γ = 0, for a quadratic loss.
    void store_zero(const numbers& value, const point& slope) {
        at_zero_ = value, slope_at_zero_ = dots(slope, slope, problems_);
    }
    bool last_level() const { return level_ == o_.lambda; }

    // Relative accuracy to which Newton's equations are solved: passes over few rows are cheap compared with the
    // gradient that follows.
    double inner_tolerance() const { return sample_.share() < 0.3 ? 0.1 : 0.3; }
    // Adds to the number of passes over K; a pass over a sample counts as its fraction.
    void add_passes(double passes) { out_.passes = static_cast<index>(std::ceil((spent_ += passes) - 1e-6)); }
    // The largest weight of a sampled row (curvature_sample), as a fraction of the ridge; 0: no sampling.
    static constexpr double min_sample_share = 0.05;
    double theta(double share) const {
        if (losses_.has_discontinuous_curvature())  // all rows with positive curvature, unweighted
            return share > 0 ? std::numeric_limits<double>::min() : 0.0;
        return losses_.is_quadratic() ? 0.0 : share * level_ / k_.basis->max_diagonal();
    }

    // Makes one Newton step from a point whose gradient is known. Returns false at the end.
    bool step(bool& exact) {
        if (!report_progress()) return false;
        if (agree(group_, exact && last_level() && is_solved())) {
            out_.status = fit_status::converged;
            return false;
        }
        if (preconditioner_.empty() || (!resumed_ && needs_new_sketch())) sketch(exact);
        if (resumed_) spent_ = 0, add_passes(resumed_->passes);
        if (out_.passes >= o_.max_passes) return false;
        sample_.draw(losses_, theta(sample_share_), k_.seed + 2 + static_cast<std::uint64_t>(out_.rounds),
                     k_.in_double->rows(), group_);
        // The accuracy is that of the stopping rule, or what the next step can correct. (0.3 and the cube root take an
        // eighth fewer passes than 0.1 and the square root on eight data sets with C = 1 and 100.)
        const double all = size(),
                     loose = losses_.is_quadratic() ? 0.0 : std::min(inner_tolerance(), std::cbrt(norm_ / first_norm_)),
                     share = std::max(loose, use_float_ ? 1e-4 : 1e-13);
        // A tenth of it if only the curvature of the offsets keeps the gap above it.
        const double wanted = 0.7 * o_.tol * all * (gap_ <= 0.7 * o_.tol * all ? 0.1 : 1),
                     rest = std::max(wanted, share * share * gap_);
        const double left = solve(rest, exact);
        if (!agree(group_, std::isfinite(dot(direction_, direction_)))) {
            // No sampled row gives the offset a curvature. Repeat with all rows; if that does not help, stay at this
            // point.
            sample_share_ = 0, direction_ = point(r_, n_);
            if (!sample_.has_all_rows()) return true;
        }
        // Float suffices far from the end.
        const bool near = agree(group_, losses_.is_quadratic() || (last_level() && left <= 1e3 * o_.tol * all));
        const numbers slope = dots(gradient_, direction_, problems_);
        const double last_gap = gap_;
        if (!advance(exact, !use_float_ || exact || near)) return false;
        // The sample was too small for a step of this length.
        if (!sample_.has_all_rows() && agree(group_, whole_step_ && gap_ > std::max(0.1 * last_gap, 4 * left)))
            sample_share_ /= 4;
        if (!last_level() && agree(group_, is_model_accurate(slope))) {
            if (o_.on_level && !o_.on_level(level_, at_, out_.objective)) return false;
            level_ = std::max(o_.lambda, (losses_.has_discontinuous_curvature() ? 0.3 : 0.1) * level_);
            update_objective();
        }
        return true;
    }

    // Returns true if the quadratic model predicted so small a decrease that the next level of the ridge is close. A
    // smaller threshold for discontinuous curvatures saves passes: with C = 10,000, two thirds of them on seven data
    // sets.
    bool is_model_accurate(const numbers& slope) const {
        const double share = losses_.has_discontinuous_curvature() ? 0.1 : 1.0;
        for (std::size_t q = 0; q < slope.size(); ++q)
            if (-0.5 * slope[q] > share * std::abs(objective_[q])) return false;
        return true;
    }

    // Returns true if a new sketch pays: the ridge has changed or, because curvatures have changed since the last
    // sketch, conjugate gradients take more additional steps than a new sketch costs.
    bool needs_new_sketch() const {
        if (losses_.is_quadratic()) return false;
        if (preconditioner_.lambda() > (last_level() && !losses_.is_independent() ? level_ : 10 * level_)) return true;
        if (fresh_steps_ < 0) return false;
        return static_cast<double>(last_steps_ - fresh_steps_) >
               std::clamp(preconditioner_.rebuild_cost(sample_.share()), 2.0, 30.0);
    }

    // While the ridge is large, one preconditioner serves all functions, unless each function has its own support
    // vectors.
    void sketch(bool exact) {
        sketched_at_ = at_, sketched_exactly_ = exact;
        fresh_steps_ = -1;
        sample_.draw(losses_, theta(min_sample_share), k_.seed + 1, k_.in_double->rows(), group_);
        const index passes =
            preconditioner_.make(level_, !last_level() && !losses_.is_independent(), sample_, theta(min_sample_share));
        add_passes(static_cast<double>(passes) * sample_.share());
    }

    // The gap of a gradient, and its estimate under constant curvatures, which determines the accuracy of steps.
    double gap_of(const point& g, double lambda) const { return gradient_gap(g, shape(lambda), losses_); }
    double estimated_gap_of(const point& g, double lambda) const { return estimated_gap(g, shape(lambda)); }
    // Returns the value to which gaps are relative, for a problem or for all.
    static double gap_scale(double objective, double at_zero) {
        return std::max(std::abs(objective), std::numeric_limits<double>::epsilon() * at_zero);
    }
    double gap_scale_of(index q) const {
        const auto at = static_cast<std::size_t>(q);
        return gap_scale(objective_[at], at_zero_[at]);
    }
    double size() const { return gap_scale(sum(objective_), sum(at_zero_)); }
    bool is_solved() const { return stopping_gap_ <= o_.tol * size(); }
    // Several targets have separate gaps, `gaps_`. Their common gap is the largest relative gap times the total size.
    bool by_target() const { return losses_.is_quadratic() && problems_ > 1; }
    double worst_gap(const numbers& gaps) const {
        double out = 0;
        for (index q = 0; q < problems_; ++q)
            if (const double gap = gaps[static_cast<std::size_t>(q)]; gap > 0)
                out = std::max(out, gap / gap_scale_of(q));
        return out * size();
    }
    // Returns the gap that remains in conjugate gradients; rz: products of the residual and its preconditioned vector.
    double remaining_gap(const point& residual, const numbers& rz) const {
        if (!by_target()) return std::min(estimated_gap_of(residual, level_), preconditioner_.gap_of(sum(rz)));
        numbers gaps = estimated_gaps(residual, shape(level_));
        for (std::size_t q = 0; q < gaps.size(); ++q) gaps[q] = std::min(gaps[q], preconditioner_.gap_of(rz[q]));
        return worst_gap(gaps);
    }
    gradient_gap_terms shape(double lambda) const {
        return {m_, problems_, lambda, k_.basis->max_diagonal(), found_.curvature};
    }

    // Solves (ΦᵀDΦ + λI)δ = -g by conjugate gradients, with separate step lengths for each problem, until the gap of
    // the residual is at most `enough`, and returns this gap. For continuous curvatures it also stops when a step
    // decreases ½δᵀ(ΦᵀDΦ + λI)δ + gᵀδ by less than 0.3 of the mean decrease (Nash, Sofer 1990), or by less than 0.1 of
    // it if passes are over few rows.
    double solve(double enough, bool exact) {
        point residual(r_, n_), z, p;
        numbers rz;
        double left = gap_, fallen = 0;
        if (resumed_) {
            direction_ = std::move(resumed_->direction), residual = std::move(resumed_->residual);
            p = std::move(resumed_->p), rz = std::move(resumed_->rz), fallen = resumed_->fallen;
            left = remaining_gap(residual, rz);
            resumed_.reset();
        } else {
            combine(residual, constant(0), gradient_, constant(-1));
            direction_ = point(r_, n_);
            z = residual;
            preconditioner_.solve(z);
            p = z;
            rz = dots(residual, z, problems_);
        }
        while (out_.passes < o_.max_passes && agree(group_, left > enough)) {
            ++steps_;
            if (!report_progress()) break;
            const point hp = multiply_curvature(p);
            const numbers php = dots(p, hp, problems_);
            numbers alpha = constant(0), back = constant(0), beta = constant(0);
            double falls = 0;
            for (std::size_t q = 0; q < alpha.size(); ++q) {
                if (php[q] > 0) alpha[q] = rz[q] / php[q];
                back[q] = -alpha[q], falls += 0.5 * alpha[q] * rz[q];
            }
            fallen += falls;
            if (!agree(group_, std::ranges::any_of(alpha, [](double a) { return a != 0; }))) break;
            combine(direction_, constant(1), p, alpha);
            combine(residual, constant(1), hp, back);
            out_.trace.push_back(first_norm_ > 0 ? std::sqrt(dot(residual, residual)) / first_norm_ : 0);
            z = residual;
            preconditioner_.solve(z);
            numbers next = dots(residual, z, problems_);
            left = remaining_gap(residual, next);
            for (std::size_t q = 0; q < beta.size(); ++q)
                if (rz[q] != 0) beta[q] = next[q] / rz[q];
            combine(p, beta, z, constant(1));
            rz = std::move(next);
            if (!losses_.is_quadratic() && !losses_.has_discontinuous_curvature() &&
                agree(group_, falls * static_cast<double>(steps_) < inner_tolerance() * fallen))
                break;
            if (o_.keep) o_.keep(state(exact, residual, p, rz, fallen));
        }
        last_steps_ = std::exchange(steps_, 0);
        if (fresh_steps_ < 0) fresh_steps_ = last_steps_;
        return left;
    }

    // The state within conjugate gradients; everything else is recomputed by a pass at γ.
    struct cg_state {
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
                                use_float_ ? 1.0 : 0.0,
                                preconditioner_.lambda(),
                                fallen,
                                sample_share_};
        out.insert(out.end(), rz.begin(), rz.end());
        for (const point* each : {&sketched_at_, &at_, &direction_, &residual, &p})
            out.insert(out.end(), each->data(), each->data() + r_ * n_);
        out.insert(out.end(), out_.trace.begin(), out_.trace.end());
        return out;
    }
    void restore(const std::vector<double>& from, bool& exact) {
        const auto size = static_cast<std::size_t>(r_ * n_), single = std::size_t{13},
                   problems = static_cast<std::size_t>(problems_);
        if (from.size() < single + problems + 5 * size)
            fail(errc::invalid_argument, "the checkpoint belongs to another problem");
        // Without K in float all passes are in double, whatever the state contains.
        const auto precisely = [&](double flag) { return flag != 0 || !k_.in_float; };
        const double* at = from.data() + single;
        resumed_.emplace(cg_state{point(r_, n_), point(r_, n_), point(r_, n_), numbers(at, at + problems), from[11],
                                  state_number(from[1], 0, 0x1p53)});
        at += problems;
        // The sketch is made again at the point where it was made before.
        if (losses_.is_quadratic()) {
            start(exact);
        } else {
            level_ = from[10];
            std::copy_n(at, size, at_.data());
            measure(precisely(from[5]));
            sketch(precisely(from[5]));
        }
        at += size;
        out_.rounds = state_count(from[2]), first_norm_ = from[3];
        level_ = from[4], use_float_ = from[9] != 0 && k_.in_float, sample_share_ = from[12];
        steps_ = state_integer(from[6], -1, index{1} << 53), last_steps_ = state_integer(from[7], -1, index{1} << 53);
        fresh_steps_ = state_integer(from[8], -1, index{1} << 53);
        for (point* each : {&at_, &resumed_->direction, &resumed_->residual, &resumed_->p})
            std::copy_n(at, size, each->data()), at += size;
        out_.trace.assign(at, from.data() + from.size());
        if (!losses_.is_quadratic() || out_.rounds > 0) measure(exact = precisely(from[0]));
    }

    // γ ← γ + tδ, for each problem with the first t whose P decreases enough, or 0. t starts at 1 and is halved if
    // curvatures are discontinuous, otherwise set by the cubic model. Returns false if the fit ends here.
    bool advance(bool& exact, bool precisely) {
        const numbers before = objective_, slope = dots(gradient_, direction_, problems_);
        // Values in float and in double differ by the rounding of the kernel values.
        const double last_gap = gap_, all = sum(before), slack = (exact == precisely ? 1e-12 : 1e-5) * std::abs(all);
        const point start = at_;
        const losses_at found_there = found_;
        numbers t = constant(1);
        const auto shortened = [&] {
            bool any = false;
            const numbers there = dots(gradient_, direction_, problems_);
            for (std::size_t q = 0; q < t.size(); ++q)
                if (!(objective_[q] <= before[q] + 1e-4 * t[q] * slope[q] + slack) && t[q] > 0) {
                    const double rise = objective_[q] - before[q],
                                 by = losses_.has_discontinuous_curvature()
                                          ? 0.5
                                          : minimise_cubic(rise, t[q] * slope[q], t[q] * there[q]);
                    t[q] = t[q] > 1e-9 ? by * t[q] : 0, any = true;
                }
            return any;
        };
        while (agree(group_, std::ranges::max(t) > 0)) {
            at_ = start;
            combine(at_, constant(1), direction_, t);
            const bool was = exact;
            measure(precisely);
            exact = precisely;
            whole_step_ = std::ranges::min(t) == 1;
            if (!agree(group_, shortened())) {
                const bool both = was && exact;
                // The rounding of float prevents progress: all further passes are in double.
                if (agree(group_, both && gap_ > 0.1 * last_gap) && std::exchange(use_float_, false)) return true;
                if (agree(group_, both && !(gap_ < last_gap) && !(sum(objective_) < all - slack))) break;
                return true;
            }
            if (out_.passes >= o_.max_passes) return false;
        }
        if (std::exchange(use_float_, false)) {
            // The coefficients are so large that P in float is meaningless.
            at_ = start;
            measure(exact = true);
            return true;
        }
        if (!(sum(objective_) <= all)) {
            at_ = start, found_ = found_there;
            update_objective();
        }
        if (!last_level()) {
            level_ = o_.lambda;  // no progress at this level
            update_objective();
            return true;
        }
        out_.status = is_solved() ? fit_status::converged : fit_status::stalled;
        return false;
    }

    bool report_progress() {
        if (all_ranks(group_, !o_.progress || o_.progress(out_.passes, out_.gap))) return true;
        out_.status = fit_status::cancelled;
        return false;
    }

    // Evaluates the losses at γ and everything that follows from them.
    void measure(bool precisely) {
        found_ = passes_.at(at_, precisely || !use_float_);
        add_passes(1);
        update_objective();
    }

    // Computes P, its gradient and the gap for the ridge of this level, and for that of the problem.
    void update_objective() {
        numbers square = constant(0);
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
            gaps_ = estimated_gaps(gradient_, shape(level_));
            const numbers by_sketch = preconditioner_.gaps_of(gradient_, problems_);
            for (std::size_t q = 0; q < gaps_.size(); ++q) gaps_[q] = std::min(gaps_[q], by_sketch[q]);
            gap_ = worst_gap(gaps_);
        } else {
            gap_ = std::min(estimated_gap_of(gradient_, level_), preconditioner_.gap_of(gradient_));
        }
        norm_ = std::sqrt(dot(gradient_, gradient_));
        const point own = last_level() ? gradient_ : gradient(o_.lambda);
        out_.objective = sum(found_.value) + 0.5 * o_.lambda * sum(square);
        out_.gap = by_target() ? sum(gaps_) : last_level() && !o_.intercept ? gap_ : gap_of(own, o_.lambda);
        stopping_gap_ = by_target() ? gap_ : out_.gap;
        out_.residual = first_norm_ > 0 ? std::sqrt(dot(own, own)) / first_norm_ : 1;
    }

    // Returns (ΦᵀDΦ + λI)p.
    point multiply_curvature(const point& p) {
        point out = passes_.multiply_curvature(p, !use_float_, sample_);
        add_passes(sample_.share());
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
            if (!(gaps_[at] <= o_.tol * gap_scale_of(q))) out_.unsolved.push_back(q);
        }
    }

    const nystroem_operator& k_;
    row_losses& losses_;
    const nystroem_newton_options& o_;
    const communicator* group_;
    bool use_float_;  // true while passes in float make progress
    curvature_sample sample_;
    double sample_share_ = min_sample_share;
    bool whole_step_ = false;  // true if the last step of all problems was a full step
    double spent_ = 0;         // number of passes, with fractions
    index m_, n_, r_, problems_;
    loss_passes passes_;
    sketched_preconditioner preconditioner_;
    point sketched_at_;
    bool sketched_exactly_ = false;
    // steps of conjugate gradients: current, last, first after a sketch
    index steps_ = 0, last_steps_ = 0, fresh_steps_ = -1;
    point at_, direction_;
    losses_at found_;
    // The following values are for the ridge of this level.
    double level_;
    numbers objective_;
    point gradient_;
    numbers gaps_;               // gap of each of several targets
    double gap_ = 0, norm_ = 0;  // without offsets the gap; with offsets its estimate under constant curvatures
    double stopping_gap_ = 0;    // the gap that the stopping rule uses
    numbers at_zero_, slope_at_zero_;
    double first_norm_ = 0;  // ‖g‖ at γ = 0
    std::optional<cg_state> resumed_;
    nystroem_newton_result out_;
};

}  // namespace

nystroem_newton_result nystroem_newton(const nystroem_operator& k, row_losses& losses,
                                       const nystroem_newton_options& options) {
    return newton(k, losses, options).run();
}

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Returns the larger of the two cases for each problem. fall(slope, bend) bounds the decrease of P by the offset alone.
template <class Fall>
newton_vectors::numbers worse_case_gaps(const newton_vectors::point& g, const gradient_gap_terms& s, const Fall& fall) {
    const index functions = g.rows() / s.problems;
    newton_vectors::numbers out;
    for (index q = 0; q < s.problems; ++q) {
        double square = 0, slopes = 0, falls = 0;
        for (index c = q * functions; c < (q + 1) * functions; ++c) {
            for (index j = 0; j < s.m; ++j) square += g(c, j) * g(c, j);
            const double slope = g.cols() > s.m ? std::abs(g(c, s.m)) : 0,
                         curvature = s.curvature[static_cast<std::size_t>(c)];
            if (slope == 0) continue;
            slopes += slope;
            falls += curvature > 0 ? fall(slope, curvature) : infinite;
        }
        const double all = std::sqrt(square) + (functions == 1 ? 2 : 4) * std::sqrt(s.largest) * slopes;
        out.push_back(std::max(square / (2 * s.lambda) + falls, all * all / (2 * s.lambda)));
    }
    return out;
}

}  // namespace

double gradient_gap(const newton_vectors::point& g, const gradient_gap_terms& shape, const row_losses& losses) {
    if (losses.is_quadratic() || losses.has_discontinuous_curvature()) return estimated_gap(g, shape);
    return newton_vectors::sum(worse_case_gaps(g, shape, [](double slope, double curvature) {
        const double t = 2 * slope / curvature;
        return t < 1 ? curvature * (t + (1 - t) * std::log1p(-t)) : infinite;
    }));
}

double estimated_gap(const newton_vectors::point& g, const gradient_gap_terms& shape) {
    return newton_vectors::sum(estimated_gaps(g, shape));
}

newton_vectors::numbers estimated_gaps(const newton_vectors::point& g, const gradient_gap_terms& shape) {
    return worse_case_gaps(g, shape, [](double slope, double curvature) { return 2 * slope * slope / curvature; });
}

loss_passes::loss_passes(const nystroem_operator& k, row_losses& losses, bool offset)
    : k_(k), losses_(losses), m_(k.basis->size()), n_(m_ + (offset ? 1 : 0)), r_(losses.functions()) {}

losses_at loss_passes::at(const point& p, bool precisely) {
    const index problems = losses_.is_independent() ? r_ : 1;
    numbers totals(static_cast<std::size_t>(problems + r_));
    const auto step = [&](index first, matrix_view<double> f, double* sums) {
        losses_.derive(first, f, sums);
        add_curvatures(first, f.rows, sums + problems);
    };
    losses_at out;
    out.slope = pass(dot(p, p) == 0 ? nullptr : &p, step, precisely, totals);
    out.value.assign(totals.begin(), totals.begin() + problems);
    out.curvature.assign(totals.begin() + problems, totals.end());
    return out;
}

std::pair<losses_at, losses_at> loss_passes::at_point_and_zero(const point& p, bool precisely) {
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

point loss_passes::multiply_curvature(const point& p, bool precisely, const curvature_sample& rows) const {
    if (rows.has_all_rows())
        return pass(&p, [&](index first, matrix_view<double> f, double*) { losses_.apply_curvature(first, f); },
                    precisely, {});
    const auto step = [&](index row, matrix_view<double> f, double*) {
        losses_.apply_curvature(row, f);
        const double times = rows.weight(row);
        for (index c = 0; c < f.cols; ++c) f(0, c) *= times;
    };
    return pass(&p, step, precisely, {}, [&](index row) { return rows.weight(row) > 0; });
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

point loss_passes::pass(const point* p, const row_function& step, bool precisely, std::span<double> totals,
                        const row_filter& only) const {
    const index columns = p ? p->rows() : r_;
    const communicator* group = k_.in_double->processes();
    matrix<double> v, out(n_, columns);
    if (p) v = coefficients(*p);
    if (group && p) group->broadcast(v.data(), static_cast<std::size_t>(v.rows() * v.cols()) * sizeof(double));
    if (precisely)
        gram_pass<double>(*k_.in_double, v.view(), step, out.view(), totals, only);
    else
        gram_pass<float>(*k_.in_float, v.view(), step, out.view(), totals, only);
    point turned(columns, n_);
    for (index j = 0; j < n_; ++j)
        for (index c = 0; c < columns; ++c) turned(c, j) = out(j, c);
    k_.basis->to_gradient({turned.data(), columns, m_, n_});
    return turned;
}

newton_start start_on_sample(const nystroem_operator& k, row_losses& some, const gram_batches<double>& others,
                             row_losses& judges, double rows, const nystroem_newton_options& whole) {
    constexpr double too_near = 1.5;
    const double times = rows / static_cast<double>(k.in_double->rows());
    nystroem_operator seen = k;
    seen.in_double = &others;
    loss_passes judged(seen, judges, whole.intercept);
    newton_start best;
    double lowest = std::numeric_limits<double>::infinity();
    nystroem_newton_options o;
    o.lambda = whole.lambda / times, o.intercept = whole.intercept, o.tol = 1e-2,
    o.max_passes = std::min<index>(whole.max_passes, 100);
    if (whole.progress)
        o.progress = [&](index, double) { return whole.progress(0, std::numeric_limits<double>::infinity()); };
    o.on_level = [&](double level, const point& at, double own) {
        double p = sum(judged.at(at, true).value) * rows / static_cast<double>(others.rows());
        for (index c = 0; c < at.rows(); ++c)
            p += 0.5 * whole.lambda * best_vector_ops().dot(at.row(c), at.row(c), k.basis->size());
        if (!(p < lowest) || p > too_near * own * times) return false;
        lowest = p, best = {at, level * times};
        return true;
    };
    nystroem_newton(k, some, o);
    return best;
}

}  // namespace mercer
