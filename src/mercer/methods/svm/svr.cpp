#include "mercer/methods/svm/svr.h"

#include "mercer/methods/svm/svm_estimator.h"

namespace mercer::api {

method svr_method() { return entry<svr, svm_estimator>(fit_by_smo); }
method nu_svr_method() { return entry<nu_svr, svm_estimator>(fit_by_smo); }

}  // namespace mercer::api
