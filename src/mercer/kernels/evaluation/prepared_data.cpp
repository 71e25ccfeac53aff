#include "mercer/kernels/evaluation/prepared_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/evaluation/plan_diagonal.h"
#include "mercer/kernels/tile/bits.h"
#include "mercer/kernels/tile/tile_ops.h"
#include "mercer/kernels/vector_sample.h"

namespace mercer::evaluation {

namespace {

bool needs_norms(const plan& code, int stat) {
    return std::any_of(code.code.begin(), code.code.end(), [&](const instruction& step) {
        return step.operation == instruction::op::map && step.a == stat && step.input != map_input::value;
    });
}

// Returns true if the rows are processed as sparse vectors because that takes less time. The dense loop processes 1.4
// times as many coordinates per cycle. Dense rows that are mostly zeros are processed as sparse ones too, unless their
// distances need a shift to be accurate.
template <class T>
bool should_read_sparse(const dataset& x, const vector_sample<T>& seen, bool centred) {
    if (!x.is_sparse()) return seen.density < 0.4 && x.dims() >= 32 && !(centred && seen.centred_fraction > 0.9);
    const auto density = [](const auto* some) {
        return static_cast<double>(some->nonzeros()) /
               (static_cast<double>(some->size()) * static_cast<double>(some->dims()) + 1);
    };
    if (const auto* some = x.as<sparse<float>>()) return density(some) < 0.5;
    if (const auto* some = x.as<sparse<double>>()) return density(some) < 0.5;
    return false;
}

// Throws if a squared norm is infinite or NaN, since ‖x‖² + ‖z‖² - 2xᵀz is then meaningless.
template <class T>
void require_norms(const dataset& vectors, const buffer<T>& norms) {
    for (index i = 0; i < norms.size(); ++i)
        if (!std::isfinite(norms[i])) {
            require_finite(vectors);
            throw row_error(i, -1,
                            fmt::format("its squared norm is beyond the range of {}, so distances from it cannot be "
                                        "computed; scale the data",
                                        precision<T>()));
        }
}

// Computes the cancellation thresholds of vectors with these norms. Returns true if any distance may have to be
// recomputed.
template <class T>
bool compute_thresholds(cancellation_threshold<T>& close, const vector_operand<T>& vectors, const buffer<T>& norms,
                        const prepared_statistic<T>& of, buffer<T>& out) {
    bool any = false;
    const T* shift = of.shift_data();
    out.resize(norms.size());
    for (index i = 0; i < norms.size(); ++i) {
        const auto norm = static_cast<double>(norms[i]);
        out[i] = close.threshold(norm, of.depth());
        if (out[i] >= 0 && !shift) out[i] = close.threshold(norm, vectors.nonzeros(i));
        // Products and sums of whole numbers are exact if they fit into the mantissa.
        if (out[i] >= 0 && norms[i] < (sizeof(T) == 4 ? 0x1p22 : 0x1p51) && vectors.is_whole(i, shift))
            out[i] = cancellation_threshold<T>::never;
        any = any || out[i] >= 0;
    }
    return any;
}

// Returns -½ log k(x, x), and throws if the logarithm is so large that log k(x, z) - ½ log k(x, x) - ½ log k(z, z) has
// no correct digits.
template <class T>
double minus_half(T self, double scale, std::size_t object) {
    constexpr double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53, most = sizeof(T) == 4 ? 32 : 1e-6 / unit;
    if (!(std::abs(static_cast<double>(self) * scale) <= most)) {
        if (sizeof(T) == 4 && !std::isnan(self)) throw float_is_imprecise();
        fail(errc::data, fmt::format("normalize: log k(x, x) = {} of object {} is too large for differences to have "
                                     "any correct digits; scale the data",
                                     self * scale, object));
    }
    return -0.5 * static_cast<double>(self);
}

template <class T>
double inverse_root(T self, std::size_t object) {
    if (self == 0 || std::isnan(self)) return 0;
    if (self < 0)
        fail(errc::data,
             fmt::format("normalize: k(x, x) must satisfy 0 <= k(x, x), got {} for object {}", self, object));
    if (!std::isfinite(self) || !std::isfinite(1 / self))
        fail(errc::data, fmt::format("normalize: k(x, x) of object {} is too {} for {}; scale the data", object,
                                     self > 1 ? "large" : "small", precision<T>()));
    return 1 / std::sqrt(static_cast<double>(self));
}

template <class T>
const std::vector<T>& diagonal_of_part(const std::shared_ptr<const plan>& part, const dataset& objects,
                                       part_diagonals<T>& known) {
    const plan* const key = part.get();
    if (const auto found = known.find(key); found != known.end()) return found->second;
    std::vector<T> self(static_cast<std::size_t>(objects.size()));
    diagonal_of<T>(prepared_data<T>(part, objects, known), self);
    return known.emplace(key, std::move(self)).first->second;
}

// Returns the numbers u of an outer instruction, one per object.
template <class T>
std::vector<T> object_values(const instruction& step, const dataset& objects, part_diagonals<T>& known) {
    std::vector<double> values;
    if (step.weight) {
        values = step.weight(objects);
        if (static_cast<index>(values.size()) != objects.size())
            fail(errc::invalid_argument,
                 fmt::format("a function of objects must return one number for each of {} objects, got {}",
                             objects.size(), values.size()));
    } else {
        // The diagonal is computed in the precision of the tiles, so that k(x, x)/√(k(x, x)k(x, x)) is 1 up to
        // rounding.
        const std::vector<T>& self = diagonal_of_part(step.self, objects, known);
        for (std::size_t i = 0; i < self.size(); ++i)
            values.push_back(step.diagonal_rule == instruction::diagonal_use::minus_half
                                 ? minus_half(self[i], step.scale, i)
                                 : inverse_root(self[i], i));
    }
    return std::vector<T>(values.begin(), values.end());
}

}  // namespace

template <class T>
prepared_data<T>::prepared_data(std::shared_ptr<const plan> plan_, dataset x_, const dataset* z_,
                                const evaluator_memory& memory)
    : code(std::move(plan_)), same_data(z_ == nullptr), x(std::move(x_)), z(z_ ? *z_ : dataset()), memory_(memory) {
    // A map of the vectors must see the same number of coordinates on both sides.
    const bool maps = std::any_of(code->embeddings.begin(), code->embeddings.end(),
                                  [](const embedding& f) { return static_cast<bool>(f.apply); });
    if (!same_data && maps && x.is_sparse() && z.is_sparse() && x.dims() != z.dims()) {
        dataset& fewer = x.dims() < z.dims() ? x : z;
        fewer = widened(fewer, std::max(x.dims(), z.dims()));
    }
    part_diagonals<T> of_x;
    bind_all(of_x);
}

template <class T>
prepared_data<T>::prepared_data(std::shared_ptr<const plan> part, dataset x_, part_diagonals<T>& known)
    : code(std::move(part)), same_data(true), x(std::move(x_)) {
    bind_all(known);
}

template <class T>
void prepared_data<T>::bind_all(part_diagonals<T>& of_x) {
    rows = x.size();
    cols = same_data ? rows : z.size();
    bind_statistics();
    bind_factors(of_x);
    bind_table();
}

template <class T>
bool prepared_data<T>::can_use_columns(const dataset& columns) const {
    const bool together = std::ranges::any_of(code->embeddings, [](const embedding& f) { return bool(f.apply); });
    const bool numbers_of_objects = std::ranges::any_of(code->code, [](const instruction& step) {
        return step.operation == instruction::op::outer_multiply || step.operation == instruction::op::outer_add;
    });
    if (!same_data || together || numbers_of_objects || has_user_functions || x.kind() != object_kind::vectors ||
        x.size() == 0 || columns.kind() != object_kind::vectors || columns.size() == 0)
        return false;
    const bool dims = columns.dims() == x.dims(), both_sparse = x.is_sparse() && columns.is_sparse();
    return (dims || both_sparse) && std::ranges::all_of(statistics, [&](const prepared_statistic<T>& s) {
               return !s.stored_as_bits() && !s.copied && (dims || s.shift.empty());
           });
}

template <class T>
prepared_data<T>::prepared_data(const prepared_data& ready, dataset z_)
    : code(ready.code),
      x(ready.x),
      z(std::move(z_)),
      rows(ready.rows),
      cols(z.size()),
      statistics(ready.statistics),
      factors(ready.factors),
      memory_(ready.memory_) {
    for (std::size_t s = 0; s < statistics.size(); ++s) bind_columns(statistics[s], s);
}

template <class T>
void prepared_data<T>::bind_columns(prepared_statistic<T>& one, std::size_t at) const {
    one.z = vector_operand<T>(z, one.reads_sparse() && z.is_sparse());
    one.packs_present_columns = one.z.reads_sparse() && one.depth() > 4096;
    if (one.x_norms.size() > 0) {
        one.z_norms.resize(cols);
        one.z.norms(one.shift_data(), one.z_norms);
        require_norms(z, one.z_norms);
    }
    if (code->statistics[at].centred) {
        cancellation_threshold<T> close = thresholds_of(static_cast<int>(at));
        const bool any = compute_thresholds(close, one.z, one.z_norms, one, one.z_thresholds);
        if (any && !one.recomputes_close_pairs())
            one.x_thresholds.resize(rows), std::ranges::fill(one.x_thresholds, cancellation_threshold<T>::never);
        if (!one.recomputes_close_pairs()) one.z_thresholds = {};
    }
    one.low = one.low || (one.recomputes_close_pairs() && !one.reads_sparse() &&
                          (one.x.has_rounding_errors(one.shift_data()) || one.z.has_rounding_errors(one.shift_data())));
    one.shared_with = find_shared(one, at);
    choose_range_length(one);
}

template <class T>
void prepared_data<T>::bind_statistics() {
    std::size_t copy_bytes = memory_.copy_bytes;
    std::vector<std::pair<dataset, dataset>> made;
    for (const auto& f : code->embeddings)
        made.push_back(f.apply ? f.apply(x, same_data ? nullptr : &z) : std::pair(x, same_data ? dataset() : z));
    for (std::size_t s = 0; s < code->statistics.size(); ++s) {
        const auto& wanted = code->statistics[s];
        const dataset& left = made[wanted.embedding].first;
        const dataset& right = same_data ? left : made[wanted.embedding].second;
        prepared_statistic<T> one;
        one.what = wanted.statistic;
        if (wanted.statistic != pair_statistic::user) {
            bind_vectors(one, wanted, static_cast<int>(s), left, right);
            one.shared_with = find_shared(one, s);
            if (one.shared_with < 0) copy_vectors(one, copy_bytes);
            choose_range_length(one);
        } else {
            one.x = vector_operand<T>(left, false);
            one.z = vector_operand<T>(right, false);
            one.user = std::make_shared<const user_values>(wanted.user, left, right);
            has_user_functions = true;
        }
        statistics.push_back(std::move(one));
    }
}

// Chooses the number of coordinates per range, so that the panels of a column tile stay in L2.
template <class T>
void prepared_data<T>::choose_range_length(prepared_statistic<T>& one) const {
    const bool deep = one.reads_numbers() && !one.reads_sparse() && one.depth() > memory_.whole_depth;
    one.range_length = deep ? std::clamp<index>(memory_.whole_depth / 4 * 4, 4, 1024) : 0;
}

template <class T>
void prepared_data<T>::bind_vectors(prepared_statistic<T>& one, const plan_statistic& wanted, int at,
                                    const dataset& left, const dataset& right) {
    // without vectors the number of coordinates does not matter
    const bool empty = left.size() == 0 || right.size() == 0;
    if (left.dims() != right.dims() && !empty && !(left.is_sparse() && right.is_sparse()))
        fail(errc::invalid_argument, fmt::format("x has {} features, but z has {}", left.dims(), right.dims()));
    // The sample is taken of the columns, so that the values of a row do not depend on the other rows. Sums over
    // differences need a shift only if the data have more digits than T.
    const bool more_digits = sizeof(T) == 4 && (left.as<dense<double>>() || left.as<sparse<double>>());
    const bool absolute = wanted.statistic == pair_statistic::manhattan && more_digits;
    vector_sample<T> seen =
        wanted.statistic == pair_statistic::dot || absolute ? sample_vectors<T>(right) : vector_sample<T>();
    const bool as_sparse = wanted.statistic == pair_statistic::dot && should_read_sparse(left, seen, wanted.centred);
    one.x = vector_operand<T>(left, as_sparse, as_sparse ? seen.density : 1);
    one.z = vector_operand<T>(right, as_sparse && right.is_sparse());
    if (wanted.statistic == pair_statistic::dot) bind_bits(one, left, right);
    // If the centre accounts for less than half of the squared norms, a shift gains less than one bit.
    if ((wanted.centred || absolute) && !as_sparse && !one.stored_as_bits() && seen.centred_fraction > 0.5 &&
        left.dims() == right.dims())
        one.shift = std::move(seen.centre);
    one.packs_present_columns = as_sparse && right.is_sparse() && one.depth() > 4096 && !one.stored_as_bits();
    if (needs_norms(*code, at)) bind_norms(one, left, right);
    if (wanted.centred && !one.stored_as_bits()) bind_thresholds(one, at);
    // Sums over differences are accurate except for the rounding of the coordinates to T, which the low parts restore.
    const bool differences = wanted.statistic == pair_statistic::manhattan || wanted.statistic == pair_statistic::chi2;
    one.low =
        (differences || (one.recomputes_close_pairs() && !one.reads_sparse())) &&
        (one.x.has_rounding_errors(one.shift_data()) || (!same_data && one.z.has_rounding_errors(one.shift_data())));
}

// Stores the vectors as bits if their coordinates allow it and counting bits takes less time than adding products.
// Measured in cycles per vector of results: 2 per word, 4 with signs, and 14 less for a map that is read from a table.
template <class T>
void prepared_data<T>::bind_bits(prepared_statistic<T>& one, const dataset& left, const dataset& right) const {
    if constexpr (std::is_same_v<T, float>) {
        if (!best_bit_ops() || left.size() == 0) return;
        const index words = bit_rows::words_for(std::max(left.dims(), right.dims()));
        const double product = one.reads_sparse() ? 1.4 * one.x.mean_entries() : static_cast<double>(left.dims());
        if (2 * static_cast<double>(words) > product + 14) return;
        const bit_kind left_kind = bit_rows::kind_of(left);
        const bit_kind right_kind = !same_data && left_kind != bit_kind::no_bits ? bit_rows::kind_of(right) : left_kind;
        if (left_kind == bit_kind::no_bits || right_kind == bit_kind::no_bits) return;
        one.signs = left_kind == bit_kind::signs || right_kind == bit_kind::signs;
        if (one.signs && 4 * static_cast<double>(words) > product + 14) return;
        one.words = words;
        one.x_bits = bit_rows(left, words, one.signs);
        if (!same_data) one.z_bits = bit_rows(right, words, one.signs);
    }
}

template <class T>
void prepared_data<T>::bind_norms(prepared_statistic<T>& one, const dataset& left, const dataset& right) const {
    one.x_norms.resize(left.size());
    one.x.norms(one.shift_data(), one.x_norms);
    if (!same_data) {
        one.z_norms.resize(right.size());
        one.z.norms(one.shift_data(), one.z_norms);
    }
    require_norms(left, one.x_norms);
    require_norms(right, one.z_norms);
}

template <class T>
cancellation_threshold<T> prepared_data<T>::thresholds_of(int at) const {
    std::vector<formula_call> maps;
    for (const auto& step : code->code)
        if (step.operation == instruction::op::map && step.a == at && step.input == map_input::squared_distance)
            maps.push_back(step.formula);
    return cancellation_threshold<T>(std::move(maps), memory_.low_accuracy ? 128 : 8);
}

// Computes the thresholds that decide which pairs are recomputed from differences.
template <class T>
void prepared_data<T>::bind_thresholds(prepared_statistic<T>& one, int at) const {
    cancellation_threshold<T> close = thresholds_of(at);
    bool any = compute_thresholds(close, one.x, one.x_norms, one, one.x_thresholds);
    if (!same_data) any = compute_thresholds(close, one.z, one.z_norms, one, one.z_thresholds) || any;
    if (!any) one.x_thresholds = {}, one.z_thresholds = {};
}

// Returns the first earlier statistic with the same values, or -1. If a shift gains nothing, the plain dot product is
// shared.
template <class T>
int prepared_data<T>::find_shared(const prepared_statistic<T>& one, std::size_t at) const {
    const auto& wanted = code->statistics[at];
    for (std::size_t other = 0; other < at && !one.has_own_values(); ++other)
        if (code->statistics[other].statistic == wanted.statistic &&
            code->statistics[other].embedding == wanted.embedding && !statistics[other].has_own_values())
            return static_cast<int>(other);
    return -1;
}

// Copies the vectors into the form that the tile loops read fastest, if it fits into the budget.
template <class T>
void prepared_data<T>::copy_vectors(prepared_statistic<T>& one, std::size_t& room) const {
    if (one.stored_as_bits() || (one.recomputes_close_pairs() && one.reads_sparse()))
        return;  // recomputation reads sparse rows as stored
    const auto copied = [&](vector_operand<T>& vectors) {
        const std::size_t bytes = vectors.copy(one.shift_data(), one.low, room);
        room -= bytes;
        one.copy_bytes += bytes;
        return bytes > 0;
    };
    // Both sides are copied or none, because they share one shift.
    const std::size_t before = room;
    vector_operand<T> left = one.x;
    if (!copied(left)) return;
    vector_operand<T> right = one.z;
    if (same_data)
        right = left;
    else if (!copied(right) && (one.shift_data() || one.low)) {
        room = before, one.copy_bytes = 0;
        return;
    }
    one.x = std::move(left), one.z = std::move(right);
    one.copied = !one.shift.empty();
    one.shift.clear();
}

template <class T>
void prepared_data<T>::bind_factors(part_diagonals<T>& of_x) {
    part_diagonals<T> of_z;
    factors.resize(code->code.size());
    for (std::size_t i = 0; i < code->code.size(); ++i) {
        const auto& step = code->code[i];
        if (step.operation != instruction::op::outer_multiply && step.operation != instruction::op::outer_add) continue;
        factors[i].x = object_values<T>(step, x, of_x);
        factors[i].z = same_data ? factors[i].x : object_values<T>(step, z, of_z);
    }
}

// Fills the table if the plan is a single function of the squared distance of bit vectors.
template <class T>
void prepared_data<T>::bind_table() {
    const auto& last = code->code.back();
    if (code->code.size() != 1 || last.operation != instruction::op::map || last.input != map_input::squared_distance ||
        !statistics[last.a].stored_as_bits())
        return;
    const index size = best_bit_ops()->max_entries;
    buffer<T> distances(size);
    table.resize_uninitialised(size);
    for (index t = 0; t < size; ++t) distances[t] = static_cast<T>(t);
    T* to = table.data();
    best_tile_ops<T>().map({last.formula, map_input::value, distances.data(), size, &to, nullptr, nullptr, 1, size});
}

template class prepared_data<float>;
template class prepared_data<double>;

}  // namespace mercer::evaluation
