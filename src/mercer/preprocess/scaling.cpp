#include "mercer/preprocess/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/communicator.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/json.h"
#include "mercer/base/memory.h"
#include "mercer/base/reproducible_sums.h"
#include "mercer/data/vectors.h"
#include "mercer/io/file_contents.h"

namespace mercer {
namespace {

using json = nlohmann::json;
using range = scaling::range;

constexpr const char* scaling_format_name = "mercer-scaling";

void check(const scaling_options& options) {
    const auto check_interval = [](double lower, double upper, const char* prefix) {
        if (!(lower < upper) || !std::isfinite(lower) || !std::isfinite(upper))
            fail(
                errc::invalid_argument,
                fmt::format("min-max scaling needs finite {0}lower < {0}upper, got {1} and {2}", prefix, lower, upper));
    };
    if (options.method != scaling_method::minmax) return;
    check_interval(options.lower, options.upper, "");
    if (options.targets) check_interval(options.target_lower, options.target_upper, "target_");
}

// Calls visit(column, value) for every stored coordinate of all rows.
template <class Visit>
void each_value(const dataset& x, Visit&& visit) {
    std::visit(
        [&](const auto& some) {
            if constexpr (requires { some.row(0); }) {
                for (index i = 0; i < some.size(); ++i)
                    for (index j = 0; j < some.dims(); ++j) visit(j, static_cast<double>(some.row(i)[j]));
            } else if constexpr (requires { some.cols(0); }) {
                for (index i = 0; i < some.size(); ++i) {
                    const auto cols = some.cols(i);
                    const auto values = some.values(i);
                    for (std::size_t k = 0; k < cols.size(); ++k) visit(cols[k], static_cast<double>(values[k]));
                }
            } else {
                fail(errc::unsupported, fmt::format("scaling needs vectors, got {}", name(x.kind())));
            }
        },
        x.items());
}

// The minimum and maximum of each column, the number of its stored values, and the number of rows.
struct column_extremes {
    std::vector<range> columns;
    std::vector<index> stored;
    index rows = 0;

    void add_columns(index dims) {
        constexpr double inf = std::numeric_limits<double>::infinity();
        if (static_cast<index>(stored.size()) >= dims) return;
        columns.resize(static_cast<std::size_t>(dims), range{inf, -inf});
        stored.resize(columns.size(), 0);
    }
    void include(std::size_t j, double low, double high, index count) {
        columns[j] = {std::min(columns[j].first, low), std::max(columns[j].second, high)};
        stored[j] += count;
    }
    // Combines the rows of all processes. Collective.
    void combine_ranks(const communicator& group) {
        std::string mine(sizeof(index) + stored.size() * (sizeof(range) + sizeof(index)), '\0');
        copy_bytes(mine.data(), &rows, sizeof rows);
        copy_bytes(mine.data() + sizeof rows, columns.data(), columns.size() * sizeof(range));
        copy_bytes(mine.data() + sizeof rows + columns.size() * sizeof(range), stored.data(),
                   stored.size() * sizeof(index));
        *this = {};
        for (const std::string& each : group.all_gather(mine)) {
            const std::size_t dims = (each.size() - sizeof rows) / (sizeof(range) + sizeof(index));
            std::vector<range> theirs(dims);
            std::vector<index> counts(dims);
            index more = 0;
            copy_bytes(&more, each.data(), sizeof more);
            copy_bytes(theirs.data(), each.data() + sizeof rows, dims * sizeof(range));
            copy_bytes(counts.data(), each.data() + sizeof rows + dims * sizeof(range), dims * sizeof(index));
            add_columns(static_cast<index>(dims));
            for (std::size_t j = 0; j < dims; ++j) include(j, theirs[j].first, theirs[j].second, counts[j]);
            rows += more;
        }
    }
};

// Computes the extremes in one pass. A column that does not store all n values also contains a zero.
column_extremes compute_extremes(const scaling::batch_pass& pass, const communicator* group) {
    column_extremes out;
    pass([&](const dataset& x) {
        out.add_columns(x.dims());
        out.rows += x.size();
        each_value(x, [&](index j, double value) { out.include(static_cast<std::size_t>(j), value, value, 1); });
    });
    if (group) out.combine_ranks(*group);
    for (std::size_t j = 0; j < out.stored.size(); ++j)
        if (out.stored[j] < out.rows) out.include(j, 0.0, 0.0, 0);
    return out;
}

void sum_over_ranks(const communicator* group, std::vector<exact_sum>& sums) {
    static_assert(sizeof(exact_sum) == 3 * sizeof(double));
    if (group && !sums.empty()) group->all_sum(sums.front().parts, 3 * sums.size());
}

// Computes mean and standard deviation of each column in two passes after the pass for the extremes. Values are divided
// by the largest magnitude of their column, so that no sum can overflow.
std::vector<range> compute_moments(const scaling::batch_pass& pass, const communicator* group) {
    const column_extremes between = compute_extremes(pass, group);
    const std::size_t dims = between.columns.size();
    const auto n = static_cast<double>(between.rows);
    const auto every_value = [&pass](const auto& visit) { pass([&](const dataset& x) { each_value(x, visit); }); };
    std::vector<double> unit(dims);
    for (std::size_t j = 0; j < dims; ++j)
        unit[j] = std::max({std::abs(between.columns[j].first), std::abs(between.columns[j].second),
                            std::numeric_limits<double>::min()});
    std::vector<exact_sum> sum(dims);
    every_value([&](index j, double value) {
        sum[static_cast<std::size_t>(j)].add(value / unit[static_cast<std::size_t>(j)]);
    });
    sum_over_ranks(group, sum);
    // Distances to the mean are divided by the largest distance, so that their squares do not underflow if the
    // distances are tiny compared to the mean.
    std::vector<double> mean(dims), reach(dims);
    for (std::size_t j = 0; j < dims; ++j) {
        mean[j] = sum[j].value() / n;
        reach[j] =
            std::max({std::abs(between.columns[j].first / unit[j] - mean[j]),
                      std::abs(between.columns[j].second / unit[j] - mean[j]), std::numeric_limits<double>::min()});
    }
    std::vector<exact_sum> square(dims);
    every_value([&](index column, double value) {
        const auto j = static_cast<std::size_t>(column);
        const double distance = (value / unit[j] - mean[j]) / reach[j];
        square[j].add(distance * distance);
    });
    sum_over_ranks(group, square);
    std::vector<range> columns(dims);
    for (std::size_t j = 0; j < dims; ++j) {
        const double zeros = n - static_cast<double>(between.stored[j]);
        // residual = Σ (value - mean) / reach is 0 except for the rounding of the mean. Subtracting residual²/n
        // corrects the sum of squares for that rounding.
        const auto& [high, middle, low] = sum[j].parts;
        const double residual = (std::fma(-n, mean[j], high) + (middle + low)) / reach[j];
        const double zero = mean[j] / reach[j];  // |zero| <= 1 where it is used: the column contains a zero
        const double squares = square[j].value() + zeros * zero * zero;
        const double variance = std::max(0.0, (squares - residual * residual / n) / n);
        if (between.columns[j].first == between.columns[j].second)
            columns[j] = {between.columns[j].first, 0.0};
        else
            columns[j] = {mean[j] * unit[j], std::sqrt(variance) * reach[j] * unit[j]};
    }
    return columns;
}

// Returns the two numbers of each column, for the rows of all processes of the group unless it is null.
std::vector<range> fit_columns(const scaling::batch_pass& pass, scaling_method method, const communicator* group) {
    return method == scaling_method::minmax ? compute_extremes(pass, group).columns : compute_moments(pass, group);
}

template <class T>
T checked(double value, index row, index column) {
    const T result = static_cast<T>(value);
    if (!std::isfinite(result)) throw row_error(row, column, fmt::format("the scaled value {} is out of range", value));
    return result;
}

template <class T, class Map>
dataset map_rows(const dense<T>& x, std::span<const range> columns, const Map& map) {
    matrix<T> out(x.size(), x.dims());
    for (index i = 0; i < x.size(); ++i)
        for (index j = 0; j < x.dims(); ++j)
            out(i, j) = checked<T>(map(columns[static_cast<std::size_t>(j)], static_cast<double>(x.row(i)[j])), i, j);
    return dense<T>(std::move(out));
}

// Columns that do not map zero to zero are stored in every row; results that are zero are not stored.
template <class T, class Map>
dataset map_rows(const sparse<T>& x, std::span<const range> columns, const Map& map) {
    std::vector<std::pair<std::int32_t, T>> filled;
    for (std::size_t j = 0; j < columns.size(); ++j)
        if (const T value = checked<T>(map(columns[j], 0.0), 0, static_cast<index>(j)); value != 0)
            filled.emplace_back(static_cast<std::int32_t>(j), value);
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<T> val;
    for (index i = 0; i < x.size(); ++i) {
        auto fill = filled.begin();
        const auto cols = x.cols(i);
        const auto values = x.values(i);
        const auto add = [&](std::int32_t column, T value) {
            if (value == 0) return;
            col.push_back(column);
            val.push_back(value);
        };
        for (std::size_t k = 0; k < cols.size(); ++k) {
            for (; fill != filled.end() && fill->first < cols[k]; ++fill) add(fill->first, fill->second);
            if (fill != filled.end() && fill->first == cols[k]) ++fill;
            add(cols[k], checked<T>(map(columns[static_cast<std::size_t>(cols[k])], static_cast<double>(values[k])), i,
                                    cols[k]));
        }
        for (; fill != filled.end(); ++fill) add(fill->first, fill->second);
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<T>(std::move(start), std::move(col), std::move(val), static_cast<index>(columns.size()));
}

}  // namespace

scaling scaling::fit(const dataset& x, const scaling_options& options) {
    if (options.targets) fail(errc::invalid_argument, "scaling of targets needs targets, got none");
    return fit(x, {}, options);
}

scaling scaling::fit(const batch_pass& pass, const scaling_options& options, const communicator* group) {
    check(options);
    if (options.targets) fail(errc::invalid_argument, "scaling of targets needs targets, got none");
    scaling result;
    result.options_ = options;
    result.columns_ = fit_columns(
        [&](const auto& use) {
            pass([&](const dataset& x) {
                if (x.kind() != object_kind::vectors || x.is_sparse())
                    fail(errc::unsupported, "scaling batch by batch needs dense vectors, got sparse vectors");
                require_finite(x);
                use(x);
            });
        },
        options.method, group);
    if (result.columns_.empty()) fail(errc::invalid_argument, "scaling needs 1 <= n vectors, got 0");
    return result;
}

scaling scaling::fit(const dataset& x, std::span<const double> y, const scaling_options& options) {
    check(options);
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("scaling needs vectors, got {}", name(x.kind())));
    if (x.size() < 1) fail(errc::invalid_argument, "scaling needs 1 <= n vectors, got 0");
    if (x.is_sparse() && options.method == scaling_method::standardise && options.with_mean)
        fail(errc::unsupported,
             "standardising sparse vectors would make every zero nonzero: use with_mean = false, min-max scaling, or "
             "dense vectors");
    if (constexpr index most = index{1} << 26; x.dims() > most && mostly_empty_columns(x))
        fail(errc::memory, fmt::format("scaling stores two numbers per column, but nearly all of the {} columns are "
                                       "empty: renumber the columns, or do not scale",
                                       x.dims()));
    require_finite(x);
    scaling result;
    result.options_ = options;
    result.columns_ = fit_columns([&](const auto& use) { use(x); }, options.method, nullptr);
    if (options.targets) {
        if (static_cast<index>(y.size()) != x.size())
            fail(errc::invalid_argument,
                 fmt::format("expected one target per vector, got {} targets for {} vectors", y.size(), x.size()));
        const dataset column = dense<double>(matrix_view<const double>(y.data(), x.size(), 1));
        require_finite(column);
        result.target_ = fit_columns([&](const auto& use) { use(column); }, options.method, nullptr).front();
    }
    return result;
}

// Min-max uses the order of operations of svm-scale, so that the ends and all rounding agree with it.
double scaling::scale_value(const range& column, double value, double lower, double upper) const {
    const auto [first, second] = column;
    if (options_.method == scaling_method::standardise) {
        const double centred = options_.with_mean ? value - first : value;
        return second > 0 ? centred / second : centred;
    }
    if (first == second) return 0.0;
    if (value == first) return lower;
    if (value == second) return upper;
    if (const double width = second - first; std::isfinite(width) && std::isfinite(value - first)) {
        const double scaled = (upper - lower) * (value - first) / width;
        if (std::isfinite(scaled)) return lower + scaled;
    }
    return lower + (upper - lower) * ((value / 2 - first / 2) / (second / 2 - first / 2));
}

double scaling::unscale_value(const range& column, double value, double lower, double upper) const {
    const auto [first, second] = column;
    if (options_.method == scaling_method::standardise) {
        const double spread = second > 0 ? value * second : value;
        return options_.with_mean ? spread + first : spread;
    }
    if (first == second) return first;
    if (value == lower) return first;
    if (value == upper) return second;
    const double part = (value - lower) / (upper - lower);
    return std::isfinite(second - first) ? first + part * (second - first)
                                         : 2 * (first / 2 + part * (second / 2 - first / 2));
}

template <class Map>
dataset scaling::transform(const dataset& x, const Map& map) const {
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("scaling needs vectors, got {}", name(x.kind())));
    if (x.is_sparse() ? x.dims() > dims() : x.dims() != dims())
        fail(errc::invalid_argument,
             fmt::format("the scaling was fitted on {} columns, got vectors of {} columns", dims(), x.dims()));
    if (x.is_sparse() && options_.method == scaling_method::standardise && options_.with_mean)
        fail(errc::unsupported,
             "standardising sparse vectors would make every zero nonzero: use with_mean = false, min-max scaling, or "
             "dense vectors");
    require_finite(x);
    return std::visit(
        [&](const auto& some) -> dataset {
            if constexpr (requires { some.dims(); })
                return map_rows(some, columns_, map);
            else
                return {};
        },
        x.items());
}

dataset scaling::apply(const dataset& x) const {
    return transform(x, [this](const range& column, double value) {
        return scale_value(column, value, options_.lower, options_.upper);
    });
}

dataset scaling::inverse(const dataset& x) const {
    return transform(x, [this](const range& column, double value) {
        return unscale_value(column, value, options_.lower, options_.upper);
    });
}

std::vector<double> scaling::apply_targets(std::span<const double> y) const {
    std::vector<double> out(y.begin(), y.end());
    if (target_)
        for (double& value : out) value = scale_value(*target_, value, options_.target_lower, options_.target_upper);
    return out;
}

std::vector<double> scaling::inverse_targets(std::span<const double> y) const {
    std::vector<double> out(y.begin(), y.end());
    if (target_)
        for (double& value : out) value = unscale_value(*target_, value, options_.target_lower, options_.target_upper);
    return out;
}

std::string scaling::to_json() const {
    const bool minmax = options_.method == scaling_method::minmax;
    json first = json::array();
    json second = json::array();
    for (const range& column : columns_) {
        first.push_back(column.first);
        second.push_back(column.second);
    }
    json out{{"format", scaling_format_name}, {"version", 1}, {"method", minmax ? "minmax" : "standardise"}};
    if (minmax) {
        out["lower"] = options_.lower;
        out["upper"] = options_.upper;
    } else {
        out["with_mean"] = options_.with_mean;
    }
    out[minmax ? "min" : "mean"] = std::move(first);
    out[minmax ? "max" : "sd"] = std::move(second);
    if (target_) {
        json target{{minmax ? "min" : "mean", target_->first}, {minmax ? "max" : "sd", target_->second}};
        if (minmax) {
            target["lower"] = options_.target_lower;
            target["upper"] = options_.target_upper;
        }
        out["target"] = std::move(target);
    }
    return out.dump(1) + "\n";
}

namespace {

range checked_range(const json& first, const json& second, bool minmax) {
    const range result{first.get<double>(), second.get<double>()};
    if (!std::isfinite(result.first) || !std::isfinite(result.second))
        throw std::runtime_error(fmt::format("the numbers must be finite, got {} and {}", result.first, result.second));
    if (minmax && !(result.first <= result.second))
        throw std::runtime_error(fmt::format("must satisfy min <= max, got {} and {}", result.first, result.second));
    if (!minmax && !(result.second >= 0))
        throw std::runtime_error(fmt::format("must satisfy 0 <= sd, got {}", result.second));
    return result;
}

}  // namespace

scaling scaling::from_json(std::string_view text, const std::string& name) {
    try {
        json in = parse_json(text);
        const json_release at_end(in);
        if (in.at("format") != scaling_format_name)
            throw std::runtime_error(
                fmt::format("the format must be {}, got {}", scaling_format_name, in["format"].dump()));
        if (in.at("version") != 1)
            throw std::runtime_error(fmt::format("the version must be 1, got {}", in["version"].dump()));
        const std::string method = in.at("method");
        if (method != "minmax" && method != "standardise")
            throw std::runtime_error(fmt::format("unknown method '{}'", method));
        const bool minmax = method == "minmax";
        const char* const first = minmax ? "min" : "mean";
        const char* const second = minmax ? "max" : "sd";
        scaling result;
        scaling_options& options = result.options_;
        options.method = minmax ? scaling_method::minmax : scaling_method::standardise;
        if (minmax) {
            options.lower = in.at("lower");
            options.upper = in.at("upper");
        } else {
            options.with_mean = in.at("with_mean");
        }
        if (in.contains("target")) {
            const json& target = in["target"];
            options.targets = true;
            result.target_ = checked_range(target.at(first), target.at(second), minmax);
            if (minmax) {
                options.target_lower = target.at("lower");
                options.target_upper = target.at("upper");
            }
        }
        check(options);
        const json& a = in.at(first);
        const json& b = in.at(second);
        if (!a.is_array() || !b.is_array() || a.size() != b.size())
            throw std::runtime_error(fmt::format("'{}' and '{}' must be lists of the same length", first, second));
        for (std::size_t j = 0; j < a.size(); ++j) result.columns_.push_back(checked_range(a[j], b[j], minmax));
        return result;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& bad) {
        fail(errc::parse, fmt::format("{}: not a scaling file: {}", name, bad.what()));
    }
}

void scaling::save(const std::string& path) const { write_atomically(path, to_json()); }

scaling scaling::load(const std::string& path) {
    const file_contents file = read_file_if(path, begins_json_object);
    return parse_untruncated(file, [&] { return from_json(file.bytes(), file.name()); });
}

}  // namespace mercer
