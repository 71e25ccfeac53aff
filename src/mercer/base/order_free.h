// Sums of bounded numbers that are the same in whatever order they are added up, and so for any number of threads and
// processes: what is added is a multiple of a unit so large that no sum has more than 53 bits, so no addition rounds.
#pragma once

#include <cmath>

namespace mercer {

// Rounds to multiples of 2^exponent, exactly for |x| < 2^(exponent + 51).
class multiple_of {
public:
    explicit multiple_of(int exponent) : shift_(std::ldexp(1.5, exponent + 52)) {}
    double operator()(double x) const { return (x + shift_) - shift_; }

private:
    double shift_;
};

// Of up to 2^31 numbers |x| <= 4, each to within 2^-63.
class order_free_sum {
public:
    void add(double x) {
        const double high = coarse_(x), rest = x - high, middle = fine_(rest);
        parts[0] += high, parts[1] += middle, parts[2] += finest_(rest - middle);
    }
    double value() const { return parts[0] + (parts[1] + parts[2]); }

    double parts[3] = {};  // each exact: add up those of several, one by one

private:
    // Multiples of 2^-18 up to 4, of 2^-40 up to 2^-19, of 2^-62 up to 2^-41; 2^31 of them stay below 2^53 units.
    static inline const multiple_of coarse_{-18}, fine_{-40}, finest_{-62};
};

}  // namespace mercer
