#include "mercer/kernels/evaluation/vector_operand.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer {

namespace {

// Returns the rounding error of a - b in T (by Knuth's two-sum if T is double).
template <class T>
T rest_of(double a, double b) {
    const double d = a - b;
    if constexpr (sizeof(T) < sizeof(double)) return static_cast<T>(d - static_cast<double>(static_cast<T>(d)));
    const double back = a - d;
    return (a - (d + back)) + (back - b);
}

}  // namespace

template <class T>
const T* vector_operand<T>::dense_row(index i, coordinate_range part, const T* shift, T* scratch) const {
    if (const auto* own = vectors_.as<dense<T>>()) return own->row(i) + part.first;
    if (shift) shift += part.first;
    std::visit(
        [&](const auto& some) {
            // The shift is subtracted in double: far from the origin, rounding to T first would lose the digits that
            // the shift preserves.
            using U = std::conditional_t<sizeof(T) == 8, T, double>;
            const auto minus = [&](auto value, index a) {
                return static_cast<T>(shift ? static_cast<U>(value) - static_cast<U>(shift[a]) : static_cast<U>(value));
            };
            if constexpr (requires { some.row(i); }) {
                const auto* row = some.row(i) + part.first;
                for (index a = 0; a < part.count; ++a) scratch[a] = minus(row[a], a);
            } else if constexpr (requires { some.cols(i); }) {
                for (index a = 0; a < part.count; ++a) scratch[a] = shift ? -shift[a] : T(0);
                entries_within(some, i, part, [&](index a, auto value) { scratch[a] = minus(value, a); });
            }
        },
        vectors_.items());
    return scratch;
}

template <class T>
double vector_operand<T>::mean_entries() const {
    const auto count = static_cast<double>(std::max<index>(1, size()));
    if (const auto* some = vectors_.as<sparse<float>>()) return static_cast<double>(some->nonzeros()) / count;
    if (const auto* some = vectors_.as<sparse<double>>()) return static_cast<double>(some->nonzeros()) / count;
    return density_ * static_cast<double>(dims());
}

namespace {

// Writes sparse rows directly into a panel filled with zeros.
template <class T, class U>
void scatter(const sparse<U>& from, const row_set& which, coordinate_range part, T* packed, index width) {
    std::fill_n(packed, part.count * width, T(0));
    for (index r = 0; r < which.size(); ++r)
        entries_within(from, which[r], part, [&](index k, U value) { packed[k * width + r] = static_cast<T>(value); });
}

// Cuts a range to the coordinates that exist, of `dims`.
coordinate_range within(coordinate_range part, index dims) {
    return {part.first, std::clamp<index>(dims - part.first, 0, part.count)};
}

// Fills the part of a panel beyond the existing coordinates with zeros.
template <class T>
void clear_rest(coordinate_range part, coordinate_range there, T* packed, index width) {
    std::fill_n(packed + there.count * width, (part.count - there.count) * width, T(0));
}

}  // namespace

template <class T>
void vector_operand<T>::pack(const row_set& which, coordinate_range part, const T* shift, T* packed, index width,
                             pack_scratch<T>& scratch) const {
    const coordinate_range there = within(part, dims());
    clear_rest(part, there, packed, width);
    if (const auto* single = vectors_.as<sparse<float>>(); single && !shift)
        return scatter(*single, which, there, packed, width);
    if (const auto* some = vectors_.as<sparse<double>>(); some && !shift)
        return scatter(*some, which, there, packed, width);
    pack_rows(which, there, shift, packed, width, scratch);
}

template <class T>
void vector_operand<T>::pack_rows(const row_set& which, coordinate_range part, const T* shift, T* packed, index width,
                                  pack_scratch<T>& scratch) const {
    const auto* as_stored = vectors_.as<dense<T>>();
    T* rows = as_stored ? nullptr : scratch.rows.at_least(which.size() * part.count);
    scratch.pointers.resize(static_cast<std::size_t>(which.size()));
    for (index r = 0; r < which.size(); ++r)
        scratch.pointers[r] =
            as_stored ? as_stored->row(which[r]) + part.first : dense_row(which[r], part, shift, rows + r * part.count);
    const T* left = as_stored && shift ? shift + part.first : nullptr;
    best_tile_ops<T>().pack(scratch.pointers.data(), which.size(), part.count, left, packed, width);
}

template <class T>
void vector_operand<T>::low_row(index i, coordinate_range part, const T* shift, T* out) const {
    auto& exact = per_thread<std::vector<double>>([] {});
    exact.resize(static_cast<std::size_t>(part.count));
    read_row(vectors_, i, part, exact.data());
    for (index a = 0; a < part.count; ++a)
        out[a] =
            rest_of<T>(exact[static_cast<std::size_t>(a)], shift ? static_cast<double>(shift[part.first + a]) : 0.0);
}

template <class T>
void vector_operand<T>::pack_low(const row_set& which, coordinate_range part, const T* shift, T* packed, index width,
                                 pack_scratch<T>& scratch) const {
    const coordinate_range there = within(part, dims());
    clear_rest(part, there, packed, width);
    const auto* kept = low_.as<dense<T>>();
    T* rows = scratch.rows.at_least(kept && kept->size() > 0 ? 1 : which.size() * there.count);
    scratch.pointers.resize(static_cast<std::size_t>(which.size()));
    for (index r = 0; r < which.size(); ++r) {
        if (kept && kept->size() > 0)
            scratch.pointers[r] = kept->row(which[r]) + there.first;
        else
            low_row(which[r], there, shift, rows + r * there.count), scratch.pointers[r] = rows + r * there.count;
    }
    best_tile_ops<T>().pack(scratch.pointers.data(), which.size(), there.count, nullptr, packed, width);
}

template <class T>
bool vector_operand<T>::has_rounding_errors(const T* shift) const {
    if (vectors_.as<dense<T>>() || vectors_.as<sparse<T>>() || sizeof(T) == 8)
        if (!shift) return false;
    std::vector<double> row(static_cast<std::size_t>(dims()));
    for (index i = 0; i < size(); ++i) {
        read_row(vectors_, i, row.data());
        for (index a = 0; a < dims(); ++a)
            if (rest_of<T>(row[a], shift ? static_cast<double>(shift[a]) : 0.0) != 0) return true;
    }
    return false;
}

template <class T>
index vector_operand<T>::nonzeros(index i) const {
    const auto not_zero = [](const auto& from) {
        return static_cast<index>(from.size()) - static_cast<index>(std::ranges::count(from, 0));
    };
    return std::visit(
        [&](const auto& some) -> index {
            if constexpr (requires { some.row(i); })
                return not_zero(std::span(some.row(i), static_cast<std::size_t>(some.dims())));
            else if constexpr (requires { some.cols(i); })
                return not_zero(some.values(i));
            return 0;
        },
        vectors_.items());
}

template <class T>
bool vector_operand<T>::is_whole(index i, const T* shift) const {
    auto& row = per_thread<std::vector<double>>([] {});
    row.resize(static_cast<std::size_t>(dims()));
    read_row(vectors_, i, row.data());
    for (index a = 0; a < dims(); ++a) {
        const double v = shift ? row[a] - static_cast<double>(shift[a]) : row[a];
        if (v != std::trunc(v)) return false;
    }
    return true;
}

template <class T>
std::size_t vector_operand<T>::copy(const T* shift, bool low, std::size_t budget) {
    const auto numbers = static_cast<double>(size()) * static_cast<double>(dims());
    const auto as_dense_rows = [&]() -> std::size_t {
        const double bytes = numbers * sizeof(T) * (low ? 2 : 1);
        if (bytes > static_cast<double>(budget) || numbers == 0) return 0;
        matrix<T> rows(size(), dims()), rest(low ? size() : 0, dims());
        parallel_for(size(), [&](index i) {
            if (const T* row = dense_row(i, all_coordinates(), shift, rows.row(i)); row != rows.row(i))
                for (index a = 0; a < dims(); ++a) rows(i, a) = shift ? row[a] - shift[a] : row[a];
            if (low) low_row(i, all_coordinates(), shift, rest.row(i));
        });
        vectors_ = dense<T>(std::move(rows));
        if (low) low_ = dense<T>(std::move(rest));
        return static_cast<std::size_t>(bytes);
    };
    return std::visit(
        [&](const auto& some) -> std::size_t {
            using kind = std::decay_t<decltype(some)>;
            if constexpr (std::is_same_v<kind, dense<T>>)
                if (!low) return 0;
            if constexpr (requires { some.nonzeros(); }) {
                const auto entries = static_cast<double>(some.nonzeros());
                if (!shift && !low && entries <= 0.5 * numbers) {
                    const double bytes = entries * (sizeof(T) + 4);
                    if (std::is_same_v<kind, sparse<T>> || bytes > static_cast<double>(budget)) return 0;
                    std::vector<index> start{0};
                    std::vector<std::int32_t> col;
                    std::vector<T> val;
                    col.reserve(static_cast<std::size_t>(some.nonzeros()));
                    val.reserve(static_cast<std::size_t>(some.nonzeros()));
                    for (index i = 0; i < some.size(); ++i) {
                        col.insert(col.end(), some.cols(i).begin(), some.cols(i).end());
                        for (const auto v : some.values(i)) val.push_back(static_cast<T>(v));
                        start.push_back(static_cast<index>(col.size()));
                    }
                    vectors_ = dataset(sparse<T>(std::move(start), std::move(col), std::move(val), some.dims()));
                    return static_cast<std::size_t>(bytes);
                }
            }
            return as_dense_rows();
        },
        dataset(vectors_).items());
}

template <class T>
double squared_difference(const vector_operand<T>& x, index i, const vector_operand<T>& z, index j) {
    const auto merged = [&](const auto& a, const auto& b) {
        const auto ac = a.cols(i), bc = b.cols(j);
        const auto av = a.values(i), bv = b.values(j);
        double sum = 0;
        for (std::size_t p = 0, q = 0; p < ac.size() || q < bc.size();) {
            const std::int32_t left = p < ac.size() ? ac[p] : INT32_MAX, right = q < bc.size() ? bc[q] : INT32_MAX;
            const double d =
                (left <= right ? static_cast<double>(av[p]) : 0.0) - (right <= left ? static_cast<double>(bv[q]) : 0.0);
            p += left <= right, q += right <= left;
            sum += d * d;
        }
        return sum;
    };
    if (const auto* a = x.vectors().template as<sparse<float>>(), *b = z.vectors().template as<sparse<float>>(); a && b)
        return merged(*a, *b);
    if (const auto* a = x.vectors().template as<sparse<double>>(), *b = z.vectors().template as<sparse<double>>();
        a && b)
        return merged(*a, *b);
    const index depth = std::max(x.dims(), z.dims());
    auto& a = per_thread<std::vector<double>>([] {});
    auto& b = per_thread<std::vector<double>>([] {});
    a.assign(static_cast<std::size_t>(depth), 0.0), b.assign(static_cast<std::size_t>(depth), 0.0);
    read_row(x.vectors(), i, a.data());
    read_row(z.vectors(), j, b.data());
    double sum = 0;
    for (index k = 0; k < depth; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

template <class T>
index vector_operand<T>::max_entries(index i) const {
    return std::visit(
        [&](const auto& some) -> index {
            if constexpr (!std::is_same_v<std::decay_t<decltype(some)>, sparse<T>> && requires { some.cols(i); }) {
                return static_cast<index>(some.cols(i).size());
            } else if constexpr (requires { some.row(i); }) {
                const auto* row = some.row(i);
                // One more, since entries() writes every coordinate to the next free position, and the next coordinate
                // overwrites a zero.
                index count = 1;
                for (index a = 0; a < some.dims(); ++a) count += row[a] != 0;
                return count;
            } else {
                return 0;
            }
        },
        vectors_.items());
}

template <class T>
sparse_entries<T> vector_operand<T>::entries(index i, std::int32_t* cols, T* values) const {
    return std::visit(
        [&](const auto& some) -> sparse_entries<T> {
            using kind = std::decay_t<decltype(some)>;
            if constexpr (requires { some.cols(i); }) {
                const auto count = static_cast<index>(some.cols(i).size());
                if constexpr (std::is_same_v<kind, sparse<T>>)
                    return {some.cols(i).data(), some.values(i).data(), count};
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
sparse_entries<T> vector_operand<T>::entries(index i, pack_scratch<T>& scratch) const {
    const auto room = static_cast<std::size_t>(max_entries(i));
    if (scratch.row_values.size() < room) scratch.row_values.resize(room), scratch.row_cols.resize(room);
    return entries(i, scratch.row_cols.data(), scratch.row_values.data());
}

namespace {
constexpr index deep = 8192;  // dense vectors with more coordinates are read row by row
}  // namespace

template <class T>
void vector_operand<T>::norms(const T* shift, std::span<T> out, index from) const {
    const auto& ops = best_tile_ops<T>();
    const index width = ops.panel, all = static_cast<index>(out.size());
    const index groups = (all + width - 1) / width;
    parallel_for(groups, [&](index g) {
        auto& scratch = per_thread<pack_scratch<T>>([] {});
        auto& panel = per_thread<buffer<T>>([] {});
        auto& sums = per_thread<buffer<T>>([] {});
        const index first = g * width, count = std::min(width, all - first);
        if (dims() > deep && !vectors_.is_sparse()) {
            // Row by row, because a panel of these vectors would take megabytes per thread.
            T* own = panel.at_least(dims());
            for (index i = first; i < first + count; ++i) {
                const T* row = dense_row(from + i, all_coordinates(), shift, own);
                if (shift && row != own) {
                    for (index a = 0; a < dims(); ++a) own[a] = row[a] - shift[a];
                    row = own;
                }
                out[i] = ops.sparse_norm(row, dims());
            }
            return;
        }
        if (sparse_ && vectors_.is_sparse()) {
            for (index i = first; i < first + count; ++i) {
                const auto own = entries(from + i, scratch);
                out[i] = ops.sparse_norm(own.values, own.count);
            }
            return;
        }
        pack(row_set(from + first, count), all_coordinates(), shift, panel.at_least(dims() * width), width, scratch);
        ops.panel_norms(panel.data(), dims(), sums.at_least(width));
        std::copy_n(sums.data(), count, out.data() + first);
    });
}

template class vector_operand<float>;
template class vector_operand<double>;
template double squared_difference(const vector_operand<float>&, index, const vector_operand<float>&, index);
template double squared_difference(const vector_operand<double>&, index, const vector_operand<double>&, index);

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

}  // namespace mercer
