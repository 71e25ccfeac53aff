#include "mercer/kernels/evaluation/packed_columns.h"

#include <algorithm>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/tile/bits.h"

namespace mercer::evaluation {

template <class T>
column_tiles<T>::column_tiles(const prepared_data<T>& data, std::size_t packed_bytes) : data_(data) {
    choose_width();
    store_panels(packed_bytes);
}

template <class T>
void column_tiles<T>::choose_width() {
    constexpr index panel_bytes = index{256} * 1024, most = 1024 / static_cast<index>(sizeof(T));
    width_ = most;
    const index unit = ops_.sparse_panel;  // also a whole number of dense panels
    for (const auto& s : data_.statistics) {
        if (s.what == pair_statistic::user) continue;
        const index d = s.packs_present_columns
                            ? 16384
                            : std::max<index>(1, s.stored_as_bits() ? s.bit_stride() : s.depth_at_once());
        width_ = std::min(width_, std::max(unit, panel_bytes / (d * static_cast<index>(sizeof(T))) / unit * unit));
    }
}

template <class T>
void column_tiles<T>::store_panels(std::size_t budget) {
    const auto& statistics = data_.statistics;
    const index columns = padded(data_.cols);
    std::size_t need = 0;
    for (const auto& s : statistics) {
        if (s.what == pair_statistic::user || s.packs_present_columns) return;
        if (s.reads_numbers()) need += static_cast<std::size_t>(columns * s.depth()) * sizeof(T) * (s.low ? 2 : 1);
    }
    if (need > budget) return;
    packed_.resize(statistics.size()), packed_low_.resize(statistics.size());
    for (std::size_t at = 0; at < statistics.size(); ++at) {
        const auto& s = statistics[at];
        if (!s.reads_numbers()) continue;
        const index width = panel_of(s), d = s.depth();
        packed_[at].resize_uninitialised(columns * d);
        if (s.low) packed_low_[at].resize_uninitialised(columns * d);
        parallel_for(columns / width, [&](index p) {
            auto& scratch = per_thread<pack_scratch<T>>([] {});
            const row_set some(p * width, std::clamp<index>(data_.cols - p * width, 0, width));
            for (index k = 0; k < d; k += s.depth_at_once()) {
                const coordinate_range part{k, std::min(s.depth_at_once(), d - k)};
                pack_panel(s, some, part, packed_[at].data() + (p * d + k) * width, scratch, false);
                if (s.low) pack_panel(s, some, part, packed_low_[at].data() + (p * d + k) * width, scratch, true);
            }
        });
    }
    stored_ = true;
}

template <class T>
std::size_t column_tiles<T>::stored_bytes() const {
    index numbers = 0;
    for (std::size_t at = 0; at < packed_.size(); ++at) numbers += packed_[at].size() + packed_low_[at].size();
    return static_cast<std::size_t>(numbers) * sizeof(T);
}

template <class T>
packed_columns<T> column_tiles<T>::pack(const row_set& cols, index stored_at, bool stream, scratch<T>& w) const {
    const std::size_t count = data_.statistics.size(), steps = data_.code->code.size();
    w.ensure_sizes(count, steps);
    packed_columns<T> made{cols, padded(cols.size()), std::vector<const T*>(count), std::vector<const T*>(count),
                           stream};
    for (std::size_t at = 0; at < count; ++at) {
        const auto& s = data_.statistics[at];
        if (s.what == pair_statistic::user) continue;
        collect_norms(made, at, w);
        if (s.shared_with >= 0 || s.is_deep()) continue;
        if (s.stored_as_bits())
            pack_bits(made, at, w);
        else
            made.panels[at] = panels(made, at, stored_at, w);
        if (s.low) made.low_panels[at] = low_panels(made, at, stored_at, w);
    }
    for (std::size_t i = 0; i < steps; ++i)
        if (!data_.factors[i].z.empty()) collect(data_.factors[i].z, cols, made.width, w.col_factors[i]);
    if (data_.table.size() > 0) made.largest_norm = collect_bit_norms(made, w);
    return made;
}

template <class T>
void column_tiles<T>::release(scratch<T>& w) const {
    for (std::size_t at = 0; at < data_.statistics.size(); ++at) {
        if (!data_.statistics[at].packs_present_columns) continue;
        for (const std::int32_t c : w.present[at]) w.place[at][c] = -1;
        w.present[at].clear();
    }
}

template <class T>
void column_tiles<T>::collect_norms(const packed_columns<T>& columns, std::size_t at, scratch<T>& w) const {
    const auto& s = data_.statistics[at];
    if (s.x_norms.size() > 0) collect(data_.right_norms(s), columns.cols, columns.width, w.col_norms[at]);
    if (!s.recomputes_close_pairs()) return;
    collect(data_.right_thresholds(s), columns.cols, columns.width, w.col_thresholds[at]);
    // Padding columns get a huge norm, so that their distances are never recomputed.
    std::fill(w.col_norms[at].data() + columns.cols.size(), w.col_norms[at].data() + columns.width, T(1e30));
}

template <class T>
void column_tiles<T>::pack_bits(const packed_columns<T>& columns, std::size_t at, scratch<T>& w) const {
    const auto& s = data_.statistics[at];
    const index p = best_bit_ops()->panel, count = columns.cols.size();
    std::uint32_t* panels = w.bit_panels[at].at_least(columns.width * s.bit_stride());
    for (index j = 0; j < columns.width; j += p)
        data_.right_bits(s).pack(columns.cols.slice(std::min(j, count), std::clamp<index>(count - j, 0, p)),
                                 panels + j * s.bit_stride(), p);
}

// Collects the norms of the bit vectors of a column tile and returns the largest one.
template <class T>
std::int32_t column_tiles<T>::collect_bit_norms(const packed_columns<T>& columns, scratch<T>& w) const {
    const std::size_t at = data_.table_statistic();
    const auto& norms = data_.right_bits(data_.statistics[at]);
    std::int32_t largest = 0;
    std::int32_t* to = w.bit_norms[at].at_least(columns.width);
    std::fill_n(to, columns.width, 0);
    for (index j = 0; j < columns.cols.size(); ++j) largest = std::max(largest, to[j] = norms.norm(columns.cols[j]));
    return largest;
}

template <class T>
const T* column_tiles<T>::panels(const packed_columns<T>& columns, std::size_t at, index stored_at,
                                 scratch<T>& w) const {
    const auto& s = data_.statistics[at];
    if (stored_at >= 0) return packed_[at].data() + stored_at * s.depth();
    if (s.packs_present_columns) return pack_present_columns(s, columns, w, at);
    return pack_panels(s, columns.cols, {0, s.depth()}, w.panels[at].at_least(columns.width * s.depth()), w, false);
}

template <class T>
const T* column_tiles<T>::low_panels(const packed_columns<T>& columns, std::size_t at, index stored_at,
                                     scratch<T>& w) const {
    const auto& s = data_.statistics[at];
    if (stored_at >= 0) return packed_low_[at].data() + stored_at * s.depth();
    return pack_panels(s, columns.cols, {0, s.depth()}, w.low_panels[at].at_least(columns.width * s.depth()), w, true);
}

template <class T>
panel_range<T> column_tiles<T>::panels_of_range(std::size_t at, const row_set& cols, index stored_at,
                                                coordinate_range part, bool low, scratch<T>& w) const {
    const auto& s = data_.statistics[at];
    const index p = panel_of(s);
    if (stored_at >= 0)
        return {(low ? packed_low_ : packed_)[at].data() + stored_at * s.depth() + part.first * p, p * s.depth()};
    T* to = (low ? w.low_panels : w.panels)[at].at_least(padded(cols.size()) * part.count);
    return {pack_panels(s, cols, part, to, w, low), p * part.count};
}

template <class T>
void column_tiles<T>::pack_panel(const prepared_statistic<T>& s, const row_set& some, coordinate_range part, T* to,
                                 pack_scratch<T>& scratch, bool low) const {
    if (low)
        s.z.pack_low(some, part, s.shift_data(), to, panel_of(s), scratch);
    else
        s.z.pack(some, part, s.shift_data(), to, panel_of(s), scratch);
}

template <class T>
const T* column_tiles<T>::pack_panels(const prepared_statistic<T>& s, const row_set& cols, coordinate_range part, T* to,
                                      scratch<T>& w, bool low) const {
    const index p = panel_of(s), d = part.count;
    for (index j = 0; j < padded(cols.size()); j += p) {
        const index here = std::clamp<index>(cols.size() - j, 0, p);
        if (here > 0)
            pack_panel(s, cols.slice(j, here), part, to + j * d, w.pack, low);
        else
            std::fill_n(to + j * d, p * d, T(0));
    }
    return to;
}

// Packs panels that hold only the columns which occur in the column tile.
template <class T>
const T* column_tiles<T>::pack_present_columns(const prepared_statistic<T>& s, const packed_columns<T>& columns,
                                               scratch<T>& w, std::size_t at) const {
    auto& place = w.place[at];
    auto& present = w.present[at];
    if (static_cast<index>(place.size()) < s.depth()) place.assign(static_cast<std::size_t>(s.depth()), -1);
    for (index j = 0; j < columns.cols.size(); ++j) {
        const auto [cols, values, entries] = s.z.entries(columns.cols[j], w.pack);
        for (index k = 0; k < entries; ++k)
            if (place[cols[k]] < 0) {
                place[cols[k]] = static_cast<std::int32_t>(present.size());
                present.push_back(cols[k]);
            }
    }
    const index d = static_cast<index>(present.size()), p = ops_.sparse_panel;
    T* panels = w.panels[at].at_least(columns.width * std::max<index>(d, 1));
    std::fill_n(panels, columns.width * d, T(0));
    for (index j = 0; j < columns.cols.size(); ++j) {
        const auto [cols, values, entries] = s.z.entries(columns.cols[j], w.pack);
        T* panel = panels + j / p * p * d + j % p;
        for (index k = 0; k < entries; ++k) panel[static_cast<index>(place[cols[k]]) * p] = values[k];
    }
    return panels;
}

template class column_tiles<float>;
template class column_tiles<double>;

}  // namespace mercer::evaluation
