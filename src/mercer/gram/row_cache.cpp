#include "mercer/gram/row_cache.h"

#include <algorithm>
#include <unordered_set>

namespace mercer {

template <class T>
row_cache<T>::row_cache(const gram<T>& k, std::size_t budget_bytes)
    : k_(k),
      max_rows_(std::max<std::size_t>(
          1, budget_bytes / std::max<std::size_t>(1, static_cast<std::size_t>(k.cols()) * sizeof(T)))) {}

template <class T>
const T* row_cache<T>::find(index row) const {
    const auto at = slots_.find(row);
    if (at == slots_.end()) return nullptr;
    order_.splice(order_.begin(), order_, at->second.used);
    return at->second.values.data();
}

template <class T>
T* row_cache<T>::insert(index row) const {
    slot fresh;
    if (slots_.size() >= max_rows_) {
        // The memory of the least recently used row is reused.
        const auto oldest = slots_.find(order_.back());
        fresh.values = std::move(oldest->second.values);
        slots_.erase(oldest);
        order_.pop_back();
    } else {
        fresh.values.resize_uninitialised(k_.cols());
    }
    order_.push_front(row);
    fresh.used = order_.begin();
    try {
        return slots_.emplace(row, std::move(fresh)).first->second.values.data();
    } catch (...) {
        order_.pop_front();
        throw;
    }
}

template <class T>
void row_cache<T>::erase(index row) const {
    const auto at = slots_.find(row);
    order_.erase(at->second.used);
    slots_.erase(at);
}

template <class T>
void row_cache<T>::block(const row_set& rows, const row_set& cols, row_pointers<T> out) const {
    if (cols.size() == 0) return;
    const std::lock_guard guard(lock_);
    // Rows are processed in batches as large as the cache. The missing rows of a batch are computed in one call,
    // directly into their slots.
    const index batch = static_cast<index>(max_rows_);
    for (index first = 0; first < rows.size(); first += batch) {
        const index count = std::min(batch, rows.size() - first);
        std::vector<index> missing;
        std::unordered_set<index> seen;
        for (index i = first; i < first + count; ++i) {
            if (find(rows[i]) || !seen.insert(rows[i]).second)
                ++hits_;
            else
                missing.push_back(rows[i]), ++misses_;
        }
        // Stored rows of this batch have just been used, so none of them is evicted.
        std::vector<T*> slots;
        slots.reserve(missing.size());
        try {
            for (const index row : missing) slots.push_back(insert(row));
            if (!missing.empty())
                k_.block(std::span<const index>(missing), row_set(0, k_.cols()), row_pointers<T>(slots.data()));
        } catch (...) {
            // The values of these slots were not computed.
            for (std::size_t i = 0; i < slots.size(); ++i) erase(missing[i]);
            throw;
        }
        for (index i = first; i < first + count; ++i) {
            const T* row = find(rows[i]);
            for (index j = 0; j < cols.size(); ++j) out[i][j] = row[cols[j]];
        }
    }
}

template <class T>
std::size_t row_cache<T>::bytes() const {
    const std::lock_guard guard(lock_);
    return slots_.size() * static_cast<std::size_t>(k_.cols()) * sizeof(T);
}

template <class T>
index row_cache<T>::hits() const {
    const std::lock_guard guard(lock_);
    return hits_;
}

template <class T>
index row_cache<T>::misses() const {
    const std::lock_guard guard(lock_);
    return misses_;
}

template class row_cache<float>;
template class row_cache<double>;

}  // namespace mercer
