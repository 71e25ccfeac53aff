// What the neighbours of a query say of it.
#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/methods/neighbours/knn.h"

namespace mercer {
namespace {

// Votes of the neighbours of one query.
std::vector<double> votes(const knn_model& m, const neighbours& found, index row) {
    std::vector<double> w(static_cast<std::size_t>(found.indices.cols()), 1.0);
    if (m.options.weights == knn_weights::distance) {
        const bool touches = found.distances(row, 0) == 0;
        for (std::size_t j = 0; j < w.size(); ++j) {
            const double d = found.distances(row, static_cast<index>(j));
            w[j] = touches ? (d == 0 ? 1.0 : 0.0)
                           : found.distances(row, 0) / d;  // relative to the nearest: 1/d could overflow
        }
    }
    if (!m.options.sample_weight.empty())
        for (std::size_t j = 0; j < w.size(); ++j)
            w[j] *= m.options.sample_weight[static_cast<std::size_t>(found.indices(row, static_cast<index>(j)))];
    return w;
}

}  // namespace

matrix<double> class_shares(const knn_model& m, const neighbours& found) {
    if (m.options.task != knn_task::classification)
        fail(errc::unsupported, "nearest neighbours: shares of classes need a classification");
    matrix<double> shares(found.indices.rows(), static_cast<index>(m.classes.size()));
    for (index i = 0; i < shares.rows(); ++i) {
        const std::vector<double> w = votes(m, found, i);
        double sum = 0;
        for (std::size_t j = 0; j < w.size(); ++j) {
            shares(i, static_cast<index>(m.y[static_cast<std::size_t>(found.indices(i, static_cast<index>(j)))])) +=
                w[j];
            sum += w[j];
        }
        for (index c = 0; c < shares.cols(); ++c)
            shares(i, c) = sum > 0 ? shares(i, c) / sum : 1.0 / static_cast<double>(shares.cols());
    }
    return shares;
}

std::vector<double> predict(const knn_model& m, const neighbours& found) {
    if (found.status == fit_status::cancelled)
        fail(errc::unsupported, fmt::format("nearest neighbours: the search was stopped after {} of {} queries",
                                            found.done, found.indices.rows()));
    std::vector<double> out;
    if (m.options.task == knn_task::classification) {
        const matrix<double> shares = class_shares(m, found);
        for (index i = 0; i < shares.rows(); ++i)
            out.push_back(m.classes[static_cast<std::size_t>(
                std::max_element(shares.row(i), shares.row(i) + shares.cols()) - shares.row(i))]);
        return out;
    }
    for (index i = 0; i < found.indices.rows(); ++i) {
        const std::vector<double> w = votes(m, found, i);
        double sum = 0, weight = 0, plain = 0;
        for (std::size_t j = 0; j < w.size(); ++j) {
            const double y = m.y[static_cast<std::size_t>(found.indices(i, static_cast<index>(j)))];
            sum += w[j] * y;
            weight += w[j];
            plain += y;
        }
        out.push_back(weight > 0 ? sum / weight : plain / static_cast<double>(w.size()));
    }
    return out;
}

std::vector<double> predict(const knn_model& m, const dataset& z) { return predict(m, find_neighbours(m, z)); }

}  // namespace mercer
