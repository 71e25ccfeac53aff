// The list of all methods. It is the only source that names every method.
#include <algorithm>

#include "mercer/base/context.h"
#include "mercer/base/threads.h"
#include "mercer/methods/method.h"
#include "mercer/methods/nystroem/training_rows.h"
#include "mercer/methods/svm/linear_svc.h"
#include "mercer/methods/svm/one_class.h"
#include "mercer/methods/svm/pegasos.h"
#include "mercer/methods/svm/svc.h"
#include "mercer/methods/svm/svr.h"

namespace mercer::api {

const std::vector<method>& methods() {
    static const std::vector<method> all = [] {
        std::vector<method> out;
        for (auto each : {svc_method, nu_svc_method, svr_method, nu_svr_method, one_class_method, linear_svc_method,
                          pegasos_method})
            out.push_back(each());
        for (auto part :
             {ridge_methods, loss_methods, neighbour_methods, cluster_methods, component_methods, approximate_methods})
            for (method& each : part()) out.push_back(std::move(each));
        std::ranges::stable_sort(out, {}, &method::family);
        return out;
    }();
    return all;
}

std::vector<std::string> methods_by_passes() {
    std::vector<std::string> out;
    for (const method& each : methods())
        if (each.fit_rows) out.push_back(each.name);
    return out;
}
std::vector<std::string> methods_of_processes() {
    std::vector<std::string> out;
    for (const method& each : methods())
        if (each.fit_rows && !each.one_process) out.push_back(each.name);
    return out;
}
std::vector<std::string> methods_with_checkpoints() {
    std::vector<std::string> out;
    for (const method& each : methods())
        if (each.keeps_checkpoints)
            out.push_back(each.checkpoints_where.empty() ? each.name : each.name + " with " + each.checkpoints_where);
    return out;
}

fitted_ptr fit(const method& m, const option_values& options, const passes_task& task, const fit_control& control) {
    check_checkpoint(m, control);
    const thread_limit limit(control.threads);
    fit_watch watch(control);
    return m.fit_rows({{matrix_view<const double>(), task.y, nullptr, task.sample_weight, task.class_weight},
                       options,
                       control,
                       watch,
                       task.x.processes()},
                      task.x);
}

}  // namespace mercer::api
