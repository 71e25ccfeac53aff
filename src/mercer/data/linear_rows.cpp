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

template <class Which>
std::unique_ptr<linear_operand> make(const dataset& x, Which which, double constant) {
    if (const auto* some = x.as<dense<double>>()) return std::make_unique<dense_rows<double, Which>>(*some, which, constant);
    if (const auto* some = x.as<dense<float>>()) return std::make_unique<dense_rows<float, Which>>(*some, which, constant);
    if (const auto* some = x.as<sparse<double>>()) return std::make_unique<sparse_rows<double, Which>>(*some, which, constant);
    if (const auto* some = x.as<sparse<float>>()) return std::make_unique<sparse_rows<float, Which>>(*some, which, constant);
    fail(errc::unsupported, fmt::format("a linear solver needs vectors, got {}", name(x.kind())));
}

}  // namespace

std::unique_ptr<linear_operand> linear_rows(const dataset& x, double constant) { return make(x, every_row{x.size()}, constant); }
std::unique_ptr<linear_operand> linear_rows(const dataset& x, std::span<const index> which, double constant) { return make(x, some_rows{which}, constant); }

}  // namespace mercer
