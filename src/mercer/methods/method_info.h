// What a method says of itself, once: its name and kind, and its options with defaults, ranges and meaning. A method is
// a plain aggregate of its options, the kernel among them, with
//     static method_facts facts();
//     template <class Visitor> void options(Visitor& v);      // v.number("C", C, above(0), "price of an error"); ...
// Help, checks, the JSON spec, model files and tables are made from these two by visitors (methods/method.h).
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace mercer {

enum class method_family { classification, regression, outliers, clustering, components, density };
const char* name(method_family family) noexcept;
// What predictions and targets are.
enum class answer { none, classes, values, clusters, sides };  // sides: 1 inside, -1 outside

// How a search judges many settings of a method at once, on one kernel matrix (methods/svm/price_folds, ridge_folds):
// over C and ε, over λ; none: by a fit for each.
enum class many_at_once { none, prices, ridges };

struct method_facts {
    std::string name;
    std::vector<std::string> aliases;
    method_family family;
    std::string about;    // one line
    std::string formula;  // the problem it solves
    std::string format;   // the first word of its model files
    answer targets;       // what it learns from
    bool takes_kernel = true;
    bool can_predict = true, can_transform = false;
    bool takes_features = false;  // takes a kernel for its explicit features alone; without one, vectors as they are
    many_at_once search = many_at_once::none;
    bool keeps_checkpoints = false;   // a fit that was killed can go on,
    std::string checkpoints_where{};  // where its options say so: "solver=cg"
    bool one_process = false;         // passes over rows that are streamed, but not shared by processes
};
inline method_facts with_checkpoints(method_facts f, std::string where = {}) {
    f.keeps_checkpoints = true, f.checkpoints_where = std::move(where);
    return f;
}
inline method_facts for_one_process(method_facts f) {
    f.one_process = true;
    return f;
}

// What a number may be.
struct range {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool low_open = false, high_open = true;  // the ends themselves are not allowed
};
inline range at_least(double low) { return {.low = low}; }
inline range above(double low) { return {.low = low, .low_open = true}; }
inline range up_to(range r, double high) { return {r.low, high, r.low_open, false}; }
inline range below(range r, double high) { return {r.low, high, r.low_open, true}; }

// An option that has an effect only where another one has one of these values; "" among them: where the other is left
// empty.
struct option_need {
    std::string option;
    std::vector<std::string> values{};   // none: where the other is given at all
    std::vector<option_need> or_else{};  // one of these is enough too
    bool met_by(const std::string& value) const;
};
using option_needs = std::vector<option_need>;

// An option's earlier name, with the values it had there and what they are called now.
struct former_option {
    std::string name;
    std::vector<std::pair<std::string, std::string>> values;
};

}  // namespace mercer
