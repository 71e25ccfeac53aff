#include "mercer/metrics/permutation_importance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/random_generator.h"

namespace mercer {
namespace {

// A copy of a row with another value in one column.
struct change {
    index row;
    double value;
};

std::vector<double> column_of(const dataset& x, index column) {
    std::vector<double> out(static_cast<std::size_t>(x.size()));
    std::visit(
        [&]<class Rows>(const Rows& rows) {
            for (index i = 0; i < x.size(); ++i) {
                double& value = out[static_cast<std::size_t>(i)];
                if constexpr (requires { rows.cols(i); }) {
                    const auto cols = rows.cols(i);
                    const auto at = std::ranges::lower_bound(cols, static_cast<std::int32_t>(column));
                    const bool there = at != cols.end() && *at == column;
                    value =
                        there ? static_cast<double>(rows.values(i)[static_cast<std::size_t>(at - cols.begin())]) : 0;
                } else if constexpr (requires { rows.row(i)[0]; }) {
                    value = static_cast<double>(rows.row(i)[column]);
                }
            }
        },
        x.items());
    return out;
}

template <class T>
dataset changed_rows(const dense<T>& x, index column, std::span<const change> which) {
    matrix<T> out(static_cast<index>(which.size()), x.dims());
    for (index i = 0; i < out.rows(); ++i) {
        const change& to = which[static_cast<std::size_t>(i)];
        std::copy_n(x.row(to.row), x.dims(), out.row(i));
        out(i, column) = static_cast<T>(to.value);
    }
    return dense<T>(std::move(out));
}

template <class T>
dataset changed_rows(const sparse<T>& x, index column, std::span<const change> which) {
    std::vector<index> start{0};
    std::vector<std::int32_t> cols;
    std::vector<T> values;
    const auto add = [&](std::int32_t c, T v) { cols.push_back(c), values.push_back(v); };
    for (const change& to : which) {
        const auto from = x.cols(to.row);
        const auto old = x.values(to.row);
        std::size_t k = 0;
        for (; k < from.size() && from[k] < column; ++k) add(from[k], old[k]);
        if (to.value != 0) add(static_cast<std::int32_t>(column), static_cast<T>(to.value));
        for (k += k < from.size() && from[k] == column; k < from.size(); ++k) add(from[k], old[k]);
        start.push_back(static_cast<index>(cols.size()));
    }
    return sparse<T>(std::move(start), std::move(cols), std::move(values), x.dims());
}

dataset changed_rows(const dataset& x, index column, std::span<const change> which) {
    return std::visit(
        [&]<class Rows>(const Rows& rows) -> dataset {
            if constexpr (requires { changed_rows(rows, column, which); })
                return changed_rows(rows, column, which);
            else
                fail(errc::unsupported,
                     fmt::format("the importance of features needs vectors, got {}", name(x.kind())));
        },
        x.items());
}

class shuffler {
public:
    shuffler(const dataset& x, std::span<const double> y, std::span<const double> classes, const metric& by,
             const predictor& model, const importance_options& o)
        : x_(x), y_(y), classes_(classes), by_(by), model_(model), o_(o), base_(model(x)) {
        for (index r = 0; r < o.repeats; ++r) {
            std::vector<index> order(static_cast<std::size_t>(x.size()));
            std::iota(order.begin(), order.end(), index{0});
            random_generator(o.seed + static_cast<std::uint64_t>(r)).shuffle(order);
            permutations_.push_back(std::move(order));
        }
        baseline_ = value_of(base_);
    }

    feature_importance importance(index column) const {
        const std::vector<double> values = column_of(x_, column);
        std::vector<predictions_of_model> shuffled(permutations_.size(), base_);
        // The changed rows of all shuffles are collected and passed to the model in batches of at most `most` rows.
        const auto most =
            static_cast<std::size_t>(std::max<index>(o_.max_batch_numbers / std::max<index>(x_.dims(), 1), 64));
        std::vector<change> changes;
        std::vector<std::size_t> repeat_of;
        const auto flush = [&] {
            if (changes.empty()) return;
            throw_if_cancelled();
            const predictions_of_model got = model_(changed_rows(x_, column, changes));
            for (std::size_t i = 0; i < changes.size(); ++i)
                store_prediction(got, i, shuffled[repeat_of[i]], changes[i].row);
            changes.clear(), repeat_of.clear();
        };
        for (std::size_t r = 0; r < permutations_.size(); ++r)
            for (std::size_t i = 0; i < values.size(); ++i) {
                const double value = values[static_cast<std::size_t>(permutations_[r][i])];
                if (value == values[i]) continue;
                changes.push_back({static_cast<index>(i), value});
                repeat_of.push_back(r);
                if (changes.size() == most) flush();
            }
        flush();
        return summary(column, shuffled);
    }

private:
    double worse(double than, double shuffled) const {
        return by_.larger_is_better ? than - shuffled : shuffled - than;
    }
    double value_of(const predictions_of_model& s) const {
        return by_.value({y_, s.predicted, s.scores.view(), classes_});
    }

    static void store_prediction(const predictions_of_model& from, std::size_t i, predictions_of_model& to, index row) {
        to.predicted[static_cast<std::size_t>(row)] = from.predicted[i];
        if (from.scores.cols() > 0)
            std::copy_n(from.scores.row(static_cast<index>(i)), from.scores.cols(), to.scores.row(row));
    }
    // The metric over the given examples.
    double value_of(const predictions_of_model& s, std::span<const index> rows) const {
        std::vector<double> y, predicted;
        matrix<double> scores(static_cast<index>(rows.size()), s.scores.cols());
        for (std::size_t i = 0; i < rows.size(); ++i) {
            y.push_back(y_[static_cast<std::size_t>(rows[i])]);
            predicted.push_back(s.predicted[static_cast<std::size_t>(rows[i])]);
            if (scores.cols() > 0) std::copy_n(s.scores.row(rows[i]), scores.cols(), scores.row(static_cast<index>(i)));
        }
        return by_.value({y, predicted, scores.view(), classes_});
    }

    feature_importance summary(index column, const std::vector<predictions_of_model>& shuffled) const {
        feature_importance out;
        out.column = column;
        for (const predictions_of_model& each : shuffled) out.decrease.push_back(worse(baseline_, value_of(each)));
        const double n = static_cast<double>(out.decrease.size());
        for (const double w : out.decrease) out.mean += w / n;
        for (const double w : out.decrease) out.deviation += (w - out.mean) * (w - out.mean) / n;
        out.deviation = std::sqrt(out.deviation);
        if (std::ranges::all_of(out.decrease, [](double w) { return w == 0; })) return out;
        // Each bootstrap sample draws examples and, independently, shuffles.
        out.mean_interval = bootstrap_intervals(
            x_.size(), 1,
            [&](std::span<const index> rows, std::span<double> to) {
                random_generator random(o_.seed + static_cast<std::uint64_t>(rows[0]));
                double sum = 0;
                for (std::size_t r = 0; r < shuffled.size(); ++r)
                    sum += value_of(shuffled[static_cast<std::size_t>(random.below(o_.repeats))], rows);
                to[0] = worse(value_of(base_, rows), sum / n);
            },
            {o_.resamples, o_.seed})[0];
        return out;
    }

    const dataset& x_;
    std::span<const double> y_, classes_;
    const metric& by_;
    const predictor& model_;
    const importance_options& o_;
    predictions_of_model base_;
    double baseline_ = 0;
    std::vector<std::vector<index>> permutations_;
};

}  // namespace

std::vector<feature_importance> permutation_importance(const dataset& x, std::span<const double> y,
                                                       std::span<const double> classes, const metric& by,
                                                       const predictor& model, const importance_options& options) {
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("the importance of features needs vectors, got {}", name(x.kind())));
    if (options.repeats < 1 || options.resamples < 1)
        fail(errc::invalid_argument,
             fmt::format("importance: must satisfy repeats >= 1 and resamples >= 1, got {} and {}", options.repeats,
                         options.resamples));
    if (x.size() != static_cast<index>(y.size()) || y.empty())
        fail(errc::invalid_argument, fmt::format("{} examples, but {} targets", x.size(), y.size()));
    const shuffler shuffle(x, y, classes, by, model, options);
    std::vector<feature_importance> out;
    for (index column = 0; column < x.dims(); ++column) {
        out.push_back(shuffle.importance(column));
        if (options.progress) options.progress(static_cast<double>(column + 1) / static_cast<double>(x.dims()));
    }
    return out;
}

}  // namespace mercer
