#include "mercer/metrics/reliability.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

reliability reliability_of(std::span<const double> probability, const std::vector<bool>& positive, index bins) {
    reliability out;
    std::vector<reliability_bin> all(static_cast<std::size_t>(bins));
    const double k = static_cast<double>(bins), n = static_cast<double>(probability.size());
    for (std::size_t b = 0; b < all.size(); ++b)
        all[b].low = static_cast<double>(b) / k, all[b].high = static_cast<double>(b + 1) / k;
    for (std::size_t i = 0; i < probability.size(); ++i) {
        const double p = probability[i];
        auto& bin = all[static_cast<std::size_t>(std::clamp(std::ceil(p * k) - 1, 0.0, k - 1))];
        ++bin.count;
        bin.positive += positive[i];
        bin.mean += p;
        const double miss = p - (positive[i] ? 1 : 0);
        out.brier += miss * miss / n;
    }
    for (reliability_bin& bin : all) {
        if (bin.count == 0) continue;
        const auto count = static_cast<double>(bin.count);
        bin.mean /= count;
        bin.share = static_cast<double>(bin.positive) / count;
        bin.of_share = wilson_interval(static_cast<double>(bin.positive), count);
        out.calibration_error += std::abs(bin.share - bin.mean) * count / n;
        out.bins.push_back(bin);
    }
    if (probability.empty()) out.brier = out.calibration_error = std::numeric_limits<double>::quiet_NaN();
    return out;
}

}  // namespace mercer
