// mercer kernel test: checks Mercer's condition on data and gives a certificate or a witness; repairs indefinite
// matrices.
#include "kernel.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernel_analysis/mercer_test.h"
#include "mercer/kernel_analysis/spectrum.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer::cli {
namespace {

struct test_options {
    kernel_task task;
    index max_rows = 4000;
    bool eigenvalues = false;
    std::string repair;
    std::string out;
};

repair_method method_named(const std::string& text) {
    for (const repair_method each : {repair_method::clip, repair_method::flip, repair_method::shift})
        if (text == name(each)) return each;
    throw usage_error(fmt::format("--repair must be clip, flip or shift, got '{}'", text));
}

std::string verdict_text(const mercer_result& found) {
    switch (found.verdict) {
        case mercer_verdict::certified:
            return fmt::format("✓ certified: {} has no eigenvalue below -δ; proven by a Cholesky factorisation",
                               found.tested_rows());
        case mercer_verdict::indefinite:
            return fmt::format("✗ indefinite: {} has an eigenvalue below 0, and a witness proves it",
                               found.tested_rows());
        case mercer_verdict::asymmetric: return "✗ not symmetric: K(i, j) and K(j, i) differ";
        case mercer_verdict::undecided:
            return fmt::format("? undecided: {}{}", found.undecided_reason(),
                               found.sample_certified ? " (--max-rows)" : "");
        case mercer_verdict::contradiction:
            return "! contradiction: the witness contradicts the proof that this is a kernel. This is a bug in Mercer; "
                   "please report it";
    }
    return "?";
}

std::string object_text(const loaded_data& on, index i) {
    const std::string of_class = on.class_of(i);
    return of_class.empty() ? "" : "class " + of_class;
}

std::string as_text(const kernel_on_data& bound, const mercer_result& found) {
    std::string out = fmt::format("{}\n{}\n\n{}\n", bound.k.text(), bound.on.about, verdict_text(found));
    if (found.verdict == mercer_verdict::asymmetric)
        return out + fmt::format("  K({0}, {1}) and K({1}, {0}) differ by {2:.6g}\n",
                                 bound.on.row(found.worst_pair.row), bound.on.row(found.worst_pair.col),
                                 found.worst_pair.size);
    out += fmt::format("  tolerance δ          {:.3g}\n", found.tolerance);
    out += found.smallest ? fmt::format("  smallest eigenvalue  {:.6g}\n", *found.smallest)
                          : "  smallest eigenvalue  not needed for the proof (computed with --eigenvalues)\n";
    if (found.largest) out += fmt::format("  largest eigenvalue   {:.6g}\n", *found.largest);
    if (found.entry_error) out += fmt::format("  error of an entry    at most {:.2g}\n", *found.entry_error);
    if (!found.assumed_exact.empty())
        out += fmt::format("  assumed to be exact  {}\n", join(found.assumed_exact, ", "));
    if (!found.witness) return out;
    const mercer_witness& w = *found.witness;
    out +=
        fmt::format("\nWitness: Σ cᵢcⱼK(i, j) = {:.6g} < 0, with an error of at most {:.2g}, on {} (counted from 0)\n",
                    w.value, w.error_bound, count_text(static_cast<index>(w.points.size()), "row"));
    std::vector<std::vector<std::string>> lines;
    constexpr std::size_t max_rows = 20;
    for (std::size_t i = 0; i < std::min(max_rows, w.points.size()); ++i)
        lines.push_back({"row", fmt::format("{}", bound.on.row(w.points[i])),
                         "c =", fmt::format("{:+.6f}", w.coefficients[i]), object_text(bound.on, w.points[i])});
    out += align_table(lines, {false, true, false, true, false});
    if (w.points.size() > max_rows)
        out += fmt::format("  ... and {} more rows (all with --json)\n", w.points.size() - max_rows);
    return out;
}

std::string repair_text(const repaired_gram& fixed, const std::string& path) {
    std::string out = fmt::format("\nRepair by {}: ", name(fixed.method));
    if (fixed.method == repair_method::shift)
        out += fmt::format("{:.6g} added to the diagonal\n", fixed.shift);
    else
        out += fmt::format("{} {}\n", count_text(fixed.negative, "negative eigenvalue"),
                           fixed.method == repair_method::clip ? "set to 0" : "made positive");
    out += fmt::format("  change  ‖K̃ - K‖_F = {:.6g}, {:.3g} % of ‖K‖_F;   ‖K̃ - K‖₂ = {:.6g}, {:.3g} % of ‖K‖₂\n",
                       fixed.frobenius_change, 100 * fixed.relative_frobenius, fixed.spectral_change,
                       100 * fixed.relative_spectral);
    if (!path.empty()) out += fmt::format("  written to {}\n", path);
    return out;
}

json as_json(const kernel_on_data& bound, const mercer_result& found) {
    json out = bound.json_head();
    out["verdict"] = name(found.verdict);
    out["tested"] = found.tested;
    out["sample_certified"] = found.sample_certified;
    out["tolerance"] = found.tolerance;
    out["proven"] = found.proven;
    out["entry_error"] = found.entry_error ? json(*found.entry_error) : json(nullptr);
    out["taken_as_exact"] = found.assumed_exact;
    out["smallest"] = found.smallest ? json(*found.smallest) : json(nullptr);
    out["largest"] = found.largest ? json(*found.largest) : json(nullptr);
    out["asymmetry"] = found.worst_pair.size;
    out["witness"] = nullptr;
    if (!found.witness) return out;
    std::vector<index> rows;
    for (const index point : found.witness->points) rows.push_back(bound.on.row(point));
    out["witness"] = {{"rows", rows},
                      {"coefficients", found.witness->coefficients},
                      {"value", found.witness->value},
                      {"error_bound", found.witness->error_bound}};
    return out;
}

json repair_json(const repaired_gram& fixed, const std::string& path) {
    json out{{"method", name(fixed.method)},
             {"negative", fixed.negative},
             {"shift", fixed.shift},
             {"frobenius_change", fixed.frobenius_change},
             {"relative_frobenius", fixed.relative_frobenius},
             {"spectral_change", fixed.spectral_change},
             {"relative_spectral", fixed.relative_spectral}};
    if (!path.empty()) out["file"] = path;
    return out;
}

void test(const test_options& options) {
    if (!options.out.empty() && options.repair.empty())
        throw usage_error("--output needs --repair, because it writes the repaired matrix");
    if (!options.out.empty()) matrix_writer::check_name(options.out);
    std::string text;
    json answer = json::object();
    {
        progress_line shown;
        const kernel_on_data bound = load_kernel_task(options.task, shown);
        constexpr index cheap = 2000;  // computing all eigenvalues takes one or two seconds
        mercer_options how;
        how.max_n = options.max_rows;
        how.seed = options.task.from.seed;
        const index tested = std::min(bound.size(), how.max_n);
        how.eigenvalues = options.eigenvalues || tested <= cheap;
        require_memory(tested, 3, "the Mercer test");
        shown.set_phase(fmt::format("testing a matrix of {} rows", tested));
        const mercer_result found = mercer_test(bound.k, bound.on.data.x, how);
        text = as_text(bound, found);
        if (options.task.common.as_json) answer = as_json(bound, found);
        if (!options.repair.empty()) {
            if (found.verdict == mercer_verdict::asymmetric)
                fail(errc::data, "a matrix that is not symmetric cannot be repaired by its eigenvalues");
            require_memory(bound.size(), 4, "a repair");
            shown.set_phase(fmt::format("repairing a matrix of {} rows", bound.size()));
            const repaired_gram fixed = repair(*bound.matrix, method_named(options.repair));
            if (!options.out.empty()) write_matrix(options.out, fixed.k.view());
            text += repair_text(fixed, options.out);
            answer["repair"] = repair_json(fixed, options.out);
        }
        write_picture(options.task, bound, {}, shown);
    }
    if (!options.task.picture.empty()) text += fmt::format("\npicture: {}\n", options.task.picture);
    if (options.task.common.as_json)
        print(answer);
    else
        print(text);
}

}  // namespace

void add_kernel_test(CLI::App& group) {
    CLI::App* command =
        add_command(group, "test", "Test whether the kernel matrix is positive semidefinite",
                    "Tests whether the kernel matrix of DATA is positive semidefinite, and prints a proof "
                    "or a counterexample. --repair makes the matrix positive semidefinite.");
    const auto options = std::make_shared<test_options>();
    options->task.add_to(*command);
    command->get_option("--seed")->description("Random seed of --sample and --max-rows (default: 1)");
    command
        ->add_option("--repair", options->repair,
                     "Repair negative eigenvalues: clip to 0, flip the sign, or shift all eigenvalues")
        ->option_text("HOW")
        ->check(CLI::IsMember({"clip", "flip", "shift"}))
        ->group("Test");
    command
        ->add_option("-o,--output", options->out, "With --repair: write the repaired matrix to this .npy or .csv file")
        ->option_text("FILE")
        ->group("Test");
    command
        ->add_option("--max-rows", options->max_rows,
                     "Test at most N rows: of larger data a random sample (default: 4000)")
        ->option_text("N")
        ->check(CLI::PositiveNumber)
        ->group("Test");
    command
        ->add_flag("--eigenvalues", options->eigenvalues,
                   "Compute the smallest and largest eigenvalue (always done for at most 2000 rows)")
        ->group("Test");
    set_common_options(
        *command, {"--repair", "-o", "--svg", "--eigenvalues", "--target", "--scale", "--rows", "--sample", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer kernel test 'rbf(gamma=0.1)' data/wine.svm --scale standard\n"
        "  mercer kernel test 'sigmoid(gamma=0.5)' data/heart_scale.svm --repair clip\n"
        "  mercer kernel test 'jaccard()' data/mushrooms.sets.xz --sample 1000");
    command->callback([options] { test(*options); });
}

}  // namespace mercer::cli
