// A kernel on vectors as a function of the statistics of a pair (squared distance, dot product, …), with its
// derivatives by them: the kernels' own formulas, run on numbers that carry a derivative (dual_number.h).
//
//     const kernel_slopes k(kernel::parse("rbf(gamma=0.5) + linear()"));
//     k.inputs();                              // squared distance, dot product
//     double slope[2];
//     k(std::array{t, p}, slope);              // e^(-t/2) + p; slope = {-e^(-t/2)/2, 1}
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/kernels/kernel.h"

namespace mercer {

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
