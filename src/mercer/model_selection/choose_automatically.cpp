
#include "mercer/model_selection/choose_automatically.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/target_column.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/model/fit.h"
#include "mercer/model_selection/search_space.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer::api {

target_choice choose_target(const text_table& from) {
    for (const char* usual : {"target", "label", "class", "y", "outcome", "response", "species", "category"})
        for (std::size_t c = 0; c < from.columns() && from.has_header(); ++c) {
            std::string name = from.names()[c];
            std::ranges::transform(name, name.begin(), [](unsigned char ch) { return std::tolower(ch); });
            if (name == usual) return {c, "by its name"};
        }
    return {from.columns() - 1, "the last column"};
}

// Whole numbers are classes if there are at most 30 different ones and each occurs at least twice, such as grades of a
// wine. Ages and counts have rare values.
task_choice choose_task(const table& data) {
    constexpr std::size_t max_classes = 30;
    if (data.y.empty()) return {"one_class", "there are no targets"};
    if (!data.class_names.empty()) return {"classification", fmt::format("{} class names", data.class_names.size())};
    std::map<double, index> counts;
    for (const double y : data.y)
        if (++counts[y]; counts.size() > max_classes) break;
    const bool whole = std::ranges::all_of(data.y, [](double y) { return y == std::floor(y); });
    const bool again = std::ranges::all_of(counts, [](const auto& each) { return each.second >= 2; }) &&
                       data.y.size() >= 4 * counts.size();
    if (whole && counts.size() <= max_classes && (again || counts.size() <= 2))
        return {"classification", fmt::format("{} different whole numbers", counts.size())};
    counts.clear();
    for (const double y : data.y) ++counts[y];
    return {"regression", fmt::format("{} different numbers", counts.size())};
}

namespace {

std::vector<index> rows_with_target(const text_table& from, std::size_t target) {
    std::vector<index> out;
    for (index r = 0; r < from.rows(); ++r)
        if (!detail::is_missing(from.at(r, target))) out.push_back(r);
    return out;
}

void read_targets(const text_table& from, std::size_t at, table& out) {
    detail::label_column labels;
    for (index r = 0; r < from.rows(); ++r) {
        double value = 0;
        const auto fault = detail::parse_number(from.at(r, at), value);
        if (fault == detail::number_error::not_finite || fault == detail::number_error::overflow)
            from.fail_at(r, at, fmt::format("expected a finite target, got {}", detail::quoted(from.at(r, at))));
        labels.add(from.at(r, at), 0);
    }
    labels.finish(from.file(), {}, {}, out);
}

// Throws if the number of class names exceeds half of the rows: such names are not classes.
void require_classes(const text_table& from, std::size_t target, const table& data, const std::string& why) {
    const std::size_t classes = data.class_names.size(), n = data.y.size();
    if (2 * classes > n && n > 10)
        fail(errc::data, fmt::format("{}: the target column '{}' ({}) has {} different texts in {} rows, too many for "
                                     "classes: name another column with --target, or use --target none",
                                     from.file(), from.names()[target], why, classes, n));
}

automatic_data prepare_table(const file_contents& file, const automatic_options& options) {
    csv_options csv = options.how.csv;
    csv.label = options.target == "none" ? "" : options.target;
    text_table from = text_table::parse(file, csv);
    if (options.rows) from = from.select_rows(options.rows(from.rows()));
    automatic_data out;
    std::optional<std::size_t> target;
    if (options.target != "none" && options.task != "one_class") {
        target_choice chosen{0, "as asked"};
        if (options.target.empty())
            chosen = choose_target(from);
        else
            chosen.column = from.find_column(options.target, "target");
        if (from.columns() == 1)
            fail(errc::data, fmt::format("{}: the only column '{}' cannot be both the target and a feature. For "
                                         "one-class learning use --target none",
                                         file.name(), from.names()[0]));
        target = chosen.column;
        const index before = from.rows();
        from = from.select_rows(rows_with_target(from, *target));
        if (from.rows() == 0)
            fail(errc::data, fmt::format("{}: the target column '{}' ({}) has no value in any row", file.name(),
                                         from.names()[*target], chosen.why));
        read_targets(from, *target, out.data);
        require_classes(from, *target, out.data, chosen.why);
        out.choices.add(
            "target",
            fmt::format("{} ({})", from.names()[*target], chosen.why) +
                (from.rows() < before ? fmt::format("; {} rows without it left out", before - from.rows()) : ""));
    } else {
        out.choices.add("target", "none");
    }
    const std::string scale = options.scale.empty() ? "standard" : options.scale;
    out.columns = std::make_shared<const column_encoder>(
        column_encoder::fit(from, target, {.missing = options.missing, .scale = scale}));
    out.data.x = out.columns->apply(from);
    out.data.feature_names = out.columns->coordinate_names();
    out.data.label = out.columns->target();
    return out;
}

automatic_data prepare_objects(const file_contents& file, const automatic_options& options) {
    read_options how = options.how;
    how.csv.label = options.target == "none" ? "" : options.target;
    how.tsv.labelled = options.target != "none";
    automatic_data out;
    out.data = parse_table(file, how);
    table& data = out.data;
    if (data.x.size() == 0) fail(errc::data, fmt::format("{}: the data have no examples", file.name()));
    if (options.rows) {
        const std::vector<index> rows = options.rows(data.x.size());
        data.x = gather(data.x, std::span<const index>(rows));
        std::vector<double> y;
        for (const index row : rows)
            if (!data.y.empty()) y.push_back(data.y[static_cast<std::size_t>(row)]);
        data.y = std::move(y);
    }
    if (options.target == "none" || options.task == "one_class") data.y.clear(), data.class_names.clear();
    data.label = how.csv.label;
    out.choices.add("target", data.y.empty() ? "none" : "as in the file");
    return out;
}

// Describes the columns: "age: numbers; 3 missing, …". The columns that are plain numbers share one entry.
std::vector<std::string> describe_columns(const column_encoder& columns) {
    std::vector<std::string> out;
    std::string plain;
    std::size_t count = 0;
    for (const column_rule& rule : columns.rules()) {
        if (rule.kind == column_kind::numbers && rule.missing == 0) {
            if (++count <= 6) plain += (plain.empty() ? "" : ", ") + rule.name;
        } else {
            out.push_back(fmt::format("{}: {}", rule.name, rule.describe()));
        }
    }
    if (count > 0)
        out.insert(out.begin(),
                   fmt::format("{}{}: numbers", plain, count > 6 ? fmt::format(", ... ({} in all)", count) : ""));
    return out;
}

std::string scale_text(const std::string& how) {
    return how == "standard" ? "numbers to mean 0 and variance 1" : how == "minmax" ? "numbers to -1 ... 1" : "none";
}

// Returns true if less than a quarter of the entries are nonzero. Such vectors hold counts and indicators;
// standardising would destroy their sparsity.
bool is_mostly_zero(const dataset& x) {
    index stored = 0;
    if (const auto* rows = x.as<sparse<double>>()) stored = rows->nonzeros();
    if (const auto* rows = x.as<sparse<float>>()) stored = rows->nonzeros();
    return x.is_sparse() &&
           4.0 * static_cast<double>(stored) < static_cast<double>(x.size()) * static_cast<double>(x.dims());
}

// Kernel ridge regression has no offset. A constant kernel gives it one; its factor allows for the mean of the targets.
std::string add_offset(const std::string& kernel, const std::vector<double>& y) {
    double mean = 0, variance = 0;
    for (const double each : y) mean += each / static_cast<double>(y.size());
    for (const double each : y) variance += (each - mean) * (each - mean) / static_cast<double>(y.size());
    const double ratio = variance > 0 ? mean * mean / variance : 1;
    const double c = std::isfinite(ratio) ? std::clamp(ratio, 1.0, 1e6) : 1;
    return fmt::format("{} + constant(c={:.2g})", kernel, c);
}

bool has_option(const settings& options, const std::string& name) {
    return std::ranges::find(options, name, &std::pair<std::string, std::string>::first) != options.end();
}

bool is_open(const spec& s) {
    return s.kernel.find('?') != std::string::npos ||
           std::ranges::any_of(s.options, [](const auto& each) { return each.second.find('?') != std::string::npos; });
}

// The kernel without a search: γ by the median heuristic.
std::string kernel_without_search(const dataset& x, const spec& s) {
    if (x.kind() != object_kind::vectors) return s.text.empty() ? default_kernel(x).text() : "";
    const auto scaling = fit_scaling(x, s.scale);
    return fmt::format("rbf(gamma={})", number_text(median_gamma(scaling ? apply_scaling(*scaling, x) : x)));
}

void choose_method(automatic_data& out, const automatic_options& options, const std::string& task) {
    constexpr index fewest = 10;  // fewest rows for cross-validation
    spec& s = out.open;
    s.method = task == "classification" ? "svc" : task == "regression" ? "kernel_ridge" : "one_class";
    s.options = options.options;
    s.kernel = options.kernel;
    s.text = options.text;
    const dataset& x = out.data.x;
    const bool search = task != "one_class" && x.size() >= fewest;
    if (s.kernel.empty()) {
        s.kernel = !search ? kernel_without_search(x, s) : s.text.empty() ? default_open_kernel(x) : "rbf(gamma=?)";
        if (task == "regression" && !s.kernel.empty()) s.kernel = add_offset(s.kernel, out.data.y);
    }
    if (task == "one_class") {
        out.data.y.clear();
        out.data.class_names.clear();
        if (!has_option(s.options, "nu")) s.options.emplace_back("nu", "0.1");
    } else if (search) {
        const char* penalty = task == "classification" ? "C" : "alpha";
        if (!has_option(s.options, penalty) && !has_option(s.options, "alphas")) s.options.emplace_back(penalty, "?");
    }
    out.needs_search = is_open(s);
    if (out.needs_search) return;
    out.choices.add("search", task == "one_class" ? "none: without targets there is nothing to judge by"
                              : search            ? "none: nothing was left open"
                                                  : fmt::format("none: fewer than {} rows", fewest));
}

// Throws if the task needs targets and the data have none.
void require_targets(const file_contents& file, const automatic_data& out, const automatic_options& options,
                     const std::string& task) {
    if (task == "one_class" || !out.data.y.empty()) return;
    fail(
        errc::data,
        options.target == "none"
            ? fmt::format(
                  "task '{}' needs targets, but the target is 'none': name the target column, or take task 'one_class'",
                  task)
            : fmt::format("{}: task '{}' needs targets, but the data have none: name the target column, or take task "
                          "'one_class'",
                          file.name(), task));
}

void require_varying_targets(const automatic_data& out, const std::string& task) {
    const auto& y = out.data.y;
    if (task != "one_class" && std::ranges::all_of(y, [&](double each) { return each == y.front(); }))
        fail(errc::data,
             fmt::format(
                 "the target column is constant, {}, so it cannot be learnt. For one-class learning use --target none",
                 out.data.class_names.empty() ? number_text(y.front()) : out.data.class_names[0]));
}

}  // namespace

automatic_data prepare(const file_contents& file, const automatic_options& options) {
    if (!options.task.empty() && options.task != "classification" && options.task != "regression" &&
        options.task != "one_class")
        fail(
            errc::invalid_argument,
            fmt::format("option 'task' must be 'classification', 'regression' or 'one_class', got '{}'", options.task));
    const bool columns = !file.is_folder() && options.how.csv.text.empty() &&
                         (options.how.format ? options.how.format == &csv_format()
                                             : &detect_format(file.name(), file.bytes()) == &csv_format());
    automatic_data out = parse_untruncated(
        file, [&] { return columns ? prepare_table(file, options) : prepare_objects(file, options); });
    task_choice chosen = choose_task(out.data);
    if (!options.task.empty()) chosen.why = fmt::format("as asked; {}", chosen.why), chosen.task = options.task;
    require_targets(file, out, options, chosen.task);
    require_varying_targets(out, chosen.task);
    out.choices.add("task", fmt::format("{} ({})", chosen.task, chosen.why));
    if (out.columns) {
        out.choices.add("columns", describe_columns(*out.columns));
        out.choices.add("scaling", scale_text(out.columns->options().scale));
    } else if (out.data.x.kind() == object_kind::vectors) {
        const bool as_they_are = options.scale.empty() && is_mostly_zero(out.data.x);
        out.open.scale = as_they_are ? "none" : options.scale.empty() ? "standard" : options.scale;
        out.choices.add("scaling", scale_text(out.open.scale) + (as_they_are ? " (most coordinates are zero)" : ""));
        if (out.open.scale == "none") out.open.scale.clear();
    }
    choose_method(out, options, chosen.task);
    return out;
}

model automatic_data::annotate(model m) const {
    m.columns_of_table = columns;
    if (m.label.empty()) m.label = data.label;
    m.choices = choices;
    return m;
}

}  // namespace mercer::api
