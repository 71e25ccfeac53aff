// Values of a kernel pair by pair, each with a bound on its error: slow, and meant for statements that have to be true.
//
// The plan is the one that tiles run, but every pair is worked out for itself: distances from differences, and every
// rounding, of statistics, maps and sums alike, is carried along (error_bounded.h). The coordinates are taken as exact;
// so are those that a map of objects made of them (strings to counts, whitened vectors) and the numbers a user's
// function gave, of which nothing else is known.
#pragma once

#include <memory>
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

}  // namespace mercer
