// A fitted model: the estimator together with the preprocessing of the fit (text features, scaling) and the names of
// features and classes. Objects are passed to the model as they were read from a file; it applies the preprocessing of
// the fit.
//
// Copies share the estimator. Member functions are const and can be called from several threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/methods/method.h"
#include "mercer/model/spec.h"
#include "mercer/preprocess/column_encoder.h"
#include "mercer/preprocess/scaling.h"
#include "mercer/preprocess/text_features.h"

namespace mercer {
class row_batches;
template <class Model>
struct file_form;  // lists the parts of a model in its file (methods/archive.h)
}  // namespace mercer

namespace mercer::api {

// The fitted model that fit() and load() return.
class model {
public:
    const std::string& method_name() const { return spec_.method; }
    const api::spec& spec() const { return spec_; }  // all options, including defaults
    const std::string& kernel_text() const { return spec_.kernel; }
    target_kind prediction_kind() const { return inner_->prediction_kind(); }
    object_kind kind() const { return kind_; }  // the kind of objects that the model was fitted on
    index dims() const { return dims_; }        // number of features of vectors; 0 for other objects
    const std::vector<std::string>& class_names() const { return class_names_; }
    const std::vector<std::string>& feature_names() const { return feature_names_; }
    const estimator& inner() const { return *inner_; }
    // The name of a predicted class, or the prediction as a number if the class has no name.
    std::string class_text(double predicted) const;
    // The target column of the training file, by the name or position that the user gave.
    std::string label;
    std::string text_column;  // text column of the training table; empty: none
    // The encoder that turned the columns of the training table into vectors. Null if the columns were numbers.
    std::shared_ptr<const column_encoder> columns_of_table{};
    summary choices{};  // settings that were chosen automatically, with reasons; empty: none

    // Returns one prediction per object: a class (position in class_names(), or label), a value, a cluster, or 1
    // (inside) and -1 (outside). x contains objects as they were read from a file; the model applies its text features
    // and its scaling. Throws errc::unsupported if the objects are not of the kind that the model was fitted on, and
    // errc::invalid_argument if vectors have another number of features.
    std::vector<double> predict(const dataset& x) const;
    // The numbers from which predictions are derived: a row for each object, with named columns. These are decision
    // values, probabilities, shares of votes or log densities; decide() of mercer.h returns them.
    columns details(const dataset& x) const;
    // Predictions and details; the details have no columns if the method has none.
    detailed_predictions predict_with_details(const dataset& x) const;
    // Scores on components or other features that the method computes: a row for each object.
    columns transform(const dataset& x) const;
    // Compares the predictions with the targets of `data`. Returns these named values: for classes accuracy, correct
    // (number of correct predictions) and of (number of objects); for values mean_squared_error, r2 and
    // squared_correlation; for densities mean, the mean of the predictions; for one-class models accuracy, correct and
    // of if all targets are 1 or -1, otherwise inside (number of objects predicted as 1) and of. Throws errc::data if
    // targets are needed and missing, and errc::unsupported if the method does not predict or finds clusters.
    summary score(const table& data) const;
    summary score(const table& data,
                  const std::vector<double>& predicted) const;  // uses predictions that were already computed
    // The summary of the fit (status, gap, counts), without names and settings.
    const summary& fit_summary() const { return summary_; }
    // Stores converted data of the model's objects from the next prediction on, which makes predictions of a few
    // objects at a time faster.
    void keep_prepared() const { inner_->keep_prepared(); }
    // The full description: method, kernel, data, options and the summary of the fit.
    summary describe() const;

    std::string bytes() const;                 // the contents of the model file
    void save(const std::string& path) const;  // replaces the file atomically; throws errc::io

    // The scaling of the columns; null if there is none.
    const scaling* scale() const { return scaling_ ? &*scaling_ : nullptr; }
    // The text features that turn strings into vectors; null if there are none.
    const text_features* text() const { return text_ ? &*text_ : nullptr; }
    // Applies the text features and the scaling of the fit to objects.
    dataset preprocess(const dataset& x) const;

private:
    friend struct file_form<model>;
    friend model fit(const api::spec& s, const table& data, const fit_control& control);
    friend model fit(const api::spec& s, row_batches& data, const fit_control& control);
    friend model parse(std::string_view bytes, const std::string& name);
    columns with_class_names(columns from) const;
    // Calls step(). If it throws a row_error for a column, rethrows the error with the name of the column.
    template <class Step>
    auto with_column_names(Step step) const;
    api::spec spec_;
    estimator_ptr inner_;
    std::optional<text_features> text_;  // applied before the scaling
    std::optional<scaling> scaling_;
    std::vector<std::string> class_names_, feature_names_;
    object_kind kind_ = object_kind::any;
    index dims_ = 0;
    summary summary_;
};

}  // namespace mercer::api
