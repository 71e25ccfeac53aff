#include "mercer/solvers/smo/row_store.h"

#include <algorithm>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"

namespace mercer::smo {

row_store::row_store(index n, std::size_t budget_bytes, double cycles_per_element, const row_cache_thresholds& limits)
    : limits_(limits), stride_((n + 15) / 16 * 16) {
    small_ = static_cast<std::size_t>(n) * static_cast<std::size_t>(stride_) * sizeof(float) <= limits_.small_bytes;
    cheap_ = cycles_per_element < limits_.cheap_cost && !small_;
    const std::size_t row_bytes = static_cast<std::size_t>(std::max<index>(stride_, 1)) * sizeof(float);
    max_slots_ = std::min<index>(n, static_cast<index>(budget_bytes / row_bytes));
    slots_ = cheap_
                 ? std::min<index>(max_slots_, std::max<index>(1, static_cast<index>(limits_.near_bytes / row_bytes)))
                 : max_slots_;
    slot_of_.assign(static_cast<std::size_t>(n), -1);
    requests_.assign(static_cast<std::size_t>(n), 0);
    position_.resize(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) position_[i] = i;
}

row_store::~row_store() {
    if (!memory_.data() || memory_.bytes() > limits_.max_spare) return;
    try {
        if (memory_.bytes() > spare().bytes()) spare() = std::move(memory_);
    } catch (const std::bad_alloc&) {  // the memory is released instead
    }
}

// The memory of the last problem of this thread. Memory that has been written before is much faster to write, and a fit
// may consist of hundreds of small problems.
reserved_memory& row_store::spare() {
    return per_thread<reserved_memory>([] {});
}

index row_store::fetch(index original, index& valid) {
    valid = 0;
    if (slots_ == 0) return -1;
    const int asked = requests_[original];
    if (asked < limits_.frequent_requests) ++requests_[original];
    if (!small_ && asked < (cheap_ ? 2 : 1)) return -1;
    if (!memory_.data()) {
        const std::size_t need = static_cast<std::size_t>(max_slots_ * stride_) * sizeof(float);
        if (spare().bytes() >= need && spare().bytes() <= limits_.max_spare)
            memory_ = std::move(spare());
        else
            memory_ = reserved_memory(need);
    }
    ++clock_;
    index slot = slot_of_[original];
    if (slot < 0) {
        // Frequent requests justify more memory even for cheap rows.
        if (taken_ == slots_ && slots_ < max_slots_ && asked >= limits_.frequent_requests &&
            ++misses_ > limits_.max_miss_ratio * slots_) {
            slots_ = std::min(max_slots_, 2 * slots_);
            misses_ = 0;
        }
        slot = taken_ < slots_ ? new_slot() : evicted_slot();
        if (slot < 0) return -1;
        if (owner_[slot] >= 0) slot_of_[owner_[slot]] = -1;
        owner_[slot] = original;
        slot_of_[original] = slot;
        valid_[slot] = 0;
    }
    used_[slot] = clock_;
    valid = valid_[slot];
    return slot;
}

index row_store::new_slot() {
    owner_.push_back(-1);
    valid_.push_back(0);
    used_.push_back(0);
    return taken_++;
}

// The least recently used of the next 16 slots: an approximation of the least recently used one at constant cost.
// Returns -1 if all 16 are in use.
index row_store::evicted_slot() {
    index slot = hand_;
    for (index k = 0; k < std::min<index>(taken_, 16); ++k) {
        const index other = (hand_ + k) % taken_;
        if (used_[other] < used_[slot]) slot = other;
    }
    hand_ = (hand_ + 16) % taken_;
    return clock_ - used_[slot] < max_in_use ? -1 : slot;
}

index row_store::find(index original, index& valid) const {
    const index slot = slot_of_[original];
    valid = slot < 0 ? 0 : valid_[slot];
    return slot;
}

void row_store::release() {
    memory_ = reserved_memory();
    std::fill(slot_of_.begin(), slot_of_.end(), -1);
    owner_.clear(), valid_.clear(), used_.clear();
    taken_ = hand_ = 0;
}

void row_store::set_valid(index original, index length) {
    if (const index slot = slot_of_[original]; slot >= 0) valid_[slot] = std::max(valid_[slot], length);
}

void row_store::reorder(const std::vector<index>& order, const std::vector<index>& perm, index same) {
    const index count = static_cast<index>(order.size());
    for (index i = 0; i < count; ++i) position_[perm[i]] = i;
    // A row that was valid for only some of these positions would become valid at scattered positions, so it is cut to
    // the unchanged ones. So are cheap rows, which are computed again as fast as they are permuted.
    parallel_for(taken_, [&](index slot) {
        if (valid_[slot] <= same) return;
        if (cheap_ || valid_[slot] < count) {
            valid_[slot] = same;
            return;
        }
        auto& moved = per_thread<std::vector<float>>([] {});
        moved.resize(static_cast<std::size_t>(count));
        for (index i = same; i < count; ++i) moved[i] = *at(slot, order[i]);
        for (index first = same; first < count; first = (first / panel + 1) * panel)
            std::copy(moved.begin() + first, moved.begin() + std::min(count, (first / panel + 1) * panel),
                      at(slot, first));
    });
}

}  // namespace mercer::smo
