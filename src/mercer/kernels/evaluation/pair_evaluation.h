// Values of a kernel pair by pair, each with a bound on its error: slow, and meant for statements that have to be true.
//
// The plan is the one that tiles run, but every pair is worked out for itself: distances from differences, and every
// rounding, of statistics, maps and sums alike, is carried along (error_bounded.h). The coordinates are taken as exact;
// so are those that a map of objects made of them (strings to counts, whitened vectors) and the numbers a user's
// function gave, of which nothing else is known.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/kernels/error_bounded.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

template <class R>
class precise_kernel {
public:
    precise_kernel(const kernel& k, const dataset& x);
    ~precise_kernel();
    precise_kernel(precise_kernel&&) noexcept;
    // k(xᵢ, xⱼ). An infinite or undefined error says that nothing is known.
    bounded<R> operator()(index i, index j) const;

private:
    struct bound_plan;
    std::unique_ptr<const bound_plan> plan_;
};

// What of k is taken as exact though nothing is known of its rounding: functions of the user, and maps to new
// coordinates.
std::vector<std::string> taken_as_exact(const kernel& k);
// Whether a user's function compares objects: only then may k(x, z) differ from k(z, x) by more than rounding.
bool compares_by_user_function(const kernel& k);

extern template class precise_kernel<double>;
extern template class precise_kernel<long double>;

// A kernel on vectors as a function of the statistics of a pair (squared distance, dot product, …), with its
// derivatives by them: the kernels' own formulas, run on numbers that carry a derivative (dual_number.h).
//
//     const kernel_slopes k(kernel::parse("rbf(gamma=0.5) + linear()"));
//     k.inputs();                              // squared distance, dot product
//     double slope[2];
//     k(std::array{t, p}, slope);              // e^(-t/2) + p; slope = {-e^(-t/2)/2, 1}

class kernel_slopes {
public:
    struct input {
        statistic what;
        bool distance;  // of dot products: ‖x-z‖² instead
        // 0 where x = z, so that no slope is asked for there.
        bool vanishes() const { return distance || what == statistic::manhattan || what == statistic::chi2; }
    };
    // Fails with errc::unsupported, naming the kernel, for one that is no function of statistics of the vectors as they
    // are: one of other objects, of mapped vectors, of k(x, x), of a user's.
    explicit kernel_slopes(const kernel& k);
    const std::vector<input>& inputs() const { return inputs_; }
    // k from one number for each input; slope[s] = ∂k/∂(input s), 0 where an input that vanishes has vanished.
    double operator()(std::span<const double> at, std::span<double> slope) const;

private:
    std::shared_ptr<const plan> plan_;
    std::vector<input> inputs_;
    std::vector<int> place_;  // of each instruction: which input it maps
};

}  // namespace mercer
