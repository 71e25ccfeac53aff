#include "mercer/data/dataset.h"

#include <fmt/format.h>

#include <limits>

#include "mercer/base/error.h"

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

// Fails, naming the first column that is out of order or range.
template <class T>
static void name_wrong_column(const sparse<T>& x) {
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

// How many of these numbers are not above the one before them.
static index descents(const std::int32_t* values, index count) {
    index found = 0;
    constexpr index stretch = 4096;  // the inner sum fits 32 bits, which vectors add
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
    // Columns ascend within every row if they fail to do so from one row to the next and nowhere else: counted without
    // branches.
    index between_rows = 0;
    bool within = true;
    std::int32_t last = std::numeric_limits<std::int32_t>::min();
    for (index i = 0; i < size(); ++i) {
        if (start_[i + 1] < start_[i])
            fail(errc::invalid_argument,
                 fmt::format("row starts must ascend, got {} after {} at row {}", start_[i + 1], start_[i], i));
        if (start_[i + 1] > entries)
            fail(errc::invalid_argument,
                 fmt::format("row {} ends at entry {}, but there are {}", i, start_[i + 1], entries));
        if (start_[i + 1] == start_[i]) continue;
        const std::int32_t first = col_[start_[i]];
        between_rows += first <= last;
        last = col_[start_[i + 1] - 1];
        within &= first >= 0 && last < dims_;
    }
    if (!within || descents(col_.data() + start_.front(), nonzeros()) != between_rows) name_wrong_column(*this);
}

index dataset::size() const {
    return std::visit([](const auto& some) { return some.size(); }, items_);
}

domain dataset::kind() const {
    const auto* some = as<objects>();
    return some ? some->where() : domain::vectors;
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
dataset gather_kind(const dense<T>& from, const selection& which) {
    matrix<T> rows(which.size(), from.dims());
    for (index i = 0; i < which.size(); ++i) std::copy_n(from.row(which[i]), from.dims(), rows.row(i));
    return dense<T>(std::move(rows));
}

template <class T>
dataset gather_kind(const sparse<T>& from, const selection& which) {
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

dataset gather_kind(const objects& from, const selection& which) { return from.gather(which); }

template <class T>
dataset join(const dense<T>& a, const dense<T>& b) {
    if (a.dims() != b.dims())
        fail(errc::invalid_argument,
             fmt::format("vectors of {} and of {} coordinates cannot be joined", a.dims(), b.dims()));
    matrix<T> rows(a.size() + b.size(), a.dims());
    for (index i = 0; i < a.size(); ++i) std::copy_n(a.row(i), a.dims(), rows.row(i));
    for (index i = 0; i < b.size(); ++i) std::copy_n(b.row(i), a.dims(), rows.row(a.size() + i));
    return dense<T>(std::move(rows));
}

template <class T>
dataset join(const sparse<T>& a, const sparse<T>& b) {
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

dataset join(const objects& a, const objects& b) { return a.followed_by(b); }

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

dataset gather(const dataset& from, const selection& which) {
    for (index i = 0; i < which.size(); ++i)
        if (which[i] < 0 || which[i] >= from.size())
            fail(errc::invalid_argument, fmt::format("object {} asked for, but there are {}", which[i], from.size()));
    return std::visit([&](const auto& some) { return gather_kind(some, which); }, from.items());
}

dataset concatenate(const dataset& first, const dataset& second) {
    return std::visit(
        [&](const auto& a) -> dataset {
            const auto* b = second.as<std::decay_t<decltype(a)>>();
            if (!b || first.kind() != second.kind())
                fail(errc::unsupported, fmt::format("{} and {} of different storage cannot be joined",
                                                    name(first.kind()), name(second.kind())));
            return join(a, *b);
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
                fail(errc::unsupported, fmt::format("vectors are needed here, got {}", name(vectors.kind())));
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

}  // namespace mercer
