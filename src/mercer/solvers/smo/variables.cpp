#include "mercer/solvers/smo/variables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/solvers/smo/check_input.h"

namespace mercer::smo {

variables::variables(const box_problem& problem, const gram<float>& K, double common_value)
    : n(static_cast<index>(problem.p.size())), common(common_value), active(n) {
    const auto copy = [&](std::span<const double> from) { return std::vector<double>(from.begin(), from.end()); };
    p = copy(problem.p);
    lower = copy(problem.lower);
    upper = copy(problem.upper);
    alpha = problem.start.empty() ? std::vector<double>(static_cast<std::size_t>(n), 0.0) : copy(problem.start);
    F = p;
    groups = problem.group.empty() ? 1 : 2;
    group.assign(problem.group.begin(), problem.group.end());
    if (group.empty()) group.assign(static_cast<std::size_t>(n), 0);
    original.resize(static_cast<std::size_t>(n));
    std::iota(original.begin(), original.end(), index{0});
    diagonal.resize(static_cast<std::size_t>(n));
    K.diagonal(diagonal);
    check_diagonal(diagonal);
}

double variables::measure() {
    gap = -infinity;
    for (int g = 0; g < groups; ++g) {
        if (groups == 1) {
            ops_.extremes(F.data(), alpha.data(), lower.data(), upper.data(), active, max_up[0], min_low[0]);
        } else {
            max_up[g] = -infinity;
            min_low[g] = infinity;
            for (index i = 0; i < active; ++i) {
                if (group[i] != g) continue;
                if (can_rise(i)) max_up[g] = std::max(max_up[g], F[i]);
                if (can_fall(i)) min_low[g] = std::min(min_low[g], F[i]);
            }
        }
        gap = std::max(gap, max_up[g] - min_low[g]);
    }
    return gap;
}

double variables::largest_F() const {
    double largest = 0;
    for (index i = 0; i < active; ++i) largest = std::max(largest, std::abs(F[i]));
    return largest;
}

index variables::first_not_finite_F() const {
    bool finite = true;
    for (const double each : F) finite &= std::abs(each) <= std::numeric_limits<double>::max();
    if (finite) return -1;
    return std::find_if(F.begin(), F.end(), [](double each) { return !std::isfinite(each); }) - F.begin();
}

double variables::spread_of_p() const {
    double mean = 0, square = 0;
    for (const double each : p) mean += each / static_cast<double>(n);
    for (const double each : p) square += (each - mean) * (each - mean) / static_cast<double>(n);
    return std::isfinite(square) ? std::sqrt(square) : 0;
}

index variables::support_size() const {
    return static_cast<index>(std::count_if(alpha.begin(), alpha.end(), [](double a) { return a != 0; }));
}

std::vector<index> variables::support() const {
    std::vector<index> out;
    for (index i = 0; i < n; ++i)
        if (alpha[i] != 0) out.push_back(i);
    return out;
}

selection variables::columns(index first, index count) const {
    if (in_order_) return {first, count};
    return std::span<const index>(original.data() + first, static_cast<std::size_t>(count));
}

std::vector<double> variables::original_order(const std::vector<double>& values) const {
    std::vector<double> out(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) out[original[i]] = values[i];
    return out;
}

void variables::reorder(const std::vector<index>& order) {
    permute(original, order), permute(alpha, order), permute(F, order), permute(p, order), permute(lower, order),
        permute(upper, order);
    permute(group, order), permute(diagonal, order);
    in_order_ = false;
}

}  // namespace mercer::smo
