// Random numbers that are the same on every machine: the 64-bit Mersenne twister is specified to the bit, the
// distributions of the standard library are not, so the few that are needed are written here.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

class seeded {
public:
    explicit seeded(std::uint64_t seed) : bits_(seed) {}

    // 0 <= u < 1, of 53 bits
    double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
    // 0 <= i < end, each alike: what would favour the small ones is thrown away
    index below(index end) {
        const auto n = static_cast<std::uint64_t>(end), most = ~std::uint64_t{0} - (~std::uint64_t{0} % n + 1) % n;
        std::uint64_t got = bits_();
        while (got > most) got = bits_();
        return static_cast<index>(got % n);
    }
    void shuffle(std::span<index> list) {
        for (std::size_t i = list.size(); i > 1; --i)
            std::swap(list[i - 1], list[static_cast<std::size_t>(below(static_cast<index>(i)))]);
    }
    // A place with probability ∝ its share, none of them negative; `sum` is that of all shares, above 0.
    index drawn(std::span<const double> share, double sum) {
        const double stop = uniform() * sum;
        double running = 0;
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < share.size(); ++i) {
            if (!(share[i] > 0)) continue;
            chosen = i;  // the last one, should rounding leave the sum short
            running += share[i];
            if (running > stop) break;
        }
        return static_cast<index>(chosen);
    }
    // `count` different numbers below `end`, in random order
    std::vector<index> sample(index end, index count) {
        if (count < end / 16) return few(end, count);
        std::vector<index> all(static_cast<std::size_t>(end));
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<index>(i);
        for (index i = 0; i < count; ++i)
            std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i + below(end - i))]);
        all.resize(static_cast<std::size_t>(count));
        return all;
    }

private:
    // The same numbers, with the places that were changed alone in memory.
    std::vector<index> few(index end, index count) {
        std::unordered_map<index, index> moved;
        const auto at = [&](index i) {
            const auto found = moved.find(i);
            return found == moved.end() ? i : found->second;
        };
        std::vector<index> out;
        for (index i = 0; i < count; ++i) {
            const index j = i + below(end - i), here = at(i), there = at(j);
            moved[j] = here, moved[i] = there;
            out.push_back(there);
        }
        return out;
    }

    std::mt19937_64 bits_;
};

}  // namespace mercer
