// Descriptions of the options that several SVM methods share.
#pragma once

#include <limits>

#include "mercer/base/matrix_view.h"
#include "mercer/methods/method_info.h"

namespace mercer {
namespace detail {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
template <class V>
void c_option(V& v, double& C) {
    v.number("C", C, up_to(above(0), infinite),
             "penalty parameter C; larger: closer fit to the training data; inf: hard margin");
}
template <class V>
void nu_option(V& v, double& nu) {
    v.number("nu", nu, up_to(above(0), 1),
             "upper bound on the fraction of errors, lower bound on that of support vectors");
}
template <class V>
void time_limit_option(V& v, double& max_seconds) {
    v.number("max_seconds", max_seconds, at_least(0),
             "time limit in seconds, after which the fit returns its model so far; 0: none");
}
// The options of all methods that SMO solves. `shrinks`: conditions for the option shrinking.
template <class V>
void smo_options_of(V& v, auto& m, const option_requirements& shrinks = {}) {
    v.number("tol", m.tol, above(0), "largest violation of the KKT conditions at which the fit stops");
    time_limit_option(v, m.max_seconds);
    v.integer("max_iter", m.max_iter, -1, "maximum number of iterations in each binary problem; -1: no limit");
    v.flag("shrinking", m.shrinking, "shrinking heuristic: skip variables that are expected to stay at a bound",
           shrinks);
}
template <class V>
void multiclass_option(V& v, auto& m) {
    v.choice("multiclass", m.multiclass, {"ovo", "ovr"},
             "more than two classes: one-vs-one (ovo) or one-vs-rest (ovr)");
}
template <class V>
void epoch_options(V& v, double& tol, index& max_iter, index& seed) {
    v.number("tol", tol, above(0), option_text::relative_gap);
    v.integer("max_iter", max_iter, 1, option_text::max_passes);
    v.integer("seed", seed, 0, "random seed of the order of the examples");
}
inline constexpr const char* svm_format = "mercer-svm-model";

}  // namespace detail

}  // namespace mercer
