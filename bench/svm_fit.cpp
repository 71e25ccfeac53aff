// Times of fit and predict in one process, without reading the data. bench/svm.py compares them with scikit-learn.
//   svm_fit TASK TRAIN C GAMMA NU_OR_EPSILON REPEATS [TEST] prints one line of JSON
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "mercer/base/error.h"
#include "mercer/io/libsvm.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/methods/svm/fit_svm.h"

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

mercer::dataset best_storage(const mercer::dataset& x) {
    // The same input as for scikit-learn: dense rows of doubles, unless the data are sparse.
    const auto* s = x.as<mercer::sparse<double>>();
    if (s && static_cast<double>(s->nonzeros()) > 0.3 * static_cast<double>(s->size()) * static_cast<double>(s->dims()))
        return mercer::as_dense<double>(x);
    return x;
}

}  // namespace

int main(int count, char** argument) {
    using namespace mercer;
    if (count < 7) {
        std::fprintf(stderr, "usage: svm_fit TASK TRAIN C GAMMA NU_OR_EPSILON REPEATS [TEST]\n");
        return 2;
    }
    try {
        libsvm_options reading;
        reading.numbers = precision::f64;
        table train = read_libsvm(argument[2], reading);
        svm_options options;
        options.task = static_cast<svm_task>(std::atoi(argument[1]));
        options.C = std::atof(argument[3]);
        options.nu = options.epsilon = std::atof(argument[5]);
        options.memory_bytes = std::size_t{4000} << 20;
        const kernel k = gaussian{std::atof(argument[4])};
        const dataset x = best_storage(train.x);
        double fit = 1e300, guess = 1e300;
        svm_model model;
        for (int r = 0; r < std::atoi(argument[6]); ++r) {
            const double start = now();
            model = fit_svm(k, x, train.y, options);
            fit = std::min(fit, now() - start);
        }
        double right = 0;
        mercer::index tested = 0;
        if (count > 7) {
            reading.dims = train.x.dims();
            const table test = read_libsvm(argument[7], reading);
            const dataset z = best_storage(test.x);
            for (int r = 0; r < std::max(3, std::atoi(argument[6])); ++r) {
                const double start = now();
                const std::vector<double> label = predict(model, z);
                guess = std::min(guess, now() - start);
                right = 0;
                for (std::size_t i = 0; i < label.size(); ++i) right += label[i] == test.y[i];
                tested = static_cast<mercer::index>(label.size());
            }
        }
        double objective = 0;
        for (const auto& report : model.reports) objective += report.objective;
        const nlohmann::json line{{"fit", fit},
                                  {"predict", count > 7 ? guess : 0},
                                  {"gap", model.largest_gap()},
                                  {"objective", objective},
                                  {"status", name(model.worst_status())},
                                  {"support", model.coef.cols()},
                                  {"accuracy", tested ? right / static_cast<double>(tested) : 0}};
        std::printf("%s\n", line.dump().c_str());
    } catch (const error& problem) {
        std::fprintf(stderr, "svm_fit: %s\n", problem.what());
        return 1;
    }
    return 0;
}
