// Decision values at the speed of the Gram engine: kernel tiles of a band of objects against a strip of support vectors are
// reduced while they are in cache, so nothing of size (objects × support vectors) is ever stored.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/estimators/svm.h"
#include "mercer/gram/computed.h"
#include "mercer/gram/precomputed.h"
#include "mercer/gram/adaptors.h"
#include "mercer/gram/narrowed.h"
#include "mercer/solvers/smo/vector_ops.h"

namespace mercer {
namespace {

constexpr index band = 96, strip = 1024;

// out(i, problem) += Σ_s coef·K(i, s) for the support vectors s of one class, problem by problem.
struct reduction {
    const svm_model& model;
    std::vector<index> first;  // first support vector of each class, and the end

    explicit reduction(const svm_model& m) : model(m) {
        first.push_back(0);
        if (m.class_support.empty() || !by_pairs()) {
            first.push_back(static_cast<index>(m.coef.cols()));
        } else {
            for (const index count : m.class_support) first.push_back(first.back() + count);
        }
    }
    bool by_pairs() const { return model.classes.size() > 2 && model.scheme == multiclass::one_vs_one; }
    // Which problem row m of coef belongs to, for support vectors of class c.
    index problem(index c, index m) const {
        if (!by_pairs()) return m;
        const index k = static_cast<index>(model.classes.size());
        const index other = m < c ? m : m + 1, a = std::min(c, other), b = std::max(c, other);
        return a * k - a * (a + 1) / 2 + (b - a - 1);
    }
};

template <class Block>
matrix<double> reduce(const svm_model& model, index objects, Block block) {
    const reduction plan(model);
    matrix<double> out(objects, model.problems());
    const auto& ops = smo::best_vector_ops();
    parallel_for((objects + band - 1) / band, [&](index b) {
        thread_local buffer<float> tile;
        const index r0 = b * band, rows = std::min(band, objects - r0);
        for (index i = r0; i < r0 + rows; ++i) std::copy(model.offset.begin(), model.offset.end(), out.row(i));
        std::vector<double> sums(static_cast<std::size_t>(model.coef.rows()));
        for (index s0 = 0; s0 < model.coef.cols(); s0 += strip) {
            const index count = std::min(strip, model.coef.cols() - s0);
            const matrix_view<float> k(tile.at_least(band * strip), rows, count, strip);
            block(selection(r0, rows), selection(s0, count), k);
            for (std::size_t c = 0; c + 1 < plan.first.size(); ++c) {
                const index from = std::max(plan.first[c], s0), to = std::min(plan.first[c + 1], s0 + count);
                if (from >= to) continue;
                for (index i = 0; i < rows; ++i) {
                    ops.dots(k.row(i) + (from - s0), model.coef.data() + from, model.coef.cols(), model.coef.rows(), to - from, sums.data());
                    for (index m = 0; m < model.coef.rows(); ++m) out(r0 + i, plan.problem(static_cast<index>(c), m)) += sums[static_cast<std::size_t>(m)];
                }
            }
        }
    });
    return out;
}

}  // namespace

matrix<double> decide(const svm_model& model, const dataset& x) {
    if (!model.k) fail(errc::unsupported, "svm: this model was fitted on a precomputed kernel; give kernel values, not objects");
    if (model.support.size() == 0) {
        matrix<double> out(x.size(), model.problems());
        for (index i = 0; i < x.size(); ++i) std::copy(model.offset.begin(), model.offset.end(), out.row(i));
        return out;
    }
    const computed<float> k(*model.k, x, model.support, std::size_t{64} << 20);
    return reduce(model, x.size(), [&](const selection& rows, const selection& cols, matrix_view<float> out) { k.block(rows, cols, out); });
}

matrix<double> decide_precomputed(const svm_model& model, matrix_view<const double> K) {
    const bool all = K.cols == model.training_size;
    if (!all && K.cols != model.coef.cols())
        fail(errc::invalid_argument, fmt::format("svm: kernel values against the {} training examples or the {} support vectors are needed, got {} columns", model.training_size, model.coef.cols(), K.cols));
    return reduce(model, K.rows, [&](const selection& rows, const selection& cols, matrix_view<float> out) {
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j) out(i, j) = static_cast<float>(K(rows[i], all ? model.support_rows[static_cast<std::size_t>(cols[j])] : cols[j]));
    });
}

std::vector<double> predict(const svm_model& model, matrix_view<const double> f) {
    std::vector<double> out(static_cast<std::size_t>(f.rows));
    const index k = static_cast<index>(model.classes.size());
    std::vector<index> votes(static_cast<std::size_t>(k));
    for (index i = 0; i < f.rows; ++i) {
        double& label = out[static_cast<std::size_t>(i)];
        if (model.task == svm_task::one_class) {
            label = f(i, 0) > 0 ? 1 : -1;
        } else if (!model.is_classifier()) {
            label = f(i, 0);
        } else if (k == 2) {
            label = model.classes[f(i, 0) > 0 ? 0 : 1];
        } else if (model.scheme == multiclass::one_vs_rest) {
            label = model.classes[static_cast<std::size_t>(std::max_element(f.row(i), f.row(i) + k) - f.row(i))];
        } else {
            std::fill(votes.begin(), votes.end(), 0);
            index p = 0;
            for (index a = 0; a < k; ++a)
                for (index b = a + 1; b < k; ++b, ++p) ++votes[static_cast<std::size_t>(f(i, p) > 0 ? a : b)];
            label = model.classes[static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin())];
        }
    }
    return out;
}

std::vector<double> predict(const svm_model& model, const dataset& x) { return predict(model, decide(model, x).view()); }

}  // namespace mercer
