#include "mercer/methods/svm/linear_svc.h"

#include <fmt/format.h>

#include "mercer/methods/svm/svm_estimator.h"

namespace mercer::api {

namespace {

estimator_ptr make_linear(const linear_svc& m, const fit_call& t) {
    train_options o = train_options_of(m, t);
    o.svm.classes = multiclass::one_vs_rest;
    o.constant = m.fit_intercept ? m.intercept_scaling : 0;
    o.keep_examples = false;
    o.l1_penalty = m.penalty == "l1";
    o.coordinate.loss = m.loss == "hinge" ? hinge_power::l1 : hinge_power::l2;
    if (!t.k || t.k->text() == "linear()")
        return trained(svm_solver::dual_coordinate_descent, kernel::parse("linear()"), t, o);
    if (o.l1_penalty)
        fail(errc::unsupported,
             fmt::format(
                 "linear_svc: penalty=l1 needs vectors, got {}, for which w is a sum over examples: take penalty=l2",
                 t.k->text()));
    o.keep_examples = true;
    return trained(svm_solver::dual_coordinate_descent, *t.k, t, o);
}

}  // namespace

method linear_svc_method() { return entry<linear_svc, svm_estimator>(make_linear); }

}  // namespace mercer::api
