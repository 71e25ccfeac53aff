#include "mercer/solvers/smo/quadratic.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/threads.h"
#include "mercer/dense/blocked_cholesky.h"

namespace mercer::smo {

void whole_quadratic::multiply(const std::vector<double>& x, std::vector<double>& out) const {
    for (index i = 0; i < K_.rows(); ++i) out[static_cast<std::size_t>(i)] = ops_.dot(K_.row(i), x.data(), K_.rows());
}

bool whole_quadratic::factor(const std::vector<double>& d) {
    const index m = K_.rows();
    M_ = K_;
    double trace = 0;
    for (index i = 0; i < m; ++i) trace += std::abs(K_(i, i));
    for (index i = 0; i < m; ++i) M_(i, i) += d[static_cast<std::size_t>(i)] + 1e-14 * trace / static_cast<double>(m);
    if (!blocked_cholesky(M_)) return false;
    sums_ = std::make_unique<sum_multipliers>(M_, group_);
    return true;
}

two whole_quadratic::solve(std::vector<double>& b, const two& sum) const {
    solve_cholesky(M_, b);
    return sums_->apply(b, sum);
}

thin_quadratic::thin_quadratic(const matrix<double>& features, const std::vector<std::uint8_t>& group,
                               const vector_ops& ops)
    : m_(features.rows()), columns_(features.cols()), group_(group), ops_(ops), turned_(columns_, m_) {
    mean_.assign(static_cast<std::size_t>(columns_), 0.0);
    diagonal_.assign(static_cast<std::size_t>(m_), 0.0);
    for (index i = 0; i < m_; ++i)
        for (index j = 0; j < columns_; ++j)
            mean_[j] += features(i, j) / static_cast<double>(m_), diagonal_[i] += features(i, j) * features(i, j);
    for (index j = 0; j < columns_; ++j)
        for (index i = 0; i < m_; ++i) turned_(j, i) = features(i, j) - mean_[j];
    for (int g = 0; g < 2; ++g)
        if (std::find(group_.begin(), group_.end(), g) != group_.end()) groups_.push_back(g);
}

void thin_quadratic::multiply(const std::vector<double>& x, std::vector<double>& out) const {
    double total = 0, shift = 0;
    for (const double each : x) total += each;
    std::fill(out.begin(), out.end(), 0.0);
    for (index j = 0; j < columns_; ++j) {
        const double w = ops_.dot(turned_.row(j), x.data(), m_) + mean_[j] * total;
        shift += w * mean_[j];
        const double* column = turned_.row(j);
        for (index i = 0; i < m_; ++i) out[i] += w * column[i];
    }
    for (double& each : out) each += shift;
}

bool thin_quadratic::factor(const std::vector<double>& d) {
    d_ = d;
    // Not so small that b - Φw, over d, is nothing but rounding: a step is then held back a little, in directions that
    // K hardly sees.
    for (index i = 0; i < m_; ++i) d_[i] += 1e-12 * diagonal_[i];
    const auto few = static_cast<index>(groups_.size()), size = columns_ + few;
    // Columns of Φ and of the groups, over d.
    matrix<double> weighted(size, m_), all(size, m_);
    for (index j = 0; j < size; ++j)
        for (index i = 0; i < m_; ++i) {
            all(j, i) = j < columns_ ? turned_(j, i)
                        : group_[static_cast<std::size_t>(i)] == groups_[static_cast<std::size_t>(j - columns_)] ? 1.0
                                                                                                                 : 0.0;
            weighted(j, i) = all(j, i) / d_[static_cast<std::size_t>(i)];
        }
    normal_ = matrix<double>(size, size);
    parallel_for(size, [&](index j) {
        for (index k = 0; k <= j; ++k)
            normal_(j, k) = normal_(k, j) =
                ops_.dot(weighted.row(j), all.row(k), m_) + (j == k && j < columns_ ? 1.0 : 0.0);
    });
    scale_.resize(static_cast<std::size_t>(size));
    for (index j = 0; j < size; ++j) scale_[j] = normal_(j, j) > 0 ? 1 / std::sqrt(normal_(j, j)) : 1;
    for (index j = 0; j < size; ++j)
        for (index k = 0; k < size; ++k) normal_(j, k) *= scale_[j] * scale_[k];
    for (index j = 0; j < size; ++j) normal_(j, j) += 1e-15;
    return blocked_cholesky(normal_);
}

two thin_quadratic::solve_once(std::vector<double>& b, const two& sum) const {
    const auto few = static_cast<index>(groups_.size()), size = columns_ + few;
    std::vector<double> over(b.size()), y(static_cast<std::size_t>(size), 0.0);
    for (std::size_t i = 0; i < b.size(); ++i) over[i] = b[i] / d_[i];
    for (index j = 0; j < columns_; ++j)
        y[j] = ops_.dot(turned_.row(j), over.data(), m_) + mean_[j] * (sum[0] + sum[1]);
    for (index g = 0; g < few; ++g) {
        const int own = groups_[static_cast<std::size_t>(g)];
        for (std::size_t i = 0; i < b.size(); ++i)
            if (group_[i] == own) y[columns_ + g] += over[i];
        y[columns_ + g] -= sum[static_cast<std::size_t>(own)];
    }
    for (index j = 0; j < size; ++j) y[j] *= scale_[j];
    solve_cholesky(normal_, y);
    for (index j = 0; j < size; ++j) y[j] *= scale_[j];
    two about{}, lambda{};
    for (index g = 0; g < few; ++g)
        about[static_cast<std::size_t>(groups_[static_cast<std::size_t>(g)])] = y[columns_ + g];
    double means = 0;
    for (index j = 0; j < columns_; ++j) {
        means += mean_[j] * y[j];
        const double* column = turned_.row(j);
        for (index i = 0; i < m_; ++i) b[i] -= y[j] * column[i];
    }
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = (b[i] - about[group_[i]]) / d_[i];
    for (const int g : groups_) lambda[static_cast<std::size_t>(g)] = about[static_cast<std::size_t>(g)] - means;
    return lambda;
}

two thin_quadratic::solve(std::vector<double>& b, const two& sum) const {
    const std::vector<double> wanted = b;
    two lambda = solve_once(b, sum);
    // Once more for what rounding left.
    std::vector<double> rest(b.size());
    multiply(b, rest);
    two missing = sum;
    for (std::size_t i = 0; i < b.size(); ++i) {
        rest[i] = wanted[i] - d_[i] * b[i] - rest[i] - lambda[group_[i]];
        missing[group_[i]] -= b[i];
    }
    const two more = solve_once(rest, missing);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] += rest[i];
    for (std::size_t g = 0; g < 2; ++g) lambda[g] += more[g];
    return lambda;
}

}  // namespace mercer::smo
