#include "mercer/metrics/scores.h"

namespace mercer {

regression_score score_regression(std::span<const double> y, std::span<const double> v) {
    const double n = static_cast<double>(y.size());
    double squares = 0, sv = 0, sy = 0, svv = 0, syy = 0, svy = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
        squares += (v[i] - y[i]) * (v[i] - y[i]);
        sv += v[i], sy += y[i], svv += v[i] * v[i], syy += y[i] * y[i], svy += v[i] * y[i];
    }
    return {squares / n, (n * svy - sv * sy) * (n * svy - sv * sy) / ((n * svv - sv * sv) * (n * syy - sy * sy))};
}

index count_correct(std::span<const double> y, std::span<const double> v) {
    index correct = 0;
    for (std::size_t i = 0; i < y.size(); ++i) correct += y[i] == v[i];
    return correct;
}

}  // namespace mercer
