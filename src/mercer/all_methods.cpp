// The list of all methods. It is the only source that names every method.
#include <algorithm>

#include "mercer/base/context.h"
#include "mercer/base/threads.h"
#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/clustering/kernel_kmedoids.h"
#include "mercer/methods/components/kernel_fisher.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/method.h"
#include "mercer/methods/neighbours/kernel_density.h"
#include "mercer/methods/neighbours/knn.h"
#include "mercer/methods/neighbours/nearest_class.h"
#include "mercer/methods/nystroem/nystroem_features.h"
#include "mercer/methods/nystroem/nystroem_kmeans.h"
#include "mercer/methods/nystroem/nystroem_logistic.h"
#include "mercer/methods/nystroem/nystroem_ridge.h"
#include "mercer/methods/nystroem/nystroem_spectral.h"
#include "mercer/methods/nystroem/nystroem_svc.h"
#include "mercer/methods/nystroem/training_rows.h"
#include "mercer/methods/random_features/random_features.h"
#include "mercer/methods/regression/kernel_logistic.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/regression/representer.h"
#include "mercer/methods/regression/ridge.h"
#include "mercer/methods/svm/linear_svc.h"
#include "mercer/methods/svm/one_class.h"
#include "mercer/methods/svm/pegasos.h"
#include "mercer/methods/svm/svc.h"
#include "mercer/methods/svm/svr.h"

namespace mercer::api {

const std::vector<method>& methods() {
    static const std::vector<method> all = [] {
        std::vector<method> out;
        for (auto each : {svc_method,
                          nu_svc_method,
                          svr_method,
                          nu_svr_method,
                          one_class_method,
                          linear_svc_method,
                          pegasos_method,
                          ridge_method,
                          kernel_ridge_method,
                          kernel_logistic_method,
                          representer_method,
                          knn_method,
                          knn_regression_method,
                          nearest_centroid_method,
                          nearest_medoid_method,
                          kernel_kmeans_method,
                          kernel_kmedoids_method,
                          nystroem_kmeans_method,
                          nystroem_spectral_method,
                          kernel_pca_method,
                          kernel_fisher_method,
                          kernel_density_method,
                          nystroem_ridge_method,
                          nystroem_logistic_method,
                          nystroem_svc_method,
                          nystroem_pca_method,
                          nystroem_method,
                          random_features_method})
            out.push_back(each());
        for (method& each : cell_methods()) out.push_back(std::move(each));
        std::ranges::stable_sort(out, {}, &method::family);
        return out;
    }();
    return all;
}

std::vector<std::string> streaming_methods() {
    std::vector<std::string> out;
    for (const method& each : methods())
        if (each.fit_streamed_rows) out.push_back(each.name);
    return out;
}
std::vector<std::string> distributed_methods() {
    std::vector<std::string> out;
    for (const method& each : methods())
        if (each.fit_streamed_rows && !each.single_rank) out.push_back(each.name);
    return out;
}
std::vector<std::string> methods_with_checkpoints() {
    std::vector<std::string> out;
    for (const method& each : methods())
        if (each.keeps_checkpoints)
            out.push_back(each.checkpoint_condition.empty() ? each.name
                                                            : each.name + " with " + each.checkpoint_condition);
    return out;
}

estimator_ptr fit(const method& m, const option_values& options, const streamed_task& task,
                  const fit_control& control) {
    require_checkpoint_support(m, control);
    const thread_limit limit(control.threads);
    fit_monitor watch(control);
    return m.fit_streamed_rows({{matrix_view<const double>(), task.y, nullptr, task.sample_weight, task.class_weight},
                                options,
                                control,
                                watch,
                                task.x.processes()},
                               task.x);
}

}  // namespace mercer::api
