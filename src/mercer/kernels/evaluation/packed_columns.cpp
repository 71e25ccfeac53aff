#include "mercer/kernels/evaluation/packed_columns.h"

#include <algorithm>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/tile/bits.h"

namespace mercer::evaluation {

template <class T>
column_stripes<T>::column_stripes(const bound_plan<T>& bound, std::size_t packed_bytes) : bound_(bound) {
    choose_width();
    keep_panels(packed_bytes);
}

template <class T>
void column_stripes<T>::choose_width() {
    constexpr index panel_bytes = index{256} * 1024, most = 1024 / static_cast<index>(sizeof(T));
    width_ = most;
    const index unit = ops_.sparse_panel;  // also a whole number of dense panels
    for (const auto& s : bound_.sources) {
        if (s.what == statistic::user) continue;
        const index d = s.wide ? 16384 : std::max<index>(1, s.bits() ? s.bit_stride() : s.depth_at_once());
        width_ = std::min(width_, std::max(unit, panel_bytes / (d * static_cast<index>(sizeof(T))) / unit * unit));
    }
}

template <class T>
void column_stripes<T>::keep_panels(std::size_t budget) {
    const auto& sources = bound_.sources;
    const index columns = padded(bound_.cols);
    std::size_t need = 0;
    for (const auto& s : sources) {
        if (s.what == statistic::user || s.wide) return;
        if (s.reads_numbers()) need += static_cast<std::size_t>(columns * s.depth()) * sizeof(T) * (s.low ? 2 : 1);
    }
    if (need > budget) return;
    packed_.resize(sources.size()), packed_low_.resize(sources.size());
    for (std::size_t at = 0; at < sources.size(); ++at) {
        const auto& s = sources[at];
        if (!s.reads_numbers()) continue;
        const index width = panel_of(s), d = s.depth();
        packed_[at].uninitialised(columns * d);
        if (s.low) packed_low_[at].uninitialised(columns * d);
        parallel_for(columns / width, [&](index p) {
            auto& scratch = per_thread<pack_scratch<T>>([] {});
            const selection some(p * width, std::clamp<index>(bound_.cols - p * width, 0, width));
            for (index k = 0; k < d; k += s.depth_at_once()) {
                const slice part{k, std::min(s.depth_at_once(), d - k)};
                pack_panel(s, some, part, packed_[at].data() + (p * d + k) * width, scratch, false);
                if (s.low) pack_panel(s, some, part, packed_low_[at].data() + (p * d + k) * width, scratch, true);
            }
        });
    }
    kept_ = true;
}

template <class T>
std::size_t column_stripes<T>::kept_bytes() const {
    index numbers = 0;
    for (std::size_t at = 0; at < packed_.size(); ++at) numbers += packed_[at].size() + packed_low_[at].size();
    return static_cast<std::size_t>(numbers) * sizeof(T);
}

template <class T>
open_stripe<T> column_stripes<T>::open(const selection& cols, index kept_at, bool stream, workspace<T>& w) const {
    const std::size_t count = bound_.sources.size(), steps = bound_.code->code.size();
    w.make_room(count, steps);
    open_stripe<T> made{cols, padded(cols.size()), std::vector<const T*>(count), std::vector<const T*>(count), stream};
    for (std::size_t at = 0; at < count; ++at) {
        const auto& s = bound_.sources[at];
        if (s.what == statistic::user) continue;
        collect_numbers(made, at, w);
        if (s.same_as >= 0 || s.deep()) continue;
        if (s.bits())
            pack_bits(made, at, w);
        else
            made.panels[at] = panels(made, at, kept_at, w);
        if (s.low) made.low_panels[at] = low_panels(made, at, kept_at, w);
    }
    for (std::size_t i = 0; i < steps; ++i)
        if (!bound_.factors[i].z.empty()) collect(bound_.factors[i].z, cols, made.width, w.col_factors[i]);
    if (bound_.table.size() > 0) made.largest = collect_bit_norms(made, w);
    return made;
}

template <class T>
void column_stripes<T>::close(workspace<T>& w) const {
    for (std::size_t at = 0; at < bound_.sources.size(); ++at) {
        if (!bound_.sources[at].wide) continue;
        for (const std::int32_t c : w.present[at]) w.place[at][c] = -1;
        w.present[at].clear();
    }
}

template <class T>
void column_stripes<T>::collect_numbers(const open_stripe<T>& stripe, std::size_t at, workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    if (s.x_norms.size() > 0) collect(bound_.right_norms(s), stripe.cols, stripe.width, w.col_norms[at]);
    if (!s.careful()) return;
    collect(bound_.right_doubt(s), stripe.cols, stripe.width, w.col_doubt[at]);
    // Padding columns get a huge norm, so that their distances are never recomputed.
    std::fill(w.col_norms[at].data() + stripe.cols.size(), w.col_norms[at].data() + stripe.width, T(1e30));
}

template <class T>
void column_stripes<T>::pack_bits(const open_stripe<T>& stripe, std::size_t at, workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    const index p = best_bit_ops()->panel, count = stripe.cols.size();
    std::uint32_t* panels = w.bit_panels[at].at_least(stripe.width * s.bit_stride());
    for (index j = 0; j < stripe.width; j += p)
        bound_.right_bits(s).pack(stripe.cols.slice(std::min(j, count), std::clamp<index>(count - j, 0, p)),
                                  panels + j * s.bit_stride(), p);
}

// Collects the norms of the bit vectors of a column tile and returns the largest one.
template <class T>
std::int32_t column_stripes<T>::collect_bit_norms(const open_stripe<T>& stripe, workspace<T>& w) const {
    const std::size_t at = bound_.table_source();
    const auto& norms = bound_.right_bits(bound_.sources[at]);
    std::int32_t largest = 0;
    std::int32_t* to = w.bit_norms[at].at_least(stripe.width);
    std::fill_n(to, stripe.width, 0);
    for (index j = 0; j < stripe.cols.size(); ++j) largest = std::max(largest, to[j] = norms.norm(stripe.cols[j]));
    return largest;
}

template <class T>
const T* column_stripes<T>::panels(const open_stripe<T>& stripe, std::size_t at, index kept_at, workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    if (kept_at >= 0) return packed_[at].data() + kept_at * s.depth();
    if (s.wide) return pack_present(s, stripe, w, at);
    return pack_panels(s, stripe.cols, {0, s.depth()}, w.panels[at].at_least(stripe.width * s.depth()), w, false);
}

template <class T>
const T* column_stripes<T>::low_panels(const open_stripe<T>& stripe, std::size_t at, index kept_at,
                                       workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    if (kept_at >= 0) return packed_low_[at].data() + kept_at * s.depth();
    return pack_panels(s, stripe.cols, {0, s.depth()}, w.low_panels[at].at_least(stripe.width * s.depth()), w, true);
}

template <class T>
panel_slices<T> column_stripes<T>::slice_of_panels(std::size_t at, const selection& cols, index kept_at, slice part,
                                                   bool low, workspace<T>& w) const {
    const auto& s = bound_.sources[at];
    const index p = panel_of(s);
    if (kept_at >= 0)
        return {(low ? packed_low_ : packed_)[at].data() + kept_at * s.depth() + part.first * p, p * s.depth()};
    T* to = (low ? w.low_panels : w.panels)[at].at_least(padded(cols.size()) * part.count);
    return {pack_panels(s, cols, part, to, w, low), p * part.count};
}

template <class T>
void column_stripes<T>::pack_panel(const source<T>& s, const selection& some, slice part, T* to,
                                   pack_scratch<T>& scratch, bool low) const {
    if (low)
        s.z.pack_low(some, part, s.shift_data(), to, panel_of(s), scratch);
    else
        s.z.pack(some, part, s.shift_data(), to, panel_of(s), scratch);
}

template <class T>
const T* column_stripes<T>::pack_panels(const source<T>& s, const selection& cols, slice part, T* to, workspace<T>& w,
                                        bool low) const {
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
const T* column_stripes<T>::pack_present(const source<T>& s, const open_stripe<T>& stripe, workspace<T>& w,
                                         std::size_t at) const {
    auto& place = w.place[at];
    auto& present = w.present[at];
    if (static_cast<index>(place.size()) < s.depth()) place.assign(static_cast<std::size_t>(s.depth()), -1);
    for (index j = 0; j < stripe.cols.size(); ++j) {
        const auto [cols, values, entries] = s.z.entries(stripe.cols[j], w.pack);
        for (index k = 0; k < entries; ++k)
            if (place[cols[k]] < 0) {
                place[cols[k]] = static_cast<std::int32_t>(present.size());
                present.push_back(cols[k]);
            }
    }
    const index d = static_cast<index>(present.size()), p = ops_.sparse_panel;
    T* panels = w.panels[at].at_least(stripe.width * std::max<index>(d, 1));
    std::fill_n(panels, stripe.width * d, T(0));
    for (index j = 0; j < stripe.cols.size(); ++j) {
        const auto [cols, values, entries] = s.z.entries(stripe.cols[j], w.pack);
        T* panel = panels + j / p * p * d + j % p;
        for (index k = 0; k < entries; ++k) panel[static_cast<index>(place[cols[k]]) * p] = values[k];
    }
    return panels;
}

template class column_stripes<float>;
template class column_stripes<double>;

}  // namespace mercer::evaluation
