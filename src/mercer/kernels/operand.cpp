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
    return density_ * static_cast<double>(dims());
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
index operand<T>::room_for_entries(index i) const {
    return std::visit(
        [&](const auto& some) -> index {
            using kind = std::decay_t<decltype(some)>;
            if constexpr (std::is_same_v<kind, sparse<T>>) {
                return 0;
            } else if constexpr (requires { some.cols(i); }) {
                return static_cast<index>(some.cols(i).size());
            } else if constexpr (requires { some.row(i); }) {
                const auto* row = some.row(i);
                index count = 1;  // every coordinate is written to the next free place, the last ones in vain
                for (index a = 0; a < some.dims(); ++a) count += row[a] != 0;
                return count;
            } else {
                return 0;
            }
        },
        vectors_.items());
}

template <class T>
sparse_entries<T> operand<T>::entries(index i, std::int32_t* cols, T* values) const {
    return std::visit(
        [&](const auto& some) -> sparse_entries<T> {
            using kind = std::decay_t<decltype(some)>;
            if constexpr (requires { some.cols(i); }) {
                const auto count = static_cast<index>(some.cols(i).size());
                if constexpr (std::is_same_v<kind, sparse<T>>) return {some.cols(i).data(), some.values(i).data(), count};
                std::copy_n(some.values(i).data(), count, values);
                return {some.cols(i).data(), values, count};
            } else if constexpr (requires { some.row(i); }) {
                const auto* row = some.row(i);
                index count = 0;
                for (index a = 0; a < some.dims(); ++a) {
                    cols[count] = static_cast<std::int32_t>(a);
                    values[count] = static_cast<T>(row[a]);
                    count += row[a] != 0;
                }
                return {cols, values, count};
            } else {
                return {};
            }
        },
        vectors_.items());
}

template <class T>
sparse_entries<T> operand<T>::entries(index i, pack_scratch<T>& scratch) const {
    const auto room = static_cast<std::size_t>(room_for_entries(i));
    if (scratch.row_values.size() < room) scratch.row_values.resize(room), scratch.row_cols.resize(room);
    return entries(i, scratch.row_cols.data(), scratch.row_values.data());
}

namespace {
constexpr index deep = 8192;  // coordinates
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
        if (dims() > deep && !vectors_.is_sparse()) {
            // One row after the other: a panel of so many coordinates would take megabytes for every thread.
            T* own = panel.at_least(dims());
            for (index i = first; i < first + count; ++i) {
                const T* row = dense_row(i, own);
                if (shift) {
                    for (index a = 0; a < dims(); ++a) own[a] = row[a] - shift[a];
                    row = own;
                }
                out[i] = ops.sparse_norm(row, dims());
            }
            return;
        }
        if (sparse_ && vectors_.is_sparse()) {
            for (index i = first; i < first + count; ++i) {
                const auto own = entries(i, scratch);
                out[i] = ops.sparse_norm(own.values, own.count);
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
vector_sample<T> sample_vectors(const dataset& x) {
    if (x.is_sparse() || x.size() == 0 || x.dims() == 0) return {};
    return std::visit(
        [](const auto& some) -> vector_sample<T> {
            if constexpr (requires { some.row(0); }) {
                const index step = std::max<index>(1, some.size() / 256);
                std::vector<double> sum(some.dims(), 0), squares(some.dims(), 0);
                double count = 0, entries = 0;
                for (index i = 0; i < some.size(); i += step, ++count) {
                    const auto* row = some.row(i);
                    index here = 0;
                    for (index a = 0; a < some.dims(); ++a) {
                        sum[a] += row[a];
                        squares[a] += static_cast<double>(row[a]) * row[a];
                        here += row[a] != 0;
                    }
                    entries += static_cast<double>(here);
                }
                double mean_norm = 0, total = 0;
                vector_sample<T> seen;
                seen.mean.resize(some.dims());
                for (index a = 0; a < some.dims(); ++a) {
                    seen.mean[a] = static_cast<T>(sum[a] / count);
                    mean_norm += sum[a] / count * (sum[a] / count);
                    total += squares[a] / count;
                }
                if (std::isfinite(total) && total > 0) seen.mean_share = mean_norm / total;
                seen.density = entries / (count * static_cast<double>(some.dims()));
                return seen;
            }
            return {};
        },
        x.items());
}

template class operand<float>;
template class operand<double>;
template vector_sample<float> sample_vectors(const dataset&);
template vector_sample<double> sample_vectors(const dataset&);

}  // namespace mercer
