// Kernel values pair by pair: certified_kernel with a bound on the error of each value, kernel_derivative with
// derivatives. Both are slow. They run the plan that the tile loops run, on one pair at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/kernels/error_bounded.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

// A kernel on one data set whose values come with a bound on their error, for statements that have to be true.
//
// Distances are computed from differences, and the rounding errors of all statistics, maps and sums are tracked
// (error_bounded.h). The coordinates are taken as exact. So are the coordinates that a map of objects produces (strings
// to counts, whitened vectors) and the values of a user's function, whose errors are unknown.
template <class R>
class certified_kernel {
public:
    certified_kernel(const kernel& k, const dataset& x);
    ~certified_kernel();
    certified_kernel(certified_kernel&&) noexcept;
    // Returns k(xᵢ, xⱼ). If its error is infinite or NaN, nothing is known about the value.
    error_bounded<R> operator()(index i, index j) const;

private:
    struct prepared_plan;
    std::unique_ptr<const prepared_plan> plan_;
};

// Returns the parts of k that certified_kernel treats as exact although their rounding errors are unknown:
// user functions and maps to new coordinates.
std::vector<std::string> list_exact_parts(const kernel& k);
// Returns true if a user's function compares objects. Only then can k(x, z) differ from k(z, x) by more than rounding.
bool compares_by_user_function(const kernel& k);

extern template class certified_kernel<double>;
extern template class certified_kernel<long double>;

// A kernel on vectors as a function of the statistics of a pair (squared distance, dot product, …), with the derivative
// in each statistic: the kernel's own formulas, evaluated with dual numbers (dual_number.h).
//
//     const kernel_derivative k(kernel::parse("rbf(gamma=0.5) + linear()"));
//     k.inputs();                              // squared distance, dot product
//     double slope[2];
//     k(std::array{t, p}, slope);              // e^(-t/2) + p; slope = {-e^(-t/2)/2, 1}
class kernel_derivative {
public:
    struct input {
        pair_statistic what;
        bool distance;  // the input is ‖x-z‖² instead of the dot product
        // Returns true for a statistic that is 0 if x = z; its derivative there is not needed.
        bool vanishes() const { return distance || what == pair_statistic::manhattan || what == pair_statistic::chi2; }
    };
    // Throws errc::unsupported, naming the kernel, if k is not a function of such statistics: a kernel on other
    // objects, on mapped vectors, a function of k(x, x), a user's function.
    explicit kernel_derivative(const kernel& k);
    const std::vector<input>& inputs() const { return inputs_; }
    // Returns k for one number per input. slope[s] = ∂k/∂(input s), or 0 if the input vanishes(s) and is 0.
    double operator()(std::span<const double> at, std::span<double> slope) const;

private:
    std::shared_ptr<const plan> plan_;
    std::vector<input> inputs_;
    std::vector<int> input_of_;  // per instruction: the input that it maps, or -1
};

}  // namespace mercer
