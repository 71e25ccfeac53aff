// Normal and chi-distributed numbers from `seeded`: the same on every machine up to the rounding of log and cos.
#pragma once

#include <cmath>
#include <numbers>

#include "mercer/base/random_generator.h"

namespace mercer {

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
    seeded random_;
    double other_ = 0;
    bool has_ = false;
};

}  // namespace mercer
