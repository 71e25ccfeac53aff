#include "mercer/model_selection/ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/graphs.h"
#include "mercer/data/strings.h"
#include "mercer/data/variance.h"
#include "mercer/kernels/expression/listed_kernels.h"

namespace mercer::api {
namespace {

axis logarithmic(const std::string& name, double low, double high) { return {name, low, high, true, false, {}}; }
axis among(const std::string& name, std::vector<double> values) {
    return {name, 0, 0, false, false, std::move(values)};
}

double spread_of(const std::vector<double>& y) {
    double mean = 0, sum = 0;
    for (const double each : y) mean += each / static_cast<double>(y.size());
    for (const double each : y) sum += (each - mean) * (each - mean) / static_cast<double>(y.size());
    return sum > 0 ? std::sqrt(sum) : 1;
}

}  // namespace

double median_gamma(const dataset& x) {
    constexpr index most = 200, widest = 5000;
    if (x.kind() != domain::vectors || x.size() < 2) return 1;
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
    if (x.kind() == domain::vectors) return "rbf(gamma=?)";
    if (x.kind() == strings::where) return "normalize(spectrum(k=?))";
    if (x.kind() == graphs::where) return "normalize(wl(h=?))";
    return default_kernel(x).text();
}

axis usual_range_of_kernel(const hole& open, const table& data) {
    const std::string& name = open.name;
    if (name.empty()) return logarithmic("weight", 0.01, 100);
    if (name == "gamma") {
        const double middle = open.owner == "rbf" || open.owner == "gaussian" ? median_gamma(data.x) : 1;
        // From a width beyond the data to one within the nearest neighbours.
        return logarithmic(name, middle / 30, middle * 30);
    }
    if (name == "degree") return among(name, {1, 2, 3, 4});
    if (name == "coef0" || name == "c") return among(name, {0, 0.1, 1, 10});
    if (name == "k") return among(name, {2, 3, 4, 5, 6});
    if (name == "h" || name == "depth") return among(name, {0, 1, 2, 3, 4, 5, 6});
    if (name == "mismatches" || name == "shift") return among(name, {0, 1, 2});
    if (const registered_kernel* known = find_kernel(open.owner)) {
        for (const parameter_info& p : known->info.parameters) {
            if (p.name != name || p.initial.empty()) continue;
            const double usual = std::strtod(p.initial.c_str(), nullptr);
            const bool whole = p.condition.find("whole") != std::string::npos;
            const bool share =
                p.condition.find("< 1") != std::string::npos || p.condition.find("<= 1") != std::string::npos;
            if (share) return {name, 0.1, 0.9, false, false, {}};
            if (whole) return {name, 1, std::max(4.0, 2 * usual), false, true, {}};
            if (usual > 0) return logarithmic(name, usual / 30, usual * 30);
        }
    }
    fail(errc::invalid_argument,
         fmt::format("{}: no range of {} is usual: write it, as in {}=?[0.1, 10]", open.owner, name, name));
}

axis usual_range_of_option(const option_info& option, const table& data) {
    const std::string& name = option.name;
    if (name == "C") return logarithmic(name, 0.01, 1000);
    if (name == "alpha") return logarithmic(name, 1e-6, 10);
    if (name == "nu") return {name, 0.05, 0.8, false, false, {}};
    if (name == "epsilon") {
        const double spread = spread_of(data.y);
        return logarithmic(name, 0.003 * spread, 0.3 * spread);
    }
    if (name == "n_neighbors") return among(name, {1, 3, 5, 7, 11, 15, 21, 31});
    if (option.kind == option_kind::whole) {
        const double usual = std::max(1.0, std::strtod(option.initial.c_str(), nullptr));
        return {name, std::max(1.0, option.low), 2 * usual + 2, false, true, {}};
    }
    if (option.kind == option_kind::number) {
        const double usual = std::strtod(option.initial.c_str(), nullptr);
        if (option.low >= 0 && option.high <= 1) return {name, 0.05, 0.95, false, false, {}};
        if (usual > 0) return logarithmic(name, usual / 100, usual * 100);
    }
    fail(errc::invalid_argument, fmt::format("no range of {} is usual: write it, as in {}=?[0.1, 10]", name, name));
}

}  // namespace mercer::api
