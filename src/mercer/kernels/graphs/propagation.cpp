#include "mercer/kernels/graphs/propagation.h"

#include <fmt/format.h>

#include <array>
#include <numbers>

#include "mercer/kernels/graphs/graph_features.h"

namespace mercer {
namespace {

// splitmix64 (Steele, Lea, Flood 2014) and the Box-Muller transform. The sequence is part of the definition of the
// kernel, so it must not change.
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}
    double uniform() {  // in (0, 1)
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        return (static_cast<double>((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
    }
    double normal() {
        const double r = std::sqrt(-2 * std::log(uniform()));
        return r * std::cos(2 * std::numbers::pi * uniform());
    }

private:
    std::uint64_t state_;
};

// The projection of each step: the elements of u, then b.
std::vector<std::vector<double>> projections(int t, index dims, double w, int seed) {
    random_numbers random(static_cast<std::uint64_t>(seed));
    std::vector<std::vector<double>> out;
    for (int step = 0; step <= t; ++step) {
        auto& one = out.emplace_back();
        for (index a = 0; a < dims; ++a) one.push_back(random.normal());
        one.push_back(w * random.uniform());
    }
    return out;
}

std::vector<double> values_of(const graph& g) {
    std::vector<double> out;
    for (index v = 0; v < g.nodes(); ++v) out.insert(out.end(), g.values(v).begin(), g.values(v).end());
    return out;
}

// x ← D⁻¹A x
void average_neighbours(const graph& g, std::vector<double>& x) {
    const auto d = static_cast<std::size_t>(g.attributes());
    std::vector<double> next = x;
    for (index v = 0; v < g.nodes(); ++v) {
        const auto near = g.neighbours(v);
        if (near.empty()) continue;
        for (std::size_t a = 0; a < d; ++a) {
            double sum = 0;
            for (const std::int32_t w : near) sum += x[static_cast<std::size_t>(w) * d + a];
            next[static_cast<std::size_t>(v) * d + a] = sum / static_cast<double>(near.size());
        }
    }
    x.swap(next);
}

index attributes_of(const joined_graphs& all) {
    index dims = 0;
    for (index i = 0; i < all.size(); ++i) {
        const graph& g = all[i];
        if (g.nodes() == 0) continue;
        if (dims == 0) dims = g.attributes();
        if (g.attributes() == 0 || g.attributes() != dims)
            fail(errc::data,
                 fmt::format(
                     "propagation: every node needs the same number of attributes, at least one, got {} in graph {}",
                     g.attributes(), i < all.x->size() ? i : i - all.x->size()));
    }
    return dims;
}

}  // namespace

named_embedding propagated_bins(int t, double w, int seed) {
    const std::string key = fmt::format("propagation {} {} {}", t, w, seed);
    return {key, [=](const dataset& left, const dataset* right) {
                const auto by = projections(t, attributes_of(joined_graphs(left, right, key)), w, seed);
                const auto bins = [=](const graph& g, auto& tally) {
                    std::vector<double> x = values_of(g);
                    const auto d = static_cast<std::size_t>(g.attributes());
                    for (int step = 0; step <= t; ++step) {
                        if (step > 0) average_neighbours(g, x);
                        const auto& u = by[static_cast<std::size_t>(step)];
                        for (index v = 0; v < g.nodes(); ++v) {
                            double at = u[d];
                            for (std::size_t a = 0; a < d; ++a) at += u[a] * x[static_cast<std::size_t>(v) * d + a];
                            const double bin = std::floor(at / w);
                            if (!(std::abs(bin) < 0x1p62))
                                fail(errc::invalid_argument,
                                     fmt::format("propagation: w must be at least 2^-62 times the largest projected "
                                                 "attribute, got w = {} for {}",
                                                 w, at));
                            tally.add({step, g.label(v), static_cast<std::int64_t>(bin)}, {v});
                        }
                    }
                };
                return count_graph_words<std::array<std::int64_t, 3>>(
                    key, left, right, bins, [](const std::array<std::int64_t, 3>& word) {
                        return fmt::format("{} in bin {} after step {}", label_text(word[1]), word[2], word[0]);
                    });
            }};
}

}  // namespace mercer
