// A random problem for a support vector machine, determined by one seed: data, targets, a kernel, options, and the
// strategy that the solver has to use.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "mercer/methods/svm/fit_svm.h"
#include "mercer/solvers/smo/smo.h"

namespace mercer::stress {

// A kernel by its formula, implemented independently of the library.
struct formula {
    enum class kind { linear, poly, rbf, laplacian, sigmoid } what = kind::rbf;
    double gamma = 1, coef0 = 0;
    int degree = 1;

    std::string text() const;  // as the library reads it
    double value(const double* a, const double* b, index dims) const;
    bool positive() const { return what != kind::sigmoid; }
};

struct problem {
    std::uint64_t seed = 0;
    std::string text;  // description on one line
    matrix<double> x;  // one row an example
    dataset objects;   // the same rows as a data set of the library
    matrix<double> K;  // of a precomputed kernel, else empty
    std::vector<double> y;
    formula k;
    svm_options options;
    bool hard = false;   // infinite C
    bool go_on = false;  // fitted with another C first, and continued from this solution
    int threads = 1;
    int perturb = 0;  // value with which newly allocated memory is filled
    smo::smo_thresholds limits;

    index size() const { return x.rows(); }
    double value(index i, index j) const { return K.rows() > 0 ? K(i, j) : k.value(x.row(i), x.row(j), x.cols()); }
    double weight(index i) const {
        return options.sample_weight.empty() ? 1.0 : options.sample_weight[static_cast<std::size_t>(i)];
    }
};

struct bounds {
    index largest = 20000;  // largest number of examples
    bool raw = true;        // also data with offsets and columns of different scales
};
problem random_problem(std::uint64_t seed, const bounds& within);

}  // namespace mercer::stress
