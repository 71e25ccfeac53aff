// Nearest medoid in feature space: each class is represented by its medoid, the member with the least (weighted) sum of
// distances to all members of the class (the first of equals); a new object gets the class of the nearest medoid, the
// lowest class of equals. A model holds one object a class, so predicting costs as many kernel values as there are
// classes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/methods/fit_control.h"
#include "mercer/methods/model_file.h"

namespace mercer {

struct nearest_medoid_options {
    std::vector<double> sample_weight{};  // empty: all 1
};

struct nearest_medoid_model {
    std::shared_ptr<const kernel> k;  // null: fitted on a matrix
    dataset medoids;                  // object c represents class c; empty where k is null
    std::vector<double> classes;      // ascending
    std::vector<index> rows;          // their numbers among the training examples
    std::vector<double> self;         // k(x, x) of the medoids
    std::vector<double> sums;         // their sums of distances
    index training_size = 0;
};

nearest_medoid_model fit_nearest_medoid(const kernel& k, const dataset& x, std::span<const double> y,
                                        const nearest_medoid_options& options = {});
nearest_medoid_model fit_nearest_medoid(const gram<double>& K, std::span<const double> y,
                                        const nearest_medoid_options& options = {});

std::vector<double> predict(const nearest_medoid_model& model, const dataset& z);
// Kernel values against all training examples, or against the medoids only.
std::vector<double> predict(const nearest_medoid_model& model, const gram<double>& K);

}  // namespace mercer
