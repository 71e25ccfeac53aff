// How an evaluator is bound to data and fills tiles. Internal to evaluator*.cpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/evaluation/doubt.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/evaluation/evaluator_parts.h"

namespace mercer {

using namespace evaluation;

template <class T>
struct evaluator<T>::state {
    std::shared_ptr<const plan> code;
    const tile_ops<T>& ops = best_tile_ops<T>();
    index rows = 0, cols = 0;
    bool same = false;
    dataset x, z;
    std::vector<source<T>> sources;
    std::vector<outer_factors<T>> factors;  // per instruction
    index stripe = 0;                       // columns in a stripe
    bool kept = false;                      // panels of z are kept
    bool users = false;                     // a statistic is a user's function
    buffer<T> table;                        // of what the plan makes of a squared distance 0, 1, … of bits; empty where it is another one

    state(std::shared_ptr<const plan> code_, dataset x_, const dataset* z_, const evaluator_memory& memory) : code(std::move(code_)), x(std::move(x_)) {
        same = z_ == nullptr;
        if (z_) z = *z_;
        // A map of the vectors must see the same coordinates on both sides.
        const bool maps = std::any_of(code->features.begin(), code->features.end(), [](const feature& f) { return static_cast<bool>(f.apply); });
        if (!same && maps && x.is_sparse() && z.is_sparse() && x.dims() != z.dims()) {
            dataset& fewer = x.dims() < z.dims() ? x : z;
            fewer = widened(fewer, std::max(x.dims(), z.dims()));
        }
        rows = x.size();
        cols = same ? rows : z.size();
        bind_sources(memory);
        bind_factors();
        bind_table();
        choose_stripe();
        keep_panels(memory.packed_bytes);
    }

    const dataset& right() const { return same ? x : z; }

    void bind_sources(const evaluator_memory& memory) {
        std::size_t copy_bytes = memory.copy_bytes;
        std::vector<std::pair<dataset, dataset>> made;
        for (const auto& f : code->features) made.push_back(f.apply ? f.apply(x, same ? nullptr : &z) : std::pair(x, same ? dataset() : z));
        for (std::size_t s = 0; s < code->statistics.size(); ++s) {
            const auto& wanted = code->statistics[s];
            const auto& [fx, fz] = made[wanted.source];
            source<T> one;
            one.what = wanted.what;
            if (wanted.what != statistic::user) {
                bind_vectors(one, wanted, static_cast<int>(s), fx, same ? fx : fz, memory.rough ? 128 : 8);
                // Where a shift would gain nothing, the plain dot product is shared.
                for (std::size_t other = 0; other < s && one.same_as < 0 && !one.apart(); ++other)
                    if (code->statistics[other].what == wanted.what && code->statistics[other].source == wanted.source && !sources[other].apart() &&
                        code->statistics[other].what != statistic::user)
                        one.same_as = static_cast<int>(other);
                if (one.same_as < 0) copy_vectors(one, copy_bytes);
            } else {
                one.x = operand<T>(fx, false);
                one.z = operand<T>(same ? fx : fz, false);
                one.user = std::make_shared<const user_values>(wanted.user, fx, same ? fx : fz);
                users = true;
            }
            sources.push_back(std::move(one));
        }
    }

    void bind_vectors(source<T>& one, const pair_statistic& wanted, int at, const dataset& fx, const dataset& fright, double units) {
        const bool empty = fx.size() == 0 || fright.size() == 0;  // no vectors, so their coordinates do not matter
        if (fx.dims() != fright.dims() && !empty && !(fx.is_sparse() && fright.is_sparse()))
            fail(errc::invalid_argument, fmt::format("x has {} coordinates and z has {}", fx.dims(), fright.dims()));
        // Of the right side, so that a row's values do not depend on the rows asked for with it.
        // Differences need the shift only where the data have more digits than T.
        const bool more_digits = sizeof(T) == 4 && (fx.as<mercer::dense<double>>() || fx.as<mercer::sparse<double>>());
        const bool absolute = wanted.what == statistic::manhattan && more_digits;
        vector_sample<T> seen = wanted.what == statistic::dot || absolute ? sample_vectors<T>(fright) : vector_sample<T>();
        const bool as_sparse = wanted.what == statistic::dot && worth_sparse(fx, seen, wanted.centred);
        one.x = operand<T>(fx, as_sparse, as_sparse ? seen.density : 1);
        one.z = operand<T>(fright, as_sparse && fright.is_sparse());
        if (wanted.what == statistic::dot) bind_bits(one, fx, same ? nullptr : &fright);
        // Where the centre is less than half of the squared norms, a shift would gain less than a bit.
        if ((wanted.centred || absolute) && !as_sparse && !one.bits() && seen.centre_share > 0.5 && fx.dims() == fright.dims())
            one.shift = std::move(seen.centre);
        one.wide = as_sparse && fright.is_sparse() && one.depth() > 4096 && !one.bits();
        if (wants_norms(*code, at)) {
            one.x_norms.resize(fx.size());
            one.x.norms(one.shift_data(), one.x_norms);
            if (!same) {
                one.z_norms.resize(fright.size());
                one.z.norms(one.shift_data(), one.z_norms);
            }
            require_norms(fx, one.x_norms);
            require_norms(fright, one.z_norms);
        }
        if (wanted.centred && !one.bits()) bind_doubt(one, at, units);
        // Sums over differences are exact but for what rounding to T takes from the coordinates.
        const bool differences = wanted.what == statistic::manhattan || wanted.what == statistic::chi2;
        one.low = (differences || (one.careful() && !one.sparse())) && (one.x.rounds(one.shift_data()) || (!same && one.z.rounds(one.shift_data())));
    }

    // Which pairs need their differences.
    void bind_doubt(source<T>& one, int at, double units) {
        std::vector<map_call> maps;
        for (const auto& step : code->code)
            if (step.what == instruction::op::map && step.a == at && step.input == map_input::squared_distance) maps.push_back(step.formula);
        doubt<T> close(std::move(maps), one.depth(), units);
        bool any = false;
        const auto thresholds = [&](const operand<T>& vectors, const buffer<T>& norms, buffer<T>& out) {
            out.resize(norms.size());
            for (index i = 0; i < norms.size(); ++i) {
                out[i] = close.threshold(static_cast<double>(norms[i]));
                // Products and sums of whole numbers are exact as long as they fit the mantissa.
                if (out[i] >= 0 && norms[i] < (sizeof(T) == 4 ? 0x1p22 : 0x1p51) && vectors.whole(i, one.shift_data())) out[i] = doubt<T>::never;
                any = any || out[i] >= 0;
            }
        };
        thresholds(one.x, one.x_norms, one.x_doubt);
        if (!same) thresholds(one.z, one.z_norms, one.z_doubt);
        if (!any) one.x_doubt = {}, one.z_doubt = {};
    }

    // The vectors in the form the tile loops read best, where there is room for it.
    void copy_vectors(source<T>& one, std::size_t& room) {
        if (one.bits() || (one.careful() && one.sparse())) return;  // sparse rows in doubt are looked up as they are stored
        const auto copied = [&](operand<T>& vectors) {
            const std::size_t bytes = vectors.copy(one.shift_data(), one.low, room);
            room -= bytes;
            one.copy_bytes += bytes;
            return bytes > 0;
        };
        // Both sides or none: one shift serves them.
        const std::size_t before = room;
        operand<T> x = one.x;
        if (!copied(x)) return;
        operand<T> z = one.z;
        if (same)
            z = x;
        else if (!copied(z) && (one.shift_data() || one.low)) {
            room = before, one.copy_bytes = 0;
            return;
        }
        one.x = std::move(x), one.z = std::move(z);
        one.copied = !one.shift.empty();
        one.shift.clear();
    }

    // ‖x‖² + ‖z‖² - 2xᵀz says nothing once a norm is infinite or NaN.
    static void require_norms(const dataset& vectors, const buffer<T>& norms) {
        for (index i = 0; i < norms.size(); ++i)
            if (!std::isfinite(norms[i])) {
                require_finite(vectors);
                fail(errc::data, fmt::format("row {}: its squared norm is beyond the range of {}, so distances from it cannot be computed; scale the data", i,
                                             precision()));
            }
    }
    static const char* precision() { return sizeof(T) == 4 ? "float" : "double"; }

    const buffer<T>& right_norms(const source<T>& s) const { return same ? s.x_norms : s.z_norms; }

    void bind_factors() {
        factors.resize(code->code.size());
        for (std::size_t i = 0; i < code->code.size(); ++i) {
            const auto& step = code->code[i];
            if (step.what != instruction::op::outer_multiply && step.what != instruction::op::outer_add) continue;
            factors[i].x = object_values(step, x);
            factors[i].z = same ? factors[i].x : object_values(step, z);
        }
    }

    static std::vector<T> object_values(const instruction& step, const dataset& objects) {
        std::vector<double> values;
        if (step.weight) {
            values = step.weight(objects);
            if (static_cast<index>(values.size()) != objects.size())
                fail(errc::invalid_argument,
                     fmt::format("a function of objects must give one number for each of {} objects, got {}", objects.size(), values.size()));
        } else {
            // In the precision of the tiles, so that k(x, x) is divided by itself.
            std::vector<T> self(static_cast<std::size_t>(objects.size()));
            evaluator<T>(step.self, objects).diagonal(self);
            for (std::size_t i = 0; i < self.size(); ++i)
                values.push_back(step.self_rule == instruction::self_use::minus_half ? minus_half(self[i], step.scale, i) : inverse_root(self[i], i));
        }
        return std::vector<T>(values.begin(), values.end());
    }

    // log k(x, z) - ½ log k(x, x) - ½ log k(z, z) keeps no digits where the logarithms are too large.
    static double minus_half(T self, double scale, std::size_t object) {
        constexpr double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53, most = sizeof(T) == 4 ? 32 : 1e-6 / unit;
        if (!(std::abs(static_cast<double>(self) * scale) <= most)) {
            if (sizeof(T) == 4 && !std::isnan(self)) throw needs_double();
            fail(errc::data, fmt::format("normalize: log k(x, x) = {} of object {} leaves no digits for differences; scale the data", self * scale, object));
        }
        return -0.5 * static_cast<double>(self);
    }

    static double inverse_root(T self, std::size_t object) {
        if (self == 0 || std::isnan(self)) return 0;
        if (self < 0) fail(errc::data, fmt::format("normalize: k(x, x) must satisfy 0 <= k(x, x), got {} for object {}", self, object));
        if (!std::isfinite(self) || !std::isfinite(1 / self))
            fail(errc::data,
                 fmt::format("normalize: k(x, x) of object {} is too {} for {}; scale the data", object, self > 1 ? "large" : "small", precision()));
        return 1 / std::sqrt(static_cast<double>(self));
    }

    // A plan that is one function of the squared distance of bits.
    void bind_table() {
        const auto& last = code->code.back();
        if (code->code.size() != 1 || last.what != instruction::op::map || last.input != map_input::squared_distance || !sources[last.a].bits()) return;
        const index size = best_bit_ops()->entries;
        buffer<T> distances(size);
        table.uninitialised(size);
        for (index t = 0; t < size; ++t) distances[t] = static_cast<T>(t);
        T* to = table.data();
        ops.map({last.formula, map_input::value, distances.data(), size, &to, nullptr, nullptr, 1, size});
    }

    void choose_stripe() {
        constexpr index panel_bytes = 256 * 1024, most = 1024 / static_cast<index>(sizeof(T));
        stripe = most;
        const index unit = ops.sparse_panel;  // a whole number of dense panels too
        for (const auto& s : sources) {
            if (s.what == statistic::user) continue;
            const index d = s.wide ? 16384 : std::max<index>(1, s.bits() ? s.bit_stride() : s.depth());
            stripe = std::min(stripe, std::max(unit, panel_bytes / (d * static_cast<index>(sizeof(T))) / unit * unit));
        }
    }

    index panel_of(const source<T>& s) const { return s.sparse() ? ops.sparse_panel : ops.panel; }

    // Columns up to a whole number of the wider panels: what a stripe reads.
    index padded(index count) const { return ceil_div(count, ops.sparse_panel) * ops.sparse_panel; }

    void keep_panels(std::size_t budget) {
        std::size_t need = 0;
        for (const auto& s : sources) {
            if (s.what == statistic::user || s.wide) return;
            if (s.reads_numbers()) need += static_cast<std::size_t>(padded(cols) * s.depth()) * sizeof(T) * (s.low ? 2 : 1);
        }
        if (need > budget) return;
        for (auto& s : sources) {
            if (!s.reads_numbers()) continue;
            const index width = panel_of(s), d = s.depth(), panels = padded(cols) / width;
            s.packed.uninitialised(panels * width * d);
            if (s.low) s.packed_low.uninitialised(panels * width * d);
            parallel_for(panels, [&](index p) {
                thread_local pack_scratch<T> scratch;
                const selection some(p * width, std::clamp<index>(cols - p * width, 0, width));
                pack_panel(s, some, s.packed.data() + p * width * d, scratch);
                if (s.low) pack_panel(s, some, s.packed_low.data() + p * width * d, scratch, true);
            });
        }
        kept = true;
    }

    void pack_panel(const source<T>& s, const selection& which, T* to, pack_scratch<T>& scratch, bool low = false) const {
        const index width = panel_of(s);
        if (low)
            s.z.pack_low(which, s.shift_data(), to, width, scratch);
        else
            s.z.pack(which, s.shift_data(), to, width, scratch);
        if (s.depth() > s.z.dims()) std::fill_n(to + s.z.dims() * width, (s.depth() - s.z.dims()) * width, T(0));
    }

    static void grow(std::vector<buffer<T>>& set, std::size_t count) {
        if (set.size() < count) set.resize(count);
    }

    // A stripe being worked on: its columns packed, its norms and factors collected.
    struct open_stripe {
        selection cols;
        index width;  // whole panels
        std::vector<const T*> panels, low_panels;
        bool stream;               // write results past the caches
        std::int32_t largest = 0;  // norm, where there is a table
        index at = 0;              // its first column among those of the call
    };

    open_stripe open(const selection& which_cols, index packed_at, bool stream, workspace<T>& w) const {
        const std::size_t count = sources.size(), steps = code->code.size();
        grow(w.panels, count), grow(w.low_panels, count), grow(w.col_factors, steps), grow(w.row_factors, steps);
        grow(w.col_norms, count), grow(w.row_norms, count), grow(w.col_doubt, count), grow(w.row_doubt, count);
        if (w.place.size() < count) w.place.resize(count), w.present.resize(count);
        if (w.bit_panels.size() < count) w.bit_panels.resize(count), w.bit_norms.resize(count);
        open_stripe made{which_cols, padded(which_cols.size()), {}, {}, stream};
        for (std::size_t s = 0; s < count; ++s) {
            made.panels.push_back(prepare(sources[s], s, which_cols, packed_at, made.width, w));
            made.low_panels.push_back(sources[s].low ? low_panels(sources[s], s, which_cols, packed_at, made.width, w) : nullptr);
        }
        for (std::size_t i = 0; i < steps; ++i)
            if (!factors[i].z.empty()) collect(factors[i].z, which_cols, made.width, w.col_factors[i]);
        if (table.size() > 0) {
            const std::size_t at = static_cast<std::size_t>(code->code.back().a);
            const auto& norms = right_bits(sources[at]);
            std::int32_t* to = w.bit_norms[at].at_least(made.width);
            std::fill_n(to, made.width, 0);
            for (index j = 0; j < which_cols.size(); ++j) made.largest = std::max(made.largest, to[j] = norms.norm(which_cols[j]));
        }
        return made;
    }

    // All tiles of rows first … first + count - 1 of a group within a stripe; results go to columns out_col … of out. first: a multiple of block_rows.
    void run(const open_stripe& stripe, const row_group<T>& group, index first, index count, block_rows<T> out, index out_col, workspace<T>& w) const {
        T* registers = w.registers.at_least(code->registers * ops.block_rows * stripe.width);
        const auto reg = [&](int r) {
            const bool shared = r < static_cast<int>(sources.size()) && sources[r].same_as >= 0;
            return registers + (shared ? sources[r].same_as : r) * ops.block_rows * stripe.width;
        };
        for (index r0 = 0; r0 < count; r0 += ops.block_rows) {
            const selection some = group.rows.slice(first + r0, std::min(ops.block_rows, count - r0));
            if (table.size() > 0 && look_up(some, stripe, out.from(r0), out_col, registers, w)) continue;
            for (std::size_t s = 0; s < sources.size(); ++s)
                if (sources[s].same_as < 0) fill_statistic(s, group, first + r0, some, stripe, reg(static_cast<int>(s)), w);
            run_code(some, stripe, reg, out.from(r0), out_col, w);
            if (code->check_range) require_range(some, stripe.cols, out.from(r0), out_col);
        }
    }

    const bit_rows& right_bits(const source<T>& s) const { return same ? s.x_bits : s.z_bits; }

    // Functions of the squared distances of bits, where all of these are in the table.
    bool look_up(const selection& some, const open_stripe& stripe, block_rows<T> out, index out_col, T* scratch, workspace<T>& w) const {
        if constexpr (std::is_same_v<T, float>) {
            const auto at = static_cast<std::size_t>(code->code.back().a);
            const auto& s = sources[at];
            // ‖x - z‖² <= ‖x‖² + ‖z‖², and twice that where signs may differ
            const auto entries = [&](index i) { return (s.signs ? 2 : 1) * (s.x_bits.norm(some[i]) + stripe.largest) + 1; };
            for (index i = 0; i < some.size(); ++i)
                if (entries(i) > table.size()) return false;
            const bit_ops& counting = *best_bit_ops();
            const index real_width = stripe.cols.size();
            for (index i = 0; i < some.size(); ++i) {
                T* to = stripe.width == real_width ? out[i] + out_col : scratch;
                counting.look_up(s.x_bits.row(some[i]), s.signs, s.words, w.bit_panels[at].data(), stripe.width / counting.panel, s.x_bits.norm(some[i]),
                                 w.bit_norms[at].data(), table.data(), entries(i), to);
                if (to == scratch) std::copy_n(scratch, real_width, out[i] + out_col);
            }
            return true;
        }
        return false;
    }

    void close(workspace<T>& w) const {
        for (std::size_t s = 0; s < sources.size(); ++s)
            if (sources[s].wide) forget_columns(s, w);
    }

    static void require_range(const selection& some, const selection& which_cols, const block_rows<T>& out, index out_col) {
        for (index i = 0; i < some.size(); ++i)
            for (index j = 0; j < which_cols.size(); ++j)
                if (!std::isfinite(out[i][out_col + j]))
                    fail(errc::data, fmt::format("k(x, z) of objects {} and {} is beyond the range of {}", some[i], which_cols[j], precision()));
    }

    template <class Values>
    static void collect(const Values& values, const selection& which, index width, buffer<T>& to) {
        T* out = to.at_least(width);
        for (index j = 0; j < which.size(); ++j) out[j] = values[which[j]];
        std::fill(out + which.size(), out + width, T(0));
    }

    // Panels of one statistic for the columns of a stripe, and their norms.
    const T* prepare(const source<T>& s, std::size_t at, const selection& which, index packed_at, index width, workspace<T>& w) const {
        if (s.what == statistic::user) return nullptr;
        if (s.x_norms.size() > 0) collect(right_norms(s), which, width, w.col_norms[at]);
        if (s.careful()) collect(same ? s.x_doubt : s.z_doubt, which, width, w.col_doubt[at]);
        if (s.same_as >= 0) return nullptr;
        if (s.bits()) {
            const index p = best_bit_ops()->panel;
            std::uint32_t* panels = w.bit_panels[at].at_least(width * s.bit_stride());
            for (index j = 0; j < width; j += p)
                right_bits(s).pack(which.slice(std::min(j, which.size()), std::clamp<index>(which.size() - j, 0, p)), panels + j * s.bit_stride(), p);
            return nullptr;
        }
        const index d = s.depth();
        if (packed_at >= 0) return s.packed.data() + packed_at * d;
        if (s.wide) return pack_present(s, which, width, w, at);
        return pack_panels(s, which, width, w.panels[at].at_least(width * d), w, false);
    }

    const T* low_panels(const source<T>& s, std::size_t at, const selection& which, index packed_at, index width, workspace<T>& w) const {
        if (packed_at >= 0) return s.packed_low.data() + packed_at * s.depth();
        return pack_panels(s, which, width, w.low_panels[at].at_least(width * s.depth()), w, true);
    }

    const T* pack_panels(const source<T>& s, const selection& which, index width, T* panels, workspace<T>& w, bool low) const {
        const index p = panel_of(s), d = s.depth();
        for (index j = 0; j < width; j += p) {
            const index here = std::clamp<index>(which.size() - j, 0, p);
            if (here > 0)
                pack_panel(s, which.slice(j, here), panels + j * d, w.pack, low);
            else
                std::fill_n(panels + j * d, p * d, T(0));
        }
        return panels;
    }

    // Panels that hold only the columns which occur in the stripe.
    const T* pack_present(const source<T>& s, const selection& which, index width, workspace<T>& w, std::size_t at) const {
        auto& place = w.place[at];
        auto& present = w.present[at];
        if (static_cast<index>(place.size()) < s.depth()) place.assign(static_cast<std::size_t>(s.depth()), -1);
        for (index j = 0; j < which.size(); ++j) {
            const auto [cols, values, entries] = s.z.entries(which[j], w.pack);
            for (index k = 0; k < entries; ++k)
                if (place[cols[k]] < 0) {
                    place[cols[k]] = static_cast<std::int32_t>(present.size());
                    present.push_back(cols[k]);
                }
        }
        const index d = static_cast<index>(present.size()), p = ops.sparse_panel;
        T* panels = w.panels[at].at_least(width * std::max<index>(d, 1));
        std::fill_n(panels, width * d, T(0));
        for (index j = 0; j < which.size(); ++j) {
            const auto [cols, values, entries] = s.z.entries(which[j], w.pack);
            T* panel = panels + j / p * p * d + j % p;
            for (index k = 0; k < entries; ++k) panel[static_cast<index>(place[cols[k]]) * p] = values[k];
        }
        return panels;
    }

    static void forget_columns(std::size_t at, workspace<T>& w) {
        for (const std::int32_t c : w.present[at]) w.place[at][c] = -1;
        w.present[at].clear();
    }

    // Statistic `at` of the rows `some`, which stand at `first` in their group.
    void fill_statistic(std::size_t at, const row_group<T>& group, index first, const selection& some, const open_stripe& stripe, T* out,
                        workspace<T>& w) const {
        const source<T>& s = sources[at];
        const T* panels = stripe.panels[at];
        const index n = some.size(), width = stripe.width;
        if (s.what == statistic::user) return copy_asked(group.asked[at].view().block(first, stripe.at, n, stripe.cols.size()), width, out);
        if constexpr (std::is_same_v<T, float>)
            if (s.bits()) {
                const bit_ops& counting = *best_bit_ops();
                for (index r = 0; r < n; ++r)
                    counting.dot(s.x_bits.row(some[r]), s.signs, s.words, w.bit_panels[at].data(), width / counting.panel, out + r * width);
                return;
            }
        const index p = panel_of(s);
        const index d = s.wide ? static_cast<index>(w.present[at].size()) : s.depth();
        if (!s.sparse()) {
            const T *block = group.left[at].block(first), *low = stripe.low_panels[at];
            for (index j = 0; j < width; j += p)
                if (low && !s.careful())
                    ops.dense_low(s.what, block, group.left[at].low_block(first), panels + j * d, low + j * d, d, out + j, width);
                else
                    ops.dense(s.what, block, panels + j * d, d, out + j, width, false);
            if (s.careful()) to_distances(s, at, some, stripe, out, block, low ? group.left[at].low_block(first) : nullptr, w);
            return;
        }
        for (index r = 0; r < n; ++r) {
            const auto& own = group.left[at].row(first + r);
            const auto [cols, values, entries] = s.wide ? renumbered(own, w.place[at], w) : own;
            for (index j = 0; j < width; j += p) ops.sparse_dot(cols, values, entries, panels + j * d, out + r * width + j);
        }
        if (s.careful()) to_distances(s, at, some, stripe, out, nullptr, nullptr, w);
    }

    // Squared distances in the place of dot products, from differences where they are in doubt.
    void to_distances(const source<T>& s, std::size_t at, const selection& some, const open_stripe& stripe, T* tile, const T* block, const T* block_low,
                      workspace<T>& w) const {
        const index n = some.size(), width = stripe.width;
        collect(s.x_norms, some, n, w.row_norms[at]);
        collect(s.x_doubt, some, n, w.row_doubt[at]);
        const T* near = w.col_doubt[at].data();
        const index doubtful = ops.distances({tile, width, n, width, w.row_norms[at].data(), w.col_norms[at].data(), w.row_doubt[at].data(), near, block,
                                              block_low, stripe.panels[at], stripe.low_panels[at], s.depth()});
        if (block || doubtful == 0) return;
        // Sparse rows: pair by pair.
        for (index r = 0; r < n; ++r)
            for (index j = 0; j < stripe.cols.size(); ++j)
                if (T& t = tile[r * width + j]; t < std::max(w.row_doubt[at][r], near[j]))
                    t = static_cast<T>(squared_difference(s.x, some[r], s.z, stripe.cols[j]));
    }

    // The entries of a row whose columns are present in the stripe, under their places there.
    static sparse_entries<T> renumbered(const sparse_entries<T>& row, const std::vector<std::int32_t>& places, workspace<T>& w) {
        auto& cols = w.pack.row_cols;
        auto& values = w.pack.row_values;
        cols.clear();
        values.clear();
        for (index k = 0; k < row.count; ++k)
            if (const std::int32_t place = places[row.cols[k]]; place >= 0) {
                cols.push_back(place);
                values.push_back(row.values[k]);
            }
        return {cols.data(), values.data(), static_cast<index>(cols.size())};
    }

    static void copy_asked(const matrix_view<const double>& values, index width, T* out) {
        for (index i = 0; i < values.rows; ++i) {
            for (index j = 0; j < values.cols; ++j) out[i * width + j] = static_cast<T>(values(i, j));
            std::fill(out + i * width + values.cols, out + (i + 1) * width, T(0));
        }
    }

    // How many rows of a call are made ready at once.
    index rows_at_once(index cols) const {
        const index most = rows_in_group(sources);
        return users ? std::min(most, ceil_div(user_values::rows_at_once(cols), ops.block_rows) * ops.block_rows) : most;
    }

    // What users say of all pairs of a call's rows and columns.
    void ask_users(row_group<T>& group, const selection& which_cols) const {
        if (!users) return;
        for (const auto& s : sources) group.asked.push_back(s.user ? s.user->block(group.rows, which_cols) : matrix<double>());
    }

    template <class Register>
    void run_code(const selection& some, const open_stripe& stripe, Register reg, block_rows<T> out, index out_col, workspace<T>& w) const {
        using op = instruction::op;
        const index n = some.size(), width = stripe.width, real_width = stripe.cols.size(), count = ops.block_rows * width;
        // A last map writes straight to the result when that has room for whole vectors.
        const bool direct = width == real_width && code->code.back().what == op::map;
        std::array<T*, 16> rows;
        // Points `rows` at the result; whether it may be written past the caches.
        const auto to_result = [&](std::array<T*, 16>& at) {
            bool stream = stripe.stream;
            for (index i = 0; i < n; ++i) {
                at[i] = out[i] + out_col;
                stream = stream && reinterpret_cast<std::uintptr_t>(at[i]) % cache_line == 0;
            }
            return stream;
        };
        for (std::size_t at = 0; at < code->code.size(); ++at) {
            const auto& step = code->code[at];
            T* to = reg(step.to);
            switch (step.what) {
                case op::fill: std::fill_n(to, count, static_cast<T>(step.shift)); break;
                case op::map: {
                    const bool ready = step.input == map_input::squared_distance && sources[step.a].careful();
                    tile_map<T> call{step.formula, ready ? map_input::value : step.input, reg(step.a), width, rows.data(), nullptr, nullptr, n, width};
                    if (call.input != map_input::value) {
                        collect(sources[step.a].x_norms, some, n, w.row_norms[step.a]);
                        call.row = w.row_norms[step.a].data();
                        call.col = w.col_norms[step.a].data();
                    }
                    if (direct && at + 1 == code->code.size()) {
                        call.stream = to_result(rows);
                        ops.map(call);
                        return;
                    }
                    for (index i = 0; i < n; ++i) rows[i] = to + i * width;
                    ops.map(call);
                    break;
                }
                case op::affine: ops.affine(to, step.scale, step.shift, count); break;
                case op::add: ops.binary(tile_binary::add, to, reg(step.b), count); break;
                case op::multiply: ops.binary(tile_binary::multiply, to, reg(step.b), count); break;
                case op::power: ops.power(to, step.shift, count); break;
                case op::polynomial: ops.polynomial(to, step.coefficients.data(), static_cast<index>(step.coefficients.size()), count); break;
                case op::exponential: ops.exponential(to, count); break;
                case op::outer_multiply:
                case op::outer_add:
                    collect(factors[at].x, some, n, w.row_factors[at]);
                    ops.outer(step.what == op::outer_add ? tile_binary::add : tile_binary::multiply, to, width, w.row_factors[at].data(),
                              w.col_factors[at].data(), n, width);
                    break;
            }
        }
        if (width != real_width) {
            for (index i = 0; i < n; ++i) std::copy_n(reg(code->result) + i * width, real_width, out[i] + out_col);
            return;
        }
        ops.map({{}, map_input::value, reg(code->result), width, rows.data(), nullptr, nullptr, n, width, to_result(rows)});
    }

    // out(j, i) = out(i, j) for rows i from r0 and columns j from c0; the rows of `out` may be scattered.
    void mirror(const block_rows<T>& out, index r0, index c0, index rows, index cols) const {
        const index stride = out[1] - out[0];
        const bool even = out[r0 + rows - 1] - out[0] == (r0 + rows - 1) * stride && out[c0 + cols - 1] - out[0] == (c0 + cols - 1) * stride;
        if (even) return ops.transpose(out[r0] + c0, stride, out[c0] + r0, stride, rows, cols);
        for (index i = 0; i < rows; ++i)
            for (index j = 0; j < cols; ++j) out[c0 + j][r0 + i] = out[r0 + i][c0 + j];
    }

    bool worth_mirroring() const {
        index work = 0;
        for (const auto& s : sources) {
            if (s.what == statistic::user) return false;
            work += s.bits() ? s.bit_stride() : s.sparse() ? 4 + s.depth() / 8 : s.depth();
        }
        return work >= 32;
    }
};

}  // namespace mercer
