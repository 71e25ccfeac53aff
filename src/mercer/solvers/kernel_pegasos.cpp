#include "mercer/solvers/kernel_pegasos.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"

namespace mercer {
namespace {

template <class T>
class kernel_pegasos {
public:
    kernel_pegasos(const gram<T>& K, std::span<const double> y, std::span<const double> C, const pegasos_options& options)
        : K_(K),
          y_(y),
          C_(C),
          o_(options),
          n_(K.rows()),
          batch_(std::min(options.batch, n_)),
          f_(n_, options.average),
          alpha_(n_, options.average),
          order_(static_cast<std::size_t>(n_)),
          random_(options.seed) {
        std::iota(order_.begin(), order_.end(), index{0});
        if (o_.offset == offset_rule::exact) b_ = best_offset(f_.value(), y_, C_).b;
        best_.coef = best_.descent.alpha = alpha_.value();
        best_.descent.b = b_, best_.descent.primal = hinge_loss(f_.value(), b_, y_, C_);
    }

    kernel_pegasos_result run() {
        run_epochs(
            o_, best_.descent, steps_, [this] { epoch(); }, [this] { look(); });
        return std::move(best_);
    }

private:
    void epoch() {
        shuffle(order_, random_);
        std::vector<index> violated;
        for (index first = 0; first < n_ && steps_ < o_.most_steps; first += batch_) {
            const index count = std::min(batch_, n_ - first);
            violated.clear();
            for (index k = first; k < first + count; ++k) {
                const index i = order_[static_cast<std::size_t>(k)];
                if (y_[i] * (f_.scale() * f_.unscaled()[i] + b_) < 1) violated.push_back(i);
            }
            const auto t = static_cast<double>(++steps_);
            const double each = static_cast<double>(n_) / static_cast<double>(count) / t;
            f_.shrink(1 - 1 / t);
            alpha_.shrink(1 - 1 / t);
            if (!violated.empty()) {
                const auto rows = static_cast<index>(violated.size());
                const matrix_view<T> block(rows_.at_least(rows * n_), rows, n_);
                K_.block(std::span<const index>(violated), selection(0, n_), block);
                for (index r = 0; r < rows; ++r) {
                    const index i = violated[static_cast<std::size_t>(r)];
                    const T* row = block.row(r);
                    f_.add(each * C_[i] * y_[i], [&](double a, double* to) {
                        for (index j = 0; j < n_; ++j) to[j] += a * static_cast<double>(row[j]);
                    });
                    alpha_.add(each * C_[i], [&](double a, double* to) { to[i] += a; });
                }
            }
            f_.count(t);
            alpha_.count(t);
        }
        if (o_.offset == offset_rule::exact) b_ = best_offset(f_.value(), y_, C_).b;
    }

    void look() {
        descent_result& best = best_.descent;
        const std::vector<double> f = f_.mean();
        std::vector<double> alpha = alpha_.mean();
        double square = 0;
        for (std::size_t i = 0; i < f.size(); ++i) square += alpha[i] * y_[i] * f[i];
        const double b = o_.offset == offset_rule::exact ? best_offset(f, y_, C_).b : 0;
        const double primal = square / 2 + hinge_loss(f, b, y_, C_);
        if (primal < best.primal || !o_.average) {
            best.primal = primal, best.b = b;
            best_.coef = alpha;
            for (std::size_t i = 0; i < alpha.size(); ++i) best_.coef[i] *= y_[i];
        }
        const double dual = bound(alpha, square);
        if (dual > best.dual || !o_.average) best.dual = dual, best.alpha = std::move(alpha);
        best.gap = best.primal > 0 ? (best.primal - best.dual) / best.primal : 0;
    }

    // D at α brought into its box; `square` is αᵀYKYα as long as α stays what it is.
    double bound(std::vector<double>& alpha, double square) {
        double sums[2] = {0, 0}, moved = 0;
        for (std::size_t i = 0; i < alpha.size(); ++i) {
            const double inside = std::clamp(alpha[i], 0.0, C_[i]);
            moved = std::max(moved, std::abs(inside - alpha[i]) / C_[i]);
            alpha[i] = inside;
            sums[y_[i] > 0] += inside;
        }
        if (o_.offset != offset_rule::none)
            for (std::size_t i = 0; i < alpha.size(); ++i)
                if (const double mine = sums[y_[i] > 0], least = std::min(sums[0], sums[1]); mine > least) alpha[i] *= least / mine, moved = 1;
        if (moved > 1e-12) {
            matrix<double> v(n_, 1), Kv(n_, 1);
            for (index i = 0; i < n_; ++i) v(i, 0) = alpha[static_cast<std::size_t>(i)] * y_[i];
            K_.multiply(v.view(), Kv.view());
            square = std::inner_product(v.data(), v.data() + n_, Kv.data(), 0.0);
        }
        return std::accumulate(alpha.begin(), alpha.end(), 0.0) - square / 2;
    }

    const gram<T>& K_;
    std::span<const double> y_, C_;
    const pegasos_options& o_;
    index n_, batch_;
    scaled_vector f_, alpha_;
    std::vector<index> order_;
    plain_random random_;
    buffer<T> rows_;
    double b_ = 0;
    std::int64_t steps_ = 0;
    kernel_pegasos_result best_;
};

// Only its size matters: what check() asks of a problem.
class no_rows final : public linear_operand {
public:
    explicit no_rows(index n) : n_(n) {}
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
kernel_pegasos_result solve_kernel_pegasos(const gram<T>& K, std::span<const double> y, std::span<const double> C, const pegasos_options& options) {
    require_square(K, "kernel pegasos");
    check(hinge_problem{no_rows(K.rows()), y, C}, "kernel pegasos");
    check(options);
    if (options.project) fail(errc::unsupported, "kernel pegasos: the projection is offered for explicit w only");
    return kernel_pegasos<T>(K, y, C, options).run();
}

template kernel_pegasos_result solve_kernel_pegasos(const gram<float>&, std::span<const double>, std::span<const double>, const pegasos_options&);
template kernel_pegasos_result solve_kernel_pegasos(const gram<double>&, std::span<const double>, std::span<const double>, const pegasos_options&);

}  // namespace mercer
