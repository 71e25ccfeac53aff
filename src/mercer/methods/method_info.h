// The description of a method: its name and kind, and its options with defaults, ranges and meaning. A method is a
// plain aggregate of its options and its kernel, with the members
//     static method_info info();
//     template <class Visitor> void options(Visitor& v);      // v.number("C", C, above(0), "penalty parameter C"); ...
// A description is a noun phrase or an imperative of at most 80 characters.
// Visitors (methods/method.h) generate help texts, checks, the JSON specification, model files and tables from these
// two.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

enum class method_family { classification, regression, outliers, clustering, components, density };
const char* name(method_family family) noexcept;
// The kind of predictions and of targets.
enum class target_kind { none, classes, values, clusters, sides };  // sides: 1 inside, -1 outside

// How a search can evaluate many settings of a method together on one kernel matrix: `C` over C and ε
// (methods/svm/cross_validation.h), `lambda` over λ (methods/regression); `none`: every setting
// needs a fit of its own.
enum class path_over { none, C, lambda };

// The description of a method.
struct method_info {
    std::string name;
    std::vector<std::string> aliases;
    method_family family;
    std::string about;    // one line
    std::string formula;  // the optimisation problem
    std::string format;   // first word of the model files
    target_kind targets;  // the kind of targets in the training data
    bool takes_kernel = true;
    bool can_predict = true, can_transform = false;
    bool takes_features = false;  // uses only the explicit features of a kernel; none: the vectors
    path_over search = path_over::none;
    bool keeps_checkpoints = false;      // an interrupted fit can be continued,
    std::string checkpoint_condition{};  // but only with this setting of an option, for instance "solver=cg"
    bool single_rank = false;            // can stream rows, but not share them between MPI ranks
};
// Return a copy of f for a method that can write checkpoints (only with the setting `where`, if it is not empty), and
// for a method that can stream rows on one rank only.
inline method_info with_checkpoints(method_info f, std::string where = {}) {
    f.keeps_checkpoints = true, f.checkpoint_condition = std::move(where);
    return f;
}
inline method_info for_single_rank(method_info f) {
    f.single_rank = true;
    return f;
}

// The values that a number may have.
struct range {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool low_open = false, high_open = true;  // true: the bound itself is not allowed
};
inline range at_least(double low) { return {.low = low}; }
inline range above(double low) { return {.low = low, .low_open = true}; }
inline range up_to(range r, double high) { return {r.low, high, r.low_open, false}; }
inline range below(range r, double high) { return {r.low, high, r.low_open, true}; }

// A condition for an option to have an effect: another option has one of `values`. A value "" means an empty
// option.
struct option_requirement {
    std::string option;
    std::vector<std::string> values{};               // empty: the other option has any value but ""
    std::vector<option_requirement> alternatives{};  // alternative conditions
    // Returns true if the condition itself, without the alternatives, holds for this value of the other option.
    bool is_met_by(const std::string& value) const;
};
using option_requirements = std::vector<option_requirement>;

// A former name of an option, with pairs of former and present values; without pairs, every value is valid under both
// names. The name is the present one if only values were renamed.
struct former_option_name {
    std::string name;
    std::vector<std::pair<std::string, std::string>> values;
};

// Descriptions of options that several methods have.
namespace option_text {
inline constexpr const char* penalty_parameter = "penalty parameter C; larger: closer fit to the training data";
inline constexpr const char* penalty = "penalty α of the squared norm; larger: smoother function";
inline constexpr const char* candidate_penalties = "values of alpha to compare; the best one by score is used";
inline constexpr const char* penalty_score =
    "criterion that chooses alpha: leave-one-out (loo) or generalised (gcv) error";
inline constexpr const char* half_width = "half-width ε of the tube; smaller errors are not penalised";
inline constexpr const char* intercept = "fit an intercept b";
inline constexpr const char* relative_gap = "relative duality gap at which the fit stops";
inline constexpr const char* eigen_residual = "relative residual ‖Au - λu‖/λ₁ at which the iteration stops";
inline constexpr const char* max_passes = "maximum number of passes over the examples";
inline constexpr const char* sample_starts =
    "number of random starts on a sample of the examples; the best one is used";
}  // namespace option_text

}  // namespace mercer
