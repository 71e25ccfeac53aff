// The header for most programs: reads tables, fits methods, predicts and stores models.
//
// A method is a value: an aggregate of its options (methods/<family>/<method>.h). The model also stores the scaling,
// the names of the features and the classes. The functions are the same for all methods: fit, predict, decide,
// transform, score, save and load. A function that the method of the model does not support throws errc::unsupported.
//
// Example:
//
//     const table train = read("data/iris.csv", {.label = "species"});
//     const model m = fit(svc{.kernel = gaussian{0.5}, .scale = "standard", .C = 10}, train);
//     assert(score(m, train).number("accuracy") > 0.95);
//     save(m, "iris.model");
//
//     const model again = load("iris.model");
//     const table test = read("data/iris.csv", like(again));  // the columns and classes of the training data
//     const std::vector<double> labels = predict(again, test);
//     assert(again.class_text(labels[0]) == "setosa");
#pragma once

#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/io/read.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/all_kernels.h"
#include "mercer/kernels/expression/registered_functions.h"
#include "mercer/meta/cells.h"
#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/clustering/kernel_kmedoids.h"
#include "mercer/methods/components/kernel_fisher.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/method.h"
#include "mercer/methods/neighbours/kernel_density.h"
#include "mercer/methods/neighbours/knn.h"
#include "mercer/methods/neighbours/nearest_class.h"
#include "mercer/methods/nystroem/nystroem_features.h"
#include "mercer/methods/nystroem/nystroem_kmeans.h"
#include "mercer/methods/nystroem/nystroem_logistic.h"
#include "mercer/methods/nystroem/nystroem_ridge.h"
#include "mercer/methods/nystroem/nystroem_spectral.h"
#include "mercer/methods/nystroem/nystroem_svc.h"
#include "mercer/methods/random_features/random_features.h"
#include "mercer/methods/regression/kernel_logistic.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/regression/representer.h"
#include "mercer/methods/regression/ridge.h"
#include "mercer/methods/svm/linear_svc.h"
#include "mercer/methods/svm/one_class.h"
#include "mercer/methods/svm/pegasos.h"
#include "mercer/methods/svm/svc.h"
#include "mercer/methods/svm/svr.h"
#include "mercer/model/fit.h"
#include "mercer/model/model_file.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer {

using api::model;
using api::summary;
using control = api::fit_control;

// How read() reads a file; io/read.h has all options.
struct read_as {
    std::string label{};   // CSV: target column, by name or position; empty: no targets
    std::string format{};  // "csv", …; empty: detected from the file name and the first lines
};
// Reads a data file or folder of any format (read_table() in io/read.h states the errors).
inline table read(const std::string& path, const read_as& how = {}) {
    read_options options;
    if (!how.format.empty()) options.format = &find_file_format(how.format);
    options.csv.label = how.label;
    table out = read_table(path, options);
    out.label = how.label;
    return out;
}
// Returns the options that read a file like the training data of the model: with the same target column, classes and
// number of columns.
inline read_options like(const model& m) { return api::read_options_for(m); }
inline table read(const std::string& path, const read_options& how) { return read_table(path, how); }

// Fits a method, such as svc{.C = 10}, to the objects and targets of a table. If the method value has no kernel, the
// default kernel for the kind of object is used (default_kernel() in model/fit.h). `how` limits memory, time and
// threads. api::fit() in model/fit.h states the errors.
template <api::described_method Method>
model fit(const Method& m, const table& data, const control& how = {}) {
    api::spec s{Method::info().name, {}, m.scale, api::settings_of(m)};
    if constexpr (requires { m.kernel; })
        if (m.kernel) s.kernel = m.kernel->text(), s.parsed_kernel = std::make_shared<const kernel>(*m.kernel);
    return api::fit(s, data, how);
}

// Returns the data with its columns in the order of the training data. If both have column names, the columns are
// matched by name; a missing or an additional column throws errc::data.
inline table matched(const model& m, table data) {
    match_columns(data, m.feature_names(), "the data", "the data the model was fitted on");
    return data;
}
// Returns one prediction per object of `data`: class labels, values, clusters, or 1 (inside) and -1 (outside).
// model::class_text() returns the name of a class. The targets of `data` are not used.
inline std::vector<double> predict(const model& m, const table& data) { return m.predict(matched(m, data).x); }
// Returns the numbers from which predictions are derived, a row for each object: decision values, probabilities, shares
// of votes or log densities.
inline api::columns decide(const model& m, const table& data) { return m.details(matched(m, data).x); }
// Returns the features that the model computes, such as scores on principal components: a row for each object.
inline api::columns transform(const model& m, const table& data) { return m.transform(matched(m, data).x); }
// Compares predictions with the targets of `data`: accuracy, or mean squared error and R². model::score() in
// model/model.h has the details and the errors.
inline summary score(const model& m, const table& data) { return m.score(matched(m, data)); }
// save() replaces the file atomically. load() reads the files of save() and of LIBSVM. Both throw errc::io if the file
// cannot be written or read; load() throws errc::parse if it is not a model.
inline void save(const model& m, const std::string& path) { m.save(path); }
inline model load(const std::string& path) { return api::load(path); }

}  // namespace mercer
