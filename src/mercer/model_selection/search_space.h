// The search space: parameters that are left open in the text form of a kernel or in an option, written as ?
//
//     rbf(gamma=?)                         from the usual range of this parameter
//     rbf(gamma=?[0.01, 10])               from this range
//     wl(h=?{1, 3, 5})                     one of these values
//
// and the points of the space that they span.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/folds.h"
#include "mercer/model/fit.h"

namespace mercer {

// One searched parameter with its range or its values.
struct axis {
    std::string name;          // e.g. "gamma", "C"
    double low = 0, high = 0;  // range, if `values` is empty
    bool logarithmic = false;  // points are evenly spaced in log
    bool whole = false;
    std::vector<double> values{};  // the listed values, ascending; empty: a range

    std::vector<double> points(index count) const;  // at most `count` points, ascending, including both ends
    double at(double share) const;                  // the value at a position from 0 (low end) to 1 (high end)
    double share(double value) const;               // the position of a value, the inverse of at()
};

// A free parameter of a text.
struct free_parameter {
    std::string owner;       // name before the enclosing bracket: "rbf"; empty: none
    std::string name;        // name before "=?"; empty: a factor
    bool has_range = false;  // the text gives a range
    axis range;
};

// A text with free parameters.
class open_text {
public:
    // Finds the free parameters in the text. Throws errc::parse, naming the position, for invalid ranges.
    explicit open_text(std::string_view text);
    const std::vector<free_parameter>& free_parameters() const { return free_parameters_; }
    // Returns the text with values[i] in place of the i-th free parameter.
    std::string filled(std::span<const double> values) const;

private:
    std::vector<std::string> between_;  // the text between the parameters, one piece more than parameters
    std::vector<free_parameter> free_parameters_;
};

using space_point = std::vector<double>;  // one value for each axis
// Returns all combinations of at most `each` values of each axis; the first axis varies slowest.
std::vector<space_point> grid_points(const std::vector<axis>& axes, index each);
// Returns `count` points, drawn independently and uniformly (in the logarithm for logarithmic axes).
std::vector<space_point> random_points(const std::vector<axis>& axes, index count, const random_below& random);

// Returns the position of the candidate with the largest expected improvement under a Gaussian process fitted to the
// scores so far (Jones, Schonlau, Welch 1998). Larger scores are better.
std::size_t max_expected_improvement(const std::vector<axis>& axes, const std::vector<space_point>& tried,
                                     const std::vector<double>& score, const std::vector<space_point>& candidates);

}  // namespace mercer

namespace mercer::api {

// Default ranges of open parameters.

// Returns 1/median ‖x - z‖² over the pairs of a sample of 200 vectors, a usual γ of the Gaussian kernel; 1 for objects
// that are not vectors, for fewer than two vectors, and where the quotient is not defined.
double median_gamma(const dataset& x);
// Returns the default kernel with its most important parameter open: rbf(gamma=?) for vectors.
std::string default_open_kernel(const dataset& x);
// Returns the default range of a kernel parameter: γ around the median heuristic, small whole numbers for lengths and
// depths, 0.01 to 100 for factors. Throws errc::invalid_argument for parameters without a default range.
axis default_kernel_range(const free_parameter& open, const table& data);
// Returns the default range of an option of a method: C from 0.01 to 1000, λ from 1e-6 to 10, ν within (0, 1), ε in
// proportion to the standard deviation of the targets. Throws errc::invalid_argument for options without a default
// range.
axis default_option_range(const option_info& option, const table& data);

}  // namespace mercer::api
