// mercer kernel gram: prints the kernel matrix or writes it to a file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kernel.h"
#include "mercer/base/error.h"

namespace mercer::cli {
namespace {

constexpr index printed_whole = 12, printed_corner = 8, max_in_json = 100;

struct gram_options {
    kernel_task task;
    std::string out;
};

// Statistics of one pass over the rows.
struct gram_summary {
    matrix<double> corner;
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    double diagonal_lowest = lowest, diagonal_highest = highest;
    double within = 0, between = 0;  // sums over pairs i ≠ j of the same class and of different classes
    double within_count = 0, between_count = 0;
};

gram_summary summarise_rows(const kernel_on_data& bound, index corner, matrix_writer* out, progress_line& shown) {
    const index n = bound.size();
    const std::vector<double>& y = bound.on.data.y;
    gram_summary all;
    all.corner = matrix<double>(corner, corner);
    const index chunk = std::clamp<index>((index(1) << 22) / n, 1, n);
    matrix<double> values(chunk, n);
    shown.set_phase(fmt::format("computing {} × {} kernel values", n, n));
    for (index first = 0; first < n; first += chunk) {
        const index rows = std::min(chunk, n - first);
        bound.matrix->block(row_set(first, rows), row_set(0, n), values.view());
        for (index r = 0; r < rows; ++r) {
            const index i = first + r;
            for (index j = 0; j < n; ++j) {
                const double value = values(r, j);
                if (!std::isfinite(value))
                    fail(
                        errc::data,
                        fmt::format("{} is {} at row {}, column {}: take smaller parameters, --scale or normalize(...)",
                                    bound.k.text(), value, bound.on.row(i), bound.on.row(j)));
                all.lowest = std::min(all.lowest, value);
                all.highest = std::max(all.highest, value);
                if (i == j) {
                    all.diagonal_lowest = std::min(all.diagonal_lowest, value);
                    all.diagonal_highest = std::max(all.diagonal_highest, value);
                } else {
                    const bool same = y.empty() || y[static_cast<std::size_t>(i)] == y[static_cast<std::size_t>(j)];
                    (same ? all.within : all.between) += value;
                    (same ? all.within_count : all.between_count) += 1;
                }
                if (i < corner && j < corner) all.corner(i, j) = value;
            }
        }
        if (out) out->add(values.view().block(0, 0, rows, n));
        shown.set_fraction(static_cast<double>(first + rows) / static_cast<double>(n));
    }
    return all;
}

bool has_classes(const loaded_data& on) {
    std::vector<double> y = on.data.y;
    std::ranges::sort(y);
    const auto different = std::unique(y.begin(), y.end()) - y.begin();
    return different > 1 && different <= 20;
}

std::string corner_text(const gram_summary& all, index n) {
    std::vector<std::vector<std::string>> lines;
    const index shown = n <= printed_whole ? n : printed_corner;
    for (index i = 0; i < shown; ++i) {
        std::vector<std::string> line;
        for (index j = 0; j < shown; ++j) line.push_back(fmt::format("{:.4g}", all.corner(i, j)));
        if (shown < n) line.emplace_back("...");
        lines.push_back(line);
    }
    if (shown < n) lines.emplace_back(static_cast<std::size_t>(shown), "...");
    return align_table(lines, std::vector<bool>(static_cast<std::size_t>(shown) + 1, true));
}

std::string as_text(const kernel_on_data& bound, const gram_summary& all) {
    const index n = bound.size();
    std::string out = fmt::format("{}\n{}\n\n{}\n", bound.k.text(), bound.on.about, corner_text(all, n));
    out += fmt::format("  entries        {:.6g} ... {:.6g}\n  diagonal       {:.6g} ... {:.6g}\n", all.lowest,
                       all.highest, all.diagonal_lowest, all.diagonal_highest);
    const double pairs = all.within_count + all.between_count;
    if (pairs > 0) out += fmt::format("  off-diagonal   {:.6g} (mean)\n", (all.within + all.between) / pairs);
    if (has_classes(bound.on) && all.within_count > 0 && all.between_count > 0)
        out += fmt::format("  mean of pairs  {:.6g} within a class, {:.6g} between classes\n",
                           all.within / all.within_count, all.between / all.between_count);
    return out;
}

json as_json(const kernel_on_data& bound, const gram_summary& all) {
    json out = bound.json_head();
    out["lowest"] = all.lowest;
    out["highest"] = all.highest;
    out["diagonal"] = {all.diagonal_lowest, all.diagonal_highest};
    if (has_classes(bound.on) && all.within_count > 0 && all.between_count > 0) {
        out["mean_within_classes"] = all.within / all.within_count;
        out["mean_between_classes"] = all.between / all.between_count;
    }
    if (all.corner.rows() < bound.size()) return out;
    out["matrix"] = json::array();
    for (index i = 0; i < bound.size(); ++i)
        out["matrix"].push_back(std::vector<double>(all.corner.row(i), all.corner.row(i) + bound.size()));
    return out;
}

void show(const gram_options& options) {
    if (!options.out.empty()) matrix_writer::check_name(options.out);
    std::string text;
    json answer = json::object();
    {
        progress_line shown;
        const kernel_on_data bound = load_kernel_task(options.task, shown);
        const index n = bound.size();
        std::optional<matrix_writer> out;
        if (!options.out.empty()) out.emplace(options.out, n, n);
        const bool as_numbers = options.task.common.as_json;
        const gram_summary all =
            summarise_rows(bound, std::min(n, as_numbers ? max_in_json : printed_whole), out ? &*out : nullptr, shown);
        if (out) out->commit();
        text = as_text(bound, all);
        if (as_numbers) answer = as_json(bound, all);
        write_picture(options.task, bound, {}, shown);
    }
    if (options.task.common.as_json) {
        if (!options.out.empty()) answer["file"] = options.out;
        return print(answer);
    }
    if (!options.out.empty()) text += fmt::format("\nwritten to {}\n", options.out);
    if (!options.task.picture.empty()) text += fmt::format("\npicture: {}\n", options.task.picture);
    print(text);
}

}  // namespace

void add_kernel_gram(CLI::App& group) {
    CLI::App* command =
        add_command(group, "gram", "Compute the kernel matrix",
                    "Computes the kernel (Gram) matrix K(i, j) = k(x_i, x_j) and prints the matrix, or its "
                    "first 8 rows and columns if there are more than 12. --output writes the whole "
                    "matrix.");
    const auto options = std::make_shared<gram_options>();
    options->task.add_to(*command);
    command->add_option("-o,--output", options->out, "Write the whole matrix to this .npy or .csv file")
        ->option_text("FILE")
        ->group("Output");
    set_common_options(*command, {"-o", "--svg", "--target", "--scale", "--rows", "--sample", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer kernel gram 'cosine()' data/iris.svm --rows 5\n"
        "  mercer kernel gram 'rbf(gamma=0.05)' data/wine.svm --scale standard -o K.npy\n"
        "  mercer kernel gram 'linear()' data/iris.csv --target species --svg K.svg");
    command->callback([options] { show(*options); });
}

}  // namespace mercer::cli
