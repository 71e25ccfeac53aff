// mercer cluster: clusters in feature space, for one number of clusters or a range.
#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "fit.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/random_generator.h"
#include "mercer/gram/gram_views.h"
#include "mercer/gram/make_gram.h"
#include "mercer/methods/clustering/kernel_kmedoids.h"

namespace mercer::cli {
namespace {

struct cluster_options {
    method_options method;
    data_options from;
    common_options common;
    index k = 0;
    std::string range, out, labels, picture;
};

std::pair<index, index> parse_range(const cluster_options& o) {
    if (o.range.empty()) return {o.k, o.k};
    long first = 0, last = 0;
    char rest = 0;
    if (std::sscanf(o.range.c_str(), "%ld:%ld%c", &first, &last, &rest) != 2 || first < 1 || last < first)
        throw usage_error(fmt::format("--k-range must be FIRST:LAST with 1 <= FIRST <= LAST, got '{}'", o.range));
    return {first, last};
}

struct attempt {
    index k;
    double objective, silhouette;
    std::string status;
};

// The results for all numbers of clusters, and the model with the largest silhouette.
struct cluster_search {
    std::vector<attempt> tried;
    attempt kept;
    api::model best;
    std::string kernel;  // the same for every number of clusters
    std::vector<index> labels, sizes;
    std::vector<index> sampled;  // rows used for silhouettes and pictures: all, or a sample
};

// Silhouettes and pictures need the distances of all pairs. For more than 20,000 objects they use a sample of 10,000.
std::vector<index> silhouette_rows(index n) {
    constexpr index most = 20000, sample = 10000;
    if (n > most) {
        std::vector<index> out = random_generator(0).sample(n, sample);
        std::ranges::sort(out);
        return out;
    }
    std::vector<index> out(static_cast<std::size_t>(n));
    std::iota(out.begin(), out.end(), index{0});
    return out;
}

std::vector<index> labels_at(const std::vector<index>& labels, const std::vector<index>& rows) {
    std::vector<index> out;
    for (const index row : rows) out.push_back(labels[static_cast<std::size_t>(row)]);
    return out;
}

dataset sampled_objects(const api::model& m, const dataset& x, const std::vector<index>& rows) {
    return m.preprocess(std::ssize(rows) == x.size() ? x : gather(x, std::span<const index>(rows)));
}

double number_of(const api::model& m, const char* name) { return std::get<double>(*m.fit_summary().find(name)); }

api::spec checked_spec(const cluster_options& options) {
    api::spec s = options.method.spec();
    if (api::find_method(s.method).family != api::method_family::clustering)
        throw usage_error(
            fmt::format("{} is not a method of clustering: take kernel_kmeans or kernel_kmedoids, or for many examples "
                        "nystroem_kmeans or nystroem_spectral",
                        s.method));
    s.scale = options.from.scale;
    s.text = options.from.text;
    for (const auto& [name, value] : s.options)
        if (api::canonical_name(name) == "n_clusters")
            throw usage_error("--set n_clusters has no effect here: name the number of clusters with -k or --k-range");
    if ((options.k > 0) == !options.range.empty())
        throw usage_error("the number of clusters is missing: name it with -k 3, or a range with --k-range 2:10");
    return s;
}

cluster_search fit_all_numbers(const api::spec& s, const loaded_data& on, std::pair<index, index> range,
                               const cluster_options& options, progress_line& shown) {
    std::vector<attempt> tried;
    std::optional<api::model> best;
    double most = 0;
    std::string kernel_text;
    std::unique_ptr<gram<double>> matrix_of;
    const std::vector<index> sampled = silhouette_rows(on.size());
    const auto fit_one_number = [&](index k) {
        api::spec one = s;
        if (matrix_of) one.kernel = kernel_text;
        one.options.emplace_back("n_clusters", fmt::format("{}", k));
        api::model m = fit_with_progress(one, on.data, options.method.memory, shown);
        if (best && is_interrupted()) return;  // this fit was cut short, and an earlier one is complete
        shown.set_phase(fmt::format("computing the silhouette of {} clusters", k));
        double silhouette = std::numeric_limits<double>::quiet_NaN();
        const cancellation_scope stop(interrupt_grace_expired);
        (void)completes_unless_cancelled([&] {
            if (!matrix_of) {
                kernel_text = m.kernel_text();
                matrix_of = make_gram<double>(kernel::parse(kernel_text), sampled_objects(m, on.data.x, sampled));
            }
            const std::vector<double> each =
                silhouettes(distance_gram(*matrix_of), labels_at(m.inner().training_clusters(), sampled));
            silhouette = std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size());
        });
        tried.push_back(
            {k, number_of(m, "objective"), silhouette, std::get<std::string>(*m.fit_summary().find("status"))});
        if (!best || silhouette > most) {
            best = std::move(m);
            most = silhouette;
        }
    };
    for (index k = range.first; k <= range.second && !is_interrupted(); ++k)
        if (best) {
            // Ctrl-C keeps the results of earlier numbers of clusters and drops the unfinished one.
            const cancellation_scope stop(is_interrupted);
            if (!completes_unless_cancelled([&] { fit_one_number(k); })) break;
        } else {
            fit_one_number(k);
        }
    const attempt kept = *std::ranges::max_element(tried, {}, &attempt::silhouette);
    std::vector<index> labels = best->inner().training_clusters(), sizes(static_cast<std::size_t>(kept.k));
    for (const index c : labels) ++sizes[static_cast<std::size_t>(c)];
    best->label = detail::to_utf8(options.from.label);
    return {std::move(tried), kept, std::move(*best), kernel_text, std::move(labels), std::move(sizes), sampled};
}

panel silhouette_panel(const cluster_search& found) {
    curves of;
    of.lines = {{"silhouette", {}}};
    for (const attempt& each : found.tried) {
        of.x.push_back(static_cast<double>(each.k));
        of.lines[0].y.push_back(each.silhouette);
    }
    of.best = found.kept.k - found.tried.front().k;
    of.title = "Silhouette";
    of.note = fmt::format("largest with {} clusters", found.kept.k);
    of.across = "clusters";
    of.up = "mean silhouette";
    return curves_panel(std::move(of));
}

std::string picture_of(const cluster_search& found, const std::string& method, const loaded_data& on,
                       const cluster_options& options) {
    scatter points = component_scatter(kernel::parse(found.kernel),
                                       sampled_objects(found.best, on.data.x, found.sampled), options.method.memory);
    points.note += ", coloured by cluster";
    points.group = labels_at(found.labels, found.sampled);
    for (index c = 0; c < found.kept.k; ++c) points.group_names.push_back(fmt::format("cluster {}", c));
    std::vector<panel> panels{scatter_panel(std::move(points))};
    if (found.tried.size() > 1) panels.push_back(silhouette_panel(found));
    return picture_page(fmt::format("{} {}", method, found.kernel), on.about, panels);
}

json as_json(const cluster_search& found, const std::string& method, const loaded_data& on) {
    json list = json::array();
    for (const attempt& each : found.tried)
        list.push_back(
            {{"k", each.k}, {"objective", each.objective}, {"silhouette", each.silhouette}, {"status", each.status}});
    return {{"method", method},     {"kernel", found.kernel}, {"data", on.about},
            {"n", on.size()},       {"tried", list},          {"k", found.kept.k},
            {"sizes", found.sizes}, {"labels", found.labels}, {"silhouette_examples", found.sampled.size()}};
}

std::string as_text(const cluster_search& found, const std::string& method, const loaded_data& on) {
    std::vector<std::vector<std::string>> lines{{"clusters", "objective", "silhouette", "status"}};
    for (const attempt& each : found.tried)
        lines.push_back({fmt::format("{}", each.k), fmt::format("{:.6g}", each.objective),
                         fmt::format("{:.4f}", each.silhouette), each.status});
    std::string members;
    for (const index size : found.sizes) members += fmt::format("{}{}", members.empty() ? "" : ", ", size);
    return fmt::format("{} with {}\n{}\n\n{}\n", method, found.kernel, on.about,
                       align_table(lines, {true, true, true, false})) +
           fmt::format("{} of sizes {}{}\n", count_text(found.kept.k, "cluster"), members,
                       found.tried.size() > 1 ? " (largest silhouette)" : "") +
           (std::ssize(found.sampled) < on.size()
                ? fmt::format("silhouettes computed on a random sample of {} of {} examples\n", found.sampled.size(),
                              on.size())
                : "");
}

void cluster(const cluster_options& options) {
    options.common.apply();
    const api::spec s = checked_spec(options);
    const auto range = parse_range(options);
    std::string text, model_file;
    json answer = json::object();
    {
        progress_line shown;
        shown.set_phase("reading " + options.from.path);
        const loaded_data on = load_raw(options.from, read_options_for(s.kernel), options.method.memory);
        require_fit(s, on, options.from.path);
        if (range.second > on.size())
            throw usage_error(fmt::format(
                "the number of clusters must be at most the number of examples, got {} clusters of {} examples",
                range.second, on.size()));
        const cluster_search found = fit_all_numbers(s, on, range, options, shown);
        fit_output kept;
        kept.save(found.best, options.out);
        model_file = kept.saved_path;
        if (!options.labels.empty()) {
            std::string lines;
            for (const index c : found.labels) lines += fmt::format("{}\n", c);
            write_atomically(options.labels, lines);
        }
        if (!options.picture.empty()) {
            shown.set_phase("drawing");
            write_atomically(options.picture, picture_of(found, s.method, on, options));
        }
        answer = as_json(found, s.method, on);
        text = as_text(found, s.method, on);
    }
    if (options.common.as_json) return print(answer);
    for (const auto& [what, path] :
         {std::pair{"model", model_file}, {"labels", options.labels}, {"picture", options.picture}})
        if (!path.empty()) text += fmt::format("{}: {}\n", what, path);
    print(text);
}

}  // namespace

void add_cluster(CLI::App& program) {
    CLI::App* command =
        add_command(program, "cluster", "Find clusters in feature space",
                    "Finds clusters in feature space by kernel k-means, k-medoids or spectral clustering, for a given "
                    "number of clusters or for the number with the largest mean silhouette.");
    const auto options = std::make_shared<cluster_options>();
    options->method.add_to(*command);
    command->get_option("METHOD")->description(
        "Clustering method, such as kmeans (see the part clustering of `mercer methods`)");
    options->from.add_to(*command);
    command->get_option("--target")
        ->description("Target column of CSV, not a feature: name or position from 0 (default: none)");
    options->common.add_to(*command);
    command->add_option("-k", options->k, "Number of clusters (either -k or --k-range is required)")
        ->option_text("N")
        ->check(CLI::PositiveNumber)
        ->group("Method");
    command
        ->add_option("--k-range", options->range,
                     "Try FIRST to LAST clusters, choose the number with the largest mean silhouette")
        ->option_text("FIRST:LAST")
        ->group("Method");
    command->add_option("-o,--output", options->out, "Write the model to this file")
        ->option_text("FILE")
        ->group("Output");
    command->add_option("--labels", options->labels, "Write the cluster of every example to this file, one per line")
        ->option_text("FILE")
        ->group("Output");
    command
        ->add_option("--svg", options->picture,
                     "Plot the clusters and, with --k-range, the silhouettes to this SVG file")
        ->option_text("FILE")
        ->group("Output");
    set_common_options(
        *command, {"-k", "--k-range", "--kernel", "--set", "--scale", "--target", "-o", "--labels", "--svg", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer cluster kmeans data/iris.csv --target species --scale standard -k 3\n"
        "  mercer cluster kmedoids data/wine.svm --scale standard --k-range 2:6\n"
        "  mercer cluster kmedoids data/promoters.tsv -k 2 --labels clusters.txt");
    command->callback([options] { cluster(*options); });
}

}  // namespace mercer::cli
