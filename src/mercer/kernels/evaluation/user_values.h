// Values of a user's kernel function, requested in large blocks, because one call of it may cost more than thousands of
// values. Internal to this folder.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "mercer/base/matrix_view.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/plan.h"

namespace mercer {

class user_values {
public:
    static constexpr index max_bytes = index{256} << 20;  // of one block
    // Returns the number of rows whose values fit into one block.
    static index rows_at_once(index cols) {
        return std::max<index>(1, max_bytes / (static_cast<index>(sizeof(double)) * std::max<index>(cols, 1)));
    }

    user_values(block_function f, dataset x, dataset z) : f_(std::move(f)), x_(std::move(x)), z_(std::move(z)) {}

    // Returns k(xᵢ, zⱼ) for these rows and columns. It calls the function once: for these pairs, or for all pairs,
    // whose values are then stored. It requests all pairs if they fit into one block and either fewer than an eighth of
    // them are needed now, since other requests will follow, or all requests together exceed 1.5 times their number.
    matrix<double> block(const row_set& rows, const row_set& cols) const {
        matrix<double> out(rows.size(), cols.size());
        const index pairs = rows.size() * cols.size(), all = x_.size() * z_.size();
        const bool again = (requested_pairs_ += pairs) > all + all / 2;
        if (x_.size() > rows_at_once(z_.size()) || (pairs >= all / 8 && !again)) {
            f_(x_, rows, z_, cols, out.view());
            return out;
        }
        compute_all();
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j) out(i, j) = (*all_)(rows[i], cols[j]);
        return out;
    }

    // out[i] = k(x, z) of the objects first + i on both sides. It takes the diagonals of 32 × 32 blocks: a call per
    // pair would cost too much, and so would the whole matrix.
    void diagonal(index first, index count, double* out) const {
        constexpr index side = 32;
        for (index at = 0; at < count; at += side) {
            const row_set some(first + at, std::min(side, count - at));
            matrix<double> values(some.size(), some.size());
            f_(x_, some, z_, some, values.view());
            for (index i = 0; i < some.size(); ++i) out[at + i] = values(i, i);
        }
    }

private:
    // A mutex instead of std::call_once: an exception that leaves call_once ends the process when memory is exhausted,
    // because glibc then has to load the library that unwinds its stack frames.
    void compute_all() const {
        const std::lock_guard guard(mutex_);
        if (all_) return;
        matrix<double> values(x_.size(), z_.size());
        f_(x_, row_set(0, x_.size()), z_, row_set(0, z_.size()), values.view());
        all_ = std::move(values);
    }

    block_function f_;
    dataset x_, z_;
    mutable std::atomic<index> requested_pairs_ = 0;  // number of pairs requested so far
    mutable std::mutex mutex_;
    mutable std::optional<matrix<double>> all_;
};

}  // namespace mercer
