// A fitted model: predict, transform, score, describe, save.
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
struct file_form;  // of its parts in a file (methods/archive.h)
}  // namespace mercer

namespace mercer::api {

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

}  // namespace mercer::api
