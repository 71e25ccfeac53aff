#include "mercer/data/vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"

namespace mercer {
namespace {

// Calls body(x) with sparse vectors of float or double.
template <class Body>
auto of_sparse(const dataset& vectors, Body&& body) {
    if (const auto* single = vectors.as<sparse<float>>()) return body(*single);
    return body(*vectors.as<sparse<double>>());
}

// The position of a column in an ascending list: looked up in a table if that is not large, otherwise by bisection.
class column_positions {
public:
    column_positions(std::span<const std::int32_t> columns, index nonzeros) : columns_(columns) {
        if (columns.empty() || columns.back() > 65536 + 4 * nonzeros) return;
        table_.assign(static_cast<std::size_t>(columns.back()) + 1, -1);
        for (std::size_t j = 0; j < columns.size(); ++j)
            table_[static_cast<std::size_t>(columns[j])] = static_cast<std::int32_t>(j);
    }
    std::int32_t operator[](std::int32_t column) const {  // -1: not in the list
        if (!table_.empty())
            return static_cast<std::size_t>(column) < table_.size() ? table_[static_cast<std::size_t>(column)] : -1;
        const auto at = std::lower_bound(columns_.begin(), columns_.end(), column);
        return at != columns_.end() && *at == column ? static_cast<std::int32_t>(at - columns_.begin()) : -1;
    }

private:
    std::span<const std::int32_t> columns_;
    std::vector<std::int32_t> table_;
};

// Moves each entry to the column place(column); entries with a negative place are removed.
template <class T, class Place>
dataset move_entries(const sparse<T>& x, index dims, Place&& place) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<T> val;
    start.reserve(static_cast<std::size_t>(x.size()) + 1);
    col.reserve(static_cast<std::size_t>(x.nonzeros()));
    val.reserve(static_cast<std::size_t>(x.nonzeros()));
    for (index i = 0; i < x.size(); ++i) {
        const auto cols = x.cols(i);
        for (std::size_t e = 0; e < cols.size(); ++e)
            if (const std::int32_t to = place(cols[e]); to >= 0) {
                col.push_back(to);
                val.push_back(x.values(i)[e]);
            }
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<T>(std::move(start), std::move(col), std::move(val), dims);
}

}  // namespace

std::vector<std::int32_t> used_columns(const dataset& sparse_vectors) {
    return of_sparse(sparse_vectors, [](const auto& x) {
        std::vector<std::int32_t> columns;
        columns.reserve(static_cast<std::size_t>(x.nonzeros()));
        for (index i = 0; i < x.size(); ++i) columns.insert(columns.end(), x.cols(i).begin(), x.cols(i).end());
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        return columns;
    });
}

dataset compact_columns(const dataset& sparse_vectors, std::span<const std::int32_t> columns) {
    return of_sparse(sparse_vectors, [&](const auto& x) {
        const column_positions places(columns, x.nonzeros());
        return move_entries(x, static_cast<index>(columns.size()), [&](std::int32_t column) { return places[column]; });
    });
}

bool mostly_empty_columns(const dataset& vectors) {
    return vectors.is_sparse() && of_sparse(vectors, [](const auto& x) { return x.dims() > 65536 + 4 * x.nonzeros(); });
}

dataset first_columns(const dataset& sparse_vectors, index dims) {
    return of_sparse(sparse_vectors, [&](const auto& x) {
        return move_entries(x, dims, [&](std::int32_t column) { return column < dims ? column : -1; });
    });
}

namespace {

// every_row and some_rows map row i of the operand to a row of the data.
struct every_row {
    index count;
    index size() const { return count; }
    index operator[](index i) const { return i; }
};
struct some_rows {
    std::span<const index> list;
    index size() const { return static_cast<index>(list.size()); }
    index operator[](index i) const { return list[static_cast<std::size_t>(i)]; }
};

template <class T, class Which>
class dense_rows final : public linear_operand {
public:
    dense_rows(const dense<T>& x, Which which, double constant) : x_(x), which_(which), constant_(constant) {}
    index rows() const override { return which_.size(); }
    index dims() const override { return x_.dims() + (constant_ != 0 ? 1 : 0); }
    double dot(index i, const double* w) const override {
        const T* x = x_.row(which_[i]);
        double sum = 0;
        for (index j = 0; j < x_.dims(); ++j) sum += static_cast<double>(x[j]) * w[j];
        return constant_ != 0 ? sum + constant_ * w[x_.dims()] : sum;
    }
    void add(index i, double a, double* w) const override {
        const T* x = x_.row(which_[i]);
        for (index j = 0; j < x_.dims(); ++j) w[j] += a * static_cast<double>(x[j]);
        if (constant_ != 0) w[x_.dims()] += a * constant_;
    }
    double squared_norm(index i) const override {
        const T* x = x_.row(which_[i]);
        double sum = 0;
        for (index j = 0; j < x_.dims(); ++j) sum += static_cast<double>(x[j]) * static_cast<double>(x[j]);
        return sum + constant_ * constant_;
    }

private:
    const dense<T>& x_;
    Which which_;
    double constant_;
};

template <class T, class Which>
class sparse_rows final : public linear_operand {
public:
    sparse_rows(const sparse<T>& x, Which which, double constant) : x_(x), which_(which), constant_(constant) {}
    index rows() const override { return which_.size(); }
    index dims() const override { return x_.dims() + (constant_ != 0 ? 1 : 0); }
    double dot(index i, const double* w) const override {
        const auto cols = x_.cols(which_[i]);
        const T* x = x_.values(which_[i]).data();
        double sum = 0;
        for (std::size_t k = 0; k < cols.size(); ++k) sum += static_cast<double>(x[k]) * w[cols[k]];
        return constant_ != 0 ? sum + constant_ * w[x_.dims()] : sum;
    }
    void add(index i, double a, double* w) const override {
        const auto cols = x_.cols(which_[i]);
        const T* x = x_.values(which_[i]).data();
        for (std::size_t k = 0; k < cols.size(); ++k) w[cols[k]] += a * static_cast<double>(x[k]);
        if (constant_ != 0) w[x_.dims()] += a * constant_;
    }
    double squared_norm(index i) const override {
        double sum = 0;
        for (const T v : x_.values(which_[i])) sum += static_cast<double>(v) * static_cast<double>(v);
        return sum + constant_ * constant_;
    }
    void prefetch(index i) const override {
        const auto cols = x_.cols(which_[i]);
        __builtin_prefetch(cols.data());
        __builtin_prefetch(x_.values(which_[i]).data());
    }

private:
    const sparse<T>& x_;
    Which which_;
    double constant_;
};

// Calls visit(j, value) for each entry of row i that is not zero, in the order of the columns.
template <class T, class Visit>
void entries(const dense<T>& x, index i, Visit&& visit) {
    const T* row = x.row(i);
    for (index j = 0; j < x.dims(); ++j)
        if (row[j] != 0) visit(j, static_cast<double>(row[j]));
}
template <class T, class Visit>
void entries(const sparse<T>& x, index i, Visit&& visit) {
    const auto cols = x.cols(i);
    const T* value = x.values(i).data();
    for (std::size_t k = 0; k < cols.size(); ++k)
        if (value[k] != 0) visit(static_cast<index>(cols[k]), static_cast<double>(value[k]));
}

template <class Rows>
compressed_columns transposed(const Rows& x, std::span<const index> which, double constant) {
    compressed_columns out;
    out.rows = static_cast<index>(which.size());
    const auto dims = static_cast<std::size_t>(x.dims());
    out.start.assign(dims + 1, 0);
    for (const index i : which) entries(x, i, [&](index j, double) { ++out.start[static_cast<std::size_t>(j) + 1]; });
    for (std::size_t j = 0; j < dims; ++j) out.start[j + 1] += out.start[j];
    const auto stored = static_cast<std::size_t>(out.start[dims]), all = stored + (constant != 0 ? which.size() : 0);
    out.row.resize(all);
    out.value.resize(all);
    std::vector<index> next(out.start.begin(), out.start.end() - 1);
    for (std::size_t i = 0; i < which.size(); ++i)
        entries(x, which[i], [&](index j, double v) {
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(j)]++);
            out.row[at] = static_cast<std::int32_t>(i);
            out.value[at] = v;
        });
    if (constant != 0) {
        for (std::size_t i = 0; i < which.size(); ++i)
            out.row[stored + i] = static_cast<std::int32_t>(i), out.value[stored + i] = constant;
        out.start.push_back(static_cast<index>(all));
    }
    return out;
}

[[noreturn]] void refuse(const dataset& x) {
    fail(errc::unsupported, fmt::format("a linear solver needs vectors, got {}", name(x.kind())));
}

template <class Which>
std::unique_ptr<linear_operand> make(const dataset& x, Which which, double constant) {
    if (const auto* some = x.as<dense<double>>())
        return std::make_unique<dense_rows<double, Which>>(*some, which, constant);
    if (const auto* some = x.as<dense<float>>())
        return std::make_unique<dense_rows<float, Which>>(*some, which, constant);
    if (const auto* some = x.as<sparse<double>>())
        return std::make_unique<sparse_rows<double, Which>>(*some, which, constant);
    if (const auto* some = x.as<sparse<float>>())
        return std::make_unique<sparse_rows<float, Which>>(*some, which, constant);
    refuse(x);
}

}  // namespace

std::unique_ptr<linear_operand> make_linear_operand(const dataset& x, double constant) {
    return make(x, every_row{x.size()}, constant);
}
std::unique_ptr<linear_operand> make_linear_operand(const dataset& x, std::span<const index> which, double constant) {
    return make(x, some_rows{which}, constant);
}

compressed_columns make_compressed_columns(const dataset& x, std::span<const index> which, double constant) {
    if (const auto* some = x.as<dense<double>>()) return transposed(*some, which, constant);
    if (const auto* some = x.as<dense<float>>()) return transposed(*some, which, constant);
    if (const auto* some = x.as<sparse<double>>()) return transposed(*some, which, constant);
    if (const auto* some = x.as<sparse<float>>()) return transposed(*some, which, constant);
    refuse(x);
}

namespace {

// Two sums that each rank receives from the previous rank and sends to the next one. finish() sends the sums of the
// last rank to all ranks.
class rank_chained_sums {
public:
    explicit rank_chained_sums(const communicator* group) : group_(group) {
        if (group && group->rank() > 0) group->receive(group->rank() - 1, sums, sizeof sums);
    }
    void finish() {
        if (!group_) return;
        if (group_->rank() + 1 < group_->size()) group_->send(group_->rank() + 1, sums, sizeof sums);
        const std::string last =
            group_->all_gather(std::string(reinterpret_cast<const char*>(sums), sizeof sums)).back();
        std::memcpy(sums, last.data(), sizeof sums);
    }
    double sums[2] = {};

private:
    const communicator* group_;
};

}  // namespace

double entry_variance(const dataset& x, std::span<const double> weight, const communicator* group) {
    if (!weight.empty() && static_cast<index>(weight.size()) != x.size())
        fail(errc::invalid_argument, fmt::format("variance: {} vectors but {} weights", x.size(), weight.size()));
    return std::visit(
        [&](const auto& some) -> double {
            if constexpr (requires { some.dims(); }) {
                const auto each = [&](auto visit) {
                    for (index i = 0; i < some.size(); ++i) {
                        if (!weight.empty() && weight[static_cast<std::size_t>(i)] == 0) continue;
                        if constexpr (requires { some.row(i); })
                            visit(std::span(some.row(i), static_cast<std::size_t>(some.dims())));
                        else
                            visit(some.values(i));
                    }
                };
                rank_chained_sums first(group);
                double &count = first.sums[0], &sum = first.sums[1];
                each([&](auto row) {
                    count += static_cast<double>(some.dims());
                    double part = 0;
                    for (const auto value : row) part += value;
                    sum += part;
                });
                first.finish();
                if (count == 0) return 0;
                // Σ(x-m)² over the stored entries, and m² for every zero that is not stored.
                const double mean = sum / count;
                rank_chained_sums second(group);
                double &squares = second.sums[0], &stored = second.sums[1];
                each([&](auto row) {
                    double part = 0;
                    for (const auto value : row) part += (value - mean) * (value - mean);
                    squares += part;
                    stored += static_cast<double>(row.size());
                });
                second.finish();
                return (squares + (count - stored) * mean * mean) / count;
            } else {
                fail(errc::unsupported, fmt::format("variance: expected vectors, got {}", name(x.kind())));
            }
        },
        x.items());
}

}  // namespace mercer
