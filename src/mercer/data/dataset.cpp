#include "mercer/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"

namespace mercer {

template <class T>
dense<T>::dense(matrix<T> rows) {
    auto owner = std::make_shared<const matrix<T>>(std::move(rows));
    view_ = owner->view();
    keep_ = std::move(owner);
}

template <class T>
sparse<T>::sparse(std::vector<index> start, std::vector<std::int32_t> col, std::vector<T> val, index dims)
    : dims_(dims) {
    struct arrays {
        std::vector<index> start;
        std::vector<std::int32_t> col;
        std::vector<T> val;
    };
    auto owner = std::make_shared<const arrays>(arrays{std::move(start), std::move(col), std::move(val)});
    start_ = owner->start;
    col_ = owner->col;
    val_ = owner->val;
    keep_ = std::move(owner);
    check();
}

template <class T>
sparse<T>::sparse(std::span<const index> start, std::span<const std::int32_t> col, std::span<const T> val, index dims,
                  std::shared_ptr<const void> keep)
    : start_(start), col_(col), val_(val), dims_(dims), keep_(std::move(keep)) {
    check();
}

// Throws errc::invalid_argument with the first column that is not ascending or not smaller than dims.
template <class T>
static void throw_wrong_column(const sparse<T>& x) {
    for (index i = 0; i < x.size(); ++i) {
        std::int32_t last = -1;
        for (const std::int32_t c : x.cols(i)) {
            if (c <= last)
                fail(errc::invalid_argument,
                     fmt::format("columns of a sparse row must ascend, got {} after {} in row {}", c, last, i));
            if (c >= x.dims())
                fail(errc::invalid_argument,
                     fmt::format("columns must satisfy column < {}, got {} in row {}", x.dims(), c, i));
            last = c;
        }
    }
}

// The number of values that are not larger than their predecessor.
static index count_descents(const std::int32_t* values, index count) {
    index found = 0;
    constexpr index stretch = 4096;  // the inner sum has 32 bits, so that SIMD instructions can add
    for (index first = 1; first < count; first += stretch) {
        int some = 0;
        for (index e = first; e < std::min(count, first + stretch); ++e) some += values[e] <= values[e - 1];
        found += some;
    }
    return found;
}

template <class T>
void sparse<T>::check() const {
    if (start_.empty()) fail(errc::invalid_argument, "a sparse matrix of n rows needs n + 1 row starts, got none");
    if (start_.front() < 0)
        fail(errc::invalid_argument, fmt::format("row starts must satisfy 0 <= start, got {}", start_.front()));
    const auto entries = static_cast<index>(std::min(col_.size(), val_.size()));
    // The columns ascend within every row if and only if all descents are between the last entry of a row and the first
    // entry of the next one. Descents are counted without branches.
    index between_rows = 0;
    bool within = true;
    std::int32_t last = std::numeric_limits<std::int32_t>::min();
    for (index i = 0; i < size(); ++i) {
        if (start_[i + 1] < start_[i])
            fail(errc::invalid_argument,
                 fmt::format("row starts must ascend, got {} after {} at row {}", start_[i + 1], start_[i], i));
        if (start_[i + 1] > entries)
            fail(errc::invalid_argument,
                 fmt::format("row {} ends at entry {}, but the matrix has {} entries", i, start_[i + 1], entries));
        if (start_[i + 1] == start_[i]) continue;
        const std::int32_t first = col_[start_[i]];
        between_rows += first <= last;
        last = col_[start_[i + 1] - 1];
        within &= first >= 0 && last < dims_;
    }
    if (!within || count_descents(col_.data() + start_.front(), nonzeros()) != between_rows) throw_wrong_column(*this);
}

index dataset::size() const {
    return std::visit([](const auto& some) { return some.size(); }, items_);
}

object_kind dataset::kind() const {
    const auto* some = as<objects>();
    return some ? some->kind() : object_kind::vectors;
}

index dataset::dims() const {
    return std::visit(
        [](const auto& some) -> index {
            if constexpr (requires { some.dims(); })
                return some.dims();
            else
                return 0;
        },
        items_);
}

namespace {

template <class T>
dataset gather_kind(const dense<T>& from, const row_set& which) {
    matrix<T> rows(which.size(), from.dims());
    for (index i = 0; i < which.size(); ++i) std::copy_n(from.row(which[i]), from.dims(), rows.row(i));
    return dense<T>(std::move(rows));
}

template <class T>
dataset gather_kind(const sparse<T>& from, const row_set& which) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<T> val;
    for (index i = 0; i < which.size(); ++i) {
        const auto c = from.cols(which[i]);
        const auto v = from.values(which[i]);
        col.insert(col.end(), c.begin(), c.end());
        val.insert(val.end(), v.begin(), v.end());
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<T>(std::move(start), std::move(col), std::move(val), from.dims());
}

dataset gather_kind(const objects& from, const row_set& which) { return from.gather(which); }

template <class T>
dataset concatenate_kind(const dense<T>& a, const dense<T>& b) {
    if (a.dims() != b.dims())
        fail(errc::invalid_argument,
             fmt::format("vectors of {} and of {} features cannot be joined", a.dims(), b.dims()));
    matrix<T> rows(a.size() + b.size(), a.dims());
    for (index i = 0; i < a.size(); ++i) std::copy_n(a.row(i), a.dims(), rows.row(i));
    for (index i = 0; i < b.size(); ++i) std::copy_n(b.row(i), a.dims(), rows.row(a.size() + i));
    return dense<T>(std::move(rows));
}

template <class T>
dataset concatenate_kind(const sparse<T>& a, const sparse<T>& b) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<T> val;
    for (const auto* part : {&a, &b})
        for (index i = 0; i < part->size(); ++i) {
            col.insert(col.end(), part->cols(i).begin(), part->cols(i).end());
            val.insert(val.end(), part->values(i).begin(), part->values(i).end());
            start.push_back(static_cast<index>(col.size()));
        }
    return sparse<T>(std::move(start), std::move(col), std::move(val), std::max(a.dims(), b.dims()));
}

dataset concatenate_kind(const objects& a, const objects& b) { return a.followed_by(b); }

template <class T, class From>
void copy_row(const From& from, index i, T* to) {
    if constexpr (requires { from.row(i); }) {
        std::copy_n(from.row(i), from.dims(), to);
    } else {
        const auto c = from.cols(i);
        const auto v = from.values(i);
        for (std::size_t k = 0; k < c.size(); ++k) to[c[k]] = static_cast<T>(v[k]);
    }
}

}  // namespace

dataset gather(const dataset& from, const row_set& which) {
    for (index i = 0; i < which.size(); ++i)
        if (which[i] < 0 || which[i] >= from.size())
            fail(errc::invalid_argument,
                 fmt::format("object {} does not exist: there are {} objects, counted from 0", which[i], from.size()));
    return std::visit([&](const auto& some) { return gather_kind(some, which); }, from.items());
}

dataset concatenate(const dataset& first, const dataset& second) {
    return std::visit(
        [&](const auto& a) -> dataset {
            const auto* b = second.as<std::decay_t<decltype(a)>>();
            if (!b || first.kind() != second.kind())
                fail(errc::unsupported,
                     fmt::format("data sets of different kinds or storage cannot be joined, got {} and {}",
                                 name(first.kind()), name(second.kind())));
            return concatenate_kind(a, *b);
        },
        first.items());
}

template <class T>
dense<T> as_dense(const dataset& vectors) {
    if (const auto* same = vectors.as<dense<T>>()) return *same;
    matrix<T> rows(vectors.size(), vectors.dims());
    std::visit(
        [&](const auto& some) {
            if constexpr (requires { some.dims(); }) {
                for (index i = 0; i < some.size(); ++i) copy_row(some, i, rows.row(i));
            } else {
                fail(errc::unsupported, fmt::format("expected vectors, got {}", name(vectors.kind())));
            }
        },
        vectors.items());
    return dense<T>(std::move(rows));
}

template class dense<double>;
template class dense<float>;
template class sparse<double>;
template class sparse<float>;
template dense<double> as_dense(const dataset&);
template dense<float> as_dense(const dataset&);

namespace {

// No branch in the loop: a comparison with NaN is false.
template <class T>
bool all_finite(const T* values, index count) {
    int faults = 0;
    for (index j = 0; j < count; ++j) faults += !(std::abs(values[j]) <= std::numeric_limits<T>::max());
    return faults == 0;
}

// The first value that is not finite. `values(first, end)` is the span of the values of rows first … end - 1, of at
// most `together` rows, which must be contiguous. `column(i, k)` is the column of the k-th value of row i.
template <class Values, class Column>
std::optional<non_finite_value> find_first_fault(index rows, index values_a_row, index together, Values values,
                                                 Column column) {
    const index tile = std::max<index>(1, (index{1} << 16) / std::max<index>(values_a_row, 1)),
                step = std::min(tile, together);
    std::vector<std::optional<non_finite_value>> found(static_cast<std::size_t>((rows + tile - 1) / tile));
    const auto name_first = [&](index first, index end) -> std::optional<non_finite_value> {
        for (index i = first; i < end; ++i) {
            const auto some = values(i, i + 1);
            const auto bad = std::find_if(some.begin(), some.end(), [](auto value) { return !std::isfinite(value); });
            if (bad != some.end()) return non_finite_value{i, column(i, bad - some.begin()), static_cast<double>(*bad)};
        }
        return {};
    };
    parallel_for(static_cast<index>(found.size()), [&](index t) {
        auto& fault = found[static_cast<std::size_t>(t)];
        const index last = std::min(rows, (t + 1) * tile);
        for (index first = t * tile; first < last && !fault; first += step) {
            const index end = std::min(last, first + step);
            const auto some = values(first, end);
            if (!all_finite(some.data(), static_cast<index>(some.size()))) fault = name_first(first, end);
        }
    });
    for (const auto& each : found)
        if (each) return each;
    return {};
}

}  // namespace

std::optional<non_finite_value> find_non_finite(const dataset& vectors) {
    return std::visit(
        [](const auto& some) -> std::optional<non_finite_value> {
            if constexpr (requires { some.row(0); }) {
                const auto values = [&](index first, index end) {
                    return std::span(some.row(first), static_cast<std::size_t>((end - first) * some.dims()));
                };
                const bool without_gaps = some.view().stride == some.dims();
                return find_first_fault(some.size(), some.dims(), without_gaps ? some.size() : 1, values,
                                        [](index, index k) { return k; });
            } else if constexpr (requires { some.values(0); }) {
                const auto values = [&](index first, index end) {
                    return std::span(some.values(first).data(), std::to_address(some.values(end - 1).end()));
                };
                const index mean = some.size() > 0 ? some.nonzeros() / some.size() : 0;
                return find_first_fault(some.size(), mean, some.size(), values, [&](index i, index k) {
                    return static_cast<index>(some.cols(i)[static_cast<std::size_t>(k)]);
                });
            } else {
                return {};
            }
        },
        vectors.items());
}

void require_finite(const dataset& vectors) {
    if (const auto bad = find_non_finite(vectors))
        throw row_error(bad->row, bad->column, fmt::format("{} is not a finite number", bad->value));
}

namespace {

template <class T>
dataset part_of(const dense<T>& from, index first, index count) {
    return dense<T>(from.view().block(first, 0, count, from.dims()), std::make_shared<const dense<T>>(from));
}

template <class T>
dataset part_of(const sparse<T>& from, index first, index count) {
    struct kept {
        sparse<T> all;
        std::vector<index> start;
    };
    const auto keep = std::make_shared<kept>(kept{from, {0}});
    for (index i = 0; i < count; ++i) keep->start.push_back(keep->start.back() + std::ssize(from.cols(first + i)));
    const auto entries = static_cast<std::size_t>(keep->start.back());
    return sparse<T>(std::span<const index>(keep->start), {from.cols(first).data(), entries},
                     {from.values(first).data(), entries}, from.dims(), keep);
}

dataset part_of(const objects& from, index first, index count) { return from.gather(row_set(first, count)); }

}  // namespace

dataset part(const dataset& from, index first, index count) {
    if (first < 0 || count < 0 || first + count > from.size())
        fail(errc::invalid_argument,
             fmt::format("objects {} to {} do not all exist: there are {} objects, counted from 0", first,
                         first + count - 1, from.size()));
    if (count == 0) return {};
    return std::visit([&](const auto& some) { return part_of(some, first, count); }, from.items());
}

namespace {

// Iterates over the coordinates of a vector that are not zero.
template <class T>
class nonzeros {
public:
    nonzeros(const dense<T>& x, index i) : value_(x.row(i)), count_(x.dims()) { skip(); }
    nonzeros(const sparse<T>& x, index i)
        : value_(x.values(i).data()), col_(x.cols(i).data()), count_(static_cast<index>(x.cols(i).size())) {
        skip();
    }
    bool ended() const { return at_ == count_; }
    index col() const { return col_ ? col_[at_] : at_; }
    double value() const { return static_cast<double>(value_[at_]); }
    void next() { ++at_, skip(); }

private:
    void skip() {
        while (at_ < count_ && value_[at_] == 0) ++at_;
    }

    const T* value_;
    const std::int32_t* col_ = nullptr;
    index count_, at_ = 0;
};
template <class T>
nonzeros(const dense<T>&, index) -> nonzeros<T>;
template <class T>
nonzeros(const sparse<T>&, index) -> nonzeros<T>;

template <class A, class B>
bool same(const A& a, index i, const B& b, index j) {
    constexpr bool a_vectors = requires { a.dims(); }
    , b_vectors = requires { b.dims(); };
    if constexpr (a_vectors && b_vectors) {
        nonzeros x(a, i);
        nonzeros z(b, j);
        for (; !x.ended() && !z.ended(); x.next(), z.next())
            if (x.col() != z.col() || x.value() != z.value()) return false;
        return x.ended() && z.ended();
    } else if constexpr (std::is_same_v<A, B>) {
        return a.kind() == b.kind() && a.compare(i, b, j) == 0;
    } else {
        return false;
    }
}

}  // namespace

bool is_same_object(const dataset& a, index i, const dataset& b, index j) {
    return std::visit([&](const auto& x, const auto& z) { return same(x, i, z, j); }, a.items(), b.items());
}

}  // namespace mercer
