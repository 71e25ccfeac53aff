// The diagonal k(x, x), without the rest of the matrix.
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/evaluation/evaluator_state.h"

namespace mercer {

namespace {
// The statistics of a pair (x, x), one object at a time.
template <class T>
T self_statistic(const source<T>& s, const std::vector<T>& row) {
    T sum = s.what == statistic::product ? T(1) : T(0);
    switch (s.what) {
        case statistic::min_sum:
            for (const T v : row) sum += v;
            break;
        case statistic::product:
            for (const T v : row) sum *= 1 + v * v;
            break;
        default: break;
    }
    return sum;
}
}  // namespace

template <class T>
void evaluator<T>::diagonal(std::span<T> out) const {
    if (wide_) {
        std::vector<double> values(out.size());
        wide_->diagonal(values);
        std::transform(values.begin(), values.end(), out.begin(), [](double v) { return static_cast<T>(v); });
        return;
    }
    const state& s = *state_;
    if (!s.same) fail(errc::invalid_argument, "a diagonal k(x, x) needs the same data on both sides");
    // A tile of one row per run of objects: register s holds the statistic of (xᵢ, xᵢ), and the row and column vectors of norms and
    // factors both vary along the row, so the row's share is folded into the column's.
    const index n = rows(), width = 1024 / static_cast<index>(sizeof(T));
    parallel_for(ceil_div(n, width), [&](index part) {
        const index first = part * width, count = std::min(width, n - first);
        buffer<T> registers(s.code->registers * width), col(width), zero(1);
        std::vector<T> row;
        for (std::size_t k = 0; k < s.sources.size(); ++k) {
            const auto& src = s.sources[k];
            T* stat = registers.data() + static_cast<index>(k) * width;
            if (src.what == statistic::dot) {
                // A shifted statistic is only ever asked for distances, and those are 0 here.
                if (src.x_norms.size())
                    std::copy_n(src.x_norms.data() + first, count, stat);
                else
                    operand<T>(gather(src.x.vectors(), selection(first, count)), src.sparse())
                        .norms(nullptr, std::span<T>(stat, static_cast<std::size_t>(count)));
            } else if (src.what == statistic::user) {
                std::vector<double> values(static_cast<std::size_t>(count));
                src.user->diagonal(first, count, values.data());
                std::copy(values.begin(), values.end(), stat);
            } else {
                for (index i = 0; i < count; ++i) {
                    if (src.what == statistic::min_sum || src.what == statistic::product) {
                        const dense<T> one = as_dense<T>(gather(src.x.vectors(), selection(first + i, 1)));
                        row.assign(one.row(0), one.row(0) + one.dims());
                    }
                    stat[i] = self_statistic(src, row);
                }
            }
        }
        using op = instruction::op;
        for (std::size_t at = 0; at < s.code->code.size(); ++at) {
            const auto& step = s.code->code[at];
            T* to = registers.data() + step.to * width;
            const T* a = registers.data() + step.a * width;
            const T* b = registers.data() + step.b * width;
            switch (step.what) {
                case op::fill: std::fill_n(to, width, static_cast<T>(step.shift)); break;
                case op::map: {
                    tile_map<T> call{step.formula, step.input, a, width, &to, zero.data(), col.data(), 1, width};
                    if (step.input == map_input::squared_distance) {
                        for (index i = 0; i < width; ++i) col[i] = 2 * a[i];  // ‖x‖² + ‖x‖² - 2xᵀx = 0
                        s.ops.map(call);
                    } else if (step.input == map_input::with_norms) {
                        // f(t, ‖x‖², ‖x‖²) with both norms varying: one object at a time, a vector's worth of copies of it.
                        for (index i = 0; i < count; ++i) {
                            buffer<T> in(s.ops.lanes), result(s.ops.lanes), norm(s.ops.lanes);
                            std::fill_n(in.data(), s.ops.lanes, a[i]);
                            std::fill_n(norm.data(), s.ops.lanes, a[i]);
                            T* one = result.data();
                            s.ops.map({step.formula, step.input, in.data(), s.ops.lanes, &one, norm.data(), norm.data(), 1, s.ops.lanes});
                            to[i] = result[0];
                        }
                    } else {
                        s.ops.map(call);
                    }
                    break;
                }
                case op::affine: s.ops.affine(to, step.scale, step.shift, width); break;
                case op::add: s.ops.binary(tile_binary::add, to, b, width); break;
                case op::multiply: s.ops.binary(tile_binary::multiply, to, b, width); break;
                case op::power: s.ops.power(to, step.shift, width); break;
                case op::polynomial: s.ops.polynomial(to, step.coefficients.data(), static_cast<index>(step.coefficients.size()), width); break;
                case op::exponential: s.ops.exponential(to, width); break;
                case op::outer_multiply:
                    for (index i = 0; i < count; ++i) to[i] *= s.factors[at].x[first + i] * s.factors[at].x[first + i];
                    break;
                case op::outer_add:
                    for (index i = 0; i < count; ++i) to[i] += s.factors[at].x[first + i] + s.factors[at].x[first + i];
                    break;
            }
        }
        std::copy_n(registers.data() + s.code->result * width, count, out.data() + first);
    });
}

template void evaluator<float>::diagonal(std::span<float>) const;
template void evaluator<double>::diagonal(std::span<double>) const;

}  // namespace mercer
