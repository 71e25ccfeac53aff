// Decision values are computed by tiles of 96 objects × 1024 support vectors: the kernel values of a tile are reduced
// while they are in the caches, so the (objects × support vectors) kernel matrix is never stored.

#include "mercer/methods/svm/svm_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/data/dataset.h"
#include "mercer/data/vectors.h"
#include "mercer/dense/vector_ops.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/io/file_contents.h"
#include "mercer/kernels/features/explicit_features.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/svm/libsvm_model.h"
#include "mercer/methods/svm/pair_votes.h"

namespace mercer {

const char* name(svm_task task) noexcept {
    constexpr const char* names[] = {"c_svc", "nu_svc", "one_class", "epsilon_svr", "nu_svr"};
    return names[static_cast<int>(task)];
}

fit_status svm_model::worst_status() const {
    fit_status worst = fit_status::converged;
    for (const auto& each : reports) worst = std::max(worst, each.status);
    return worst;
}

void add_to_summary(svm_report& to, const svm_report& r) {
    to.offset_low = to.size == 0 ? r.offset_low : std::min(to.offset_low, r.offset_low);
    to.offset_high = to.size == 0 ? r.offset_high : std::max(to.offset_high, r.offset_high);
    to.status = std::max(to.status, r.status);
    to.gap = std::max(to.gap, r.gap);
    to.objective += r.objective;
    to.steps += r.steps, to.rounds += r.rounds;
    to.flat_steps += r.flat_steps, to.concave_steps += r.concave_steps;
    to.size += r.size;
    to.margin_vectors += r.margin_vectors;
    to.epsilon = std::max(to.epsilon, r.epsilon);
    to.seconds += r.seconds;
    to.no_margin |= r.no_margin;
    to.C = std::max(to.C, r.C);
}

bool svm_model::lacks_margin() const { return std::ranges::any_of(reports, &svm_report::no_margin); }

double svm_model::largest_gap() const {
    double gap = 0;
    for (const auto& each : reports) gap = std::max(gap, each.gap);
    return gap;
}

void attach(svm_model& model, const kernel& k, const dataset& x) {
    if (!k.proof().valid)
        for (auto& report : model.reports)
            if (report.status == fit_status::converged) report.status = fit_status::stationary;
    model.k = std::make_shared<const kernel>(k);
    model.kernel_text = k.text();
    model.dims = x.dims();
    model.support = gather(x, std::span<const index>(model.support_rows));
}

namespace {

constexpr index band = 96, strip = 1024;

// The ranges of the support vectors of each class, in which a row of the coefficients belongs to one problem.
struct class_ranges {
    std::vector<index> first;  // first support vector of each class, and the end

    explicit class_ranges(const svm_model& m) {
        first.push_back(0);
        if (m.class_support.empty() || !m.pairs().is_one_vs_one()) {
            first.push_back(static_cast<index>(m.coef.cols()));
        } else {
            for (const index count : m.class_support) first.push_back(first.back() + count);
        }
    }
};

// sums(i, m) = Σ_s k(i, s)·coef(m, s) over a tile of support vectors. The sums are in double if k is, or if there is
// one row of coefficients; otherwise in float, whose rounding errors are like those of the kernel values. `narrow` has
// the coefficients in float.
void tile_sums(matrix_view<const double> k, const matrix<double>& coef, const matrix<float>&, index from,
               matrix_view<double> sums) {
    for (index i = 0; i < k.rows; ++i)
        for (index m = 0; m < coef.rows(); ++m)
            sums(i, m) = best_vector_ops().dot(k.row(i), coef.row(m) + from, k.cols);
}
void tile_sums(matrix_view<const float> k, const matrix<double>& coef, const matrix<float>& narrow, index from,
               matrix_view<double> sums) {
    const auto& ops = best_vector_ops();
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

// Decision values from kernel values in T; block(objects, support vectors, out) computes a tile of them.
template <class T, class Block>
matrix<double> compute_decisions(const svm_model& model, index objects, Block block) {
    const class_ranges plan(model);
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
            block(row_set(r0, rows), row_set(s0, count), k);
            for (std::size_t c = 0; c + 1 < plan.first.size(); ++c) {
                const index from = std::max(plan.first[c], s0), to = std::min(plan.first[c + 1], s0 + count);
                if (from >= to) continue;
                tile_sums(matrix_view<const T>(k.data + (from - s0), rows, to - from, width), model.coef, narrow, from,
                          sums.view());
                for (index i = 0; i < rows; ++i)
                    for (index m = 0; m < model.coef.rows(); ++m)
                        out(r0 + i, pairs.problem_of_row(static_cast<index>(c), m)) += sums(i, m);
            }
        }
    });
    return out;
}

template <class T>
matrix<double> decide_as(const svm_model& model, const dataset& x) {
    if (model.support.size() == 0)
        return compute_decisions<T>(model, x.size(), [](const row_set&, const row_set&, matrix_view<T>) {});
    const evaluator_memory memory{std::size_t{64} << 20, 0, sizeof(T) == 4};
    std::unique_ptr<gram<T>> k;
    if constexpr (std::is_same_v<T, double>)
        k = model.ready.gram_of(*model.k, x, model.support, memory);
    else
        k = make_gram<T>(*model.k, x, model.support, memory);
    return compute_decisions<T>(model, x.size(), [&](const row_set& rows, const row_set& cols, matrix_view<T> out) {
        k->block(rows, cols, out);
    });
}

// Returns true if changing the decisions of a row by up to `error` could change the predicted class.
bool may_change_class(const svm_model& model, const double* f, double error) {
    const index count = model.problems(), k = static_cast<index>(model.classes.size());
    if (!model.is_classifier() || k <= 2)
        return std::any_of(f, f + count, [&](double each) { return std::abs(each) <= error; });
    // The class is certain if its smallest possible number of votes (or score) exceeds the largest possible one of any
    // other class.
    std::vector<double> least(static_cast<std::size_t>(k)), most(static_cast<std::size_t>(k));
    model.pairs().for_each([&](index p, index a, index b) {
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

// Decisions for the linear kernel and for kernels with explicit features: f(x) = wᵀφ(x) + b takes one pass over the
// coordinates for any number of support vectors.

// Rows in a chunk of parallel work: tens of microseconds of work, because waking a thread takes some microseconds.
index rows_per_chunk(index products_a_row) {
    return std::max<index>(512, (index{1} << 16) / std::max<index>(products_a_row, 1));
}

// Computes XWᵀ by tiles, for many decisions per row. Rows of X are read in place; W is packed into panels of the width
// of a tile.
class tile_product {
public:
    explicit tile_product(const matrix<double>& w) : ops_(best_vector_ops()) {
        const index panels = (w.rows() + ops_.update_cols - 1) / ops_.update_cols;
        packed_ = matrix<double>(panels, w.cols() * ops_.update_cols);
        for (index p = 0; p < w.rows(); ++p)
            for (index a = 0; a < w.cols(); ++a)
                packed_(p / ops_.update_cols, a * ops_.update_cols + p % ops_.update_cols) = w(p, a);
    }

    void operator()(matrix_view<const double> x, matrix_view<double> out) const {
        const index rows = update_rows, cols = ops_.update_cols;
        buffer<double> tile(rows * cols), last;
        for (index first = 0; first < x.rows; first += rows) {
            const index count = std::min(rows, x.rows - first);
            const double* from = x.row(first);
            index stride = x.stride;
            if (count < rows) {  // pad with zero rows, so that the sums of a row do not depend on its position
                last.resize(rows * x.cols);
                for (index i = 0; i < count; ++i) std::copy_n(x.row(first + i), x.cols, last.data() + i * x.cols);
                from = last.data(), stride = x.cols;
            }
            for (index panel = 0; panel < packed_.rows(); ++panel) {
                std::fill_n(tile.data(), rows * cols, 0.0);
                ops_.row_update(tile.data(), cols, from, stride, packed_.row(panel), x.cols);
                for (index i = 0; i < count; ++i)
                    for (index c = 0; c < std::min(cols, out.cols - panel * cols); ++c)
                        out(first + i, panel * cols + c) += tile.data()[i * cols + c];
            }
        }
    }

private:
    const vector_ops& ops_;
    matrix<double> packed_;
};

// out += XWᵀ
void add_products(const dense<double>& x, const matrix<double>& w, matrix_view<double> out) {
    constexpr index few = 2, short_row = 24;
    const auto& ops = best_vector_ops();
    if (w.rows() == 1 && x.dims() <= short_row) {  // a call and a horizontal sum would take longer than the products
        parallel_chunks(x.size(), rows_per_chunk(x.dims() * w.rows()), [&](index first, index end) {
            for (index i = first; i < end; ++i) {
                const double* const row = x.row(i);
                double sum = 0;
                for (index a = 0; a < w.cols(); ++a) sum += row[a] * w.row(0)[a];
                out(i, 0) += sum;
            }
        });
        return;
    }
    if (w.rows() <= few) {
        parallel_chunks(x.size(), rows_per_chunk(x.dims() * w.rows()), [&](index first, index end) {
            for (index i = first; i < end; ++i)
                for (index p = 0; p < w.rows(); ++p) out(i, p) += ops.dot(x.row(i), w.row(p), x.dims());
        });
        return;
    }
    const tile_product by_tiles(w);
    parallel_chunks(x.size(), rows_per_chunk(x.dims() * w.rows()), [&](index first, index end) {
        by_tiles(x.view().block(first, 0, end - first, x.dims()), out.block(first, 0, end - first, out.cols));
    });
}

void add_products(const dense<float>& x, const matrix<double>& w, matrix_view<double> out) {
    parallel_chunks(x.size(), rows_per_chunk(x.dims() * w.rows()), [&](index first, index end) {
        std::vector<double> sums(static_cast<std::size_t>(w.rows()));
        for (index i = first; i < end; ++i) {
            best_vector_ops().dots(x.row(i), w.data(), w.cols(), w.rows(), x.dims(), sums.data());
            for (index p = 0; p < w.rows(); ++p) out(i, p) += sums[static_cast<std::size_t>(p)];
        }
    });
}

// Columns beyond those of w have weight zero.
template <class T>
void add_products(const sparse<T>& x, const matrix<double>& w, matrix_view<double> out) {
    const index count = w.rows();
    matrix<double> turned(w.cols(), count);
    for (index p = 0; p < count; ++p)
        for (index a = 0; a < w.cols(); ++a) turned(a, p) = w(p, a);
    parallel_chunks(x.size(), rows_per_chunk(x.nonzeros() / std::max<index>(x.size(), 1) * count),
                    [&](index first, index end) {
                        for (index i = first; i < end; ++i) {
                            const auto cols = x.cols(i);
                            const auto values = x.values(i);
                            double* const sums = out.row(i);
                            if (count == 1) {
                                const double* const weights = w.row(0);
                                std::size_t known = cols.size();
                                while (known > 0 && cols[known - 1] >= w.cols()) --known;
                                double sum = 0;
                                for (std::size_t e = 0; e < known; ++e)
                                    sum += static_cast<double>(values[e]) * weights[cols[e]];
                                sums[0] += sum;
                                continue;
                            }
                            for (std::size_t e = 0; e < cols.size() && cols[e] < w.cols(); ++e) {
                                const double* const row = turned.row(cols[e]);
                                for (index p = 0; p < count; ++p) sums[p] += static_cast<double>(values[e]) * row[p];
                            }
                        }
                    });
}

// decide() in double for the linear kernel. Returns nothing for other kernels, or if computing w takes longer than it
// saves.
std::optional<matrix<double>> decide_linear(const svm_model& model, const dataset& x) {
    constexpr index max_numbers = index{1} << 22;
    const index problems = model.problems();
    // Depends only on the model, because sums in another order may be rounded differently.
    const bool saves =
        model.support.size() > 0 && problems <= model.support.size() && problems * model.dims <= max_numbers;
    if (!saves || !model.k || model.k->text() != "linear()") return {};
    if (model.support.dims() != model.dims || (!x.is_sparse() && x.dims() != model.dims))
        return {};  // the evaluation of the kernel fails with a message
    const matrix<double> w = linear_weights(model);
    matrix<double> out(x.size(), problems);
    if (problems == 1)
        std::fill_n(out.data(), x.size(), model.offset.front());
    else
        for (index i = 0; i < x.size(); ++i) std::copy(model.offset.begin(), model.offset.end(), out.row(i));
    const bool vectors = std::visit(
        [&](const auto& rows) {
            if constexpr (requires { add_products(rows, w, out.view()); }) {
                add_products(rows, w, out.view());
                return true;
            }
            return false;
        },
        x.items());
    if (!vectors) return {};
    return out;
}

// decide() in double for kernels of objects with sparse explicit features. Returns nothing for other kernels, or if
// there are too few pairs of objects and support vectors for the features to pay.
std::optional<matrix<double>> decide_by_features(const svm_model& model, const dataset& x) {
    constexpr index few_pairs = index{1} << 20;
    constexpr std::size_t feature_bytes = std::size_t{64} << 20;
    if (!model.k || x.kind() == object_kind::vectors || model.support.size() == 0 ||
        x.size() < few_pairs / model.support.size() || !has_sparse_features(*model.k))
        return {};
    // The objects are processed in batches that fit into memory with the support vectors, whose features are computed
    // again for each batch. If these take more than half of the memory, kernel values are computed pair by pair
    // instead.
    const index room = std::min(max_objects_within(*model.k, x, feature_bytes),
                                max_objects_within(*model.k, model.support, feature_bytes));
    if (model.support.size() > room / 2) return {};
    matrix<double> out(x.size(), model.problems());
    for (index first = 0, count = 0; first < x.size(); first += count) {
        count = std::min(room - model.support.size(), x.size() - first);
        const object_features phi(*model.k, part(x, first, count), &model.support);
        matrix<double> w(model.problems(), phi.size());
        for_each_coefficient(model, [&](index s, index problem, double coef) {
            double* const weights = w.row(problem);
            const auto cols = phi.z().cols(s);
            const auto values = phi.z().values(s);
            for (std::size_t e = 0; e < cols.size(); ++e) weights[cols[e]] += coef * values[e];
        });
        for (index p = 0; p < model.problems(); ++p)
            for (index f = 0; f < phi.size(); ++f) w(p, f) *= phi.weight()[static_cast<std::size_t>(f)];
        for (index i = 0; i < count; ++i) std::copy(model.offset.begin(), model.offset.end(), out.row(first + i));
        add_products(phi.x(), w, out.view().block(first, 0, count, out.cols()));
    }
    return out;
}

void recompute_ties(const svm_model& model, const dataset& x, matrix<double>& f);

}  // namespace

matrix<double> decide(const svm_model& model, const dataset& x, arithmetic numbers) {
    if (!model.k)
        fail(errc::unsupported,
             "svm: this model was fitted on a precomputed kernel matrix: pass kernel values, not objects");
    if (auto f = decide_linear(model, x)) return std::move(*f);
    if (auto f = decide_by_features(model, x)) {
        if (x.size() > 1) recompute_ties(model, x, *f);
        return std::move(*f);
    }
    return numbers == arithmetic::fast ? decide_as<float>(model, x) : decide_as<double>(model, x);
}

matrix<double> decide(const svm_model& model, const gram<float>& K, const row_set& which,
                      std::span<const index> column_of) {
    return compute_decisions<float>(
        model, which.size(), [&](const row_set& rows, const row_set& cols, matrix_view<float> out) {
            K.block(which.slice(rows[0], rows.size()),
                    column_of.subspan(static_cast<std::size_t>(cols[0]), static_cast<std::size_t>(cols.size())), out);
        });
}

namespace {

// Returns true if K has a column for each training example, false if for each support vector; fails otherwise.
bool has_all_examples(const svm_model& model, matrix_view<const double> K) {
    const bool all = K.cols == model.training_size;
    if (!all && K.cols != model.coef.cols())
        fail(errc::invalid_argument, fmt::format("svm: kernel values must have one column for each of the {} training "
                                                 "examples, or for each of the {} support vectors, got {} columns",
                                                 model.training_size, model.coef.cols(), K.cols));
    return all;
}

void copy_values(const svm_model& model, matrix_view<const double> K, bool all, const row_set& rows,
                 const row_set& cols, matrix_view<double> out) {
    for (index i = 0; i < rows.size(); ++i)
        for (index j = 0; j < cols.size(); ++j)
            out(i, j) = K(rows[i], all ? model.support_rows[static_cast<std::size_t>(cols[j])] : cols[j]);
}

}  // namespace

matrix<double> decide_precomputed(const svm_model& model, matrix_view<const double> K) {
    const bool all = has_all_examples(model, K);
    return compute_decisions<double>(model, K.rows,
                                     [&](const row_set& rows, const row_set& cols, matrix_view<double> out) {
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
        } else if (pairs.is_one_vs_rest()) {
            label = model.classes[static_cast<std::size_t>(std::max_element(f.row(i), f.row(i) + k) - f.row(i))];
        } else {
            std::fill(votes.begin(), votes.end(), 0);
            pairs.for_each([&](index p, index a, index b) { ++votes[static_cast<std::size_t>(f(i, p) > 0 ? a : b)]; });
            label =
                model.classes[static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin())];
        }
    }
    return out;
}

namespace {

// The largest Σ|coef| and the largest |b| of the binary problems.
struct problem_sizes {
    explicit problem_sizes(const svm_model& model) {
        std::vector<double> sums(static_cast<std::size_t>(model.problems()), 0.0);
        for_each_coefficient(model, [&](index, index problem, double coef) { sums[problem] += std::abs(coef); });
        for (const double each : sums) coefs = std::max(coefs, each);
        for (const double each : model.offset) offset = std::max(offset, std::abs(each));
    }
    double coefs = 0, offset = 0;
};

// A bound of the error of decisions in float, computed from the model alone so that it does not depend on other rows.
// It is known for normalised kernels that are one function of a distance: the evaluator, as `rough`, keeps their error
// within 128 units of rounding, which is doubled here for the rounding of the function. Otherwise infinite.
double float_error(const svm_model& model, const problem_sizes& sizes) {
    const std::shared_ptr<const plan> code = model.k->compile();
    const bool of_distance = code->code.size() == 1 && code->code[0].operation == instruction::op::map &&
                             code->code[0].input == map_input::squared_distance && model.k->properties().normalised;
    if (!of_distance || model.support.size() == 0) return std::numeric_limits<double>::infinity();
    const index summed_in_float = model.coef.rows() > 1 ? strip : 0;
    return 0x1p-24 * static_cast<double>(256 + summed_in_float) * sizes.coefs;
}

// Decisions whose classes are those of exact decisions: computed in float, and again in double for rows whose class
// could change.
matrix<double> decide_for_classes(const svm_model& model, const dataset& x) {
    constexpr index first_rows = 1024, rows_at_once = 16384, few = 64, few_where_ready = 1024;
    constexpr double max_error = 0.25;  // with a larger error of decisions, most rows would be computed twice
    const problem_sizes sizes(model);
    const double error = float_error(model, sizes);
    // The float path prepares all support vectors again, which for a few objects takes longer than decisions in double
    // from prepared data.
    if (x.size() <= (model.ready.is_enabled() ? few_where_ready : few) || !(error <= max_error))
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
            if (may_change_class(model, some.row(i), error)) again.push_back(i);
        if (again.empty()) continue;
        const matrix<double> exact = decide_as<double>(model, gather(rows, std::span<const index>(again)));
        for (std::size_t i = 0; i < again.size(); ++i)
            std::copy_n(exact.row(static_cast<index>(i)), exact.cols(), f.row(first + again[i]));
        worthwhile = 2 * static_cast<index>(again.size()) <= count;
    }
    return f;
}

// The method by which decisions are computed depends on the number of rows, and methods differ in the order of their
// sums. Decisions that are 0 up to such rounding are replaced by those of the row alone, so that the predicted class
// does not depend on the other rows.
void recompute_ties(const svm_model& model, const dataset& x, matrix<double>& f) {
    const problem_sizes sizes(model);
    double largest = 0;
    for (const double each : kernel_diagonal(*model.k, model.support)) largest = std::max(largest, std::abs(each));
    const std::vector<double> self = kernel_diagonal(*model.k, x);
    for (index i = 0; i < x.size(); ++i) {
        const double size = sizes.coefs * std::sqrt(std::abs(self[static_cast<std::size_t>(i)]) * largest);
        if (!may_change_class(model, f.row(i), 0x1p-40 * (size + sizes.offset))) continue;
        const matrix<double> alone = decide(model, gather(x, row_set(i, 1)), arithmetic::exact);
        std::copy_n(alone.row(0), alone.cols(), f.row(i));
    }
}

// Returns true if votes are counted without storing decisions, which for millions of pairs of classes take many times
// the memory of the model.
bool counts_votes_only(const svm_model& model) {
    return model.pairs().is_one_vs_one() && model.problems() > max_reports;
}

}  // namespace

std::vector<double> predict_precomputed(const svm_model& model, matrix_view<const double> K) {
    if (!counts_votes_only(model)) return predict(model, decide_precomputed(model, K).view());
    const bool all = has_all_examples(model, K);
    return predict_by_votes(model, K.rows, [&](const row_set& rows, const row_set& cols, matrix_view<double> out) {
        copy_values(model, K, all, rows, cols, out);
    });
}

std::vector<double> predict_exactly(const svm_model& model, const dataset& x) {
    if (!counts_votes_only(model) || !model.k) return predict(model, decide(model, x, arithmetic::exact).view());
    const auto k = model.ready.gram_of(*model.k, x, model.support, {std::size_t{64} << 20, 0, false});
    return predict_by_votes(model, x.size(), [&](const row_set& rows, const row_set& cols, matrix_view<double> out) {
        k->block(rows, cols, out);
    });
}

std::vector<double> predict(const svm_model& model, const dataset& x) {
    if (counts_votes_only(model) && model.k) return predict_exactly(model, x);
    // Batches whose decisions take at most 64 MB, or of 1024 objects.
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
        if (x.size() > 1) recompute_ties(model, x, *f);
        return predict(model, f->view());
    }
    if (!model.k) return predict(model, decide(model, x).view());  // decide() fails with a message
    return predict(model, decide_for_classes(model, x).view());
}

matrix<double> class_scores(const svm_model& model, matrix_view<const double> f) {
    const index k = static_cast<index>(model.classes.size());
    if (!model.is_classifier() || k < 3)
        fail(errc::unsupported, fmt::format("svm: scores of classes need 3 <= classes, got {}", k));
    if (f.cols != model.problems())
        fail(errc::invalid_argument,
             fmt::format("svm: expected {} decision values per row, got {}", model.problems(), f.cols));
    matrix<double> out(f.rows, k);
    for (index i = 0; i < f.rows; ++i) {
        if (model.pairs().is_one_vs_rest()) {
            std::copy_n(f.row(i), k, out.row(i));
            continue;
        }
        matrix<double> sum(1, k);
        model.pairs().for_each([&](index p, index a, index b) {
            if (b < 0) return;  // never true here; avoids a warning of g++ 12
            out(i, f(i, p) >= 0 ? a : b) += 1;
            sum(0, a) += f(i, p);
            sum(0, b) -= f(i, p);
        });
        for (index c = 0; c < k; ++c) out(i, c) += sum(0, c) / (3 * (std::abs(sum(0, c)) + 1));
    }
    return out;
}

matrix<double> linear_weights(const svm_model& model) {
    if (!model.k || model.k->text() != "linear()")
        fail(errc::unsupported, fmt::format("svm: only a linear kernel has weights, this is {}",
                                            model.k ? model.kernel_text : "precomputed"));
    const std::unique_ptr<linear_operand> x = make_linear_operand(model.support);
    matrix<double> w(model.problems(), model.dims);
    for_each_coefficient(model, [&](index s, index problem, double coef) { x->add(s, coef, w.row(problem)); });
    return w;
}

template <>
struct file_form<svm_report> {
    static void parts(auto& a, auto& r) {
        if (a.version() > 1)
            a.counts(r.status, r.steps, r.rounds, r.flat_steps, r.concave_steps, r.size, r.margin_vectors, r.no_margin);
        else
            a.counts(r.status, r.steps, r.rounds, r.flat_steps, r.concave_steps, r.size, r.margin_vectors);
        a.check(r.status <= fit_status::stalled, "unknown fit status {}", static_cast<int>(r.status));
        a.numbers(r.gap, r.objective, r.offset_low, r.offset_high, r.epsilon);
        if (a.version() > 1) {
            a.numbers(r.C);
            a.check(r.C >= 0 && std::isfinite(r.C), "C is {}", r.C);
        }
        if constexpr (!std::is_const_v<std::remove_reference_t<decltype(r)>>)
            if (r.offset_low > r.offset_high) std::swap(r.offset_low, r.offset_high);  // in files of version 1
    }
};

template <>
struct file_form<calibration> {
    static void parts(auto& a, auto& p) {
        a.choice("kind", p.kind, {"sigmoid", "isotonic"});
        a.numbers(p.sigma);
        const index sigmoids = a.count("sigmoids", std::ssize(p.A));
        a.list(p.A, sigmoids);
        a.list(p.B, sigmoids);
        std::vector<index> knots;
        for (const auto& each : p.knots) knots.push_back(std::ssize(each));
        a.head("knots", knots);
        a.resize(p.knots, std::ssize(knots));
        a.resize(p.values, std::ssize(knots));
        for (std::size_t i = 0; i < knots.size(); ++i) a.list(p.knots[i], knots[i]), a.list(p.values[i], knots[i]);
    }
};

template <>
struct file_form<svm_model> {
    static constexpr std::string_view format = "mercer-svm-model";
    // Version 1 has reports without C and no_margin, and offset_low and offset_high in any order. Versions 1 and 2 have
    // a report for each problem and a dense table of coefficients.
    static constexpr int version = 3;
    static constexpr index max_sparse_numbers = index{1} << 28;  // limit of the table that is read from sparse entries

    static void parts(auto& a, auto& m) {
        a.choice("task", m.task, svm_task::nu_svr);
        a.choice("scheme", m.scheme, {"one_vs_one", "one_vs_rest"});
        a.kernel(m.k, m.kernel_text);
        a.head("class_names", m.class_names);
        a.head("class_support", m.class_support);
        a.integer("training_size", m.training_size);
        a.integer("dims", m.dims);
        const index rows = a.count("coef_rows", m.coef.rows(), 1 << 24), support = a.count("support", m.coef.cols());
        a.numbers(m.C);
        a.list("classes", m.classes);
        a.check_finite(m.classes, "a class label");
        a.list("problems", m.offset);
        if (a.version() > 2 && a.flag("sparse_coef", is_sparse(m)))
            sparse_table(a, m.coef, rows, support);
        else
            a.table(m.coef, rows, support);
        a.list(m.support_rows, support);
        // -1: the support vector is w (svm_solvers.h)
        a.check_range(m.support_rows, m.k ? -1 : 0, m.training_size, "the number of a support vector");
        a.part("reports", m.reports);
        a.check(a.version() < 3 || m.reports.size() < 2 || std::ssize(m.reports) == m.problems(),
                "{} reports, but {} problems", m.reports.size(), m.problems());
        a.part("probability", m.probability);
        if (m.k) a.objects("objects", m.support);
        check(a, m);
    }

    // Models that version 2 can represent are written as version 2, which earlier programs can read.
    static int version_of(const svm_model& m) {
        const bool one_report = m.reports.size() == 1 && m.problems() > 1;
        return one_report || is_sparse(m) ? 3 : 2;
    }

    // Returns true if a list of the nonzero coefficients is smaller than half of the table and the table exceeds 1 MB.
    static bool is_sparse(const svm_model& m) {
        const index all = m.coef.rows() * m.coef.cols();
        if (all <= index{1} << 17 || all > max_sparse_numbers) return false;
        const index zeros = std::count(m.coef.data(), m.coef.data() + all, 0.0);
        return 2 * (2 * (all - zeros) + m.coef.rows()) < all;
    }

    // The number of nonzero coefficients in each row, then their columns, then their values.
    static void sparse_table(auto& a, auto& coef, index rows, index cols) {
        constexpr bool writes = std::is_const_v<std::remove_reference_t<decltype(coef)>>;
        std::vector<index> counts(writes ? static_cast<std::size_t>(rows) : 0), column;
        std::vector<double> value;
        if constexpr (writes)
            for (index m = 0; m < rows; ++m)
                for (index s = 0; s < cols; ++s)
                    if (coef(m, s) != 0) {
                        ++counts[static_cast<std::size_t>(m)];
                        column.push_back(s), value.push_back(coef(m, s));
                    }
        a.list(counts, rows);
        a.check_range(counts, 0, cols + 1, "the number of coefficients in a row");
        const index entries = std::accumulate(counts.begin(), counts.end(), index{0});
        a.list(column, entries);
        a.check_range(column, 0, cols, "the column of a coefficient");
        a.list(value, entries);
        if constexpr (!writes) {
            a.check(cols == 0 || rows <= max_sparse_numbers / cols, "{} x {} coefficients are too many", rows, cols);
            coef = matrix<double>(rows, cols);
            std::size_t at = 0;
            for (index m = 0; m < rows; ++m)
                for (index e = 0; e < counts[static_cast<std::size_t>(m)]; ++e, ++at) coef(m, column[at]) = value[at];
        }
    }

    // Checks that the parts are consistent as far as predict() relies on it.
    static void check(auto& a, const svm_model& m) {
        const index k = std::ssize(m.classes), count = m.coef.cols();
        a.check(m.is_classifier() ? k >= 1 : k == 0, "only a classifier can have classes, and it must have them");
        a.check(k < (1 << 20), "too many classes");
        a.check(m.problems() == m.pairs().count(), "the number of offsets does not match the number of classes");
        a.check(m.coef.rows() == m.pairs().coefficient_rows() || count == 0,
                "the rows of coefficients do not match the number of classes");
        a.check(!m.k || m.support.size() == count, "the number of support objects does not match the coefficients");
        if (!m.is_classifier()) return;
        a.check(std::ssize(m.class_support) == k, "the counts of support vectors by class are missing");
        a.check_range(m.class_support, 0, count + 1, "a count of support vectors");
        a.check(std::accumulate(m.class_support.begin(), m.class_support.end(), index{0}) == count,
                "the counts of support vectors do not add up");
        if (!m.probability) return;
        const auto fits = [&](const auto& list) { return std::ssize(list) == m.problems(); };
        const calibration& p = *m.probability;
        a.check(p.kind == calibration::method::sigmoid ? fits(p.A) : fits(p.knots),
                "the number of probabilities does not match the number of binary problems");
    }
};

template <>
std::string model_file<svm_model>::bytes(const svm_model& m) {
    archive_writer out(file_form<svm_model>::version_of(m));
    out.part(m);
    return out.bytes(file_form<svm_model>::format);
}
template struct model_file<svm_model>;

svm_model parse_any_model(std::string_view bytes, const std::string& name, bool zero_based) {
    if (!bytes.starts_with(file_form<svm_model>::format)) return parse_libsvm_model(bytes, name, zero_based);
    svm_model model = parse_model<svm_model>(bytes, name);
    if (!zero_based || !model.k) return model;
    const auto* x = model.support.as<sparse<double>>();
    if (!x)
        fail(errc::unsupported,
             fmt::format("{}: only a model of sparse double vectors can be moved to columns that start from 0", name));
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    for (index i = 0; i < x->size(); ++i) {
        for (const std::int32_t c : x->cols(i)) col.push_back(c + 1);
        val.insert(val.end(), x->values(i).begin(), x->values(i).end());
        start.push_back(static_cast<index>(col.size()));
    }
    model.dims = x->dims() + 1;
    model.support = sparse<double>(std::move(start), std::move(col), std::move(val), model.dims);
    return model;
}

bool is_model_prefix(std::string_view text) { return text.starts_with("mercer-") || is_libsvm_model_prefix(text); }

svm_model load_any_model(const std::string& path, bool zero_based) {
    const file_contents file = read_file_if(path, is_model_prefix);
    return parse_untruncated(file, [&] { return parse_any_model(file.bytes(), file.name(), zero_based); });
}

}  // namespace mercer
