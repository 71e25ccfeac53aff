#include "mercer/metrics/confusion.h"

#include <algorithm>
#include <limits>

namespace mercer {

index confusion::place(double label) const {
    return static_cast<index>(std::ranges::lower_bound(labels, label) - labels.begin());
}

confusion confusion_of(std::span<const double> y, std::span<const double> predicted, std::span<const double> classes) {
    confusion out;
    out.labels.assign(classes.begin(), classes.end());
    out.labels.insert(out.labels.end(), y.begin(), y.end());
    out.labels.insert(out.labels.end(), predicted.begin(), predicted.end());
    std::ranges::sort(out.labels);
    out.labels.erase(std::unique(out.labels.begin(), out.labels.end()), out.labels.end());
    const auto k = static_cast<index>(out.labels.size());
    out.count = matrix<index>(k, k);
    std::fill_n(out.count.data(), k * k, index{0});
    for (std::size_t i = 0; i < y.size(); ++i) ++out.count(out.place(y[i]), out.place(predicted[i]));
    return out;
}

std::vector<class_figures> figures_of_classes(const confusion& all) {
    const auto share = [](index part, index of) {
        return of > 0 ? static_cast<double>(part) / static_cast<double>(of) : std::numeric_limits<double>::quiet_NaN();
    };
    std::vector<class_figures> out;
    for (index c = 0; c < all.count.rows(); ++c) {
        class_figures one;
        one.label = all.labels[static_cast<std::size_t>(c)];
        for (index other = 0; other < all.count.rows(); ++other)
            one.support += all.count(c, other), one.said += all.count(other, c);
        one.right = all.count(c, c);
        one.precision = share(one.right, one.said);
        one.recall = share(one.right, one.support);
        one.f1 = share(2 * one.right, one.said + one.support);
        one.of_precision = wilson_interval(static_cast<double>(one.right), static_cast<double>(one.said));
        one.of_recall = wilson_interval(static_cast<double>(one.right), static_cast<double>(one.support));
        out.push_back(one);
    }
    return out;
}

}  // namespace mercer
