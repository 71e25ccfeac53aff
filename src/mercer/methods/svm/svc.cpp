#include "mercer/methods/svm/svc.h"

#include "mercer/methods/svm/svm_estimator.h"

namespace mercer::api {

method svc_method() { return entry<svc, svm_estimator>(fit_by_smo); }
method nu_svc_method() { return entry<nu_svc, svm_estimator>(fit_by_smo); }

}  // namespace mercer::api
