#include "mercer/solvers/smo/gradient.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"

namespace mercer::smo {

gradient::gradient(variables& v, const gram<float>& fast, const gram<double>& exact, std::size_t room, counters& done,
                   const limits& by)
    : v_(v), fast_(fast), exact_(exact), store_(v.n, room, fast.element_cost(), by.rows_kept), done_(done), by_(by) {}

// Stripe by stripe; rows come from the store or are computed.
void gradient::update(const std::vector<index>& changed, const std::vector<double>& delta, index from, index to,
                      bool keep) {
    if (changed.empty() || from >= to) return;
    const index rows = static_cast<index>(changed.size());
    std::vector<index> original(changed.size());
    std::vector<index> slot(changed.size(), -1), valid(changed.size(), 0);
    for (index r = 0; r < rows; ++r) {
        original[r] = v_.original[changed[r]];
        slot[r] = keep ? store_.fetch(original[r], valid[r]) : store_.find(original[r], valid[r]);
        (valid[r] >= to ? done_.rows_reused : done_.rows_computed) += 1;
        done_.work += static_cast<double>(to - from) * (valid[r] >= to ? 1.0 : fast_.element_cost());
    }
    const index first = from / stripe, stripes = (to + stripe - 1) / stripe - first;
    parallel_for(stripes, [&](index s) {
        const index c0 = std::max(from, (first + s) * stripe), width = std::min((first + s + 1) * stripe, to) - c0;
        const selection cols = v_.columns(c0, width);
        auto& scratch = per_thread<buffer<float>>([] {});
        auto& missing = per_thread<std::vector<index>>([] {});
        auto& target = per_thread<std::vector<float*>>([] {});
        auto& ready = per_thread<std::vector<const float*>>([] {});
        for (index r0 = 0; r0 < rows; r0 += row_chunk) {
            const index count = std::min(row_chunk, rows - r0);
            missing.clear();
            target.clear();
            ready.clear();
            float* spare = scratch.at_least(row_chunk * stripe);
            for (index r = r0; r < r0 + count; ++r) {
                if (valid[r] >= c0 + width) {
                    ready.push_back(store_.at(slot[r], c0));
                    continue;
                }
                float* at = keep && slot[r] >= 0 ? store_.at(slot[r], c0) : spare + (r - r0) * stripe;
                ready.push_back(at);
                missing.push_back(original[r]);
                target.push_back(at);
            }
            if (!missing.empty()) fast_.block(std::span<const index>(missing), cols, block_rows<float>(target.data()));
            ops_.subtract_rows(v_.F.data() + c0, ready.data(), delta.data() + r0, count, width);
        }
    });
    if (keep)
        for (index r = 0; r < rows; ++r) store_.extended(original[r], to);
}

void gradient::reconstruct() {
    v_.F = v_.p;
    const std::vector<index> support = v_.support();
    std::vector<double> alpha;
    for (const index i : support) alpha.push_back(v_.alpha[i]);
    update(support, alpha, 0, v_.n, false);
}

void gradient::make_exact(const std::vector<index>& points) {
    std::vector<index> support;
    std::vector<double> weight;
    for (index j = 0; j < v_.n; ++j)
        if (v_.alpha[j] != 0) support.push_back(v_.original[j]), weight.push_back(v_.alpha[j]);
    constexpr index band = 96, strip = 1024;
    const index count = static_cast<index>(points.size()), terms = static_cast<index>(support.size());
    parallel_for((count + band - 1) / band, [&](index b) {
        auto& tile = per_thread<buffer<double>>([] {});
        const index first = b * band, rows = std::min(band, count - first);
        std::vector<index> who;
        for (index i = first; i < first + rows; ++i) {
            who.push_back(v_.original[points[i]]);
            v_.F[points[i]] = v_.p[points[i]];
        }
        for (index c = 0; c < terms; c += strip) {
            const index width = std::min(strip, terms - c);
            const matrix_view<double> k(tile.at_least(band * strip), rows, width);
            exact_.block(std::span<const index>(who),
                         std::span<const index>(support.data() + c, static_cast<std::size_t>(width)), k);
            for (index i = 0; i < rows; ++i) v_.F[points[first + i]] -= ops_.dot(k.row(i), weight.data() + c, width);
        }
    });
}

bool gradient::make_all_exact(double cycles) {
    const index values = v_.active * v_.support_size();
    if (values > by_.most_exact && static_cast<double>(values) * exact_.element_cost() > cycles) return false;
    std::vector<index> all(static_cast<std::size_t>(v_.active));
    std::iota(all.begin(), all.end(), index{0});
    make_exact(all);
    return true;
}

std::vector<index> gradient::sample(index step) {
    std::vector<index> points;
    for (index i = samples_++ % step; i < v_.active; i += step) points.push_back(i);
    return points;
}

double gradient::sampled_error() {
    const std::vector<index> points = sample(std::max<index>(1, v_.active / by_.sample_size));
    std::vector<double> before;
    for (const index i : points) before.push_back(v_.F[i]);
    make_exact(points);
    double error = 0;
    for (std::size_t k = 0; k < points.size(); ++k) error = std::max(error, std::abs(v_.F[points[k]] - before[k]));
    return error;
}

}  // namespace mercer::smo
