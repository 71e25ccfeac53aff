#include "mercer/inspection/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/data/graphs.h"
#include "mercer/data/strings.h"
#include "mercer/data/trees.h"
#include "mercer/kernels/features/explicit_features.h"

namespace mercer {
namespace {

void require_sum(const kernel_expansion& f) {
    if (!f.k)
        fail(errc::unsupported,
             "this model was fitted on a precomputed kernel: its objects are not known, and so no features either");
}

// w of one function, from the rows of its objects.
std::vector<double> weights_of(const kernel_expansion& f, index function, const sparse<double>& rows,
                               const std::vector<double>& scale) {
    std::vector<double> w(scale.size());
    for (index s = 0; s < rows.size(); ++s) {
        const double coef = f.coef(s, function);
        if (coef == 0) continue;
        for (std::size_t e = 0; e < rows.cols(s).size(); ++e)
            w[static_cast<std::size_t>(rows.cols(s)[e])] += coef * rows.values(s)[e];
    }
    for (std::size_t c = 0; c < w.size(); ++c) w[c] *= scale[c];
    return w;
}

// The places of the `top` largest |values|, the largest first; as large ones in their order.
std::vector<index> largest(const std::vector<double>& values, index top) {
    std::vector<index> order(values.size());
    std::iota(order.begin(), order.end(), index{0});
    const auto count = std::min(static_cast<std::ptrdiff_t>(top), static_cast<std::ptrdiff_t>(order.size()));
    const auto size = [&](index i) { return std::abs(values[static_cast<std::size_t>(i)]); };
    std::ranges::partial_sort(order, order.begin() + count,
                              [&](index a, index b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
    order.resize(static_cast<std::size_t>(count));
    return order;
}

index parts_of(const dataset& x, index row) {
    if (const auto* some = x.as<strings>()) return static_cast<index>((*some)[row].size());
    if (const auto* some = x.as<graphs>()) return (*some)[row].nodes();
    if (const auto* some = x.as<trees>()) return (*some)[row].size();
    return 0;
}

// Every share divided among the places of its feature, and each of those among its bytes or nodes.
std::vector<double> placed(const std::map<index, double>& shares, const std::vector<feature_place>& places,
                           index size) {
    std::vector<double> out(places.empty() ? 0 : static_cast<std::size_t>(size));
    if (out.empty()) return out;  // of records: places in which field is not known
    std::map<index, double> whole;
    for (const feature_place& each : places)
        if (!each.parts.empty()) whole[each.column] += each.weight;
    for (const feature_place& each : places) {
        const auto share = shares.find(each.column);
        if (share == shares.end() || each.parts.empty()) continue;
        const double one = share->second * each.weight / whole[each.column] / static_cast<double>(each.parts.size());
        for (const index part : each.parts) out[static_cast<std::size_t>(part)] += one;
    }
    return out;
}

}  // namespace

std::vector<decision_shares> share_decisions(const kernel_expansion& f, const dataset& x, index row, index top,
                                             const known_names& known, const std::optional<known_places>& where) {
    require_sum(f);
    if (row < 0 || row >= x.size())
        fail(errc::invalid_argument, fmt::format("which object? must satisfy 0 <= row < {}, got {}", x.size(), row));
    const dataset one = gather(x, selection(row, 1));
    const object_features phi(*f.k, one, &f.x);
    const auto cols = phi.x().cols(0);
    const auto values = phi.x().values(0);
    const std::vector<feature_place> places = where ? where->places : phi.places(0);
    std::vector<decision_shares> out;
    for (index j = 0; j < f.functions(); ++j) {
        const std::vector<double> w = weights_of(f, j, phi.z(), phi.weight());
        decision_shares made;
        made.offset = f.offset.empty() ? 0 : f.offset[static_cast<std::size_t>(j)];
        made.features = static_cast<index>(cols.size());
        std::vector<double> shares;
        std::map<index, double> by_column;
        for (std::size_t e = 0; e < cols.size(); ++e) {
            shares.push_back(values[e] * w[static_cast<std::size_t>(cols[e])]);
            by_column[cols[e]] = shares.back();
        }
        made.f = std::accumulate(shares.begin(), shares.end(), 0.0) + made.offset;
        for (const index e : largest(shares, top)) {
            const auto at = static_cast<std::size_t>(e);
            const feature_name name = phi.name(cols[at], known);
            made.largest.push_back({name.text, name.kernel, values[at], w[static_cast<std::size_t>(cols[at])]});
            shares[at] = 0;
        }
        made.rest = std::accumulate(shares.begin(), shares.end(), 0.0);
        made.parts = placed(by_column, places, where ? where->size : parts_of(one, 0));
        out.push_back(std::move(made));
    }
    return out;
}

std::vector<std::vector<feature_share>> largest_weights(const kernel_expansion& f, index top,
                                                        const known_names& known) {
    require_sum(f);
    const object_features phi(*f.k, f.x);
    std::vector<std::vector<feature_share>> out;
    for (index j = 0; j < f.functions(); ++j) {
        const std::vector<double> w = weights_of(f, j, phi.x(), phi.weight());
        auto& list = out.emplace_back();
        for (const index c : largest(w, top)) {
            const double weight = w[static_cast<std::size_t>(c)];
            if (weight == 0) break;
            const feature_name name = phi.name(c, known);
            list.push_back({name.text, name.kernel, 0, weight});
        }
    }
    return out;
}

}  // namespace mercer
