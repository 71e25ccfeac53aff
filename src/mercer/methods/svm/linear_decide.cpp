#include "mercer/methods/svm/linear_decide.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "mercer/base/threads.h"
#include "mercer/data/part.h"
#include "mercer/dense/vector_ops.h"
#include "mercer/kernels/features/explicit_features.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {
namespace {

// Rows that a thread works on at once: tens of microseconds of work, for waking a thread takes some.
index stretch(index products_a_row) {
    return std::max<index>(512, (index{1} << 16) / std::max<index>(products_a_row, 1));
}

// Many decisions a row: tiles of the product XWᵀ, rows of X where they lie. W in panels of as many columns as a tile
// has.
class tiles {
public:
    explicit tiles(const matrix<double>& w) : ops_(smo::best_vector_ops()) {
        const index panels = (w.rows() + ops_.update_cols - 1) / ops_.update_cols;
        packed_ = matrix<double>(panels, w.cols() * ops_.update_cols);
        for (index p = 0; p < w.rows(); ++p)
            for (index a = 0; a < w.cols(); ++a)
                packed_(p / ops_.update_cols, a * ops_.update_cols + p % ops_.update_cols) = w(p, a);
    }

    void operator()(matrix_view<const double> x, matrix_view<double> out) const {
        const index rows = smo::update_rows, cols = ops_.update_cols;
        buffer<double> tile(rows * cols), last;
        for (index first = 0; first < x.rows; first += rows) {
            const index count = std::min(rows, x.rows - first);
            const double* from = x.row(first);
            index stride = x.stride;
            if (count < rows) {  // filled up with zeros, so that a row's sums are the same wherever it stands
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
    const smo::vector_ops& ops_;
    matrix<double> packed_;
};

// out += XWᵀ
void add_products(const dense<double>& x, const matrix<double>& w, matrix_view<double> out) {
    constexpr index few = 2, short_row = 24;
    const auto& ops = smo::best_vector_ops();
    if (w.rows() == 1 &&
        x.dims() <= short_row) {  // a call and the sum over a vector's lanes would cost more than the products
        parallel_runs(x.size(), stretch(x.dims() * w.rows()), [&](index first, index end) {
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
        parallel_runs(x.size(), stretch(x.dims() * w.rows()), [&](index first, index end) {
            for (index i = first; i < end; ++i)
                for (index p = 0; p < w.rows(); ++p) out(i, p) += ops.dot(x.row(i), w.row(p), x.dims());
        });
        return;
    }
    const tiles by_tiles(w);
    parallel_runs(x.size(), stretch(x.dims() * w.rows()), [&](index first, index end) {
        by_tiles(x.view().block(first, 0, end - first, x.dims()), out.block(first, 0, end - first, out.cols));
    });
}

void add_products(const dense<float>& x, const matrix<double>& w, matrix_view<double> out) {
    parallel_runs(x.size(), stretch(x.dims() * w.rows()), [&](index first, index end) {
        std::vector<double> sums(static_cast<std::size_t>(w.rows()));
        for (index i = first; i < end; ++i) {
            smo::best_vector_ops().dots(x.row(i), w.data(), w.cols(), w.rows(), x.dims(), sums.data());
            for (index p = 0; p < w.rows(); ++p) out(i, p) += sums[static_cast<std::size_t>(p)];
        }
    });
}

// Columns that w does not know have weight zero.
template <class T>
void add_products(const sparse<T>& x, const matrix<double>& w, matrix_view<double> out) {
    const index count = w.rows();
    matrix<double> turned(w.cols(), count);
    for (index p = 0; p < count; ++p)
        for (index a = 0; a < w.cols(); ++a) turned(a, p) = w(p, a);
    parallel_runs(x.size(), stretch(x.nonzeros() / std::max<index>(x.size(), 1) * count), [&](index first, index end) {
        for (index i = first; i < end; ++i) {
            const auto cols = x.cols(i);
            const auto values = x.values(i);
            double* const sums = out.row(i);
            if (count == 1) {
                const double* const weights = w.row(0);
                std::size_t known = cols.size();
                while (known > 0 && cols[known - 1] >= w.cols()) --known;
                double sum = 0;
                for (std::size_t e = 0; e < known; ++e) sum += static_cast<double>(values[e]) * weights[cols[e]];
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

}  // namespace

std::optional<matrix<double>> decide_linear(const svm_model& model, const dataset& x) {
    constexpr index most_numbers = index{1} << 22;
    const index problems = model.problems();
    // The model alone decides: sums in another order may end in other bits.
    const bool saves =
        model.support.size() > 0 && problems <= model.support.size() && problems * model.dims <= most_numbers;
    if (!saves || !model.k || model.k->text() != "linear()") return {};
    if (model.support.dims() != model.dims || (!x.is_sparse() && x.dims() != model.dims))
        return {};  // the kernel says what is wrong with them
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

std::optional<matrix<double>> decide_by_features(const svm_model& model, const dataset& x) {
    constexpr index few_pairs = index{1} << 20;
    constexpr std::size_t feature_bytes = std::size_t{64} << 20;
    if (!model.k || x.kind() == domain::vectors || model.support.size() == 0 ||
        x.size() < few_pairs / model.support.size() || !has_sparse_features(*model.k))
        return {};
    // The objects are taken as many at a time as have room beside the support objects, whose features are made anew
    // each time; pairs are compared where those take most of it.
    const index room =
        std::min(objects_within(*model.k, x, feature_bytes), objects_within(*model.k, model.support, feature_bytes));
    if (model.support.size() > room / 2) return {};
    matrix<double> out(x.size(), model.problems());
    for (index first = 0, count = 0; first < x.size(); first += count) {
        count = std::min(room - model.support.size(), x.size() - first);
        const object_features phi(*model.k, part(x, first, count), &model.support);
        matrix<double> w(model.problems(), phi.size());
        each_coefficient(model, [&](index s, index problem, double coef) {
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

}  // namespace mercer
