#include "mercer/methods/svm/one_class.h"

#include "mercer/methods/svm/svm_estimator.h"

namespace mercer::api {

method one_class_method() { return entry<one_class, svm_estimator>(fit_by_smo); }

}  // namespace mercer::api
