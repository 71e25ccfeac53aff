#include "mercer/methods/svm/pegasos.h"

#include <fmt/format.h>

#include "mercer/methods/svm/svm_estimator.h"

namespace mercer::api {

namespace {

estimator_ptr make_pegasos(const pegasos& m, const fit_call& t) {
    train_options o = train_options_of(m, t);
    o.svm.classes = multiclass::one_vs_rest;
    o.pegasos.batch = m.batch_size;
    o.pegasos.project = m.projection;
    o.pegasos.average = m.average;
    if (!m.fit_intercept) o.pegasos.offset = offset_rule::none;
    const bool linear = t.k->text() == "linear()";
    if (m.projection && !linear)
        fail(errc::invalid_argument,
             fmt::format("pegasos: option 'projection' has no effect with {}, only with the linear kernel",
                         t.k->text()));
    return trained(linear ? svm_solver::pegasos : svm_solver::kernel_pegasos, *t.k, t, o);
}

}  // namespace

method pegasos_method() { return entry<pegasos, svm_estimator>(make_pegasos); }

}  // namespace mercer::api
