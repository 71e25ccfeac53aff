// What most programs include.
//
//     using namespace mercer;
//     const table train = read("train.csv", {.label = "species"});
//     const model m = fit(svc{.kernel = gaussian{0.5}, .C = 10}, train);      // scaling, names and classes travel with
//     the model std::cout << score(m, read("test.csv", like(m))).text(); save(m, "iris.model");
//
// A method is a value: a plain aggregate of its options (methods/*/methods.h). The words are the same for all of them:
// fit, predict, decide, transform, score, save, load. A method that cannot do what is asked of it fails with
// errc::unsupported.
#pragma once

#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/io/read.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/all_kernels.h"
#include "mercer/kernels/expression/registered_functions.h"
#include "mercer/methods/components/methods.h"
#include "mercer/methods/method.h"
#include "mercer/methods/neighbours/kernel_density.h"
#include "mercer/methods/neighbours/methods.h"
#include "mercer/methods/nystroem/clusters_methods.h"
#include "mercer/methods/nystroem/methods.h"
#include "mercer/methods/regression/methods.h"
#include "mercer/methods/svm/methods.h"
#include "mercer/model/model.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer {

using api::figures;
using api::model;
using control = api::fit_control;

struct read_as {
    std::string label{};   // CSV: the column of targets, by name or position; empty: none
    std::string format{};  // "csv", …; empty: by the name and the first lines
};
inline table read(const std::string& path, const read_as& how = {}) {
    read_options options;
    if (!how.format.empty()) options.format = &file_format_named(how.format);
    options.csv.label = how.label;
    table out = read_table(path, options);
    out.label = how.label;
    return out;
}
// As the data that a model was fitted on: the same label, numbers of classes and of columns.
inline read_options like(const model& m) { return api::read_like(m); }
inline table read(const std::string& path, const read_options& how) { return read_table(path, how); }

template <api::described_method Method>
model fit(const Method& m, const table& data, const control& how = {}) {
    api::spec s{Method::facts().name, {}, m.scale, api::settings_of(m)};
    if constexpr (requires { m.kernel; })
        if (m.kernel) s.kernel = m.kernel->text(), s.ready = std::make_shared<const kernel>(*m.kernel);
    return api::fit(s, data, how);
}

// The data with the columns of the fit, by their names where both have some: in any order, but none missing.
inline table matched(const model& m, table data) {
    match_columns(data, m.feature_names(), "the data", "the data the model was fitted on");
    return data;
}
inline std::vector<double> predict(const model& m, const table& data) { return m.predict(matched(m, data).x); }
// What stands behind predictions: decision values, probabilities, shares of votes.
inline api::columns decide(const model& m, const table& data) { return m.details(matched(m, data).x); }
inline api::columns transform(const model& m, const table& data) { return m.transform(matched(m, data).x); }
inline figures score(const model& m, const table& data) { return m.score(matched(m, data)); }
inline void save(const model& m, const std::string& path) { m.save(path); }
inline model load(const std::string& path) { return api::load(path); }

}  // namespace mercer
