// Rows packed for the tile loops, once per call, and read by every column tile: dense vectors interleaved in blocks;
// sparse vectors, and dense ones that are mostly zeros, as column numbers and values of T. Internal to this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/evaluation/vector_operand.h"
#include "mercer/kernels/tile/tile_ops.h"

namespace mercer::evaluation {

template <class T>
class packed_rows {
public:
    // Packs a range of coordinates of dense rows, minus the shift, into blocks. `low`: also packs the rounding errors
    // of these coordinates.
    void pack_blocks(const vector_operand<T>& x, const row_set& which, coordinate_range part, const T* shift,
                     bool low) {
        const index width = best_tile_ops<T>().block_rows, count = (which.size() + width - 1) / width,
                    depth = part.count;
        depth_ = depth;
        T* to = blocks_.at_least(count * width * depth);
        T* to_low = low ? low_.at_least(count * width * depth) : nullptr;
        parallel_for(count, [&](index b) {
            auto& scratch = per_thread<pack_scratch<T>>([] {});
            const row_set some = which.slice(b * width, std::min(width, which.size() - b * width));
            x.pack(some, part, shift, to + b * width * depth, width, scratch);
            if (low) x.pack_low(some, part, shift, to_low + b * width * depth, width, scratch);
        });
    }

    void pack_sparse(const vector_operand<T>& x, const row_set& which) {
        rows_.resize(static_cast<std::size_t>(which.size()));
        start_.resize(static_cast<std::size_t>(which.size()) + 1);
        const auto for_rows = [&](auto&& body) {
            parallel_chunks(which.size(), 64, [&](index first, index end) {
                for (index r = first; r < end; ++r) body(r);
            });
        };
        for_rows([&](index r) { start_[r + 1] = x.max_entries(which[r]); });
        start_[0] = 0;
        for (index r = 0; r < which.size(); ++r) start_[r + 1] += start_[r];
        T* values = values_.at_least(start_.back());
        std::int32_t* cols = cols_.at_least(start_.back());
        for_rows([&](index r) { rows_[r] = x.entries(which[r], cols + start_[r], values + start_[r]); });
    }

    // The block that starts at row `first`, which must be a multiple of block_rows, and its low parts.
    const T* block(index first) const { return blocks_.data() + first * depth_; }
    const T* low_block(index first) const { return low_.data() + first * depth_; }
    const sparse_entries<T>& row(index r) const { return rows_[static_cast<std::size_t>(r)]; }

private:
    index depth_ = 0;
    buffer<T> blocks_, low_, values_;
    buffer<std::int32_t> cols_;
    std::vector<index> start_;
    std::vector<sparse_entries<T>> rows_;
};

}  // namespace mercer::evaluation
