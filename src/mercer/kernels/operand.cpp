#include "mercer/kernels/operand.h"

#include <cmath>

#include "mercer/base/parallel.h"

namespace mercer {

template <class T>
const T* operand<T>::dense_row(index i, T* scratch) const {
    return std::visit(
        [&](const auto& some) -> const T* {
            using kind = std::decay_t<decltype(some)>;
            if constexpr (std::is_same_v<kind, dense<T>>) {
                return some.row(i);
            } else if constexpr (requires { some.row(i); }) {
                for (index a = 0; a < some.dims(); ++a) scratch[a] = static_cast<T>(some.row(i)[a]);
            } else if constexpr (requires { some.cols(i); }) {
                std::fill_n(scratch, some.dims(), T(0));
                const auto cols = some.cols(i);
                const auto values = some.values(i);
                for (std::size_t k = 0; k < cols.size(); ++k) scratch[cols[k]] = static_cast<T>(values[k]);
            }
            return scratch;
        },
        vectors_.items());
}

template <class T>
double operand<T>::mean_entries() const {
    const auto count = static_cast<double>(std::max<index>(1, size()));
    if (const auto* some = vectors_.as<sparse<float>>()) return static_cast<double>(some->nonzeros()) / count;
    if (const auto* some = vectors_.as<sparse<double>>()) return static_cast<double>(some->nonzeros()) / count;
    return static_cast<double>(dims());
}

namespace {

// Writes sparse rows straight into a zeroed panel.
template <class T, class U>
void scatter(const sparse<U>& from, const selection& which, T* packed, index width) {
    std::fill_n(packed, from.dims() * width, T(0));
    for (index r = 0; r < which.size(); ++r) {
        const auto cols = from.cols(which[r]);
        const auto values = from.values(which[r]);
        for (std::size_t k = 0; k < cols.size(); ++k) packed[static_cast<index>(cols[k]) * width + r] = static_cast<T>(values[k]);
    }
}

}  // namespace

template <class T>
void operand<T>::pack(const selection& which, const T* shift, T* packed, index width, pack_scratch<T>& scratch) const {
    if (!shift) {
        if (const auto* same = vectors_.as<sparse<T>>()) return scatter(*same, which, packed, width);
        if constexpr (std::is_same_v<T, float>) {
            if (const auto* other = vectors_.as<sparse<double>>()) return scatter(*other, which, packed, width);
        } else {
            if (const auto* other = vectors_.as<sparse<float>>()) return scatter(*other, which, packed, width);
        }
    }
    const index depth = dims();
    T* rows = scratch.rows.at_least(which.size() * depth);
    scratch.pointers.resize(static_cast<std::size_t>(which.size()));
    for (index r = 0; r < which.size(); ++r) scratch.pointers[r] = dense_row(which[r], rows + r * depth);
    best_tile_ops<T>().pack(scratch.pointers.data(), which.size(), depth, shift, packed, width);
}

template <class T>
void operand<T>::sparse_row(index i, pack_scratch<T>& scratch, const std::int32_t*& cols, const T*& values, index& count) const {
    std::visit(
        [&](const auto& some) {
            using kind = std::decay_t<decltype(some)>;
            if constexpr (requires { some.cols(i); }) {
                cols = some.cols(i).data();
                count = static_cast<index>(some.cols(i).size());
                if constexpr (std::is_same_v<kind, sparse<T>>) {
                    values = some.values(i).data();
                } else {
                    scratch.row_values.assign(some.values(i).begin(), some.values(i).end());
                    values = scratch.row_values.data();
                }
            }
        },
        vectors_.items());
}

template <class T>
void operand<T>::norms(const T* shift, std::span<T> out) const {
    const auto& ops = best_tile_ops<T>();
    const index width = ops.panel;
    const index groups = (size() + width - 1) / width;
    parallel_for(groups, [&](index g) {
        thread_local pack_scratch<T> scratch;
        thread_local buffer<T> panel, sums;
        const index first = g * width, count = std::min(width, size() - first);
        if (sparse_) {
            for (index i = first; i < first + count; ++i) {
                const std::int32_t* cols = nullptr;
                const T* values = nullptr;
                index entries = 0;
                sparse_row(i, scratch, cols, values, entries);
                out[i] = ops.sparse_norm(values, entries);
            }
            return;
        }
        pack(selection(first, count), shift, panel.at_least(dims() * width), width, scratch);
        ops.panel_norms(panel.data(), dims(), sums.at_least(width));
        std::copy_n(sums.data(), count, out.data() + first);
    });
}

dataset widened(const dataset& vectors, index dims) {
    return std::visit(
        [&](const auto& some) -> dataset {
            if constexpr (requires { some.cols(0); }) {
                std::vector<index> start{0};
                std::vector<std::int32_t> col;
                std::vector<typename decltype(some.values(0))::value_type> val;
                for (index i = 0; i < some.size(); ++i) {
                    col.insert(col.end(), some.cols(i).begin(), some.cols(i).end());
                    val.insert(val.end(), some.values(i).begin(), some.values(i).end());
                    start.push_back(static_cast<index>(col.size()));
                }
                return std::decay_t<decltype(some)>(std::move(start), std::move(col), std::move(val), dims);
            }
            return some;
        },
        vectors.items());
}

template <class T>
std::vector<T> useful_shift(const dataset& x) {
    if (x.is_sparse() || x.size() == 0 || x.dims() == 0) return {};
    return std::visit(
        [](const auto& some) -> std::vector<T> {
            if constexpr (requires { some.row(0); }) {
                // A sample is enough: any shift is allowed, the mean is only the best one.
                const index step = std::max<index>(1, some.size() / 1024);
                std::vector<double> sum(some.dims(), 0), squares(some.dims(), 0);
                double count = 0;
                for (index i = 0; i < some.size(); i += step, ++count)
                    for (index a = 0; a < some.dims(); ++a) {
                        sum[a] += some.row(i)[a];
                        squares[a] += static_cast<double>(some.row(i)[a]) * some.row(i)[a];
                    }
                double mean_norm = 0, total = 0;
                std::vector<T> mean(some.dims());
                for (index a = 0; a < some.dims(); ++a) {
                    mean[a] = static_cast<T>(sum[a] / count);
                    mean_norm += sum[a] / count * (sum[a] / count);
                    total += squares[a] / count;
                }
                // total = ‖mean‖² + spread. Where the mean is less than half of it, a shift would gain less than a bit.
                return std::isfinite(total) && 2 * mean_norm > total ? mean : std::vector<T>{};
            }
            return {};
        },
        x.items());
}

template class operand<float>;
template class operand<double>;
template std::vector<float> useful_shift(const dataset&);
template std::vector<double> useful_shift(const dataset&);

}  // namespace mercer
