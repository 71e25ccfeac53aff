#include "mercer/solvers/nystroem/nystroem_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/processes/process_group.h"
#include "mercer/base/stop.h"
#include "mercer/solvers/nystroem/row_sketch.h"
#include "mercer/solvers/smo/vector_ops.h"

namespace mercer {
namespace {

// Vectors of the space of (γ, b): a row for each function, M numbers and, with an offset, one more.
using point = matrix<double>;

double dot(const point& a, const point& b) {
    return smo::best_vector_ops().dot(a.data(), b.data(), a.rows() * a.cols());
}
// a ← a·by + more·times
void combine(point& a, double by, const point& more, double times) {
    for (index i = 0; i < a.rows() * a.cols(); ++i) a.data()[i] = by * a.data()[i] + times * more.data()[i];
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
          largest_weight_(largest_of(group_, losses.largest_curvature())) {}

    nystroem_newton_result run() {
        at_ = point(r_, n_);
        bool exact = !k_.rough;
        const bool stopped = !unless_stopped([&] {
            if (!o_.start.empty()) exact = take(o_.start);
            measure(exact);
            if (o_.start.empty()) first_norm_ = norm_;
            while (out_.passes < o_.max_passes && step(exact)) ++out_.rounds;
        });
        if (stopped) out_.status = fit_status::cancelled;
        finish();
        return std::move(out_);
    }

private:
    // One Newton step from the point whose gradient is known; false at the end.
    bool step(bool& exact) {
        if (!go_on()) return false;
        if (agreed(group_, exact && out_.gap <= o_.tol * std::abs(out_.objective))) {
            out_.status = fit_status::converged;
            return false;
        }
        if (shapes_.empty() || stale()) sketch(exact);
        if (resumed_) out_.passes = resumed_->passes;
        if (out_.passes >= o_.max_passes) return false;
        // As exact as the stopping rule asks for, or the next step makes good. (0.3 and the cube root: an eighth fewer
        // passes than 0.1 and the square root on eight sets with C = 1 and 100.)
        const double loose = losses_.quadratic() ? 0.0 : std::min(0.3, std::cbrt(norm_ / first_norm_)),
                     share = std::max(loose, rough_ ? 1e-4 : 1e-13);
        const double predicted =
            solve(std::max(0.25 * o_.tol * std::abs(out_.objective), share * share * out_.gap), exact);
        // Float will do while far from the end.
        const bool near = agreed(group_, losses_.quadratic() || predicted <= 1e3 * o_.tol * std::abs(out_.objective));
        return advance(exact, !rough_ || exact || near);
    }

    // Curvatures have changed since the rows were sketched, and conjugate gradients take longer than right after it: by
    // how much, in passes, is what another sketch costs. (From the operations of both, at the rates of products of
    // matrices and of passes, which only have to be about right.)
    bool stale() const {
        if (losses_.quadratic() || fresh_steps_ < 0) return false;
        const double n = static_cast<double>(k_.exact->rows()), m = static_cast<double>(m_),
                     r = static_cast<double>(r_), s = static_cast<double>(std::min(k_.buckets, k_.exact->rows())),
                     shapes = static_cast<double>(shapes_.size());
        const double price = shapes * (2 * s * m * m + 32 * n * m) / (8 * n * m * (4 * r + 10));
        return static_cast<double>(last_steps_ - fresh_steps_) > std::clamp(price, 2.0, 30.0);
    }

    // What preconditions: one matrix for every function, or for all of them where their curvatures are the same, or so
    // many do not fit.
    void sketch(bool exact) {
        shapes_.clear();
        sketched_at_ = at_, sketched_exactly_ = exact;
        fresh_steps_ = -1;
        const double one = 8.0 * static_cast<double>(n_) * static_cast<double>(n_),
                     sketch =
                         8.0 * static_cast<double>(n_) * static_cast<double>(std::min(k_.buckets, k_.exact->rows())),
                     room = static_cast<double>(k_.memory_bytes) / 3;
        const bool alike = losses_.quadratic() || r_ == 1 || one * static_cast<double>(r_) > room;
        const index shapes = alike ? 1 : r_,
                    at_once = std::clamp<index>(static_cast<index>(room / std::max(sketch, 1.0)), 1, shapes);
        for (index first = 0; first < shapes; first += at_once) {
            const index count = std::min(at_once, shapes - first);
            const row_weights weight = [&](index row, index c) {
                return alike ? losses_.mean_curvature(row) : losses_.curvature(row, first + c);
            };
            const sketch_options how{k_.buckets,          count,        weight, largest_weight_,
                                     k_.basis->largest(), o_.intercept, k_.seed};
            const auto made = [&](const auto& k) { return row_sketch(k, how); };
            for (matrix<double>& each : k_.rough ? made(*k_.rough) : made(*k_.exact))
                shapes_.emplace_back(*k_.basis, std::exchange(each, {}), o_.lambda, k_.together);
            ++out_.passes;
        }
    }

    void precondition(point& z) const {
        if (shapes_.size() == 1) return shapes_.front().solve(z.view());
        for (index c = 0; c < r_; ++c) shapes_[static_cast<std::size_t>(c)].solve({z.row(c), 1, n_, n_});
        if (!losses_.relative()) return;
        // Gradients add up to 0 over the functions, and so does the solution; what does not would meet no curvature
        // but λ, where these matrices expect more.
        for (index j = 0; j < n_; ++j) {
            double mean = 0;
            for (index c = 0; c < r_; ++c) mean += z(c, j) / static_cast<double>(r_);
            for (index c = 0; c < r_; ++c) z(c, j) -= mean;
        }
    }

    // The gap of a gradient: of the offsets by their own curvature.
    double gap_of(const point& g) const {
        double out = 0;
        for (index c = 0; c < r_; ++c) {
            double square = 0;
            for (index j = 0; j < m_; ++j) square += g(c, j) * g(c, j);
            out += square / (2 * o_.lambda);
            if (!o_.intercept || g(c, m_) == 0) continue;
            const double bend = bend_[static_cast<std::size_t>(c)];
            out += bend > 0 ? g(c, m_) * g(c, m_) / (2 * bend) : std::numeric_limits<double>::infinity();
        }
        return out;
    }

    // Conjugate gradients on (ΦᵀDΦ + λI)δ = -g, until the gap of the residual is no more than `enough`; that gap.
    double solve(double enough, bool exact) {
        point residual(r_, n_), z, p;
        double rz = 0, left = out_.gap;
        if (resumed_) {
            direction_ = std::move(resumed_->direction), residual = std::move(resumed_->residual);
            p = std::move(resumed_->p), rz = resumed_->rz, left = gap_of(residual);
            resumed_.reset();
        } else {
            combine(residual, 0, gradient_, -1);
            direction_ = point(r_, n_);
            z = residual;
            precondition(z);
            p = z;
            rz = dot(residual, z);
        }
        while (out_.passes < o_.max_passes && agreed(group_, left > enough)) {
            ++steps_;
            if (!go_on()) break;
            const point hp = curved(p);
            const double php = dot(p, hp);
            if (!agreed(group_, php > 0)) break;
            const double alpha = rz / php;
            combine(direction_, 1, p, alpha);
            combine(residual, 1, hp, -alpha);
            left = gap_of(residual);
            out_.trace.push_back(first_norm_ > 0 ? std::sqrt(dot(residual, residual)) / first_norm_ : 0);
            z = residual;
            precondition(z);
            const double next = dot(residual, z);
            combine(p, next / rz, z, 1);
            rz = next;
            if (o_.keep) o_.keep(state(exact, residual, p, rz));
        }
        last_steps_ = std::exchange(steps_, 0);
        if (fresh_steps_ < 0) fresh_steps_ = last_steps_;
        return left;
    }

    // In the middle of conjugate gradients: all else is found again by a pass at γ.
    struct inner_state {
        point direction, residual, p;
        double rz = 0;
        index passes = 0;
    };
    std::vector<double> state(bool exact, const point& residual, const point& p, double rz) const {
        std::vector<double> out{exact ? 1.0 : 0.0,
                                static_cast<double>(out_.passes),
                                static_cast<double>(out_.rounds),
                                first_norm_,
                                rz,
                                sketched_exactly_ ? 1.0 : 0.0,
                                static_cast<double>(steps_),
                                static_cast<double>(last_steps_),
                                static_cast<double>(fresh_steps_),
                                rough_ ? 1.0 : 0.0};
        for (const point* each : {&sketched_at_, &at_, &direction_, &residual, &p})
            out.insert(out.end(), each->data(), each->data() + r_ * n_);
        out.insert(out.end(), out_.trace.begin(), out_.trace.end());
        return out;
    }
    // Whether the gradient was exact.
    bool take(const std::vector<double>& from) {
        const auto numbers = static_cast<std::size_t>(r_ * n_);
        if (from.size() < 10 + 5 * numbers) fail(errc::invalid_argument, "a state of another problem");
        resumed_.emplace(
            inner_state{point(r_, n_), point(r_, n_), point(r_, n_), from[4], static_cast<index>(from[1])});
        out_.rounds = static_cast<index>(from[2]), first_norm_ = from[3];
        const double* at = from.data() + 10;
        // The rows are sketched again where they were.
        std::copy_n(at, numbers, at_.data()), at += numbers;
        measure(from[5] != 0);
        sketch(from[5] != 0);
        steps_ = static_cast<index>(from[6]), last_steps_ = static_cast<index>(from[7]);
        fresh_steps_ = static_cast<index>(from[8]), rough_ = from[9] != 0;
        for (point* each : {&at_, &resumed_->direction, &resumed_->residual, &resumed_->p})
            std::copy_n(at, numbers, each->data()), at += numbers;
        out_.trace.assign(at, from.data() + from.size());
        return from[0] != 0;
    }

    // γ ← γ + tδ with the first t of 1, ½, ¼, … for which P falls enough; false where none does.
    bool advance(bool& exact, bool precisely) {
        const double before = out_.objective, slope = dot(gradient_, direction_), last_gap = out_.gap;
        // Values from float and from double differ by the rounding of the kernel values.
        const double slack = (exact == precisely ? 1e-12 : 1e-5) * std::abs(before);
        const point start = at_;
        const point start_gradient = gradient_;
        const double start_norm = norm_;
        for (double t = 1; t > 1e-9; t /= 2) {
            at_ = start;
            combine(at_, 1, direction_, t);
            const bool was = exact;
            measure(precisely);
            exact = precisely;
            if (agreed(group_, out_.objective <= before + 1e-4 * t * slope + slack)) {
                const bool both = was && exact;
                // What float rounds away keeps the gap up: from here on all in double.
                if (agreed(group_, both && out_.gap > 0.1 * last_gap) && std::exchange(rough_, false)) return true;
                if (agreed(group_, both && !(out_.gap < last_gap) && !(out_.objective < before - slack))) break;
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
        if (out_.objective > before) {
            at_ = start, gradient_ = start_gradient, norm_ = start_norm, out_.gap = last_gap, out_.objective = before;
        }
        out_.status = out_.gap <= o_.tol * std::abs(out_.objective) ? fit_status::converged : fit_status::stalled;
        return false;
    }

    bool go_on() {
        if (everywhere(group_, !o_.progress || o_.progress(out_.passes, out_.gap))) return true;
        out_.status = fit_status::cancelled;
        return false;
    }

    // P, its gradient and the gap where γ stands.
    void measure(bool precisely) {
        const bool zero = dot(at_, at_) == 0;
        // The loss, and with an offset ΣD of each function.
        std::vector<double> totals(static_cast<std::size_t>(o_.intercept ? 1 + r_ : 1));
        const auto step = [&](index first, matrix_view<double> f, double* sums) {
            sums[0] += losses_.derive(first, f);
            for (index c = 0; c < r_ && o_.intercept; ++c)
                for (index i = 0; i < f.rows; ++i) sums[1 + c] += losses_.curvature(first + i, c);
        };
        gradient_ = pass(zero ? nullptr : &at_, step, precisely, totals);
        const double loss = totals[0];
        double square = 0;
        for (index c = 0; c < r_; ++c)
            for (index j = 0; j < m_; ++j) {
                gradient_(c, j) += o_.lambda * at_(c, j);
                square += at_(c, j) * at_(c, j);
            }
        bend_.assign(totals.begin() + 1, totals.end());
        out_.objective = loss + 0.5 * o_.lambda * square;
        out_.gap = gap_of(gradient_);
        norm_ = std::sqrt(dot(gradient_, gradient_));
        out_.residual = first_norm_ > 0 ? norm_ / first_norm_ : 1;
    }

    // (ΦᵀDΦ + λI)p
    point curved(const point& p) {
        point out = pass(
            &p, [&](index first, matrix_view<double> f, double*) { losses_.curve(first, f); }, !rough_);
        for (index c = 0; c < r_; ++c)
            for (index j = 0; j < m_; ++j) out(c, j) += o_.lambda * p(c, j);
        return out;
    }

    // Φᵀ step(Φ p); p = 0 where there is none.
    point pass(const point* p, const row_step& step, bool precisely, std::span<double> totals = {}) {
        matrix<double> v, out(n_, r_);
        if (p) v = coefficients(*p);
        if (group_ && p) group_->broadcast(v.data(), static_cast<std::size_t>(v.rows() * v.cols()) * sizeof(double));
        if (precisely || !rough_)
            round_trip<double>(*k_.exact, v.view(), step, out.view(), totals);
        else
            round_trip<float>(*k_.rough, v.view(), step, out.view(), totals);
        ++out_.passes;
        point turned(r_, n_);
        for (index j = 0; j < n_; ++j)
            for (index c = 0; c < r_; ++c) turned(c, j) = out(j, c);
        k_.basis->to_gradient({turned.data(), r_, m_, n_});
        return turned;
    }

    // β with b behind it, a column a function.
    matrix<double> coefficients(point p) const {
        k_.basis->to_coefficients({p.data(), r_, m_, n_});
        matrix<double> out(n_, r_);
        for (index j = 0; j < n_; ++j)
            for (index c = 0; c < r_; ++c) out(j, c) = p(c, j);
        return out;
    }

    void finish() {
        const matrix<double> all = coefficients(at_);
        out_.coef = matrix<double>(m_, r_);
        std::copy_n(all.data(), m_ * r_, out_.coef.data());
        out_.offset.assign(static_cast<std::size_t>(r_), 0.0);
        if (o_.intercept) std::copy_n(all.row(m_), r_, out_.offset.data());
    }

    const nystroem_operator& k_;
    row_losses& losses_;
    const nystroem_newton_options& o_;
    const process_group* group_;
    bool rough_;  // passes in float still help
    index m_, n_, r_;
    double largest_weight_;
    point at_, gradient_, direction_;
    double norm_ = 0, first_norm_ = 0;
    std::vector<double> bend_;  // ΣD of each function
    std::vector<sketched_hessian> shapes_;
    point sketched_at_;
    bool sketched_exactly_ = false;
    index steps_ = 0, last_steps_ = 0, fresh_steps_ = -1;  // of conjugate gradients: now, last, right after a sketch
    std::optional<inner_state> resumed_;
    nystroem_newton_result out_;
};

}  // namespace

nystroem_newton_result nystroem_newton(const nystroem_operator& k, row_losses& losses,
                                       const nystroem_newton_options& options) {
    return newton(k, losses, options).run();
}

}  // namespace mercer
