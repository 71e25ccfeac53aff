// A method by name: what it is, its options, how it is fitted and read from a file. One object for each method, made from the method's own description
// (described.h) and gathered in registry.cpp; each family adapts its models in one file (svm_methods.cpp, ...), without numerics of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/api/figures.h"
#include "mercer/api/options.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/description.h"
#include "mercer/methods/fit_control.h"

namespace mercer::api {

using mercer::answer;
using mercer::method_family;
using mercer::name;

// Columns of numbers, one row an object.
struct columns {
    matrix<double> values;
    std::vector<std::string> names;
};

// A fitted model of any method. What a method cannot do fails with errc::unsupported.
class fitted {
public:
    virtual ~fitted() = default;
    virtual std::string bytes() const = 0;                  // of the estimator's own file form
    virtual std::string kernel_text() const { return {}; }  // empty: none
    virtual answer gives() const { return answer::none; }
    virtual std::vector<double> predict(const dataset& x) const;
    // What stands behind predictions: decision values, probabilities, shares of votes, log density.
    virtual columns details(const dataset& x) const;
    virtual columns transform(const dataset& x) const;
    // How it was fitted and how that ended.
    virtual figures about() const = 0;
    // Why the answer may not be the one that was asked for, and which options of the method bear on it; empty where all is well.
    virtual std::string trouble() const { return {}; }
    // The labels behind classes, ascending; empty where there are none.
    virtual std::vector<double> classes() const { return {}; }
    // Of the training objects, where the fit found them: clusters, scores. Empty otherwise.
    virtual std::vector<index> training_clusters() const { return {}; }
    virtual columns training_scores() const { return {}; }
};

struct fit_task {
    const table& data;
    std::shared_ptr<const kernel> k;  // null where the method takes none
    const option_values& options;
    std::size_t memory_bytes = 0;  // 0: the method's own default
    progress_callback progress{};
};

struct method : method_facts {
    std::vector<option_info> options;
    std::function<std::shared_ptr<const fitted>(const fit_task&)> fit;
    std::function<std::shared_ptr<const fitted>(std::string_view bytes, const std::string& file)> parse;
};

// The methods of each family, for the registry.
std::vector<method> svm_methods();
std::vector<method> ridge_methods();
std::vector<method> loss_methods();
std::vector<method> neighbour_methods();
std::vector<method> cluster_methods();
std::vector<method> component_methods();

// All methods, family by family.
const std::vector<method>& methods();
// By name or alias, '-' and '_' alike; fails with the list of methods and the nearest name.
const method& find_method(std::string_view name);
// For what a method of these options tells people: name, default, condition, meaning, one line each.
std::string help(const method& m);

// What adapters share.
// `trouble` of methods that end with such a status: what did not converge, and the options that decide when it ends ("max_iter or tol").
std::string trouble_of(fit_status status, const char* options, std::optional<double> gap = {});
matrix<double> one_column(const std::vector<double>& y);
std::vector<double> first_column(const matrix<double>& values);
std::vector<double> as_numbers(const std::vector<index>& labels);
// "decision setosa", ... by label; the caller's model may name classes later
std::vector<std::string> label_names(std::string_view what, const std::vector<double>& labels);

}  // namespace mercer::api
