// Scratch memory for the tile loops: a scratch holds buffers that grow and are reused by later
// calls, the scratch_lease borrows a scratch from the stock of the calling thread. Internal to this folder.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/base/per_thread.h"
#include "mercer/kernels/evaluation/packed_rows.h"

namespace mercer::evaluation {

template <class T>
struct scratch {
    pack_scratch<T> pack;
    std::vector<buffer<T>> panels, low_panels;  // per statistic, for panels that are not stored
    std::vector<buffer<T>> col_norms, row_norms;
    std::vector<buffer<T>> col_thresholds, row_thresholds;
    std::vector<buffer<T>> col_factors, row_factors;
    // Per wide statistic: `place` maps a column to its position among the columns that occur in a column tile, -1 if it
    // does not occur; `present` lists the columns that occur.
    std::vector<std::vector<std::int32_t>> place, present;
    std::vector<buffer<std::uint32_t>> bit_panels;
    std::vector<buffer<std::int32_t>> bit_norms;
    std::vector<packed_rows<T>> packed;  // per statistic: the packed rows of a call made by this thread
    std::vector<buffer<T>> deep_values;  // per deep statistic: values of all pairs of a row batch and a call's columns
    buffer<T> deep_sums;
    buffer<T> registers;

    // Makes the arrays large enough for this number of statistics and of plan steps.
    void ensure_sizes(std::size_t statistics, std::size_t steps) {
        for (auto* set : {&panels, &low_panels, &col_norms, &row_norms, &col_thresholds, &row_thresholds, &deep_values})
            if (set->size() < statistics) set->resize(statistics);
        for (auto* set : {&col_factors, &row_factors})
            if (set->size() < steps) set->resize(steps);
        if (place.size() < statistics) place.resize(statistics), present.resize(statistics);
        if (bit_panels.size() < statistics) bit_panels.resize(statistics), bit_norms.resize(statistics);
    }
};

// A scratch borrowed from the stock of the calling thread until the scratch_lease is destroyed. One scratch
// per thread is not enough, because a user's function may evaluate kernels itself while a tile is half
// done. A scratch that an exception has left half used does not return to the stock.
template <class T>
class scratch_lease {
public:
    scratch_lease() : exceptions_(std::uncaught_exceptions()) {
        if (stock().empty()) stock().push_back(std::make_unique<scratch<T>>());
        held_ = std::move(stock().back());
        stock().pop_back();
    }
    ~scratch_lease() {
        if (std::uncaught_exceptions() != exceptions_) return;
        try {
            stock().push_back(std::move(held_));
        } catch (const std::bad_alloc&) {  // without memory for the list the scratch is freed
        }
    }
    scratch_lease(const scratch_lease&) = delete;
    scratch_lease& operator=(const scratch_lease&) = delete;
    scratch<T>& operator*() const { return *held_; }

private:
    static std::vector<std::unique_ptr<scratch<T>>>& stock() {
        auto& unused = per_thread<std::vector<std::unique_ptr<scratch<T>>>>([] {});
        return unused;
    }
    std::unique_ptr<scratch<T>> held_;
    int exceptions_;
};

}  // namespace mercer::evaluation
