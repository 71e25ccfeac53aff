#include "mercer/methods/svm/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/methods/svm/fit_svm.h"

namespace mercer {
namespace {

// 1/(1 + e^t) without overflow.
double decreasing_sigmoid(double t) { return t >= 0 ? std::exp(-t) / (1 + std::exp(-t)) : 1 / (1 + std::exp(t)); }

// log(1 + e^t) without overflow.
double softplus(double t) { return t >= 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)); }

double weight_of(std::span<const double> weight, std::size_t i) { return weight.empty() ? 1.0 : weight[i]; }

}  // namespace

double calibration::operator()(index problem, double f) const {
    constexpr double min_probability = 1e-7;
    const auto p = static_cast<std::size_t>(problem);
    double probability = 0.5;
    if (kind == method::sigmoid) {
        probability = decreasing_sigmoid(A[p] * f + B[p]);
    } else if (!knots[p].empty()) {
        const auto& x = knots[p];
        const auto& v = values[p];
        const auto after = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), f) - x.begin());
        if (after == 0)
            probability = v.front();
        else if (after == x.size())
            probability = v.back();
        else
            probability = v[after - 1] + (v[after] - v[after - 1]) * (f - x[after - 1]) / (x[after] - x[after - 1]);
    }
    return std::clamp(probability, min_probability, 1 - min_probability);
}

// Minimises Σ wᵢ [tᵢ zᵢ + log(1 + e^(-zᵢ))] over A and B, with zᵢ = A fᵢ + B. The targets t are 1 and 0 shrunk towards
// ½ by the sizes of the classes (Platt).
std::pair<double, double> fit_sigmoid(std::span<const double> f, std::span<const std::uint8_t> positive,
                                      std::span<const double> weight) {
    constexpr int max_rounds = 100;
    constexpr double smallest_step = 1e-10, ridge = 1e-12, enough = 1e-5;
    double first = 0, second = 0;
    for (std::size_t i = 0; i < f.size(); ++i) (positive[i] ? first : second) += weight_of(weight, i);
    const double high = (first + 1) / (first + 2), low = 1 / (second + 2);
    double A = 0, B = std::log((second + 1) / (first + 1));
    const auto loss = [&](double a, double b) {
        double sum = 0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double z = a * f[i] + b;
            sum += weight_of(weight, i) * ((positive[i] ? high : low) * z + softplus(-z));
        }
        return sum;
    };
    double value = loss(A, B);
    for (int round = 0; round < max_rounds; ++round) {
        // Gradient and Hessian: with p = 1/(1+e^z), d/dz = t - p and d²/dz² = p(1-p).
        double h11 = ridge, h22 = ridge, h21 = 0, g1 = 0, g2 = 0;
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double p = decreasing_sigmoid(A * f[i] + B), w = weight_of(weight, i);
            const double curve = w * p * (1 - p), slope = w * ((positive[i] ? high : low) - p);
            h11 += f[i] * f[i] * curve, h22 += curve, h21 += f[i] * curve;
            g1 += f[i] * slope, g2 += slope;
        }
        if (std::abs(g1) < enough && std::abs(g2) < enough) break;
        const double det = h11 * h22 - h21 * h21;
        const double dA = -(h22 * g1 - h21 * g2) / det, dB = -(-h21 * g1 + h11 * g2) / det;
        const double descent = g1 * dA + g2 * dB;
        double step = 1;
        for (; step >= smallest_step; step /= 2) {
            const double next = loss(A + step * dA, B + step * dB);
            if (next < value + 1e-4 * step * descent) {
                A += step * dA, B += step * dB, value = next;
                break;
            }
        }
        if (step < smallest_step) break;  // rounding prevents a further decrease of the loss
    }
    return {A, B};
}

std::pair<std::vector<double>, std::vector<double>> fit_isotonic(std::span<const double> f,
                                                                 std::span<const std::uint8_t> positive,
                                                                 std::span<const double> weight) {
    std::vector<std::size_t> order(f.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return f[a] < f[b]; });
    struct block {
        double mean, weight, from, to;
    };
    std::vector<block> blocks;
    const auto pooled = [](const block& a, const block& b) {
        const double sum = a.weight + b.weight;
        return block{(a.mean * a.weight + b.mean * b.weight) / sum, sum, a.from, b.to};
    };
    for (std::size_t at = 0; at < order.size();) {
        // Pool all examples of one decision value, then pool with earlier blocks while the order is violated.
        block next{0, 0, f[order[at]], f[order[at]]};
        double first = 0;
        for (; at < order.size() && f[order[at]] == next.from; ++at) {
            const double w = weight_of(weight, order[at]);
            next.weight += w;
            first += positive[order[at]] ? w : 0.0;
        }
        if (next.weight <= 0) continue;
        next.mean = first / next.weight;
        for (; !blocks.empty() && blocks.back().mean >= next.mean; blocks.pop_back())
            next = pooled(blocks.back(), next);
        blocks.push_back(next);
    }
    std::pair<std::vector<double>, std::vector<double>> made;
    const auto add = [&](double x, double v) { made.first.push_back(x), made.second.push_back(v); };
    for (const block& each : blocks) {
        add(each.from, each.mean);
        if (each.to > each.from) add(each.to, each.mean);
    }
    return made;
}

// Minimises Σ_i Σ_{j≠i} (r_ji p_i - r_ij p_j)² = pᵀQp over Σp = 1, with Q_tt = Σ_j r_jt² and Q_tj = -r_jt r_tj. At the
// optimum (Qp)_t = pᵀQp for all t. Coordinate descent: each coordinate is set to satisfy this, and p is normalised.
std::vector<double> couple_probabilities(matrix_view<const double> r) {
    const index k = r.rows;
    if (k == 1) return {1.0};
    if (k == 2) return {r(0, 1), r(1, 0)};
    matrix<double> Q(k, k);
    for (index t = 0; t < k; ++t)
        for (index j = 0; j < k; ++j)
            if (j != t) {
                Q(t, t) += r(j, t) * r(j, t);
                Q(t, j) = -r(j, t) * r(t, j);
            }
    const auto count = static_cast<std::size_t>(k);
    std::vector<double> p(count, 1.0 / static_cast<double>(k)), Qp(count);
    const double enough = 0.005 / static_cast<double>(k);
    for (index round = 0; round < std::max<index>(100, k); ++round) {
        double pQp = 0, error = 0;
        for (index t = 0; t < k; ++t) {
            Qp[static_cast<std::size_t>(t)] = 0;
            for (index j = 0; j < k; ++j) Qp[static_cast<std::size_t>(t)] += Q(t, j) * p[static_cast<std::size_t>(j)];
            pQp += p[static_cast<std::size_t>(t)] * Qp[static_cast<std::size_t>(t)];
        }
        for (const double each : Qp) error = std::max(error, std::abs(each - pQp));
        if (error < enough) break;
        for (index t = 0; t < k; ++t) {
            const auto at = static_cast<std::size_t>(t);
            const double change = (pQp - Qp[at]) / Q(t, t), norm = 1 + change;
            p[at] += change;
            pQp = (pQp + change * (change * Q(t, t) + 2 * Qp[at])) / norm / norm;
            for (index j = 0; j < k; ++j) {
                Qp[static_cast<std::size_t>(j)] = (Qp[static_cast<std::size_t>(j)] + change * Q(t, j)) / norm;
                p[static_cast<std::size_t>(j)] /= norm;
            }
        }
    }
    return p;
}

double laplace_scale(std::span<const double> residuals) {
    double mean = 0;
    for (const double r : residuals) mean += std::abs(r);
    mean /= static_cast<double>(residuals.size());
    const double limit = 5 * std::sqrt(2 * mean * mean);
    double sum = 0;
    index kept = 0;
    for (const double r : residuals)
        if (std::abs(r) <= limit) sum += std::abs(r), ++kept;
    return kept > 0 ? sum / static_cast<double>(kept) : mean;
}

matrix<double> coupled_probabilities(const svm_model& model, matrix_view<const double> f) {
    if (!model.is_classifier())
        fail(errc::unsupported, fmt::format("probabilities of classes need a classifier, got {}", name(model.task)));
    if (!model.probability && model.classes.size() > 1)
        fail(errc::unsupported, "this model has no probabilities: call calibrate after fit_svm");
    const index k = static_cast<index>(model.classes.size());
    matrix<double> out(f.rows, k), r(k, k);
    for (index i = 0; i < f.rows; ++i) {
        std::vector<double> p(static_cast<std::size_t>(k), 1.0);
        if (model.pairs().is_one_vs_rest()) {
            double sum = 0;
            for (index c = 0; c < k; ++c) sum += p[static_cast<std::size_t>(c)] = (*model.probability)(c, f(i, c));
            for (double& each : p) each /= sum;
        } else if (k > 1) {
            model.pairs().for_each([&](index problem, index a, index b) {
                r(a, b) = (*model.probability)(problem, f(i, problem));
                r(b, a) = 1 - r(a, b);
            });
            p = couple_probabilities(r.view());
        }
        std::copy(p.begin(), p.end(), out.row(i));
    }
    return out;
}

namespace {

// Replaces p by the nearest distribution (Euclidean) in which class c is the most probable: p_c and all probabilities
// above a level t are set to t, which is their mean; then p_c is increased by about 1e-12·t so that it is the strict
// maximum.
void make_most_probable(double* p, index k, index c) {
    if (std::max_element(p, p + k) - p == c) return;
    std::vector<index> above;
    for (index j = 0; j < k; ++j)
        if (j != c) above.push_back(j);
    std::sort(above.begin(), above.end(), [&](index a, index b) { return p[a] > p[b]; });
    double sum = p[c];
    std::size_t count = 0;
    while (count < above.size() && p[above[count]] > sum / static_cast<double>(count + 1)) sum += p[above[count++]];
    const double level = sum / static_cast<double>(count + 1), hair = 1e-12 * level;
    for (std::size_t j = 0; j < count; ++j) p[above[j]] = level - hair;
    p[c] = level + hair * static_cast<double>(std::max<std::size_t>(count, 1));
}

}  // namespace

matrix<double> predict_probability(const svm_model& model, matrix_view<const double> decisions) {
    matrix<double> out = coupled_probabilities(model, decisions);
    const std::vector<double> labels = predict(model, decisions);
    for (index i = 0; i < out.rows(); ++i) {
        const auto at = std::find(model.classes.begin(), model.classes.end(), labels[static_cast<std::size_t>(i)]) -
                        model.classes.begin();
        make_most_probable(out.row(i), out.cols(), static_cast<index>(at));
    }
    return out;
}

matrix<double> predict_probability(const svm_model& model, const dataset& x) {
    return predict_probability(model, decide(model, x, arithmetic::exact).view());
}

}  // namespace mercer
