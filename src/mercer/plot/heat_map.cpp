// What a heat map shows: the order of the objects, means of cells, and the range of its colours.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/kernels/kernel_info.h"
#include "mercer/plot/pictures.h"

namespace mercer {

object_order object_order::plain(index n) {
    object_order order;
    order.objects.resize(static_cast<std::size_t>(n));
    std::iota(order.objects.begin(), order.objects.end(), index(0));
    order.about = "objects in the order of the file";
    return order;
}

object_order order_by_target(const table& data, index most_classes) {
    object_order order = object_order::plain(data.x.size());
    if (data.y.empty()) return order;
    std::map<double, index> count;
    for (const double y : data.y) ++count[y];
    std::ranges::stable_sort(order.objects, {}, [&](index i) { return data.y[static_cast<std::size_t>(i)]; });
    if (static_cast<index>(count.size()) > most_classes) {
        order.about = "objects sorted by target";
        return order;
    }
    order.about = "objects sorted by class";
    for (const auto& [y, members] : count) {
        const bool named = y >= 0 && y < static_cast<double>(data.class_names.size());
        order.bands.push_back({named ? data.class_names[static_cast<std::size_t>(y)] : number_text(y), members});
    }
    return order;
}

heat_cells average_cells(const gram<double>& k, const std::vector<index>& order, index most,
                         const std::function<void(double)>& progress) {
    const auto n = static_cast<index>(order.size());
    const index m = std::min(n, std::max<index>(most, 1));
    heat_cells cells{matrix<double>(m, m), {}, n};
    for (index r = 0; r <= m; ++r) cells.start.push_back(m == 0 ? 0 : r * n / m);
    std::vector<index> cell_of(order.size());
    for (index r = 0; r < m; ++r)
        for (index i = cells.start[static_cast<std::size_t>(r)]; i < cells.start[static_cast<std::size_t>(r) + 1]; ++i)
            cell_of[static_cast<std::size_t>(i)] = r;

    const std::span<const index> all(order);
    const index chunk = std::clamp<index>((index(1) << 22) / std::max<index>(n, 1), 1, std::max<index>(n, 1));
    matrix<double> values(chunk, n);
    for (index first = 0; first < n; first += chunk) {
        const index rows = std::min(chunk, n - first);
        k.block(all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(rows)), all, values.view());
        for (index i = 0; i < rows; ++i) {
            double* sums = cells.mean.row(cell_of[static_cast<std::size_t>(first + i)]);
            for (index j = 0; j < n; ++j) sums[cell_of[static_cast<std::size_t>(j)]] += values(i, j);
        }
        if (progress) progress(static_cast<double>(first + rows) / static_cast<double>(n));
    }
    const auto size = [&](index r) {
        return static_cast<double>(cells.start[static_cast<std::size_t>(r) + 1] -
                                   cells.start[static_cast<std::size_t>(r)]);
    };
    for (index i = 0; i < m; ++i)
        for (index j = 0; j < m; ++j) cells.mean(i, j) /= size(i) * size(j);
    return cells;
}

int colour_range::level(double value) const {
    return static_cast<int>(std::lround(std::clamp((value - low) / (high - low), 0.0, 1.0) * 255));
}

colour_range choose_range(const heat_cells& cells) {
    std::vector<double> sorted(cells.mean.data(), cells.mean.data() + cells.mean.rows() * cells.mean.cols());
    std::ranges::sort(sorted);
    colour_range range;
    if (sorted.empty()) return range;
    const double lowest = sorted.front(), highest = sorted.back();
    // A diagonal far above the rest would leave the rest one colour: the scale then ends where all but a few cells do.
    const double m = static_cast<double>(cells.mean.rows());
    const auto few = static_cast<std::size_t>(std::min(1.5 * m, 0.05 * m * m));
    const double upper = sorted[sorted.size() - 1 - few], lower = sorted[few];
    const double spread = upper - lower;
    range.clipped_above = highest - upper > 0.5 * spread && spread > 0;
    range.clipped_below = lower - lowest > 0.5 * spread && spread > 0;
    range.low = range.clipped_below ? lower : lowest;
    range.high = range.clipped_above ? upper : highest;
    range.diverging = range.low < -1e-3 * std::abs(range.high);  // less than that is hardly seen
    if (range.diverging) {
        const double most = std::max(-range.low, range.high);
        range.low = -most;
        range.high = most;
        range.clipped_above = highest > most;
        range.clipped_below = lowest < -most;
    } else if (range.low < 0.5 * range.high) {  // a scale from 0 where that costs at most half of the colours
        range.low = 0;
    }
    if (!(range.high > range.low)) {  // all the same
        const double room = range.high == 0 ? 1 : 0.5 * std::abs(range.high);
        range.low -= range.diverging || range.low > 0 ? room : 0;
        range.high += room;
    }
    return range;
}

}  // namespace mercer
