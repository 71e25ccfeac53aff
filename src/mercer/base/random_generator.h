// Random numbers that are the same on every machine. The standard specifies the 64-bit Mersenne twister to the bit, but
// not the distributions of its library, so the few distributions that are needed are implemented here.
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

    // A multiple of 2⁻⁵³ with 0 <= u < 1.
    double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
    // Each i with 0 <= i < end has the same probability: values that would favour small i are rejected.
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
    // A position; position i has probability share[i]/sum. No share is negative, and `sum` > 0 is the sum of the
    // shares.
    index weighted_index(std::span<const double> share, double sum) {
        const double stop = uniform() * sum;
        double running = 0;
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < share.size(); ++i) {
            if (!(share[i] > 0)) continue;
            chosen = i;  // stays the last positive share if rounding keeps `running` at or below `stop`
            running += share[i];
            if (running > stop) break;
        }
        return static_cast<index>(chosen);
    }
    // `count` different numbers from 0 … end - 1, in random order.
    std::vector<index> sample(index end, index count) {
        if (count < end / 16) return sample_few(end, count);
        std::vector<index> all(static_cast<std::size_t>(end));
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<index>(i);
        for (index i = 0; i < count; ++i)
            std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(i + below(end - i))]);
        all.resize(static_cast<std::size_t>(count));
        return all;
    }

private:
    // The result of the loop in sample(). Only the positions that the loop changes take memory.
    std::vector<index> sample_few(index end, index count) {
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

// Normal and chi-distributed numbers, the same on every machine up to the rounding of log, sin and cos.
class normal_generator {
public:
    explicit normal_generator(std::uint64_t seed) : random_(seed) {}
    // A standard normal number. Box and Muller's method makes two at a time.
    double operator()() {
        if (has_) return has_ = false, other_;
        const double r = std::sqrt(-2 * std::log(1 - random_.uniform())),
                     angle = 2 * std::numbers::pi * random_.uniform();
        other_ = r * std::sin(angle), has_ = true;
        return r * std::cos(angle);
    }
    // The norm of a standard normal vector of `dims` >= 2 coordinates. Its square is twice a gamma variate of shape
    // dims/2, which the method of Marsaglia and Tsang (2000) makes in a number of steps that does not grow with dims.
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

// 64 random bits that depend on a seed and a number alone (splitmix64). A row gets these bits from its number in any
// batch, thread or process.
inline std::uint64_t counter_hash(std::uint64_t seed, std::uint64_t number) {
    std::uint64_t z = seed * 0xd1342543de82ef95u + (number + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

}  // namespace mercer
