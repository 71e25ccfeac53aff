#include "mercer/methods/nystroem/sketched_preconditioner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "mercer/base/communicator.h"
#include "mercer/base/per_thread.h"
#include "mercer/base/random_generator.h"
#include "mercer/base/reproducible_sums.h"
#include "mercer/base/threads.h"
#include "mercer/dense/lapack.h"
#include "mercer/dense/vector_ops.h"
#include "mercer/methods/nystroem/row_losses.h"

namespace mercer {

namespace {

constexpr index band = 48, groups = 6, entries = 4;
static_assert(chunk_rows(1) % band == 0 && band % groups == 0);
// Tiles of rows are assigned to lanes by their number modulo the number of lanes; a lane is processed by one thread and
// has its own buckets. There are more lanes than min_lanes if the buckets of one lane would not stay in the L2 cache
// and it has enough of them.
constexpr index min_lanes = 64, min_lane_buckets = 32;
constexpr double max_lane_bytes = 1.5 * (1 << 20);

index lanes_for(index buckets, double bytes_of_bucket) {
    index lanes = min_lanes;
    const auto too_many = [&](index each) {
        return each >= min_lane_buckets && static_cast<double>(each) * bytes_of_bucket > max_lane_bytes;
    };
    while (too_many(buckets / lanes)) lanes *= 2;
    return lanes;
}

// to += Σ by[r]·row[r]
template <class T>
void add_rows(double* to, const T* const* row, const double* by, index count, index m) {
    double minus[band];
    for (index r = 0; r < count; ++r) minus[r] = -by[r];
    if constexpr (std::is_same_v<T, float>)
        best_vector_ops().subtract_rows(to, row, minus, count, m);
    else
        best_vector_ops().subtract_double_rows(to, row, minus, count, m);
}

// 53 bits are divided between a kernel value, the root of a weight (weight_bits) and their sum. A bucket adds up 4n/s
// numbers with random signs, which hardly exceeds 16 times the square root of this number.
constexpr int weight_bits = 12;

template <class T>
class sketching {
public:
    sketching(const gram_batches<T>& k, const sketch_options& o, double largest)
        : k_(k),
          o_(o),
          own_(o.buckets >= k.rows()),
          lanes_(lanes_for(o.buckets,
                           8.0 * static_cast<double>(o.count) * static_cast<double>(k.cols() + o.extra_columns))),
          each_(std::max<index>(1, o.buckets / lanes_)),
          root_(exponent(std::sqrt(o.max_weight)) - weight_bits),
          number_(-digits_of_numbers()),
          filled_(own_ ? 0 : static_cast<std::size_t>(each_ * lanes_), 0.0),
          raised_(static_cast<std::size_t>(lanes_), 1.0) {
        // One of T's digits is used by the sign of the rounding error.
        const int digits = std::min(std::numeric_limits<T>::digits - 2, digits_of_numbers());
        rounding_unit_ = std::ldexp(1.0, exponent(largest) - digits);
        shift_ = static_cast<T>(std::ldexp(1.5, exponent(largest) - digits + std::numeric_limits<T>::digits - 1));
        for (index c = 0; c < o.count; ++c)
            out_.emplace_back(own_ ? k.rows() : each_ * lanes_, k.cols() + o.extra_columns);
    }

    // Sketches all rows and returns the largest kernel value.
    double run() {
        // Rows begin at cache lines.
        constexpr auto line = static_cast<index>(cache_line / sizeof(T));
        const index m = k_.cols(), stride = (m + line - 1) / line * line;
        std::vector<double> largest(static_cast<std::size_t>(lanes_), 0.0);
        k_.each([&](index first, const gram<T>& batch) {
            const index bands = (batch.rows() + band - 1) / band, before = first / band;
            parallel_for(std::min(bands, lanes_), [&](index item) {
                auto& memory = per_thread<buffer<T>>([] {});
                buffer<T> tile = std::move(memory);
                for (index b = item; b < bands; b += lanes_) {
                    const index from = b * band, there = std::min(band, batch.rows() - from);
                    const matrix_view<T> values(tile.at_least(band * stride), there, m, stride);
                    if (!fetch(batch, first, from, values, largest[static_cast<std::size_t>(item)])) continue;
                    for (index i = 0; own_ && i < there; ++i)
                        add(first + from, first + from + i, values, i, band, [](index) { return 1; });
                    for (index g = 0; !own_ && g < groups; ++g)
                        add_group(first + from, g, (before + b) % lanes_, values);
                    for (index i = 0; !own_ && i < there; ++i) record_weights(first + from + i, item);
                }
                memory = std::move(tile);
            });
        });
        return *std::ranges::max_element(largest);
    }
    row_sketches take() {
        const communicator* group = k_.processes();
        if (group) {
            for (matrix<double>& each : out_)
                group->all_sum(each.data(), static_cast<std::size_t>(each.rows() * each.cols()));
            group->all_sum(filled_.data(), filled_.size());
        }
        const double fullest = own_ ? 1 : std::ranges::max(filled_),
                     raised = max_over_ranks(group, std::ranges::max(raised_));
        return {std::move(out_), std::max(1.0, fullest) * raised, rounding_unit_};
    }

private:
    // Returns the smallest e with 2^e >= x.
    static int exponent(double x) {
        int e = 0;
        return std::frexp(x, &e) == 0.5 ? e - 1 : e;
    }
    // Computes the rows of a tile that the filter admits, rounded, at their positions in `values`. Returns false if
    // there are none.
    bool fetch(const gram<T>& batch, index first, index from, matrix_view<T> values, double& largest) const {
        index list[band];
        T* to[band];
        index count = 0;
        for (index i = 0; i < values.rows; ++i)
            if (!o_.only || o_.only(first + from + i)) list[count] = from + i, to[count++] = values.row(i);
        if (count == values.rows)
            batch.block(row_set(from, count), row_set(0, values.cols), values);
        else if (count > 0)
            batch.block(row_set(std::span<const index>(list, static_cast<std::size_t>(count))), row_set(0, values.cols),
                        row_pointers<T>(to));
        for (index r = 0; r < count && !own_; ++r) round(to[r], values.cols, largest);
        return count > 0;
    }
    int digits_of_numbers() const {
        const double terms =
            static_cast<double>(entries) * static_cast<double>(k_.rows()) / static_cast<double>(each_ * lanes_);
        return 51 - weight_bits - exponent(16 * std::sqrt(std::max(1.0, terms)));
    }
    void round(T* v, index n, double& largest) const {
        constexpr index side = 8;  // independent maxima, so that comparisons do not wait for each other
        T most[side] = {};
        index i = 0;
        for (; i + side <= n; i += side)
            for (index l = 0; l < side; ++l) {
                const T size = std::abs(v[i + l]);
                most[l] = most[l] < size ? size : most[l];
                v[i + l] = (v[i + l] + shift_) - shift_;
            }
        for (; i < n; ++i) {
            most[0] = std::max(most[0], std::abs(v[i]));
            v[i] = (v[i] + shift_) - shift_;
        }
        for (const T each : most) largest = std::max(largest, static_cast<double>(each));
    }
    // Adds the rows from, from + step, … of a tile to one bucket of every sketch, each with its sign, in one update
    // that reads and writes the bucket once. (No addition rounds, so the order has no effect.)
    template <class Sign>
    void add(index first, index bucket, matrix_view<T> values, index from, index step, Sign sign) {
        const index m = k_.cols();
        for (index c = 0; c < o_.count; ++c) {
            const T* rows[band];
            double by[band];
            index count = 0;
            double* to = out_[static_cast<std::size_t>(c)].row(bucket);
            for (index i = from; i < values.rows; i += step) {
                if (o_.only && !o_.only(first + i)) continue;
                const double root = std::sqrt(std::max(0.0, o_.weight(first + i, c)));
                by[count] = sign(i) * (own_ ? root : root_(root));
                if (by[count] == 0) continue;
                for (index t = 0; t < o_.extra_columns; ++t) {
                    const double number = o_.extra_value(first + i, t);
                    to[m + t] += by[count] * (own_ ? number : number_(number));
                }
                rows[count++] = values.row(i);
            }
            add_rows(to, rows, by, count, m);
        }
    }
    // Records by which factor the rounding of their roots increases the weights.
    void record_weights(index row, index item) {
        double& raised = raised_[static_cast<std::size_t>(item)];
        for (index c = 0; c < o_.count; ++c) {
            const double weight = o_.weight(row, c), root = root_(std::sqrt(std::max(0.0, weight)));
            if (root * root > raised * weight) raised = root * root / weight;
        }
    }
    void add_group(index row, index g, index lane, matrix_view<T> values) {
        for (index e = 0; e < entries; ++e) {
            const auto number = static_cast<std::uint64_t>((row / band * groups + g) * entries + e);
            const auto place =
                static_cast<index>(counter_hash(o_.seed + 1, number) % static_cast<std::uint64_t>(each_));
            const index there = (values.rows - g + groups - 1) / groups;
            filled_[static_cast<std::size_t>(lane * each_ + place)] += static_cast<double>(there);
            add(row, lane * each_ + place, values, g, groups, [&](index i) {
                return counter_hash(o_.seed, static_cast<std::uint64_t>((row + i) * entries + e)) & 1 ? 0.5 : -0.5;
            });
        }
    }

    const gram_batches<T>& k_;
    const sketch_options& o_;
    bool own_;
    index lanes_, each_;
    nearest_multiple root_, number_;
    T shift_ = 0;
    double rounding_unit_ = 0;
    // number of entries in each bucket; factor of increase of the weights, per lane
    std::vector<double> filled_, raised_;
    std::vector<matrix<double>> out_;
};

}  // namespace

template <class T>
row_sketches make_row_sketches(const gram_batches<T>& k, const sketch_options& o) {
    double guess = max_over_ranks(k.processes(), o.estimated_max_value);
    for (;;) {
        sketching<T> work(k, o, guess);
        const double largest = max_over_ranks(k.processes(), work.run());
        // Values above the estimate would make sums depend on their order, so the sketch is repeated; infinite values
        // fail elsewhere.
        if (largest <= guess || !std::isfinite(largest)) return work.take();
        guess = largest;
    }
}

template row_sketches make_row_sketches(const gram_batches<float>&, const sketch_options&);
template row_sketches make_row_sketches(const gram_batches<double>&, const sketch_options&);

sketched_preconditioner::sketched_preconditioner(const nystroem_operator& k, const row_losses& losses, bool offset)
    : k_(k),
      losses_(losses),
      offset_(offset),
      max_weight_(max_over_ranks(k.in_double->processes(), losses.max_curvature())),
      width_(k.basis->size() + (offset ? 1 : 0)),
      functions_(losses.functions()),
      buckets_(std::min(k.buckets, k.in_double->rows())) {}

index sketched_preconditioner::make(double lambda, bool one, const curvature_sample& taken, double theta) {
    matrices_.clear();
    lambda_ = lambda;
    const auto numbers = [](index rows, index cols) {
        return 8.0 * static_cast<double>(rows) * static_cast<double>(cols);
    };
    const double room = static_cast<double>(k_.memory_bytes) / 3;
    const bool alike = one || losses_.is_quadratic() || functions_ == 1 ||
                       static_cast<double>(functions_) * numbers(width_, width_) > k_.preconditioner_bytes / 3;
    const index shapes = alike ? 1 : functions_,
                at_once =
                    std::clamp<index>(static_cast<index>(room / std::max(numbers(width_, buckets_), 1.0)), 1, shapes);
    // Targets are sketched with the rows, in units of the largest one, if they are few compared with the centres: the
    // square of the sketch has one row for each.
    const double largest =
        losses_.is_quadratic() ? max_over_ranks(k_.in_double->processes(), losses_.max_minimiser()) : 0;
    const double unit = std::ldexp(1.0, std::ilogb(largest) + 1);
    const bool goals = largest > 0 && std::isfinite(unit) && functions_ <= std::max<index>(8, width_ / 8);
    const index ones = offset_ ? 1 : 0, targets = goals ? functions_ : 0;
    const extra_values extra_value = [&](index row, index t) {
        return t < ones ? 1.0 : losses_.minimiser(row, t - ones) / unit;
    };
    // The sketch is smaller if passes cover fewer rows or if more squares are formed than was assumed: a pass for four
    // functions takes about as long as a pass for one.
    const double dear =
        taken.share() * std::max(1.0, static_cast<double>(functions_) / 4) / static_cast<double>(shapes);
    const index buckets = dear >= 1 || losses_.has_discontinuous_curvature()
                              ? k_.buckets
                              : std::min(k_.buckets, buckets_for(dear * static_cast<double>(k_.in_double->rows()),
                                                                 static_cast<double>(width_)));
    index passes = 0;
    for (index first = 0; first < shapes; first += at_once, ++passes) {
        const row_weights weight = [&](index row, index c) {
            return taken.weight(row) * (alike ? losses_.mean_curvature(row) : losses_.curvature(row, first + c));
        };
        const sketch_options how{buckets,
                                 std::min(at_once, shapes - first),
                                 weight,
                                 taken.has_all_rows() ? row_filter() : [&](index row) { return taken.weight(row) > 0; },
                                 taken.has_all_rows() ? max_weight_ : std::max(max_weight_, theta),
                                 k_.basis->max_diagonal(),
                                 ones + targets,
                                 extra_value,
                                 k_.seed};
        const auto made = [&](const auto& k) { return make_row_sketches(k, how); };
        row_sketches rows = k_.in_float ? made(*k_.in_float) : made(*k_.in_double);
        for (matrix<double>& each : rows.of)
            matrices_.emplace_back(*k_.basis, std::exchange(each, {}), lambda, k_.factor_group, targets);
        norm_bound_ = norm_bound_of(rows, lambda);
    }
    start_ = {};
    if (goals) start_ = matrices_.front().solutions();
    for (index i = 0; i < start_.rows() * start_.cols(); ++i)
        if (!std::isfinite(start_.data()[i] *= unit)) return start_ = {}, passes;
    return passes;
}

// If kernel values have an error E, SD^½Φ has the error SD^½ET⁻¹. The square of a sum is at most twice the sum of the
// squares, which gives the bound 2·norm_bound·(ΦᵀDΦ + ‖D^½ET⁻¹‖²), at most 2·norm_bound·(ΦᵀDΦ + λ/2) if the errors
// are small. The errors are those of float and those of the rounding in the sketch; n rows of them contribute
// n·E²·‖T⁻¹‖², here with a safety margin.
double sketched_preconditioner::norm_bound_of(const row_sketches& rows, double lambda) const {
    if (!losses_.is_quadratic() || offset_ || !matrices_.front().is_unmodified())
        return std::numeric_limits<double>::infinity();
    const double off = 4 * rows.rounding_unit, n = static_cast<double>(k_.in_double->rows()),
                 error = n * max_weight_ * off * off * k_.basis->squared_inverse_norm();
    return error <= lambda / 2 ? 2 * rows.norm_bound : std::numeric_limits<double>::infinity();
}

double sketched_preconditioner::gap_of(const matrix<double>& g) const {
    if (std::isinf(norm_bound_)) return norm_bound_;
    matrix<double> z = g;
    solve(z);
    return gap_of(newton_vectors::dot(g, z));
}

std::vector<double> sketched_preconditioner::gaps_of(const matrix<double>& g, index problems) const {
    if (std::isinf(norm_bound_)) return std::vector<double>(static_cast<std::size_t>(problems), norm_bound_);
    matrix<double> z = g;
    solve(z);
    std::vector<double> out = newton_vectors::dots(g, z, problems);
    for (double& each : out) each = gap_of(each);
    return out;
}

double sketched_preconditioner::rebuild_cost(double share) const {
    const double n = share * static_cast<double>(k_.in_double->rows()), m = static_cast<double>(k_.basis->size()),
                 s = static_cast<double>(buckets_);
    return static_cast<double>(matrices_.size()) * (2 * s * m * m + 32 * n * m) /
           (8 * n * m * (4 * static_cast<double>(functions_) + 10));
}

void sketched_preconditioner::solve(matrix<double>& z) const {
    if (matrices_.size() == 1) return matrices_.front().solve(z.view());
    blas::parallel_calls(functions_, [&](index c) {
        matrices_[static_cast<std::size_t>(c)].solve({z.row(c), 1, width_, width_});
    });
    if (losses_.is_independent()) return;
    // Softmax gradients sum to 0 over the functions, and so does the solution. Any other component has no curvature but
    // λ, where these matrices assume more, so it is removed.
    for (index j = 0; j < width_; ++j) {
        double mean = 0;
        for (index c = 0; c < functions_; ++c) mean += z(c, j) / static_cast<double>(functions_);
        for (index c = 0; c < functions_; ++c) z(c, j) -= mean;
    }
}

}  // namespace mercer
