// What a search may choose: numbers left open in a text, written as ?
//
//     rbf(gamma=?)                         from the usual range of such a number
//     rbf(gamma=?[0.01, 10])               between these
//     wl(h=?{1, 3, 5})                     one of these
//
// and the points of the space they span.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/folds.h"
#include "mercer/model/fit.h"

namespace mercer {

struct axis {
    std::string name;          // "gamma", "C"
    double low = 0, high = 0;  // where no values are listed
    bool logarithmic = false;  // evenly spaced in log
    bool whole = false;
    std::vector<double> values{};  // a list to choose from

    std::vector<double> points(index count) const;  // at most so many, ascending, both ends among them
    double at(double share) const;                  // 0 … 1 from one end to the other
    double share(double value) const;               // and back
};

// A number left open.
struct hole {
    std::string owner;   // what stands before the bracket around it: "rbf"; empty: none does
    std::string name;    // what stands before "=?"; empty: a factor
    bool given = false;  // the range was written, too
    axis range;
};

// A text with holes.
class open_text {
public:
    // Fails with errc::parse, naming the place, for ranges that are none.
    explicit open_text(std::string_view text);
    const std::vector<hole>& holes() const { return holes_; }
    std::string filled(std::span<const double> values) const;

private:
    std::vector<std::string> between_;  // one more than holes
    std::vector<hole> holes_;
};

using space_point = std::vector<double>;  // a number for each axis
// All combinations of at most so many values of each axis, the first axis outermost.
std::vector<space_point> grid_points(const std::vector<axis>& axes, index each);
std::vector<space_point> random_points(const std::vector<axis>& axes, index count, const random_below& random);

// The most promising of some candidates, by what was found so far: the largest expected improvement under a Gaussian
// process of the scores (Jones, Schonlau, Welch 1998), larger scores being better.
std::size_t most_promising(const std::vector<axis>& axes, const std::vector<space_point>& tried,
                           const std::vector<double>& score, const std::vector<space_point>& candidates);

}  // namespace mercer

namespace mercer::api {

// The usual ranges of numbers that are left open without one.

// 1/median ‖x - z‖² of a sample; 1 where there is none.
double median_gamma(const dataset& x);
// A kernel for such objects with what matters most left open: rbf(gamma=?) for vectors.
std::string default_open_kernel(const dataset& x);
// Of an argument of a kernel: γ around the median heuristic, small whole numbers for lengths and depths, factors from
// 0.01 to 100. Fails for arguments of which no range is usual.
axis usual_range_of_kernel(const hole& open, const table& data);
// Of an option of a method: C from 0.01 to 1000, λ from 1e-6 to 10, ν within (0, 1), ε by the spread of the targets.
axis usual_range_of_option(const option_info& option, const table& data);

}  // namespace mercer::api
