// The front door: fit any method by name, predict, transform, score, describe, save and load. What every front end
// calls.
//
//     api::spec s = api::parse_spec(R"-({"method": "svc", "kernel": "rbf(gamma=0.5)", "scale": "standard", "C":
//     10})-"); api::model m = api::fit(s, read_table("iris.csv")); m.predict(other.x);  m.save("iris.model");
//
// A model file holds the method, the spec, the names of classes and features, the scaling, the terms of texts, the
// figures of the fit, and the estimator's own file as it is. A file of an estimator alone is known by its first line as
// well.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/io/read.h"
#include "mercer/methods/method.h"
#include "mercer/preprocess/column_encoder.h"
#include "mercer/preprocess/scaling.h"
#include "mercer/preprocess/text_features.h"

namespace mercer {
class row_batches;
template <class Model>
struct file_form;  // of its parts in a file (methods/archive.h)
}  // namespace mercer

namespace mercer::api {

struct spec {
    std::string method;
    std::string kernel;  // text form; empty: the default for the kind of object
    std::string scale;   // "", "standard" or "minmax": of the columns of vectors
    settings options;
    std::shared_ptr<const mercer::kernel> ready{};  // the kernel itself, where the caller has it: not parsed again
    std::string text{};  // "", or what strings are turned into: "tfidf", "counts(ngram=2)", … (text_features.h)
};
// {"method": "svc", "kernel": "...", "scale": "standard", "C": 10, ...}: every other member is an option. Fails with
// errc::parse.
spec parse_spec(std::string_view json);
std::string to_json(const spec& s);

class model {
public:
    const std::string& method_name() const { return spec_.method; }
    const api::spec& spec() const { return spec_; }  // all options, defaults included
    const std::string& kernel_text() const { return spec_.kernel; }
    answer gives() const { return inner_->gives(); }
    domain kind() const { return kind_; }
    index dims() const { return dims_; }
    const std::vector<std::string>& class_names() const { return class_names_; }
    const std::vector<std::string>& feature_names() const { return feature_names_; }
    const fitted& inner() const { return *inner_; }
    // The name of a predicted class, or the number.
    std::string class_text(double predicted) const;
    // In the file's own terms: the column of targets it was fitted with.
    std::string label;
    std::string text_column;  // and of texts, where a table had one
    // How the columns of its table became vectors, where they were not numbers from the start; null where they were.
    std::shared_ptr<const column_encoder> columns_of_table{};
    figures choices{};  // what was chosen for the user, in words; empty: nothing was

    // Objects as read from a file: texts are made vectors, and those scaled, here. Fails when they are not of the kind
    // the model was fitted on.
    std::vector<double> predict(const dataset& x) const;
    columns details(const dataset& x) const;
    explained predict_with_details(const dataset& x) const;  // both; no details where the method has none
    columns transform(const dataset& x) const;
    // Classification: accuracy; regression: mean squared error, R² and squared correlation; densities: their mean.
    figures score(const table& data) const;
    figures score(const table& data,
                  const std::vector<double>& predicted) const;  // the same for predictions that are there already
    // How the fit ended, without names and settings.
    const figures& fit_figures() const { return figures_; }
    // For those who ask again and again: what predictions make of the model's own objects is made once.
    void keep_ready() const { inner_->keep_ready(); }
    // Everything a person asks of a model: method, kernel, data, options, figures of the fit.
    figures describe() const;

    std::string bytes() const;
    void save(const std::string& path) const;  // atomic

    // How columns are scaled before anything else sees them; null where they are not.
    const scaling* scale() const { return scaling_ ? &*scaling_ : nullptr; }
    // The terms of texts, where the model turns them into vectors; null where it does not.
    const text_features* text() const { return text_ ? &*text_ : nullptr; }
    // Objects made vectors and scaled as those of the fit.
    dataset prepared(const dataset& x) const;

private:
    friend struct file_form<model>;
    friend model fit(const api::spec& s, const table& data, const fit_control& control);
    friend model fit(const api::spec& s, row_batches& data, const fit_control& control);
    friend model parse(std::string_view bytes, const std::string& name);
    columns named(columns from) const;
    // Runs step() and names the column in which it finds a value that is not usable.
    template <class Step>
    auto in_terms_of_columns(Step step) const;
    api::spec spec_;
    fitted_ptr inner_;
    std::optional<text_features> text_;  // before the scaling
    std::optional<scaling> scaling_;
    std::vector<std::string> class_names_, feature_names_;
    domain kind_ = domain::any;
    index dims_ = 0;
    figures figures_;
};

// Fails with errc::invalid_argument for unknown methods, options and values, listing what there is.
model fit(const spec& s, const table& data, const fit_control& control = {});
// The same for examples that come in batches (io/row_batches.h) and are read again for every pass: for
// nystroem_ridge, nystroem_logistic and nystroem_svc. The bits are those of the fit in memory.
model fit(const spec& s, row_batches& data, const fit_control& control = {});
// Any model file of the library, and LIBSVM's text.
model parse(std::string_view bytes, const std::string& name);
model load(const std::string& path);

// How to read a file so that it matches the data of the fit: label, numbers of classes, dictionary, columns.
read_options read_like(const model& m);

// rbf with gamma = 1/(d·variance) on vectors (as scikit-learn's "scale"), spectrum(k=3) on strings, jaccard() on sets.
kernel default_kernel(const dataset& x);
// The scaling of this name fitted to vectors, or none for "". Sparse vectors are made dense where that is not too
// large.
std::optional<scaling> fit_scaling(const dataset& x, const std::string& how);
dataset scaled(const scaling& by, const dataset& x);

}  // namespace mercer::api
