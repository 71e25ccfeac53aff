// Decision values at the speed of the Gram engine: kernel tiles of a band of objects against a strip of support vectors
// are reduced while they are in cache, so nothing of size (objects × support vectors) is ever stored.
#include "mercer/methods/svm/svm_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/data/part.h"
#include "mercer/dense/vector_ops.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/gram/narrowed.h"
#include "mercer/gram/precomputed.h"
#include "mercer/methods/svm/linear_decide.h"
#include "mercer/methods/svm/pair_votes.h"
#include "mercer/methods/svm/svm.h"

namespace mercer {
namespace {

constexpr index band = 96, strip = 1024;

// out(i, problem) += Σ_s coef·K(i, s) for the support vectors s of one class, problem by problem.
struct reduction {
    std::vector<index> first;  // first support vector of each class, and the end

    explicit reduction(const svm_model& m) {
        first.push_back(0);
        if (m.class_support.empty() || !m.pairs().by_pairs()) {
            first.push_back(static_cast<index>(m.coef.cols()));
        } else {
            for (const index count : m.class_support) first.push_back(first.back() + count);
        }
    }
};

// sums(i, m) = Σ_s k(i, s)·coef(m, s) of a strip of support vectors: in double where K is, or where there is one sum
// only; else in float, whose error is that of the kernel values.
void sums_of(matrix_view<const double> k, const matrix<double>& coef, const matrix<float>&, index from,
             matrix_view<double> sums) {
    for (index i = 0; i < k.rows; ++i)
        for (index m = 0; m < coef.rows(); ++m)
            sums(i, m) = smo::best_vector_ops().dot(k.row(i), coef.row(m) + from, k.cols);
}
void sums_of(matrix_view<const float> k, const matrix<double>& coef, const matrix<float>& narrow, index from,
             matrix_view<double> sums) {
    const auto& ops = smo::best_vector_ops();
    const index terms = coef.rows();
    if (terms == 1) {
        for (index i = 0; i < k.rows; ++i) ops.dots(k.row(i), coef.data() + from, coef.cols(), 1, k.cols, sums.row(i));
        return;
    }
    auto& part = per_thread<buffer<float>>([] {});
    float* out = part.at_least(k.rows * terms);
    ops.products(k.data, k.stride, k.rows, narrow.data() + from, narrow.cols(), terms, k.cols, out);
    for (index i = 0; i < k.rows; ++i) std::copy_n(out + i * terms, terms, sums.row(i));
}

// block(rows, support vectors, out) fills a tile of kernel values.
template <class T, class Block>
matrix<double> reduce(const svm_model& model, index objects, Block block) {
    const reduction plan(model);
    const class_problems pairs = model.pairs();
    matrix<double> out(objects, model.problems());
    matrix<float> narrow;
    if (std::is_same_v<T, float> && model.coef.rows() > 1) {
        narrow = matrix<float>(model.coef.rows(), model.coef.cols());
        std::copy_n(model.coef.data(), model.coef.rows() * model.coef.cols(), narrow.data());
    }
    parallel_for((objects + band - 1) / band, [&](index b) {
        auto& tile = per_thread<buffer<T>>([] {});
        const index r0 = b * band, rows = std::min(band, objects - r0);
        for (index i = r0; i < r0 + rows; ++i) std::copy(model.offset.begin(), model.offset.end(), out.row(i));
        matrix<double> sums(rows, model.coef.rows());
        const index width = std::min(strip, model.coef.cols());
        for (index s0 = 0; s0 < model.coef.cols(); s0 += strip) {
            const index count = std::min(strip, model.coef.cols() - s0);
            const matrix_view<T> k(tile.at_least(rows * width), rows, count, width);
            block(selection(r0, rows), selection(s0, count), k);
            for (std::size_t c = 0; c + 1 < plan.first.size(); ++c) {
                const index from = std::max(plan.first[c], s0), to = std::min(plan.first[c + 1], s0 + count);
                if (from >= to) continue;
                sums_of(matrix_view<const T>(k.data + (from - s0), rows, to - from, width), model.coef, narrow, from,
                        sums.view());
                for (index i = 0; i < rows; ++i)
                    for (index m = 0; m < model.coef.rows(); ++m)
                        out(r0 + i, pairs.of_row(static_cast<index>(c), m)) += sums(i, m);
            }
        }
    });
    return out;
}

template <class T>
matrix<double> decide_as(const svm_model& model, const dataset& x) {
    if (model.support.size() == 0)
        return reduce<T>(model, x.size(), [](const selection&, const selection&, matrix_view<T>) {});
    const evaluator_memory memory{std::size_t{64} << 20, 0, sizeof(T) == 4};
    std::unique_ptr<gram<T>> k;
    if constexpr (std::is_same_v<T, double>)
        k = model.ready.gram_of(*model.k, x, model.support, memory);
    else
        k = make_gram<T>(*model.k, x, model.support, memory);
    return reduce<T>(model, x.size(), [&](const selection& rows, const selection& cols, matrix_view<T> out) {
        k->block(rows, cols, out);
    });
}

// Could decisions that are off by `error` give another class?
bool doubtful(const svm_model& model, const double* f, double error) {
    const index count = model.problems(), k = static_cast<index>(model.classes.size());
    if (!model.is_classifier() || k <= 2)
        return std::any_of(f, f + count, [&](double each) { return std::abs(each) <= error; });
    // A class is sure when the least it may have beats the most that any other may.
    std::vector<double> least(static_cast<std::size_t>(k)), most(static_cast<std::size_t>(k));
    model.pairs().each([&](index p, index a, index b) {
        if (b < 0) {
            least[a] = f[p] - error, most[a] = f[p] + error;
            return;
        }
        const bool open = std::abs(f[p]) <= error;
        least[a] += f[p] > 0 && !open, most[a] += f[p] > 0 || open;
        least[b] += f[p] <= 0 && !open, most[b] += f[p] <= 0 || open;
    });
    const auto best = std::max_element(least.begin(), least.end()) - least.begin();
    for (index c = 0; c < k; ++c)
        if (c != best && (most[c] > least[best] || (most[c] == least[best] && c < best))) return true;
    return false;
}

void settle_alone(const svm_model& model, const dataset& x, matrix<double>& f);

}  // namespace

matrix<double> decide(const svm_model& model, const dataset& x, arithmetic numbers) {
    if (!model.k)
        fail(errc::unsupported, "svm: this model was fitted on a precomputed kernel; give kernel values, not objects");
    if (auto f = decide_linear(model, x)) return std::move(*f);
    if (auto f = decide_by_features(model, x)) {
        if (x.size() > 1) settle_alone(model, x, *f);
        return std::move(*f);
    }
    return numbers == arithmetic::fast ? decide_as<float>(model, x) : decide_as<double>(model, x);
}

matrix<double> decide(const svm_model& model, const gram<float>& K, const selection& which,
                      std::span<const index> column_of) {
    return reduce<float>(
        model, which.size(), [&](const selection& rows, const selection& cols, matrix_view<float> out) {
            K.block(which.slice(rows[0], rows.size()),
                    column_of.subspan(static_cast<std::size_t>(cols[0]), static_cast<std::size_t>(cols.size())), out);
        });
}

namespace {

// Whether K has a column for each training example, or else for each support vector; fails for other matrices.
bool takes_all_examples(const svm_model& model, matrix_view<const double> K) {
    const bool all = K.cols == model.training_size;
    if (!all && K.cols != model.coef.cols())
        fail(errc::invalid_argument, fmt::format("svm: kernel values against the {} training examples or the {} "
                                                 "support vectors are needed, got {} columns",
                                                 model.training_size, model.coef.cols(), K.cols));
    return all;
}

void copy_values(const svm_model& model, matrix_view<const double> K, bool all, const selection& rows,
                 const selection& cols, matrix_view<double> out) {
    for (index i = 0; i < rows.size(); ++i)
        for (index j = 0; j < cols.size(); ++j)
            out(i, j) = K(rows[i], all ? model.support_rows[static_cast<std::size_t>(cols[j])] : cols[j]);
}

}  // namespace

matrix<double> decide_precomputed(const svm_model& model, matrix_view<const double> K) {
    const bool all = takes_all_examples(model, K);
    return reduce<double>(model, K.rows, [&](const selection& rows, const selection& cols, matrix_view<double> out) {
        copy_values(model, K, all, rows, cols, out);
    });
}

std::vector<double> predict(const svm_model& model, matrix_view<const double> f) {
    std::vector<double> out(static_cast<std::size_t>(f.rows));
    const index k = static_cast<index>(model.classes.size());
    const class_problems pairs = model.pairs();
    std::vector<index> votes(static_cast<std::size_t>(k));
    for (index i = 0; i < f.rows; ++i) {
        double& label = out[static_cast<std::size_t>(i)];
        if (model.task == svm_task::one_class) {
            label = f(i, 0) > 0 ? 1 : -1;
        } else if (!model.is_classifier()) {
            label = f(i, 0);
        } else if (k == 2) {
            label = model.classes[f(i, 0) > 0 ? 0 : 1];
        } else if (pairs.against_rest()) {
            label = model.classes[static_cast<std::size_t>(std::max_element(f.row(i), f.row(i) + k) - f.row(i))];
        } else {
            std::fill(votes.begin(), votes.end(), 0);
            pairs.each([&](index p, index a, index b) { ++votes[static_cast<std::size_t>(f(i, p) > 0 ? a : b)]; });
            label =
                model.classes[static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin())];
        }
    }
    return out;
}

namespace {

// Σ|coef| of the binary problem that has the most, and that of its |b|.
struct problem_sizes {
    explicit problem_sizes(const svm_model& model) {
        std::vector<double> sums(static_cast<std::size_t>(model.problems()), 0.0);
        each_coefficient(model, [&](index, index problem, double coef) { sums[problem] += std::abs(coef); });
        for (const double each : sums) coefs = std::max(coefs, each);
        for (const double each : model.offset) offset = std::max(offset, std::abs(each));
    }
    double coefs = 0, offset = 0;
};

// A bound on what float arithmetic takes from decisions, from the model alone: no row may be judged by others. Known
// where k is one function of a distance, k(x, x) = 1: the evaluator keeps its error, as `rough`, within 128 units of
// rounding, doubled here for the rounding of the map. Infinite where it is not known.
double float_error(const svm_model& model, const problem_sizes& sizes) {
    const std::shared_ptr<const plan> code = model.k->compile();
    const bool of_distance = code->code.size() == 1 && code->code[0].what == instruction::op::map &&
                             code->code[0].input == map_input::squared_distance && model.k->properties().normalised;
    if (!of_distance || model.support.size() == 0) return std::numeric_limits<double>::infinity();
    const index summed_in_float = model.coef.rows() > 1 ? strip : 0;
    return 0x1p-24 * static_cast<double>(256 + summed_in_float) * sizes.coefs;
}

// Decisions that give the classes of exact ones: float first, and again in double those rows whose class float could
// change.
matrix<double> decide_for_classes(const svm_model& model, const dataset& x) {
    constexpr index first_rows = 1024, rows_at_once = 16384, few = 64, few_where_ready = 1024;
    constexpr double most_error = 0.25;  // of a decision: with more, most rows would be taken twice
    const problem_sizes sizes(model);
    const double error = float_error(model, sizes);
    // Floats are made of all support vectors anew: for a few objects that takes longer than doubles that are ready.
    if (x.size() <= (model.ready.kept() ? few_where_ready : few) || !(error <= most_error))
        return decide_as<double>(model, x);
    matrix<double> f(x.size(), model.problems());
    bool worthwhile = true;
    for (index first = 0, count = 0; first < x.size(); first += count) {
        count = std::min(first == 0 ? first_rows : rows_at_once, x.size() - first);
        const dataset rows = part(x, first, count);
        const matrix<double> some = worthwhile ? decide_as<float>(model, rows) : decide_as<double>(model, rows);
        std::copy_n(some.data(), some.rows() * some.cols(), f.row(first));
        if (!worthwhile) continue;
        std::vector<index> again;
        for (index i = 0; i < count; ++i)
            if (doubtful(model, some.row(i), error)) again.push_back(i);
        if (again.empty()) continue;
        const matrix<double> exact = decide_as<double>(model, gather(rows, std::span<const index>(again)));
        for (std::size_t i = 0; i < again.size(); ++i)
            std::copy_n(exact.row(static_cast<index>(i)), exact.cols(), f.row(first + again[i]));
        worthwhile = 2 * static_cast<index>(again.size()) <= count;
    }
    return f;
}

// Ways to a decision differ in the order of their sums, and how many rows there are decides between them. A decision
// that is 0 but for such rounding is taken as that of the row alone.
void settle_alone(const svm_model& model, const dataset& x, matrix<double>& f) {
    const problem_sizes sizes(model);
    double largest = 0;
    for (const double each : self_values(*model.k, model.support)) largest = std::max(largest, std::abs(each));
    const std::vector<double> self = self_values(*model.k, x);
    for (index i = 0; i < x.size(); ++i) {
        const double size = sizes.coefs * std::sqrt(std::abs(self[static_cast<std::size_t>(i)]) * largest);
        if (!doubtful(model, f.row(i), 0x1p-40 * (size + sizes.offset))) continue;
        const matrix<double> alone = decide(model, gather(x, selection(i, 1)), arithmetic::exact);
        std::copy_n(alone.row(0), alone.cols(), f.row(i));
    }
}

// Whether the votes are counted without the decisions: those of millions of pairs of classes are many times what the
// model is.
bool votes_alone(const svm_model& model) { return model.pairs().by_pairs() && model.problems() > most_reports; }

}  // namespace

std::vector<double> predict_precomputed(const svm_model& model, matrix_view<const double> K) {
    if (!votes_alone(model)) return predict(model, decide_precomputed(model, K).view());
    const bool all = takes_all_examples(model, K);
    return predict_by_votes(model, K.rows, [&](const selection& rows, const selection& cols, matrix_view<double> out) {
        copy_values(model, K, all, rows, cols, out);
    });
}

std::vector<double> predict_exactly(const svm_model& model, const dataset& x) {
    if (!votes_alone(model) || !model.k) return predict(model, decide(model, x, arithmetic::exact).view());
    const auto k = model.ready.gram_of(*model.k, x, model.support, {std::size_t{64} << 20, 0, false});
    return predict_by_votes(
        model, x.size(),
        [&](const selection& rows, const selection& cols, matrix_view<double> out) { k->block(rows, cols, out); });
}

std::vector<double> predict(const svm_model& model, const dataset& x) {
    if (votes_alone(model) && model.k) return predict_exactly(model, x);
    // The decisions of as many objects as take 64 MB, or of 1024.
    const index most = std::max(index{1024}, (index{1} << 23) / std::max<index>(1, model.problems()));
    if (x.size() > most && model.problems() > 1024) {
        std::vector<double> out;
        for (index first = 0; first < x.size(); first += most) {
            const std::vector<double> some = predict(model, part(x, first, std::min(most, x.size() - first)));
            out.insert(out.end(), some.begin(), some.end());
        }
        return out;
    }
    if (!model.is_classifier() && model.task != svm_task::one_class)
        return predict(model, decide(model, x, arithmetic::exact).view());
    if (auto f = decide_linear(model, x)) return predict(model, f->view());
    if (auto f = decide_by_features(model, x)) {
        if (x.size() > 1) settle_alone(model, x, *f);
        return predict(model, f->view());
    }
    if (!model.k) return predict(model, decide(model, x).view());  // which says what is missing
    return predict(model, decide_for_classes(model, x).view());
}

}  // namespace mercer
