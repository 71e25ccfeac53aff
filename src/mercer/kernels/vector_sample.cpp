#include "mercer/kernels/vector_sample.h"

#include <algorithm>
#include <cmath>

#include "mercer/kernels/vector_rows.h"

namespace mercer {

template <class T>
vector_sample<T> sample_vectors(const dataset& x) {
    if (x.kind() != object_kind::vectors || x.size() == 0 || x.dims() == 0) return {};
    const index depth = x.dims(), most = std::clamp<index>((index{1} << 17) / depth, 16, 256);  // medians are slow
    const index step = std::max<index>(1, x.size() / most), count = (x.size() + step - 1) / step;
    if (x.is_sparse() && depth > 4096) return {};
    constexpr index at_once = 4096;  // columns
    matrix<double> rows(count, std::min(depth, at_once));
    vector_sample<T> seen;
    seen.centre.resize(static_cast<std::size_t>(depth));
    std::vector<double> column(static_cast<std::size_t>(count));
    double entries = 0, total = 0, left = 0;
    for (index a = 0; a < depth; ++a) {
        if (a % at_once == 0)
            for (index r = 0; r < count; ++r) read_row(x, r * step, {a, std::min(at_once, depth - a)}, rows.row(r));
        for (index r = 0; r < count; ++r) {
            column[r] = rows(r, a % at_once);
            entries += column[r] != 0;
            total += column[r] * column[r];
        }
        if (!std::isfinite(total)) return {};
        std::nth_element(column.begin(), column.begin() + count / 2, column.end());
        seen.centre[a] = static_cast<T>(column[count / 2]);
        const auto centre = static_cast<double>(seen.centre[a]);
        for (const double v : column) left += (v - centre) * (v - centre);
    }
    if (std::isfinite(left) && total > 0) seen.centred_fraction = std::max(0.0, 1 - left / total);
    seen.density = entries / (static_cast<double>(count) * static_cast<double>(depth));
    return seen;
}

template vector_sample<float> sample_vectors(const dataset&);
template vector_sample<double> sample_vectors(const dataset&);

}  // namespace mercer
