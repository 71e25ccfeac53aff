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
    v.number("C", C, up_to(above(0), infinite), "price of an error; inf: none allowed");
}
template <class V>
void nu_option(V& v, double& nu) {
    v.number("nu", nu, up_to(above(0), 1), "bound on the share of errors, and below it on that of support vectors");
}
template <class V>
void time_limit_option(V& v, double& max_seconds) {
    v.number("max_seconds", max_seconds, at_least(0), "stop after so long and keep what there is; 0: no limit");
}
// The options of all methods that SMO solves. `shrinks`: conditions for the option shrinking.
template <class V>
void smo_options_of(V& v, auto& m, const option_requirements& shrinks = {}) {
    v.number("tol", m.tol, above(0), "the gap at which training ends");
    time_limit_option(v, m.max_seconds);
    v.integer("max_iter", m.max_iter, -1, "pairs solved at most in each binary problem; -1: no limit");
    v.flag("shrinking", m.shrinking, "set examples aside whose variables will stay at a bound", shrinks);
}
template <class V>
void multiclass_option(V& v, auto& m) {
    v.choice("multiclass", m.multiclass, {"ovo", "ovr"}, "more than two: each against each, or each against the rest");
}
template <class V>
void epoch_options(V& v, double& tol, index& max_iter, index& seed) {
    v.number("tol", tol, above(0), "the relative gap at which training ends");
    v.integer("max_iter", max_iter, 1, "passes over the data at most");
    v.integer("seed", seed, 0, "of the order of the examples");
}
inline constexpr const char* svm_format = "mercer-svm-model";

}  // namespace detail

}  // namespace mercer
