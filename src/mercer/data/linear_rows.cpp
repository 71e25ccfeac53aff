#include "mercer/data/linear_rows.h"

#include <fmt/format.h>

#include "mercer/base/error.h"

namespace mercer {
namespace {

// Which row of the data row i of the operand is.
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

// visit(j, value) for each entry of row i that is not zero, in the order of the columns.
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

std::unique_ptr<linear_operand> linear_rows(const dataset& x, double constant) {
    return make(x, every_row{x.size()}, constant);
}
std::unique_ptr<linear_operand> linear_rows(const dataset& x, std::span<const index> which, double constant) {
    return make(x, some_rows{which}, constant);
}

compressed_columns linear_columns(const dataset& x, std::span<const index> which, double constant) {
    if (const auto* some = x.as<dense<double>>()) return transposed(*some, which, constant);
    if (const auto* some = x.as<dense<float>>()) return transposed(*some, which, constant);
    if (const auto* some = x.as<sparse<double>>()) return transposed(*some, which, constant);
    if (const auto* some = x.as<sparse<float>>()) return transposed(*some, which, constant);
    refuse(x);
}

}  // namespace mercer
