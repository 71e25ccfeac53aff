#include "mercer/methods/svm/linear_origin.h"

#include "mercer/base/threads.h"

namespace mercer {
namespace {

constexpr double many_times = 1000;  // ten bits of the twenty-four of a float: what is left is enough
constexpr index rows_at_once = 256;

template <class T>
std::optional<std::vector<double>> distant_mean_of(const dense<T>& x) {
    const index n = x.size(), d = x.dims();
    if (n == 0 || d == 0) return {};
    std::vector<double> mean(static_cast<std::size_t>(d));
    for (index i = 0; i < n; ++i)
        for (index a = 0; a < d; ++a) mean[static_cast<std::size_t>(a)] += static_cast<double>(x.row(i)[a]);
    double far = 0, spread = 0;
    for (double& m : mean) m /= static_cast<double>(n), far += m * m;
    for (index i = 0; i < n; ++i)
        for (index a = 0; a < d; ++a) {
            const double off = static_cast<double>(x.row(i)[a]) - mean[static_cast<std::size_t>(a)];
            spread += off * off;
        }
    if (!(far > many_times * spread / static_cast<double>(n))) return {};
    return mean;
}

template <class T>
dataset moved(const dense<T>& x, const std::vector<double>& mean) {
    matrix<double> out(x.size(), x.dims());
    parallel_runs(x.size(), rows_at_once, [&](index first, index end) {
        for (index i = first; i < end; ++i)
            for (index a = 0; a < x.dims(); ++a)
                out(i, a) = static_cast<double>(x.row(i)[a]) - mean[static_cast<std::size_t>(a)];
    });
    return dense<double>(std::move(out));
}

}  // namespace

std::optional<std::vector<double>> distant_mean(const dataset& x) {
    if (const auto* wide = x.as<dense<double>>()) return distant_mean_of(*wide);
    if (const auto* narrow = x.as<dense<float>>()) return distant_mean_of(*narrow);
    return {};
}

dataset moved_to_origin(const dataset& x, const std::vector<double>& mean) {
    if (const auto* narrow = x.as<dense<float>>()) return moved(*narrow, mean);
    return moved(*x.as<dense<double>>(), mean);
}

}  // namespace mercer
