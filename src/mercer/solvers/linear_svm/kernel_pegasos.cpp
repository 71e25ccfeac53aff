#include "mercer/solvers/linear_svm/kernel_pegasos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/solvers/linear_svm/pegasos.h"

namespace mercer {
namespace {

template <class T>
class kernel_pegasos {
public:
    kernel_pegasos(const gram<T>& K, std::span<const double> y, std::span<const double> C,
                   const pegasos_options& options)
        : K_(K),
          y_(y),
          C_(C),
          o_(options),
          n_(K.rows()),
          batch_(std::min(options.batch, n_)),
          f_{{n_, options.average}, {n_, options.average}},
          alpha_(n_, options.average),
          order_(static_cast<std::size_t>(n_)),
          random_(options.seed) {
        std::iota(order_.begin(), order_.end(), index{0});
        if (o_.offset == offset_rule::exact) {
            std::vector<T> self(static_cast<std::size_t>(n_));
            K.diagonal(self);
            const double square = std::accumulate(self.begin(), self.end(), 0.0) / static_cast<double>(n_);
            b_.emplace(best_offset(values(), y_, C_).b, square);
        }
        best_.coef = best_.descent.alpha = alpha_.value();
        best_.descent.b = offset(), best_.descent.primal = hinge_loss(values(), offset(), y_, C_);
    }

    kernel_pegasos_result run() {
        run_epochs(
            o_, best_.descent, steps_, [this](const descent_clock& clock) { epoch(clock); },
            [this](bool skip_expensive) { evaluate(skip_expensive); });
        return std::move(best_);
    }

private:
    double value(index i) const { return f_[0].scale() * f_[0].unscaled()[i] + f_[1].scale() * f_[1].unscaled()[i]; }
    std::vector<double> values() const { return sum(f_[0].value(), f_[1].value()); }
    static std::vector<double> sum(std::vector<double> a, const std::vector<double>& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
        return a;
    }

    double offset() const { return b_ ? b_->value() : 0; }

    void epoch(const descent_clock& clock) {
        shuffle(order_, random_);
        std::vector<index> violated;
        for (index first = 0; first < n_ && steps_ < o_.max_steps && !clock.is_late(); first += batch_) {
            throw_if_cancelled();
            const index count = std::min(batch_, n_ - first);
            violated.clear();
            const double b = offset();
            for (index k = first; k < first + count; ++k)
                if (const index i = order_[static_cast<std::size_t>(k)]; y_[i] * (value(i) + b) < 1)
                    violated.push_back(i);
            const auto rows = static_cast<index>(violated.size());
            const matrix_view<T> block(rows_.at_least(rows * n_), rows, n_);
            if (rows > 0) K_.block(std::span<const index>(violated), row_set(0, n_), block);
            const auto t = static_cast<double>(++steps_);
            const double each = static_cast<double>(n_) / static_cast<double>(count) / t;
            for (scaled_vector* v : {&f_[0], &f_[1], &alpha_}) v->scale_by(1 - 1 / t);
            double pull = 0;
            for (index r = 0; r < rows; ++r) {
                const index i = violated[static_cast<std::size_t>(r)];
                const T* row = block.row(r);
                pull += static_cast<double>(n_) / static_cast<double>(count) * C_[i] * y_[i];
                f_[y_[i] > 0].add(each * C_[i] * y_[i], [&](double a, double* to) {
                    for (index j = 0; j < n_; ++j) to[j] += a * static_cast<double>(row[j]);
                });
                alpha_.add(each * C_[i], [&](double a, double* to) { to[i] += a; });
            }
            for (scaled_vector* v : {&f_[0], &f_[1], &alpha_}) v->accumulate(t);
            if (b_) b_->step(t, pull);
        }
        if (b_) b_->end_epoch(++epochs_);
    }

    void evaluate(bool skip_expensive) {
        descent_result& best = best_.descent;
        const std::vector<double> part[2] = {f_[0].mean(), f_[1].mean()}, f = sum(part[0], part[1]);
        std::vector<double> alpha = alpha_.mean();
        // ⟨w_a, w_b⟩ of the classes' parts of w
        double square[2][2] = {{0, 0}, {0, 0}};
        for (std::size_t i = 0; i < f.size(); ++i)
            for (const int c : {0, 1}) square[y_[i] > 0][c] += alpha[i] * y_[i] * part[c][i];
        const double b = o_.offset == offset_rule::exact ? best_offset(f, y_, C_).b : 0;
        const double primal =
            (square[0][0] + square[0][1] + square[1][0] + square[1][1]) / 2 + hinge_loss(f, b, y_, C_);
        if (primal < best.primal || !o_.average) {
            best.primal = primal, best.b = b;
            best_.coef = alpha;
            for (std::size_t i = 0; i < alpha.size(); ++i) best_.coef[i] *= y_[i];
        }
        const double dual = dual_bound(alpha, square, skip_expensive);
        if (dual > best.dual || (!o_.average && std::isfinite(dual))) best.dual = dual, best.alpha = std::move(alpha);
        best.gap = best.primal > 0 ? (best.primal - best.dual) / best.primal : 0;
    }

    // Clips α to its bounds, scales it to Σαy = 0 if there is an offset, and returns D. `square` are the inner products
    // of the parts of w from the two classes. They suffice when only classes are scaled. Clipping, which is not needed
    // at the end of an epoch, takes a product with K; with skip_expensive the function then returns -∞.
    double dual_bound(std::vector<double>& alpha, const double (&square)[2][2], bool skip_expensive) {
        double sums[2] = {0, 0}, moved = 0;
        for (std::size_t i = 0; i < alpha.size(); ++i) {
            const double inside = std::clamp(alpha[i], 0.0, C_[i]);
            moved = std::max(moved, std::abs(inside - alpha[i]) / C_[i]);
            alpha[i] = inside;
            sums[y_[i] > 0] += inside;
        }
        const bool clipped = moved > 1e-12;
        if (clipped && skip_expensive) return -std::numeric_limits<double>::infinity();
        double by[2] = {1, 1};
        if (o_.offset != offset_rule::none)
            for (const int c : {0, 1})
                if (sums[c] > sums[1 - c]) by[c] = sums[1 - c] / sums[c];
        for (std::size_t i = 0; i < alpha.size(); ++i) alpha[i] *= by[y_[i] > 0];
        double norm = 0;
        if (clipped) {
            matrix<double> v(n_, 1), Kv(n_, 1);
            for (index i = 0; i < n_; ++i) v(i, 0) = alpha[static_cast<std::size_t>(i)] * y_[i];
            K_.multiply(v.view(), Kv.view());
            norm = std::inner_product(v.data(), v.data() + n_, Kv.data(), 0.0);
        } else {
            for (const int a : {0, 1})
                for (const int c : {0, 1}) norm += by[a] * by[c] * square[a][c];
        }
        return std::accumulate(alpha.begin(), alpha.end(), 0.0) - norm / 2;
    }

    const gram<T>& K_;
    std::span<const double> y_, C_;
    const pegasos_options& o_;
    index n_, batch_;
    scaled_vector f_[2];  // f_[c] = K(α·y) over the examples of class c, for all examples
    scaled_vector alpha_;
    std::vector<index> order_;
    splitmix64 random_;
    buffer<T> rows_;
    std::optional<proximal_offset> b_;  // empty: no offset
    std::int64_t steps_ = 0, epochs_ = 0;
    kernel_pegasos_result best_;
};

// An operand without columns, for check(), which needs only the number of rows.
class empty_operand final : public linear_operand {
public:
    explicit empty_operand(index n) : n_(n) {}
    index rows() const override { return n_; }
    index dims() const override { return 0; }
    double dot(index, const double*) const override { return 0; }
    void add(index, double, double*) const override {}
    double squared_norm(index) const override { return 0; }

private:
    index n_;
};

}  // namespace

template <class T>
kernel_pegasos_result solve_kernel_pegasos(const gram<T>& K, std::span<const double> y, std::span<const double> C,
                                           const pegasos_options& options) {
    require_square(K, "kernel pegasos");
    check(hinge_problem{empty_operand(K.rows()), y, C}, "kernel pegasos");
    check(options);
    if (options.project) fail(errc::unsupported, "kernel pegasos: the projection needs explicit weights w");
    return kernel_pegasos<T>(K, y, C, options).run();
}

template kernel_pegasos_result solve_kernel_pegasos(const gram<float>&, std::span<const double>,
                                                    std::span<const double>, const pegasos_options&);
template kernel_pegasos_result solve_kernel_pegasos(const gram<double>&, std::span<const double>,
                                                    std::span<const double>, const pegasos_options&);

}  // namespace mercer
