// The command line of svm-train.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mercer/methods/svm/libsvm_model.h"

namespace mercer::programs {

struct train_command {
    int task = 0;
    int kernel = 2;
    int degree = 3;
    double gamma = 0;  // 0: 1 / number of features
    double coef0 = 0;
    double C = 1;
    double nu = 0.5;
    double epsilon = 0.1;
    double cache_mb = 100;
    double tol = 1e-3;
    int shrinking = 1;
    int probability = 0;
    std::vector<std::pair<int, double>> weights;
    int folds = 0;  // 0: no cross-validation
    bool quiet = false;
    std::string input, model;
};

train_command parse_train(int argc, char** argv);
// Ends the program with LIBSVM's message if a parameter is out of range.
void check_train(const train_command& c);

}  // namespace mercer::programs
