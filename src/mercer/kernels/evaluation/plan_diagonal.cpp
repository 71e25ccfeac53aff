#include "mercer/kernels/evaluation/plan_diagonal.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::evaluation {

namespace {

// A chunk of objects as a tile of one row: register s holds statistic s of the pairs (xᵢ, xᵢ). Norms and factors of
// rows and columns both vary along this row, so those of the rows are added to those of the columns.
template <class T>
class diagonal_run {
public:
    static constexpr index width = 1024 / static_cast<index>(sizeof(T));
    diagonal_run(const prepared_data<T>& data, index first, index count)
        : data_(data), first_(first), count_(count), registers_(data.code->registers * width), col_(width), zero_(1) {}

    void fill_statistic(std::size_t at) {
        const auto& s = data_.statistics[at];
        T* stat = register_of(static_cast<int>(at));
        if (s.what == pair_statistic::dot) {
            // A statistic with a shift is used for distances only, and those are 0 here.
            if (s.x_norms.size())
                std::copy_n(s.x_norms.data() + first_, count_, stat);
            else
                s.x.norms(nullptr, std::span<T>(stat, static_cast<std::size_t>(count_)), first_);
        } else if (s.what == pair_statistic::user) {
            std::vector<double> values(static_cast<std::size_t>(count_));
            s.user->diagonal(first_, count_, values.data());
            std::copy(values.begin(), values.end(), stat);
        } else {
            for (index i = 0; i < count_; ++i) stat[i] = self_statistic(s, first_ + i);
        }
    }

    void run_step(std::size_t at) {
        using op = instruction::op;
        const auto& step = data_.code->code[at];
        T* to = register_of(step.to);
        const T* b = register_of(step.b);
        const auto& u = data_.factors[at].x;
        switch (step.operation) {
            case op::fill: std::fill_n(to, width, static_cast<T>(step.shift)); break;
            case op::map: run_map(step, to); break;
            case op::affine: ops_.affine(to, step.scale, step.shift, width); break;
            case op::add: ops_.binary(tile_binary::add, to, b, width); break;
            case op::multiply: ops_.binary(tile_binary::multiply, to, b, width); break;
            case op::power: ops_.power(to, step.shift, width); break;
            case op::polynomial:
                ops_.polynomial(to, step.coefficients.data(), static_cast<index>(step.coefficients.size()), width);
                break;
            case op::exponential: ops_.exponential(to, width); break;
            case op::outer_multiply:
                for (index i = 0; i < count_; ++i) to[i] *= u[first_ + i] * u[first_ + i];
                break;
            case op::outer_add:
                for (index i = 0; i < count_; ++i) to[i] += u[first_ + i] + u[first_ + i];
                break;
        }
    }

    const T* result() { return register_of(data_.code->result); }

private:
    T* register_of(int number) { return registers_.data() + number * width; }

    // Returns statistic s of (xᵢ, xᵢ). Except for min_sum and product, which are computed, these statistics are 0 for
    // equal vectors.
    T self_statistic(const prepared_statistic<T>& s, index i) const {
        if (s.what != pair_statistic::min_sum && s.what != pair_statistic::product) return T(0);
        const dense<T> one = as_dense<T>(gather(s.x.vectors(), row_set(i, 1)));
        T sum = s.what == pair_statistic::product ? T(1) : T(0);
        for (index a = 0; a < one.dims(); ++a) {
            const T v = one.row(0)[a];
            if (s.what == pair_statistic::product)
                sum *= 1 + v * v;
            else
                sum += v;
        }
        return sum;
    }

    void run_map(const instruction& step, T* to) {
        const T* a = register_of(step.a);
        if (step.input == map_input::with_norms) return map_with_norms(step, a, to);
        if (step.input == map_input::squared_distance)
            for (index i = 0; i < width; ++i) col_[i] = 2 * a[i];  // ‖x‖² + ‖x‖² - 2xᵀx = 0
        ops_.map({step.formula, step.input, a, width, &to, zero_.data(), col_.data(), 1, width});
    }

    // Computes f(t, ‖x‖², ‖x‖²), where both norms vary, object by object: a SIMD vector is filled with copies of one
    // object.
    void map_with_norms(const instruction& step, const T* a, T* to) const {
        const index lanes = ops_.lanes;
        buffer<T> in(lanes), result(lanes), norm(lanes);
        for (index i = 0; i < count_; ++i) {
            std::fill_n(in.data(), lanes, a[i]);
            std::fill_n(norm.data(), lanes, a[i]);
            T* one = result.data();
            ops_.map({step.formula, step.input, in.data(), lanes, &one, norm.data(), norm.data(), 1, lanes});
            to[i] = result[0];
        }
    }

    const prepared_data<T>& data_;
    const tile_ops<T>& ops_ = best_tile_ops<T>();
    index first_, count_;
    buffer<T> registers_, col_, zero_;
};

}  // namespace

template <class T>
void diagonal_of(const prepared_data<T>& data, std::span<T> out) {
    if (!data.same_data) fail(errc::invalid_argument, "the diagonal k(x, x) needs the same data set on both sides");
    constexpr index width = diagonal_run<T>::width;
    parallel_for(ceil_div(data.rows, width), [&](index part) {
        const index first = part * width, count = std::min(width, data.rows - first);
        diagonal_run<T> run(data, first, count);
        for (std::size_t s = 0; s < data.statistics.size(); ++s) run.fill_statistic(s);
        for (std::size_t at = 0; at < data.code->code.size(); ++at) run.run_step(at);
        std::copy_n(run.result(), count, out.data() + first);
    });
}

template void diagonal_of(const prepared_data<float>&, std::span<float>);
template void diagonal_of(const prepared_data<double>&, std::span<double>);

}  // namespace mercer::evaluation
