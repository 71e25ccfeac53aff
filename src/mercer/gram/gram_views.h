// Gram matrices made from other ones, block by block: none of them stores n² numbers.
// Each borrows the matrix it stands on, which must outlive it.
#pragma once

#include <cmath>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

// A matrix of the same rows and columns as another. It has all that the other has, but for what it says itself: an
// adaptor that only changes entries says how, and keeps half the work of `square` and the proof.
template <class T>
class changed_entries : public gram<T> {
public:
    index rows() const final { return k_.rows(); }
    index cols() const final { return k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const final {
        k_.block(rows, cols, out);
        change(rows, cols, out);
    }
    void square(const selection& which, block_rows<T> out) const final {
        k_.square(which, out);
        change(which, which, out);
    }
    double element_cost() const final { return k_.element_cost() + 1; }
    bool positive() const override { return k_.positive(); }

protected:
    explicit changed_entries(const gram<T>& k) : k_(k) {}
    // out[i][j] is K(rows[i], cols[j]), and is to become the entry of this matrix.
    virtual void change(const selection& rows, const selection& cols, block_rows<T> out) const = 0;
    const gram<T>& k_;
};

// K + λI
template <class T>
class with_ridge final : public changed_entries<T> {
public:
    with_ridge(const gram<T>& k, double lambda) : changed_entries<T>(k), lambda_(lambda) {
        require_square(k, "a ridge");
    }
    bool positive() const override { return lambda_ >= 0 && this->k_.positive(); }

private:
    void change(const selection& rows, const selection& cols, block_rows<T> out) const override {
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j)
                if (rows[i] == cols[j]) out[i][j] += static_cast<T>(lambda_);
    }
    double lambda_;
};

// K(r[i], c[j]): some rows and columns, in any order, repeats allowed.
template <class T>
class subset final : public gram<T> {
public:
    subset(const gram<T>& k, std::vector<index> rows, std::vector<index> cols)
        : k_(k), rows_(std::move(rows)), cols_(std::move(cols)) {}
    subset(const gram<T>& k, std::vector<index> both) : k_(k), rows_(both), cols_(std::move(both)) {}
    index rows() const override { return static_cast<index>(rows_.size()); }
    index cols() const override { return static_cast<index>(cols_.size()); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override {
        const std::vector<index> r = chosen(rows_, rows), c = chosen(cols_, cols);
        k_.block(std::span<const index>(r), std::span<const index>(c), out);
    }
    void square(const selection& which, block_rows<T> out) const override {
        if (rows_ != cols_) return block(which, which, out);  // symmetric by chance: nothing of k_ says so
        const std::vector<index> r = chosen(rows_, which);
        k_.square(std::span<const index>(r), out);
    }

    void diagonal(std::span<T> out) const override {
        // The few rows of a pair of classes among thousands are computed one by one: the diagonal of all rows would be
        // work for every pair.
        if (rows_ != cols_ || k_.rows() != k_.cols() || rows() < k_.rows() / 64) return gram<T>::diagonal(out);
        std::vector<T> all(static_cast<std::size_t>(k_.rows()));
        k_.diagonal(all);
        for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = all[static_cast<std::size_t>(rows_[i])];
    }
    double element_cost() const override { return k_.element_cost() + 1; }
    bool positive() const override { return rows_ == cols_ && k_.positive(); }
    matrix<double> features(index most) const override {
        const matrix<double> all = rows_ == cols_ ? k_.features(most) : matrix<double>();
        matrix<double> out(all.rows() > 0 ? rows() : 0, all.cols());
        for (index i = 0; i < out.rows(); ++i)
            std::copy_n(all.row(rows_[static_cast<std::size_t>(i)]), out.cols(), out.row(i));
        return out;
    }

private:
    static std::vector<index> chosen(const std::vector<index>& all, const selection& which) {
        std::vector<index> out(static_cast<std::size_t>(which.size()));
        for (index i = 0; i < which.size(); ++i)
            out[static_cast<std::size_t>(i)] = all[static_cast<std::size_t>(which[i])];
        return out;
    }
    const gram<T>& k_;
    std::vector<index> rows_, cols_;
};

// [K K; K K]: regression has two variables for each example, and both see the same kernel values.
template <class T>
class mirrored final : public gram<T> {
public:
    explicit mirrored(const gram<T>& k) : k_(k) {}
    index rows() const override { return 2 * k_.rows(); }
    index cols() const override { return 2 * k_.cols(); }
    void block(const selection& rows, const selection& cols, block_rows<T> out) const override {
        const folded r(rows, k_.rows()), c(cols, k_.cols());
        fill(r, c, out, [&](block_rows<T> once) {
            k_.block(std::span<const index>(r.once), std::span<const index>(c.once), once);
        });
    }
    void square(const selection& which, block_rows<T> out) const override {
        const folded both(which, k_.rows());
        fill(both, both, out, [&](block_rows<T> once) { k_.square(std::span<const index>(both.once), once); });
    }

    void diagonal(std::span<T> out) const override {
        const auto n = static_cast<std::size_t>(k_.rows());
        k_.diagonal(out.first(n));
        std::copy_n(out.begin(), n, out.begin() + static_cast<std::ptrdiff_t>(n));
    }
    double element_cost() const override { return k_.element_cost() + 1; }
    bool positive() const override { return k_.positive(); }
    matrix<double> features(index most) const override {
        const matrix<double> once = k_.features(most);
        matrix<double> out(2 * once.rows(), once.cols());
        for (index i = 0; i < out.rows(); ++i) std::copy_n(once.row(i % once.rows()), out.cols(), out.row(i));
        return out;
    }

private:
    // Examples behind a choice of variables, each once, and where in that list the example of each variable stands. Of
    // few variables it is not worth looking for those that share an example.
    struct folded {
        folded(const selection& which, index n) : place(static_cast<std::size_t>(which.size())) {
            std::vector<index> seen(which.size() > n / 8 ? static_cast<std::size_t>(n) : 0, index{-1});
            for (index i = 0; i < which.size(); ++i) {
                const index example = which[i] % n;
                index at = seen.empty() ? -1 : seen[static_cast<std::size_t>(example)];
                if (at < 0) {
                    at = static_cast<index>(once.size());
                    once.push_back(example);
                    if (!seen.empty()) seen[static_cast<std::size_t>(example)] = at;
                }
                place[static_cast<std::size_t>(i)] = at;
            }
        }
        bool repeats() const { return once.size() < place.size(); }
        std::vector<index> once, place;
    };

    // compute() fills the first row of every example, one number an example; they are spread to their columns, and
    // copied to the other rows.
    template <class Compute>
    static void fill(const folded& r, const folded& c, block_rows<T> out, Compute compute) {
        if (!r.repeats() && !c.repeats()) return compute(out);
        std::vector<T*> first(r.once.size(), nullptr);
        for (std::size_t i = 0; i < r.place.size(); ++i)
            if (T*& row = first[static_cast<std::size_t>(r.place[i])]; !row) row = out[static_cast<index>(i)];
        compute(block_rows<T>(first.data()));
        if (c.repeats()) {
            std::vector<T> numbers(c.once.size());
            for (T* row : first) {
                std::copy_n(row, numbers.size(), numbers.begin());
                for (std::size_t j = 0; j < c.place.size(); ++j) row[j] = numbers[static_cast<std::size_t>(c.place[j])];
            }
        }
        for (std::size_t i = 0; i < r.place.size(); ++i) {
            const T* const from = first[static_cast<std::size_t>(r.place[i])];
            if (T* const to = out[static_cast<index>(i)]; to != from) std::copy_n(from, c.place.size(), to);
        }
    }

    const gram<T>& k_;
};

// HKH with H = I - 11ᵀ/n: the inner products of φ(xᵢ) - mean. The means cost one pass over K.
template <class T>
class centred final : public changed_entries<T> {
public:
    explicit centred(const gram<T>& k) : changed_entries<T>(k), mean_(static_cast<std::size_t>(k.rows())) {
        require_square(k, "centring");
        const index n = k.rows();
        matrix<double> ones(n, 1), sums(n, 1);
        std::fill_n(ones.data(), n, 1.0);
        k.multiply(ones.view(), sums.view());
        for (index i = 0; i < n; ++i) {
            mean_[static_cast<std::size_t>(i)] = sums(i, 0) / static_cast<double>(n);
            total_ += mean_[static_cast<std::size_t>(i)] / static_cast<double>(n);
        }
    }
    const std::vector<double>& means() const { return mean_; }
    double total() const { return total_; }

private:
    void change(const selection& rows, const selection& cols, block_rows<T> out) const override {
        for (index i = 0; i < rows.size(); ++i) {
            const double row_mean = mean_[static_cast<std::size_t>(rows[i])];
            for (index j = 0; j < cols.size(); ++j)
                out[i][j] = static_cast<T>(out[i][j] - row_mean - mean_[static_cast<std::size_t>(cols[j])] + total_);
        }
    }
    std::vector<double> mean_;
    double total_ = 0;
};

// K(i, j)/√(K(i, i)K(j, j)); 0 where K(i, i) = 0.
template <class T>
class normalised final : public changed_entries<T> {
public:
    explicit normalised(const gram<T>& k) : changed_entries<T>(k), factor_(static_cast<std::size_t>(k.rows())) {
        std::vector<T> self(factor_.size());
        k.diagonal(self);
        for (std::size_t i = 0; i < self.size(); ++i)
            factor_[i] = self[i] > 0 ? 1 / std::sqrt(static_cast<double>(self[i])) : 0.0;
    }

private:
    void change(const selection& rows, const selection& cols, block_rows<T> out) const override {
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j)
                out[i][j] = static_cast<T>(out[i][j] * (factor_[static_cast<std::size_t>(rows[i])] *
                                                        factor_[static_cast<std::size_t>(cols[j])]));
    }
    std::vector<double> factor_;
};

}  // namespace mercer
