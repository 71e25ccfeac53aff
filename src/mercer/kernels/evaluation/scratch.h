// Scratch memory of one thread.
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
struct workspace {
    pack_scratch<T> pack;
    std::vector<buffer<T>> panels, low_panels;  // per statistic, when packed on the fly
    std::vector<buffer<T>> col_norms, row_norms;
    std::vector<buffer<T>> col_doubt, row_doubt;
    std::vector<buffer<T>> col_factors, row_factors;
    // Per wide statistic: column → position among the columns present in a stripe, -1 elsewhere; and the columns
    // present.
    std::vector<std::vector<std::int32_t>> place, present;
    std::vector<buffer<std::uint32_t>> bit_panels;
    std::vector<buffer<std::int32_t>> bit_norms;
    std::vector<left_rows<T>> left;      // per statistic: the rows of a call of this thread
    std::vector<buffer<T>> deep_values;  // per deep statistic: all pairs of a group of rows and the columns of a call
    buffer<T> deep_sums;
    buffer<T> registers;

    // For so many statistics and instructions.
    void make_room(std::size_t statistics, std::size_t steps) {
        for (auto* set : {&panels, &low_panels, &col_norms, &row_norms, &col_doubt, &row_doubt, &deep_values})
            if (set->size() < statistics) set->resize(statistics);
        for (auto* set : {&col_factors, &row_factors})
            if (set->size() < steps) set->resize(steps);
        if (place.size() < statistics) place.resize(statistics), present.resize(statistics);
        if (bit_panels.size() < statistics) bit_panels.resize(statistics), bit_norms.resize(statistics);
    }
};

// A workspace lent from the thread's stock. A user's function may evaluate kernels itself while a tile is half done, so
// one per thread is not enough; and one that an exception left half used is not put back.
template <class T>
class lease {
public:
    lease() : exceptions_(std::uncaught_exceptions()) {
        if (stock().empty()) stock().push_back(std::make_unique<workspace<T>>());
        held_ = std::move(stock().back());
        stock().pop_back();
    }
    ~lease() {
        if (std::uncaught_exceptions() != exceptions_) return;
        try {
            stock().push_back(std::move(held_));
        } catch (const std::bad_alloc&) {  // the workspace is released instead
        }
    }
    lease(const lease&) = delete;
    lease& operator=(const lease&) = delete;
    workspace<T>& operator*() const { return *held_; }

private:
    static std::vector<std::unique_ptr<workspace<T>>>& stock() {
        auto& unused = per_thread<std::vector<std::unique_ptr<workspace<T>>>>([] {});
        return unused;
    }
    std::unique_ptr<workspace<T>> held_;
    int exceptions_;
};

}  // namespace mercer::evaluation
