// Kernel k-means as files.
#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/codec.h"

namespace mercer {

template <>
struct file_form<kmeans_model> {
    static constexpr std::string_view format = "mercer-kernel-kmeans-model";
    static constexpr int version = 1;

    static void parts(auto& a, auto& m) {
        a.part(m.means);
        const index clusters = m.clusters();
        a.status(m.status);
        a.whole("runs", m.runs);
        a.list(m.norms, clusters);
        a.list(m.weights, clusters);
        a.list(m.labels, m.means.size());
        a.list("rounds", m.history);
        a.check(clusters > 0 && !m.history.empty(), "there are no clusters, or there is no objective");
        a.within(m.labels, 0, clusters, "a label");
    }
};
template struct model_file<kmeans_model>;

}  // namespace mercer
