
#include "mercer/model_selection/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "mercer/base/error.h"
#include "mercer/data/graphs.h"
#include "mercer/data/strings.h"
#include "mercer/data/vectors.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/regression/kernel_ridge.h"

namespace mercer {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The word that ends before `end`, after skipping blanks; moves `end` to its start.
std::string word_before(std::string_view text, std::size_t& end) {
    while (end > 0 && text[end - 1] == ' ') --end;
    const std::size_t stop = end;
    while (end > 0 && is_word(text[end - 1])) --end;
    return std::string(text.substr(end, stop - end));
}

// The position of the bracket that encloses `at`, or npos.
std::size_t open_bracket(std::string_view text, std::size_t at) {
    for (int depth = 0; at-- > 0;) {
        if (text[at] == ')') ++depth;
        if (text[at] == '(' && depth-- == 0) return at;
    }
    return std::string_view::npos;
}

[[noreturn]] void fail_range(std::string_view text, std::size_t at, const std::string& why) {
    fail(errc::parse, fmt::format("'{}', at character {}: {}", text, at + 1, why));
}

// Parses the numbers in the brackets that start at `at`; moves `at` behind them.
std::vector<double> numbers_in(std::string_view text, std::size_t& at) {
    const char closing = text[at] == '[' ? ']' : '}';
    const std::size_t end = text.find(closing, at);
    if (end == std::string_view::npos) fail_range(text, at, fmt::format("'{}' is missing", closing));
    std::vector<double> out;
    for (std::size_t from = at + 1; from <= end;) {
        const std::size_t stop = std::min(text.find(',', from), end);
        std::string_view one = text.substr(from, stop - from);
        while (!one.empty() && one.front() == ' ') one.remove_prefix(1);
        while (!one.empty() && one.back() == ' ') one.remove_suffix(1);
        double number = 0;
        const auto [stopped, code] = std::from_chars(one.data(), one.data() + one.size(), number);
        if (code != std::errc() || stopped != one.data() + one.size() || !std::isfinite(number))
            fail_range(text, from, fmt::format("a finite number is expected, got '{}'", one));
        out.push_back(number);
        from = stop + 1;
    }
    at = end + 1;
    return out;
}

void read_range(std::string_view text, std::size_t& at, free_parameter& into) {
    if (at >= text.size() || (text[at] != '[' && text[at] != '{')) return;
    const std::size_t start = at;
    const bool list = text[at] == '{';
    std::vector<double> numbers = numbers_in(text, at);
    into.has_range = true;
    if (list) {
        std::ranges::sort(numbers);
        into.range.values = std::move(numbers);
        return;
    }
    if (numbers.size() != 2 || !(numbers[0] < numbers[1]))
        fail_range(text, start, "a range must be ?[low, high] with low < high");
    into.range.low = numbers[0], into.range.high = numbers[1];
    into.range.logarithmic = numbers[0] > 0 && numbers[1] / numbers[0] >= 10;
}

}  // namespace

std::vector<double> axis::points(index count) const {
    if (!values.empty() && static_cast<index>(values.size()) <= count) return values;
    std::vector<double> out;
    for (index i = 0; i < count; ++i)
        out.push_back(at(count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.5));
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

double axis::at(double share) const {
    if (!values.empty()) {
        const auto last = static_cast<double>(values.size() - 1);
        return values[static_cast<std::size_t>(std::llround(std::clamp(share, 0.0, 1.0) * last))];
    }
    double v = logarithmic ? low * std::pow(high / low, share) : low + (high - low) * share;
    if (logarithmic && !whole) {  // rounded to three digits, for readability
        const std::string text = fmt::format("{:.3g}", v);
        std::from_chars(text.data(), text.data() + text.size(), v);
    }
    return std::clamp(whole ? std::round(v) : v, low, high);
}

double axis::share(double value) const {
    if (!values.empty())
        return values.size() > 1 ? static_cast<double>(std::ranges::lower_bound(values, value) - values.begin()) /
                                       static_cast<double>(values.size() - 1)
                                 : 0.5;
    if (high == low) return 0.5;
    return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

open_text::open_text(std::string_view text) {
    std::size_t from = 0;
    for (std::size_t at = text.find('?'); at != std::string_view::npos; at = text.find('?', from)) {
        free_parameter found;
        std::size_t before = at;
        while (before > 0 && text[before - 1] == ' ') --before;
        if (before > 0 && text[before - 1] == '=') found.name = word_before(text, --before);
        if (std::size_t bracket = open_bracket(text, at); bracket != std::string_view::npos)
            found.owner = word_before(text, bracket);
        between_.emplace_back(text.substr(from, at - from));
        from = at + 1;
        read_range(text, from, found);
        found.range.name = found.name.empty() ? "weight" : found.name;
        free_parameters_.push_back(std::move(found));
    }
    between_.emplace_back(text.substr(from));
}

std::string open_text::filled(std::span<const double> values) const {
    std::string out = between_[0];
    for (std::size_t i = 0; i < free_parameters_.size(); ++i) out += number_text(values[i]) + between_[i + 1];
    return out;
}

std::vector<space_point> grid_points(const std::vector<axis>& axes, index each) {
    std::vector<space_point> out{{}};
    for (const axis& a : axes) {
        std::vector<space_point> longer;
        for (const space_point& p : out)
            for (const double v : a.points(each)) {
                longer.push_back(p);
                longer.back().push_back(v);
            }
        out = std::move(longer);
    }
    return out;
}

std::vector<space_point> random_points(const std::vector<axis>& axes, index count, const random_below& random) {
    constexpr index fine = index(1) << 30;
    std::set<space_point> seen;
    std::vector<space_point> out;
    for (index draw = 0; draw < 10 * count && static_cast<index>(out.size()) < count; ++draw) {
        space_point p;
        for (const axis& a : axes) p.push_back(a.at(static_cast<double>(random(fine)) / static_cast<double>(fine - 1)));
        if (seen.insert(p).second) out.push_back(std::move(p));
    }
    return out;
}

std::size_t max_expected_improvement(const std::vector<axis>& axes, const std::vector<space_point>& tried,
                                     const std::vector<double>& score, const std::vector<space_point>& candidates) {
    const auto shares = [&](const std::vector<space_point>& points) {
        matrix<double> out(static_cast<index>(points.size()), static_cast<index>(axes.size()));
        for (index i = 0; i < out.rows(); ++i)
            for (index a = 0; a < out.cols(); ++a)
                out(i, a) = axes[static_cast<std::size_t>(a)].share(
                    points[static_cast<std::size_t>(i)][static_cast<std::size_t>(a)]);
        return dataset(dense<double>(std::move(out)));
    };
    // Standardises the scores, so that the process does not depend on their scale.
    const auto n = static_cast<double>(score.size());
    double mean = 0, spread = 0;
    for (const double s : score) mean += s / n;
    for (const double s : score) spread += (s - mean) * (s - mean) / n;
    spread = spread > 0 ? std::sqrt(spread) : 1;
    matrix<double> y(static_cast<index>(score.size()), 1);
    for (index i = 0; i < y.rows(); ++i) y(i, 0) = (score[static_cast<std::size_t>(i)] - mean) / spread;

    const dataset x = shares(tried), z = shares(candidates);
    kernel_ridge_options options;
    options.alpha = 1e-3;  // noise of the scores
    options.variance = options.loo = true;
    kernel_ridge_model process;
    double least = std::numeric_limits<double>::infinity();
    for (const double gamma : {1.0, 4.0, 16.0, 64.0}) {
        kernel_ridge_model one =
            fit_kernel_ridge(kernel::parse(fmt::format("rbf(gamma={})", gamma)), x, y.view(), options);
        double missed = 0;
        for (index i = 0; i < y.rows(); ++i) missed += one.loo(i, 0) * one.loo(i, 0);
        if (missed < least) least = missed, process = std::move(one);
    }
    const matrix<double> expected = predict(process, z);
    const std::vector<double> variance = predict_variance(process, z);
    const double top = *std::max_element(y.row(0), y.row(0) + y.rows());
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const double sd = std::sqrt(variance[i]), ahead = expected(static_cast<index>(i), 0) - top;
        const double u = sd > 0 ? ahead / sd : 0;
        const double gain = sd > 0 ? ahead * 0.5 * std::erfc(-u / std::numbers::sqrt2) +
                                         sd * std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi)
                                   : std::max(ahead, 0.0);
        if (gain > most) most = gain, best = i;
    }
    return best;
}

}  // namespace mercer

namespace mercer::api {
namespace {

axis log_axis(const std::string& name, double low, double high) { return {name, low, high, true, false, {}}; }
axis listed_axis(const std::string& name, std::vector<double> values) {
    return {name, 0, 0, false, false, std::move(values)};
}

double standard_deviation(const std::vector<double>& y) {
    double mean = 0, sum = 0;
    for (const double each : y) mean += each / static_cast<double>(y.size());
    for (const double each : y) sum += (each - mean) * (each - mean) / static_cast<double>(y.size());
    return sum > 0 ? std::sqrt(sum) : 1;
}

}  // namespace

double median_gamma(const dataset& x) {
    constexpr index most = 200, widest = 5000;
    if (x.kind() != object_kind::vectors || x.size() < 2) return 1;
    std::vector<double> squares;
    if (x.dims() <= widest) {
        std::vector<index> rows;
        const index n = std::min(most, x.size());
        for (index i = 0; i < n; ++i) rows.push_back(i * x.size() / n);
        const dense<double> some = as_dense<double>(gather(x, std::span<const index>(rows)));
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < i; ++j) {
                double sum = 0;
                for (index a = 0; a < some.dims(); ++a) {
                    const double d = some.row(i)[a] - some.row(j)[a];
                    sum += d * d;
                }
                if (sum > 0) squares.push_back(sum);
            }
    }
    double middle = 2 * static_cast<double>(x.dims()) * entry_variance(x);
    if (!squares.empty()) {
        const auto half = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
        std::nth_element(squares.begin(), half, squares.end());
        middle = *half;
    }
    return middle > 0 && std::isfinite(1 / middle) ? 1 / middle : 1;
}

std::string default_open_kernel(const dataset& x) {
    if (x.kind() == object_kind::vectors) return "rbf(gamma=?)";
    if (x.kind() == strings::kind) return "normalize(spectrum(k=?))";
    if (x.kind() == graphs::kind) return "normalize(wl(h=?))";
    return default_kernel(x).text();
}

axis default_kernel_range(const free_parameter& open, const table& data) {
    const std::string& name = open.name;
    if (name.empty()) return log_axis("weight", 0.01, 100);
    if (name == "gamma") {
        const double middle = open.owner == "rbf" || open.owner == "gaussian" ? median_gamma(data.x) : 1;
        // From a width larger than the data to one smaller than the distance of nearest neighbours.
        return log_axis(name, middle / 30, middle * 30);
    }
    if (name == "degree") return listed_axis(name, {1, 2, 3, 4});
    if (name == "coef0" || name == "c") return listed_axis(name, {0, 0.1, 1, 10});
    if (name == "k") return listed_axis(name, {2, 3, 4, 5, 6});
    if (name == "h" || name == "depth") return listed_axis(name, {0, 1, 2, 3, 4, 5, 6});
    if (name == "mismatches" || name == "shift") return listed_axis(name, {0, 1, 2});
    if (const registered_kernel* known = find_kernel(open.owner)) {
        for (const parameter_info& p : known->info.parameters) {
            if (p.name != name || p.initial.empty()) continue;
            const double usual = std::strtod(p.initial.c_str(), nullptr);
            const bool whole = p.condition.find("whole") != std::string::npos;
            const bool share =
                p.condition.find("< 1") != std::string::npos || p.condition.find("<= 1") != std::string::npos;
            if (share) return {name, 0.1, 0.9, false, false, {}};
            if (whole) return {name, 1, std::max(4.0, 2 * usual), false, true, {}};
            if (usual > 0) return log_axis(name, usual / 30, usual * 30);
        }
    }
    fail(errc::invalid_argument,
         fmt::format("{}: {} has no default range: write a range, as in {}=?[0.1, 10]", open.owner, name, name));
}

axis default_option_range(const option_info& option, const table& data) {
    const std::string& name = option.name;
    if (name == "C") return log_axis(name, 0.01, 1000);
    if (name == "alpha") return log_axis(name, 1e-6, 10);
    if (name == "nu") return {name, 0.05, 0.8, false, false, {}};
    if (name == "epsilon") {
        const double spread = standard_deviation(data.y);
        return log_axis(name, 0.003 * spread, 0.3 * spread);
    }
    if (name == "n_neighbors") return listed_axis(name, {1, 3, 5, 7, 11, 15, 21, 31});
    if (option.kind == option_kind::integer) {
        const double usual = std::max(1.0, std::strtod(option.default_value.c_str(), nullptr));
        return {name, std::max(1.0, option.low), 2 * usual + 2, false, true, {}};
    }
    if (option.kind == option_kind::number) {
        const double usual = std::strtod(option.default_value.c_str(), nullptr);
        if (option.low >= 0 && option.high <= 1) return {name, 0.05, 0.95, false, false, {}};
        if (usual > 0) return log_axis(name, usual / 100, usual * 100);
    }
    fail(errc::invalid_argument,
         fmt::format("{} has no default range: write a range, as in {}=?[0.1, 10]", name, name));
}

}  // namespace mercer::api
