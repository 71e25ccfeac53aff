// mercer kernel spectrum: the eigenvalues of a kernel matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel.h"

namespace mercer::cli {
namespace {

struct spectrum_options {
    kernel_task task;
    index top = 10;
    std::string out;
};

std::string bar(double share, double largest) {
    constexpr double width = 30;
    static constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto parts = largest > 0 ? static_cast<int>(std::lround(share / largest * width * 8)) : 0;
    std::string out;
    for (int i = 0; i < parts / 8; ++i) out += "█";
    return out + eighths[parts % 8];
}

// Returns the number of eigenvalues, ordered by decreasing |λ|, that sum up to this share of Σ|λ|.
index count_for_share(const std::vector<double>& cumulative, double share) {
    const auto at = std::ranges::lower_bound(cumulative, share);
    return at == cumulative.end() ? static_cast<index>(cumulative.size()) : at - cumulative.begin() + 1;
}

std::string as_text(const kernel_on_data& bound, const gram_spectrum& spectrum, index top) {
    const index n = spectrum.size();
    const std::vector<double> cumulative = spectrum.cumulative_share();
    std::string out = fmt::format("{}\n{}\n\n", bound.k.text(), bound.on.about);
    double total = 0, largest = 0;
    for (const double value : spectrum.values) {
        total += std::abs(value);
        largest = std::max(largest, std::abs(value));
    }
    std::vector<std::vector<std::string>> lines{{"index", "eigenvalue", "share", ""}};
    const auto add = [&](index i) {
        const double value = spectrum.values[static_cast<std::size_t>(i)];
        lines.push_back({fmt::format("{}", i + 1), fmt::format("{:.6g}", value),
                         total > 0 ? fmt::format("{:.2f} %", 100 * std::abs(value) / total) : "-",
                         bar(std::abs(value), largest)});
    };
    for (index i = 0; i < std::min(n, top); ++i) add(i);
    const index last =
        std::max(std::min(n, top), n - (spectrum.negative() > 0 ? std::min<index>(3, spectrum.negative()) : 1));
    if (last < n) {
        if (last > top) lines.push_back({"...", "", "", ""});
        for (index i = last; i < n; ++i) add(i);
    }
    out += align_table(lines, {true, true, true, false});
    out += fmt::format("\n  rank            {} of {} (|λ| > {:.2g}, the bound on rounding errors)\n", spectrum.rank(),
                       n, spectrum.tolerance);
    out += fmt::format("  effective rank  {:.2f}\n", spectrum.effective_rank());
    out += fmt::format("  negative        {}\n", spectrum.negative());
    out += fmt::format("  90 % and 99 % of Σ|λ| are in the largest {} and {} eigenvalues\n",
                       count_for_share(cumulative, 0.9), count_for_share(cumulative, 0.99));
    return out;
}

void show(const spectrum_options& options) {
    if (!options.out.empty()) matrix_writer::check_name(options.out);
    std::string text;
    json answer = json::object();
    {
        progress_line shown;
        const kernel_on_data bound = load_kernel_task(options.task, shown);
        require_memory(bound.size(), 4, "the eigendecomposition");
        shown.set_phase(fmt::format("computing the eigenvalues of {} rows", bound.size()));
        const gram_spectrum spectrum = decompose(*bound.matrix, eigen_parts::values);
        if (!options.out.empty()) write_matrix(options.out, {spectrum.values.data(), spectrum.size(), 1});
        text = as_text(bound, spectrum, options.top);
        answer = bound.json_head();
        answer["values"] = spectrum.values;
        answer["tolerance"] = spectrum.tolerance;
        answer["rank"] = spectrum.rank();
        answer["effective_rank"] = spectrum.effective_rank();
        answer["negative"] = spectrum.negative();
        write_picture(options.task, bound, spectrum, shown);
    }
    if (options.task.common.as_json) return print(answer);
    if (!options.out.empty()) text += fmt::format("\nwritten to {}\n", options.out);
    if (!options.task.picture.empty()) text += fmt::format("\npicture: {}\n", options.task.picture);
    print(text);
}

}  // namespace

void add_kernel_spectrum(CLI::App& group) {
    CLI::App* command = add_command(group, "spectrum", "Compute the eigenvalues of the kernel matrix",
                                    "Computes the eigenvalues, the rank and the effective rank of the kernel matrix. "
                                    "The effective rank is exp(H), with the entropy H of the shares |λ|/Σ|λ|.");
    const auto options = std::make_shared<spectrum_options>();
    options->task.add_to(*command);
    command->get_option("--svg")->description("SVG picture of the kernel matrix and its eigenvalues");
    command->add_option("--top", options->top, "Number of eigenvalues to print, largest first (default: 10)")
        ->option_text("N")
        ->check(CLI::NonNegativeNumber)
        ->group("Output");
    command->add_option("-o,--output", options->out, "Write all eigenvalues to this .npy or .csv file")
        ->option_text("FILE")
        ->group("Output");
    set_common_options(*command, {"--top", "-o", "--svg", "--target", "--scale", "--rows", "--sample", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer kernel spectrum 'rbf(gamma=0.05)' data/wine.svm --scale standard\n"
        "  mercer kernel spectrum 'spectrum(k=4)' data/promoters.tsv --svg promoters.svg");
    command->callback([options] { show(*options); });
}

}  // namespace mercer::cli
