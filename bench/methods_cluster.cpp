// Times of the methods that need only distances and projections, in one process, without reading the data.
// bench/methods_cluster.py compares them with scikit-learn and kernlab. Arrays are .npy files; prints one line of JSON
// and writes results to a file of raw numbers.
//   methods_cluster knn X Y Z NEIGHBOURS KERNEL REPEATS OUT OUT: predicted labels (float64)
//   methods_cluster kmeans X CLUSTERS KERNEL REPEATS MB OUT OUT: labels (int64); one run per fit, seeds 0, 1, …
//   methods_cluster kpca X COMPONENTS KERNEL REPEATS MB OUT OUT: eigenvalues, then eigenvectors one after the other
//     (float64)
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "mercer/base/error.h"
#include "mercer/io/npy.h"
#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/neighbours/knn.h"

namespace {

using namespace mercer;
using nlohmann::json;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Returns the smallest time of several runs, and the result of the last run.
template <class Body>
auto timed(int repeats, double& best, Body body) {
    best = 1e300;
    for (int r = 0;; ++r) {
        const double start = now();
        auto result = body(r);
        best = std::min(best, now() - start);
        if (r + 1 >= repeats) return result;
    }
}

template <class T>
void write_raw(const char* path, const T* data, std::size_t count) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof(T)));
}

double peak_mb() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) / 1024;
}

json time_knn(char** a) {
    const dataset x = read_npy(a[0]).x, z = read_npy(a[2]).x;
    const dense<double> labels = as_dense<double>(read_npy(a[1]).x);
    std::vector<double> y;
    for (mercer::index i = 0; i < labels.size(); ++i) y.push_back(labels.row(i)[0]);
    knn_options o;
    o.n_neighbors = std::atoi(a[3]);
    double seconds = 0;
    const knn_model m = fit_knn(kernel::parse(a[4]), x, y, o);
    mercer::index again = 0;
    const auto got = timed(std::atoi(a[5]), seconds, [&](int) {
        const neighbours found = find_neighbours(m, z);
        again = found.repeated_queries;
        return predict(m, found);
    });
    write_raw(a[6], got.data(), got.size());
    return {{"predict", seconds}, {"again", again}};
}

json kmeans(char** a) {
    const dataset x = read_npy(a[0]).x;
    kmeans_options o;
    o.n_clusters = std::atoi(a[1]);
    o.n_init = 1;
    o.memory_bytes = static_cast<std::size_t>(std::atoi(a[4])) << 20;
    double seconds = 0, least = 1e300;
    std::size_t rounds = 0;
    const kmeans_model m = timed(std::atoi(a[3]), seconds, [&](int r) {
        o.seed = static_cast<std::uint64_t>(r);
        kmeans_model one = fit_kernel_kmeans(kernel::parse(a[2]), x, o);
        least = std::min(least, one.objective());
        rounds = one.history.size();
        return one;
    });
    write_raw(a[5], m.labels.data(), m.labels.size());
    return {{"fit", seconds},
            {"objective", least},
            {"last", m.objective()},
            {"rounds", rounds},
            {"status", name(m.status)}};
}

json kpca(char** a) {
    const dataset x = read_npy(a[0]).x;
    kernel_pca_options o;
    o.n_components = std::atoi(a[1]);
    o.solver = eigen_solver::iterative;
    o.memory_bytes = static_cast<std::size_t>(std::atoi(a[4])) << 20;
    double seconds = 0;
    const kernel_pca_model m =
        timed(std::atoi(a[3]), seconds, [&](int) { return fit_kernel_pca(kernel::parse(a[2]), x, o); });
    std::vector<double> out = m.eigenvalues;
    for (mercer::index j = 0; j < m.components(); ++j)
        for (mercer::index i = 0; i < m.scores.rows(); ++i)
            out.push_back(m.scores(i, j) / std::sqrt(m.eigenvalues[static_cast<std::size_t>(j)]));
    write_raw(a[5], out.data(), out.size());
    return {{"fit", seconds},
            {"passes", m.passes},
            {"status", name(m.status)},
            {"residual", m.residuals.empty() ? 0 : m.residuals.back()}};
}

}  // namespace

int main(int count, char** argument) {
    try {
        const std::string what = count > 1 ? argument[1] : "";
        json line;
        if (what == "knn" && count == 9) line = time_knn(argument + 2);
        if (what == "kmeans" && count == 8) line = kmeans(argument + 2);
        if (what == "kpca" && count == 8) line = kpca(argument + 2);
        if (line.is_null()) {
            std::fprintf(stderr,
                         "usage: methods_cluster knn X Y Z NEIGHBOURS KERNEL REPEATS OUT | kmeans X CLUSTERS KERNEL "
                         "REPEATS MB OUT | kpca X COMPONENTS KERNEL "
                         "REPEATS MB OUT\n");
            return 2;
        }
        line["peak_mb"] = std::round(peak_mb());
        std::printf("%s\n", line.dump().c_str());
    } catch (const error& problem) {
        std::fprintf(stderr, "methods_cluster: %s\n", problem.what());
        return 1;
    }
    return 0;
}
