// The decisions of a classifier on a plane: a grid of decision values, contour lines f = 0 and f = ±1, and the
// positions of the examples.
//
// There are three kinds of plane. If the data have two features, the plane of both shows the classifier itself. If the
// data have more features, the plane of two of them shows a section, in which the other features are at their means or
// as in the nearest example. The plane of the first two kernel principal components exists for any kernel and any kind
// of object: with the mean μ of φ and the axes v₁, v₂ the function f(μ + s·v₁ + t·v₂) = ⟨w,μ⟩ + b + s⟨w,v₁⟩ + t⟨w,v₂⟩
// is linear, so the hyperplane cuts this plane in a straight line, although the boundary may be any curve in the input
// space.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {

// A plane, the decision values on it and the positions of the examples. A position is a pair of coordinates: the values
// of the two features, or the scores on the two components.
struct plane {
    std::string x_name, y_name;
    std::string about;  // note on the features outside of the plane; may be empty
    double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
    matrix<double> points;    // positions of the shown examples, n × 2
    std::vector<index> rows;  // rows of the shown examples in the training data
    // Returns the decision values at the points `places` (n × 2): n rows, a column for each binary problem.
    std::function<matrix<double>(matrix_view<const double> places)> decide;
};

// The values of the features that are not axes of the plane: the mean over the examples, or those of the example that
// is nearest in the plane.
enum class other_features { mean, nearest };
// The plane of the features `first` and `second` (different positions from 0) of dense or sparse vectors x with at
// least two columns. `names` has one name per feature or is empty. Throws errc::unsupported for objects that are not
// vectors and errc::invalid_argument for wrong positions.
plane make_feature_plane(const svm_model& model, const dataset& x, index first, index second,
                         const std::vector<std::string>& names = {}, other_features rest = other_features::mean);
// The plane of the first two kernel principal components. K is the kernel matrix of the training examples;
// model.support_rows are rows of K. At most `most` evenly spaced examples define the components and are shown.
plane make_component_plane(const svm_model& model, const gram<double>& K, index most = 1000);
// The two features with the largest ratio of the variance between the classes to the variance within them. Features
// with fewer than ten different values are used only if fewer than two features have more. Throws errc::unsupported if
// x has fewer than two features.
std::pair<index, index> find_best_separated_features(const dataset& x, const std::vector<double>& y);

// The decision values at the centres of nx × ny cells that cover the plane; row 0 is at y_low.
struct region_grid {
    index nx = 0, ny = 0;
    matrix<double> f;           // f(row·nx + column, problem)
    std::vector<index> winner;  // class of each cell, as a position in model.classes
    double x(const plane& on, index column) const {
        return on.x_low + (static_cast<double>(column) + 0.5) / static_cast<double>(nx) * (on.x_high - on.x_low);
    }
    double y(const plane& on, index row) const {
        return on.y_low + (static_cast<double>(row) + 0.5) / static_cast<double>(ny) * (on.y_high - on.y_low);
    }
};
// Computes the decision values and classes in the middle of nx × ny cells. Throws errc::invalid_argument unless nx >= 2
// and ny >= 2.
region_grid decide_grid(const svm_model& model, const plane& on, index nx, index ny);

// The contour line f = level of a function on a grid, as chains of points (column, row), where f(r, c) is the value at
// the point (c, r): marching squares with linear interpolation; the mean of the corners decides a saddle. A closed
// polyline ends at its first point. If `inside` is given, lines are drawn only in cells for which inside(column, row)
// returns true.
using polyline = std::vector<std::pair<double, double>>;
std::vector<polyline> contour_lines(matrix_view<const double> f, double level,
                                    const std::function<bool(index, index)>& inside = {});

}  // namespace mercer
