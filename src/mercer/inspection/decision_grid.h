// A classifier on a plane: decisions over a grid, the lines f = 0 and f = ±1, and where the examples lie.
//
// Three kinds of plane. Two coordinates that are all there are: the classifier itself. Two of many: a cut, the others
// held at their means or at those of the nearest example. The first two kernel principal components, for any kernel and
// any kind of object: with μ the mean of φ and v₁, v₂ the axes, f(μ + s·v₁ + t·v₂) = ⟨w,μ⟩ + b + s⟨w,v₁⟩ + t⟨w,v₂⟩ is
// linear, so the cut of the hyperplane with that plane is exactly a straight line, although in the input space it may
// be any curve.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {

struct plane {
    std::string x_name, y_name;
    std::string about;  // what holds for everything that is not on the plane
    double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
    matrix<double> points;    // where the examples shown lie: two numbers a row
    std::vector<index> rows;  // which examples they are
    // Decisions at places (two numbers a row): one column for each binary problem.
    std::function<matrix<double>(matrix_view<const double> places)> decide;
};

enum class other_features { mean, nearest };
// `names` may be empty. x is dense or sparse vectors of at least two coordinates.
plane feature_plane(const svm_model& model, const dataset& x, index first, index second,
                    const std::vector<std::string>& names = {}, other_features rest = other_features::mean);
// K is the matrix of the training examples, support_rows are rows of it. At most `most` examples, evenly taken, make
// the components and are shown.
plane component_plane(const svm_model& model, const gram<double>& K, index most = 1000);
// The two coordinates along which the classes lie farthest apart for their width (the variance of the class means over
// that within classes), of those that take ten values or more where there are two such.
std::pair<index, index> most_separating_pair(const dataset& x, const std::vector<double>& y);

// Decisions at the centres of nx × ny cells; row r is the r-th from below.
struct region_grid {
    index nx = 0, ny = 0;
    matrix<double> f;           // (row·nx + column, problem)
    std::vector<index> winner;  // class of each cell, as a number among the model's
    double x(const plane& on, index column) const {
        return on.x_low + (static_cast<double>(column) + 0.5) / static_cast<double>(nx) * (on.x_high - on.x_low);
    }
    double y(const plane& on, index row) const {
        return on.y_low + (static_cast<double>(row) + 0.5) / static_cast<double>(ny) * (on.y_high - on.y_low);
    }
};
region_grid decide_grid(const svm_model& model, const plane& on, index nx, index ny);

// Where a function on a grid takes a value: chains of places, in units of columns and rows. Marching squares with
// linear interpolation; a saddle is cut by the mean of its corners. A closed chain ends where it starts.
// `inside(column, row)`: only cells for which it holds.
using chain = std::vector<std::pair<double, double>>;
std::vector<chain> contour(matrix_view<const double> f, double level,
                           const std::function<bool(index, index)>& inside = {});

}  // namespace mercer
