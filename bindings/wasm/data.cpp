// Operations that set and return data: points drawn on the page, dropped files, models to download.
#include <charconv>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/io/csv.h"
#include "mercer/io/read.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/preprocess/column_encoder.h"
#include "mercer/preprocess/pipeline.h"
#include "session.h"

namespace mercer::page {
namespace {

// {"n", "dims", "classes": names | absent}: the numbers are n × dims coordinates, followed by n targets or none.
void set_points(session& s, const request& r, reply&) {
    const auto n = static_cast<index>(r.number("n", 0)), dims = static_cast<index>(r.number("dims", 2));
    if (static_cast<index>(r.numbers.size()) < n * dims)
        fail(errc::data, "the request has fewer numbers than n × dims");
    matrix<double> rows(n, dims);
    std::copy_n(r.numbers.data(), n * dims, rows.data());
    s.data = {};
    s.data.x = dense<double>(std::move(rows));
    const auto rest = r.numbers.subspan(static_cast<std::size_t>(n * dims));
    s.data.y.assign(rest.begin(), rest.end());
    if (r.body.contains("classes")) s.data.class_names = r.body["classes"].get<std::vector<std::string>>();
    if (r.body.contains("features")) s.data.feature_names = r.body["features"].get<std::vector<std::string>>();
    s.model.reset();
}

// Targets are values if all of them are numbers, else class names.
void take_targets(const text_table& from, std::size_t column, table& to) {
    std::vector<std::string> all;
    bool numbers = true;
    for (index i = 0; i < from.rows(); ++i) {
        all.emplace_back(from.at(i, column));
        double value = 0;
        const char* const end = all.back().data() + all.back().size();
        const auto read = std::from_chars(all.back().data(), end, value);
        numbers = numbers && read.ec == std::errc() && read.ptr == end && std::isfinite(value);
        if (numbers) to.y.push_back(value);
    }
    if (numbers) return;
    to.class_names = all;
    std::ranges::sort(to.class_names);
    to.class_names.erase(std::ranges::unique(to.class_names).begin(), to.class_names.end());
    to.y.clear();
    for (const std::string& each : all)
        to.y.push_back(static_cast<double>(std::ranges::lower_bound(to.class_names, each) - to.class_names.begin()));
}

// Converts a dropped file to points.
//   {"name": of the file, "label": a column | absent}
// The values are numbers only. For CSV, column_encoder converts columns that are not numeric.
void read_file(session&, const request& r, reply& out) {
    const std::string name = r.text("name", "file");
    const file_contents file = unpack(name, r.bytes);
    read_options how;
    how.csv.label = r.text("label");
    how.numbers = precision::natural;
    table found;
    std::vector<std::string> all;  // all columns of the file, including the label
    const file_format& format = detect_format(name, r.bytes);
    out.body["format"] = format.name;
    if (std::string_view(format.name) == "csv") {
        const text_table fields = text_table::parse(file, how.csv);
        all = fields.names();
        std::optional<std::size_t> target;
        if (!how.csv.label.empty()) target = fields.find_column(how.csv.label, "the label");
        column_options plain;
        plain.scale = "none";
        const column_encoder encoder = column_encoder::fit(fields, target, plain);
        found.x = encoder.apply(fields);
        found.feature_names = encoder.coordinate_names();
        if (target) take_targets(fields, *target, found);
    } else {
        how.format = &format;
        found = parse_table(file, how);
    }
    const index n = found.x.size();
    if (!(found.x.kind() == object_kind::vectors)) {
        out.body.update({{"kind", std::string(found.x.kind().name())}, {"n", n}});
        return;
    }
    const dense<double> rows = as_dense<double>(found.x);
    if (found.feature_names.empty())
        for (index j = 0; j < rows.dims(); ++j) found.feature_names.push_back("x" + std::to_string(j + 1));
    out.body.update({{"kind", "vectors"},
                     {"n", n},
                     {"columns", all},
                     {"features", found.feature_names},
                     {"classes", found.class_names}});
    out.array<double>("x", std::span(rows.view().data, static_cast<std::size_t>(n * rows.dims())));
    out.array<double>("y", found.y);
}

// Computes the first kernel principal components of objects of any kind: {"kernel", "scale": of the columns,
// "components": 2}.
void components(session& s, const request& r, reply& out) {
    require_data(s, 3);
    kernel_pca_options options;
    options.n_components = static_cast<index>(r.number("components", 2));
    const auto scale = api::fit_scaling(s.data.x, r.text("scale"));
    const dataset x = scale ? api::apply_scaling(*scale, s.data.x) : s.data.x;
    const kernel k = r.text("kernel").empty() ? api::default_kernel(x) : kernel::parse(r.text("kernel"));
    const kernel_pca_model found = fit_kernel_pca(k, x, options);
    out.body["kernel"] = k.text();
    out.body["components"] = found.components();
    std::vector<double> share;
    for (const double each : found.explained_variance_ratio)
        if (std::isfinite(each)) share.push_back(each);
    out.body["share"] = share;
    out.array<double>("scores", found.scores);
}

void model_bytes(session& s, const request&, reply& out) {
    if (!s.model) fail(errc::invalid_argument, "no model has been fitted yet");
    out.array<std::uint8_t>("model", s.model->bytes());
}

}  // namespace

std::map<std::string, operation> data_operations() {
    return {{"points", set_points}, {"file", read_file}, {"components", components}, {"model", model_bytes}};
}

}  // namespace mercer::page
