// Gram matrices derived from another one, block by block: none of them stores n² numbers, except `precomputed`, which
// is a view of a matrix in memory or owns one. Each of them borrows the matrix that it is made from; that matrix must
// outlive it.
//
// Example:
//
//     const double numbers[] = {4, 2, 2, 9};
//     const precomputed<double> K{matrix_view<const double>(numbers, 2, 2)};  // borrows `numbers`
//     const normalised<double> cosines(K);                                    // borrows K
//     assert(std::abs(form_matrix(cosines)(0, 1) - 2.0 / 6) < 1e-15);
//     assert(form_matrix(with_ridge<double>(K, 0.5))(1, 1) == 9.5);
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/gram/gram.h"

namespace mercer {

// Base class of matrices that only change the entries of another matrix. A derived class overrides `transform_entries`.
// `symmetric_block` still computes one half only, and `is_psd` returns the value of the original matrix unless it is
// overridden.
template <class T>
class entrywise_gram : public gram<T> {
public:
    index rows() const final { return k_.rows(); }
    index cols() const final { return k_.cols(); }
    void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const final {
        k_.block(rows, cols, out);
        transform_entries(rows, cols, out);
    }
    void symmetric_block(const row_set& which, row_pointers<T> out) const final {
        k_.symmetric_block(which, out);
        transform_entries(which, which, out);
    }
    double cycles_per_element() const final { return k_.cycles_per_element() + 1; }
    bool is_psd() const override { return k_.is_psd(); }

protected:
    explicit entrywise_gram(const gram<T>& k) : k_(k) {}
    // On entry out[i][j] is K(rows[i], cols[j]); `transform_entries` replaces it by the entry of this matrix.
    virtual void transform_entries(const row_set& rows, const row_set& cols, row_pointers<T> out) const = 0;
    const gram<T>& k_;
};

// K + λI, for a square K (otherwise the constructor throws errc::invalid_argument).
template <class T>
class with_ridge final : public entrywise_gram<T> {
public:
    with_ridge(const gram<T>& k, double lambda) : entrywise_gram<T>(k), lambda_(lambda) {
        require_square(k, "a ridge");
    }
    bool is_psd() const override { return lambda_ >= 0 && this->k_.is_psd(); }

private:
    void transform_entries(const row_set& rows, const row_set& cols, row_pointers<T> out) const override {
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j)
                if (rows[i] == cols[j]) out[i][j] += static_cast<T>(lambda_);
    }
    double lambda_;
};

// K(r[i], c[j]): a selection of rows and columns in any order; a row or column may occur more than once.
template <class T>
class subset final : public gram<T> {
public:
    subset(const gram<T>& k, std::vector<index> rows, std::vector<index> cols)
        : k_(k), rows_(std::move(rows)), cols_(std::move(cols)) {}
    subset(const gram<T>& k, std::vector<index> both) : k_(k), rows_(both), cols_(std::move(both)) {}
    index rows() const override { return static_cast<index>(rows_.size()); }
    index cols() const override { return static_cast<index>(cols_.size()); }
    void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const override {
        const std::vector<index> r = chosen(rows_, rows), c = chosen(cols_, cols);
        k_.block(std::span<const index>(r), std::span<const index>(c), out);
    }
    void symmetric_block(const row_set& which, row_pointers<T> out) const override {
        if (rows_ != cols_) return block(which, which, out);  // nothing is known about the symmetry of this block
        const std::vector<index> r = chosen(rows_, which);
        k_.symmetric_block(std::span<const index>(r), out);
    }

    void diagonal(std::span<T> out) const override {
        // A small choice, such as the rows of two classes among thousands, is computed entry by entry: the diagonal of
        // all rows for every pair of classes would cost too much.
        if (rows_ != cols_ || k_.rows() != k_.cols() || rows() < k_.rows() / 64) return gram<T>::diagonal(out);
        std::vector<T> all(static_cast<std::size_t>(k_.rows()));
        k_.diagonal(all);
        for (std::size_t i = 0; i < rows_.size(); ++i) out[i] = all[static_cast<std::size_t>(rows_[i])];
    }
    double cycles_per_element() const override { return k_.cycles_per_element() + 1; }
    bool is_psd() const override { return rows_ == cols_ && k_.is_psd(); }
    matrix<double> features(index most) const override {
        const matrix<double> all = rows_ == cols_ ? k_.features(most) : matrix<double>();
        matrix<double> out(all.rows() > 0 ? rows() : 0, all.cols());
        for (index i = 0; i < out.rows(); ++i)
            std::copy_n(all.row(rows_[static_cast<std::size_t>(i)]), out.cols(), out.row(i));
        return out;
    }

private:
    static std::vector<index> chosen(const std::vector<index>& all, const row_set& which) {
        std::vector<index> out(static_cast<std::size_t>(which.size()));
        for (index i = 0; i < which.size(); ++i)
            out[static_cast<std::size_t>(i)] = all[static_cast<std::size_t>(which[i])];
        return out;
    }
    const gram<T>& k_;
    std::vector<index> rows_, cols_;
};

// The 2n × 2n matrix [K K; K K] of an n × n matrix K. In support vector regression each example has two variables with
// the same kernel values.
template <class T>
class duplicated_gram final : public gram<T> {
public:
    explicit duplicated_gram(const gram<T>& k) : k_(k) {}
    index rows() const override { return 2 * k_.rows(); }
    index cols() const override { return 2 * k_.cols(); }
    void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const override {
        const folded r(rows, k_.rows()), c(cols, k_.cols());
        fill_duplicated(r, c, out, [&](row_pointers<T> once) {
            k_.block(std::span<const index>(r.once), std::span<const index>(c.once), once);
        });
    }
    void symmetric_block(const row_set& which, row_pointers<T> out) const override {
        const folded both(which, k_.rows());
        fill_duplicated(both, both, out,
                        [&](row_pointers<T> once) { k_.symmetric_block(std::span<const index>(both.once), once); });
    }

    void diagonal(std::span<T> out) const override {
        const auto n = static_cast<std::size_t>(k_.rows());
        k_.diagonal(out.first(n));
        std::copy_n(out.begin(), n, out.begin() + static_cast<std::ptrdiff_t>(n));
    }
    double cycles_per_element() const override { return k_.cycles_per_element() + 1; }
    bool is_psd() const override { return k_.is_psd(); }
    matrix<double> features(index most) const override {
        const matrix<double> once = k_.features(most);
        matrix<double> out(2 * once.rows(), once.cols());
        for (index i = 0; i < out.rows(); ++i) std::copy_n(once.row(i % once.rows()), out.cols(), out.row(i));
        return out;
    }

private:
    // The examples that belong to a choice of variables, each listed once, and for each variable the position of its
    // example in that list. In a small choice, variables of the same example are not merged.
    struct folded {
        folded(const row_set& which, index n) : place(static_cast<std::size_t>(which.size())) {
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

    // compute() fills one row per example, with one number per example. The numbers are then spread to the columns and
    // copied to the other rows.
    template <class Compute>
    static void fill_duplicated(const folded& r, const folded& c, row_pointers<T> out, Compute compute) {
        if (!r.repeats() && !c.repeats()) return compute(out);
        std::vector<T*> first(r.once.size(), nullptr);
        for (std::size_t i = 0; i < r.place.size(); ++i)
            if (T*& row = first[static_cast<std::size_t>(r.place[i])]; !row) row = out[static_cast<index>(i)];
        compute(row_pointers<T>(first.data()));
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

// The centred matrix HKH of an n × n matrix K, H = I - 11ᵀ/n. If K(i, j) = φ(xᵢ)ᵀφ(xⱼ), its entries are the inner
// products of φ(xᵢ) - m and φ(xⱼ) - m, m the mean of φ(x₁), …, φ(xₙ). The constructor computes the means of the rows in
// one pass over K; it throws errc::invalid_argument unless K is square.
template <class T>
class centred final : public entrywise_gram<T> {
public:
    explicit centred(const gram<T>& k) : entrywise_gram<T>(k), mean_(static_cast<std::size_t>(k.rows())) {
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
    const std::vector<double>& means() const { return mean_; }  // the mean of each row of K
    double total() const { return total_; }                     // the mean of all entries of K

private:
    void transform_entries(const row_set& rows, const row_set& cols, row_pointers<T> out) const override {
        for (index i = 0; i < rows.size(); ++i) {
            const double row_mean = mean_[static_cast<std::size_t>(rows[i])];
            for (index j = 0; j < cols.size(); ++j)
                out[i][j] = static_cast<T>(out[i][j] - row_mean - mean_[static_cast<std::size_t>(cols[j])] + total_);
        }
    }
    std::vector<double> mean_;
    double total_ = 0;
};

// The normalised matrix K(i, j)/√(K(i, i)K(j, j)) of a square K; an entry is 0 if K(i, i) or K(j, j) is not positive.
// The constructor reads the diagonal of K.
template <class T>
class normalised final : public entrywise_gram<T> {
public:
    explicit normalised(const gram<T>& k) : entrywise_gram<T>(k), factor_(static_cast<std::size_t>(k.rows())) {
        std::vector<T> self(factor_.size());
        k.diagonal(self);
        for (std::size_t i = 0; i < self.size(); ++i)
            factor_[i] = self[i] > 0 ? 1 / std::sqrt(static_cast<double>(self[i])) : 0.0;
    }

private:
    void transform_entries(const row_set& rows, const row_set& cols, row_pointers<T> out) const override {
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j)
                out[i][j] = static_cast<T>(out[i][j] * (factor_[static_cast<std::size_t>(rows[i])] *
                                                        factor_[static_cast<std::size_t>(cols[j])]));
    }
    std::vector<double> factor_;
};

// Returns kxx + kzz - 2kxz, or 0 if the result is negative by no more than the rounding of the three values, each of
// which is a sum of `terms` terms.
inline double squared_distance(double kxx, double kzz, double kxz, std::size_t terms = 1) {
    const double d = kxx / 2 + kzz / 2 - kxz;
    const double rounding = static_cast<double>(15 + terms) * std::numeric_limits<double>::epsilon() *
                            (std::abs(kxx) / 2 + std::abs(kzz) / 2 + std::abs(kxz));
    return d < 0 && d >= -rounding ? 0.0 : 2 * d;
}

// Distances in feature space, with D(i, j)² = K(i, i) + K(j, j) - 2K(i, j). A square that is negative through rounding
// becomes 0. If K is not positive semidefinite, a square may be negative by more than rounding: form::squared returns
// it, form::root throws errc::not_psd when the block is read.
class distance_gram final : public gram<double> {
public:
    enum class form { root, squared };
    explicit distance_gram(const gram<double>& k, form wanted = form::root)
        : k_(k), wanted_(wanted), self_(static_cast<std::size_t>(k.rows())) {
        require_square(k, "distances");
        k.diagonal(self_);
    }
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const row_set& rows, const row_set& cols, row_pointers<double> out) const override {
        k_.block(rows, cols, out);
        const auto turn = [&](index i) {
            const index r = rows[i];
            for (index j = 0; j < cols.size(); ++j) {
                const index c = cols[j];
                const double d = r == c ? 0.0
                                        : squared_distance(self_[static_cast<std::size_t>(r)],
                                                           self_[static_cast<std::size_t>(c)], out[i][j]);
                if (d < 0 && wanted_ == form::root)
                    fail(errc::not_psd, "distances: squared distances must be >= 0, got " + std::to_string(d) +
                                            " between objects " + std::to_string(r) + " and " + std::to_string(c));
                out[i][j] = wanted_ == form::root ? std::sqrt(d) : d;
            }
        };
        if (rows.size() * cols.size() > 65536)
            parallel_for(rows.size(), turn);
        else
            for (index i = 0; i < rows.size(); ++i) turn(i);
    }
    void diagonal(std::span<double> out) const override { std::fill(out.begin(), out.end(), 0.0); }
    double cycles_per_element() const override { return k_.cycles_per_element() + 8; }

private:
    const gram<double>& k_;
    form wanted_;
    std::vector<double> self_;
};

// The matrix K(i, j) - c with entries of type T, where K is a Gram matrix in double; c = 0 only converts to T.
// Differences between entries close to c are not lost when they are rounded to float. For vectors v with sum 0, vᵀ(K -
// c)v = vᵀKv, so K - c is positive semidefinite on these vectors if K is.
template <class T>
class shifted_gram final : public gram<T> {
public:
    explicit shifted_gram(const gram<double>& k, double c = 0) : k_(k), c_(c) {}
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const override {
        matrix<double> room(std::min(band, rows.size()), cols.size());
        by_bands(rows, [&](const row_set& some, index first) {
            k_.block(some, cols, room.view().block(0, 0, some.size(), cols.size()));
            parallel_for(some.size(), [&](index i) { lower(room.row(i), cols.size(), out[first + i]); });
        });
    }
    // Computes the entries on and above the diagonal and mirrors them.
    void symmetric_block(const row_set& which, row_pointers<T> out) const override {
        matrix<double> room(std::min(band, which.size()), which.size());
        by_bands(which, [&](const row_set& some, index first) {
            const index many = some.size(), right = which.size() - first;
            k_.block(some, which.slice(first, right), room.view().block(0, 0, many, right));
            for (index i = 0; i < many; ++i)
                for (index j = 0; j <= i; ++j)
                    out[first + i][first + j] = out[first + j][first + i] = static_cast<T>(room(i, j) - c_);
            parallel_chunks(right - many, band, [&](index from, index end) {
                from += many, end += many;
                for (index i = 0; i < many; ++i) lower(room.row(i) + from, end - from, out[first + i] + first + from);
                for (index j = from; j < end; ++j)
                    for (index i = 0; i < many; ++i) out[first + j][first + i] = out[first + i][first + j];
            });
        });
    }
    void diagonal(std::span<T> out) const override {
        std::vector<double> exact(out.size());
        k_.diagonal(exact);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<T>(exact[i] - c_);
    }
    double cycles_per_element() const override { return k_.cycles_per_element() + 1; }
    bool is_psd() const override { return k_.is_psd(); }
    matrix<double> features(index most) const override { return c_ == 0 ? k_.features(most) : matrix<double>(); }

private:
    static constexpr index band = 64;  // rows per batch; their doubles take little memory compared with the block
    template <class Body>
    static void by_bands(const row_set& rows, Body body) {
        for (index first = 0; first < rows.size(); first += band)
            body(rows.slice(first, std::min(band, rows.size() - first)), first);
    }
    void lower(const double* from, index many, T* to) const {
        for (index j = 0; j < many; ++j) to[j] = static_cast<T>(from[j] - c_);
    }
    const gram<double>& k_;
    double c_;
};

// A Gram matrix in double with its entries rounded to float, for the argument `fast` of solve_smo() and fit_svm().
using float_gram = shifted_gram<float>;

// A matrix in memory as a gram<T>: a view of memory that must outlive it, or a matrix that it owns.
template <class T>
class precomputed final : public gram<T> {
public:
    explicit precomputed(matrix_view<const T> k) : k_(k) {}
    explicit precomputed(matrix<T> k) : owned_(std::make_shared<const matrix<T>>(std::move(k))), k_(owned_->view()) {}

    index rows() const override { return k_.rows; }
    index cols() const override { return k_.cols; }
    void block(const row_set& rows, const row_set& cols, row_pointers<T> out) const override {
        for (index i = 0; i < rows.size(); ++i) {
            const T* from = k_.row(rows[i]);
            if (cols.is_range() && cols.size() > 0)
                std::copy_n(from + cols[0], cols.size(), out[i]);
            else
                for (index j = 0; j < cols.size(); ++j) out[i][j] = from[cols[j]];
        }
    }
    void diagonal(std::span<T> out) const override {
        require_square(*this, "a diagonal");
        for (index i = 0; i < rows(); ++i) out[static_cast<std::size_t>(i)] = k_(i, i);
    }
    matrix_view<const T> stored() const override { return k_; }
    double cycles_per_element() const override { return 0.5; }

private:
    std::shared_ptr<const matrix<T>> owned_;
    matrix_view<const T> k_;
};

}  // namespace mercer
