#include "mercer/solvers/newton/conjugate_gradients.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/context.h"
#include "mercer/dense/dense_algebra.h"
#include "mercer/gram/rp_cholesky.h"
#include "mercer/solvers/newton/columns.h"

namespace mercer {
namespace {

using rows = matrix<double>;

using columns::add;
using columns::dot;

// a ∘ b
rows times(const rows& a, const rows& b) {
    rows out = a;
    for (index k = 0; k < a.rows() * a.cols(); ++k) out.data()[k] *= b.data()[k];
    return out;
}

double largest(const rows& a) {
    double out = 0;
    for (index k = 0; k < a.rows() * a.cols(); ++k) out = std::max(out, std::abs(a.data()[k]));
    return out;
}

}  // namespace

void newton_equations::factor(index functions) {
    const index n = K_.rows();
    if (std::exchange(made_, true)) return;
    rp_cholesky_options o;
    // The work on F grows with rank² and the number of functions, and where K is in memory a product costs little.
    const bool there = K_.element_cost() <= 2;
    const double share = (there ? 0.4 : 1.0) / std::sqrt(static_cast<double>(functions));
    const double room = static_cast<double>(memory_bytes_) / 3 / (8.0 * static_cast<double>(n));
    o.rank = std::max<index>(1, static_cast<index>(share * static_cast<double>(preconditioner_rank(n, room))));
    random_pivots found = rp_cholesky(K_, o);
    whole_ = found.left < 1e-10;
    f_ = std::move(found.factor);
    left_.resize(static_cast<std::size_t>(n));
    K_.diagonal(left_);
    for (index i = 0; i < n; ++i) {
        double& each = left_[static_cast<std::size_t>(i)];
        for (index c = 0; c < f_.cols(); ++c) each -= f_(i, c) * f_(i, c);
        each = std::max(each, 0.0);
    }
    if (const index found_rank = std::ssize(found.pivots); whole_ && found_rank < f_.cols()) {
        rows narrow(n, found_rank);
        for (index i = 0; i < n; ++i) std::copy_n(f_.row(i), found_rank, narrow.row(i));
        f_ = std::move(narrow);
    }
}

bool newton_equations::weigh(const rows& T) {
    const index n = f_.rows(), rank = f_.cols();
    constexpr index strip = 2048;
    inner_.clear();
    for (index c = 0; c < T.cols(); ++c) {
        stop_point();
        rows inner(rank, rank);
        for (index first = 0; first < n; first += strip) {
            rows g(std::min(strip, n - first), rank);
            for (index i = 0; i < g.rows(); ++i)
                for (index j = 0; j < rank; ++j) g(i, j) = T(first + i, c) * f_(first + i, j);
            add_gram(g.view(), inner);
        }
        for (index j = 0; j < rank; ++j) inner(j, j) += lambda_;
        if (!mercer::cholesky_in_place(inner)) return false;
        inner_.push_back(std::move(inner));
    }
    return true;
}

void newton_equations::precondition(const rows& T, const rows& r, rows& z) const {
    rows inside = mercer::product(times(T, r).view(), transposed::yes, f_.view(), transposed::no);
    for (index c = 0; c < r.cols(); ++c)
        cholesky_solve(inner_[static_cast<std::size_t>(c)], matrix_view<double>(inside.row(c), 1, inside.cols()));
    z = times(T, mercer::product(f_.view(), transposed::no, inside.view(), transposed::yes));
    for (index k = 0; k < r.rows() * r.cols(); ++k) z.data()[k] = (r.data()[k] - z.data()[k]) / lambda_;
}

double newton_equations::square(const rows& E) const {
    const rows inside = mercer::product(E.view(), transposed::yes, f_.view(), transposed::no);
    double sum = dot(inside, inside);
    for (index i = 0; i < E.rows(); ++i)
        for (index c = 0; c < E.cols(); ++c) sum += left_[static_cast<std::size_t>(i)] * E(i, c) * E(i, c);
    return sum;
}

newton_step newton_equations::solve(const rows& S, const rows& T, const projection& Q, const rows& R, const rows& KR,
                                    double goal, const product& multiply, const std::function<bool()>& go_on) {
    factor(R.cols());
    if ((!whole_ && R.rows() < many_) || !weigh(T)) return plain(S, Q, R, KR, goal, multiply, go_on);
    if (whole_)
        if (std::optional<newton_step> found = low_rank(S, Q, R, goal)) return std::move(*found);
    return preconditioned(S, T, Q, R, goal, multiply, go_on);
}

std::optional<newton_step> newton_equations::low_rank(const rows& S, const projection& Q, const rows& R, double goal) {
    rows square(f_.cols(), f_.cols());
    add_gram(f_.view(), square);
    if (f_.cols() == 0 || !mercer::cholesky_in_place(square)) return std::nullopt;
    // A row for each function.
    const auto inside = [&](const rows& x) {
        return mercer::product(x.view(), transposed::yes, f_.view(), transposed::no);
    };
    const auto outside = [&](const rows& v) {
        return mercer::product(f_.view(), transposed::no, v.view(), transposed::yes);
    };
    const auto solved = [&](rows v) {
        for (index c = 0; c < v.rows(); ++c)
            cholesky_solve(inner_[static_cast<std::size_t>(c)], matrix_view<double>(v.row(c), 1, v.cols()));
        return v;
    };
    rows e = inside(R), v(e.rows(), e.cols());
    for (index k = 0; k < e.rows() * e.cols(); ++k) e.data()[k] = -e.data()[k];
    rows z = solved(e), p = z;
    double rho = dot(e, z);
    for (index steps = 0; steps < 10 * e.rows() * e.cols() + 10 && dot(e, e) > goal && rho > 0; ++steps) {
        rows image = times(S, outside(p));
        Q(image);
        rows bent = inside(times(S, image));
        add(bent, lambda_, p);
        const double curvature = dot(p, bent);
        if (!(curvature > 0)) break;
        const double t = rho / curvature;
        add(v, t, p), add(e, -t, bent);
        z = solved(e);
        const double next = dot(e, z);
        for (index k = 0; k < p.rows() * p.cols(); ++k) p.data()[k] = z.data()[k] + next / rho * p.data()[k];
        rho = next;
    }
    newton_step out{{}, outside(v)};
    cholesky_solve(square, v.view());
    out.x = outside(v);
    return out;
}

// |K(i, j)| <= √K(i, i)√K(j, j)
double newton_equations::rounding(const rows& R) const {
    std::vector<double> self(static_cast<std::size_t>(R.rows()));
    K_.diagonal(self);
    double out = 0;
    for (index c = 0; c < R.cols(); ++c) {
        double sum = 0;
        for (index i = 0; i < R.rows(); ++i)
            sum += std::sqrt(std::abs(self[static_cast<std::size_t>(i)])) * std::abs(R(i, c));
        out += sum * sum;
    }
    return 4 * std::numeric_limits<double>::epsilon() * out;
}

newton_step newton_equations::plain(const rows& S, const projection& Q, const rows& R, const rows& KR, double goal,
                                    const product& multiply, const std::function<bool()>& go_on) const {
    const index n = R.rows(), numbers = n * R.cols();
    newton_step out{rows(n, R.cols()), rows(n, R.cols())};
    rows e(n, R.cols()), Ke = e;
    add(e, -1, R), add(Ke, -1, KR);
    rows p = e, Kp = Ke;
    double rho = dot(e, Ke);
    for (index steps = 0; steps < 3 * n + 10 && rho > goal && go_on(); ++steps) {
        rows image = times(S, Kp);
        Q(image);
        image = times(S, image);
        add(image, lambda_, p);
        const double curvature = dot(Kp, image);
        if (!(curvature > 0)) break;
        const double t = rho / curvature;
        add(out.x, t, p), add(out.Kx, t, Kp), add(e, -t, image);
        Ke = multiply(e);
        const double next = dot(e, Ke), beta = next / rho;
        if (!(next > 0)) break;
        for (index k = 0; k < numbers; ++k)
            p.data()[k] = e.data()[k] + beta * p.data()[k], Kp.data()[k] = Ke.data()[k] + beta * Kp.data()[k];
        rho = next;
    }
    return out;
}

newton_step newton_equations::preconditioned(const rows& S, const rows& T, const projection& Q, const rows& R,
                                             double goal, const product& multiply, const std::function<bool()>& go_on) {
    const index n = R.rows(), numbers = n * R.cols();
    rows r(n, R.cols());  // of the equations in U
    for (index k = 0; k < numbers; ++k) r.data()[k] = S.data()[k] > 0 ? -R.data()[k] / S.data()[k] : 0.0;
    Q(r);
    newton_step out{rows(n, R.cols()), rows(n, R.cols())};
    for (index k = 0; k < numbers; ++k) out.x.data()[k] = -(R.data()[k] + S.data()[k] * r.data()[k]) / lambda_;
    if (largest(out.x) * lambda_ > 1e-13 * largest(R)) {
        out.Kx = multiply(out.x);
        rows seen = times(S, out.Kx);
        Q(seen);
        add(r, -1, seen);
    } else {
        out.x = rows(n, R.cols());
    }
    rows z(n, R.cols());
    precondition(T, r, z);
    Q(z);
    rows p = z;
    double rho = dot(r, z);
    for (index steps = 0; steps < 3 * n + 10 && square(times(S, r)) > goal && rho > 0 && go_on(); ++steps) {
        const rows along = times(S, p), Kalong = multiply(along);
        rows image = times(S, Kalong);
        Q(image);
        add(image, lambda_, p);
        const double curvature = dot(p, image);
        if (!(curvature > 0)) break;
        const double t = rho / curvature;
        add(out.x, t, along);
        add(out.Kx, t, Kalong);
        add(r, -t, image);
        precondition(T, r, z);
        Q(z);
        const double next = dot(r, z), beta = next / rho;
        for (index k = 0; k < numbers; ++k) p.data()[k] = z.data()[k] + beta * p.data()[k];
        rho = next;
    }
    return out;
}

}  // namespace mercer
