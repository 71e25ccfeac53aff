// Kernel k-means as files.
#include <fmt/format.h>

#include "mercer/methods/clusters/kernel_kmeans.h"
#include "mercer/methods/expansion_archive.h"

namespace mercer {
namespace {

constexpr std::string_view format_name = "mercer-kernel-kmeans-model";

}  // namespace

std::string model_bytes(const kmeans_model& m) {
    archive_writer out;
    write_expansion(out, m.means);
    out.head["status"] = name(m.status);
    out.head["runs"] = m.runs;
    out.head["rounds"] = m.history.size();
    out.all(m.norms);
    out.all(m.weights);
    out.all(m.labels);
    out.all(m.history);
    return out.bytes(format_name, 1);
}

kmeans_model parse_kernel_kmeans_model(std::string_view bytes, const std::string& name) {
    archive_reader in(bytes, format_name, 1, name);
    kmeans_model m;
    in.read([&] {
        m.means = read_expansion(in);
        m.status = status_in(in.head);
        m.runs = whole(in.head, "runs");
        m.norms = in.all<double>(m.clusters());
        m.weights = in.all<double>(m.clusters());
        m.labels = in.all<index>(m.means.size());
        m.history = in.all<double>(whole(in.head, "rounds"));
        if (m.clusters() == 0 || m.history.empty()) in.bad("there are no clusters, or there is no objective");
        for (const index c : m.labels)
            if (c < 0 || c >= m.clusters())
                in.bad(fmt::format("a label must satisfy 0 <= label < {}, got {}", m.clusters(), c));
    });
    return m;
}

void save_model(const kmeans_model& model, const std::string& path) { write_atomically(path, model_bytes(model)); }
kmeans_model load_kernel_kmeans_model(const std::string& path) { return load_with(path, parse_kernel_kmeans_model); }

}  // namespace mercer
