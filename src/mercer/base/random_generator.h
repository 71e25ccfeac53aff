// Random numbers that are the same on every machine: the 64-bit Mersenne twister is specified to the bit, the
// distributions of the standard library are not, so the few that are needed are written here.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"

namespace mercer {

class random_generator {
public:
    explicit random_generator(std::uint64_t seed) : bits_(seed) {}

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

// Normal and chi-distributed numbers from `seeded`: the same on every machine up to the rounding of log and cos.

class normal_numbers {
public:
    explicit normal_numbers(std::uint64_t seed) : random_(seed) {}
    // Box and Muller's pairs.
    double operator()() {
        if (has_) return has_ = false, other_;
        const double r = std::sqrt(-2 * std::log(1 - random_.uniform())),
                     angle = 2 * std::numbers::pi * random_.uniform();
        other_ = r * std::sin(angle), has_ = true;
        return r * std::cos(angle);
    }
    // The length of a normal vector of `dims` >= 2 coordinates: χ² is twice a gamma number of shape dims/2, drawn as
    // Marsaglia and Tsang (2000) do, in as many steps for a million coordinates as for two.
    double chi(index dims) {
        const double d = static_cast<double>(dims) / 2 - 1.0 / 3, c = 1 / std::sqrt(9 * d);
        for (;;) {
            const double x = (*this)(), root = 1 + c * x, v = root * root * root, u = 1 - random_.uniform();
            if (v > 0 && std::log(u) < x * x / 2 + d - d * v + d * std::log(v)) return std::sqrt(2 * d * v);
        }
    }
    double uniform() { return random_.uniform(); }

private:
    random_generator random_;
    double other_ = 0;
    bool has_ = false;
};

// Bits that depend on a seed and a number alone (splitmix64): chance that falls the same for a row in whatever batch,
// thread or process it comes.

inline std::uint64_t row_bits(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t z = seed * 0xd1342543de82ef95u + (number + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

}  // namespace mercer
