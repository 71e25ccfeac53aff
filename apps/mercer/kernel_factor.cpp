// mercer kernel factor: K = PᵀP by pivoted Cholesky.
#include <fmt/format.h>

#include "kernel.h"
#include "mercer/base/text.h"
#include "mercer/kernel_analysis/spectrum.h"

namespace mercer::cli {
namespace {

struct factor_options {
    kernel_task task;
    std::string out;
    double tolerance = -1;
};

void show(const factor_options& options) {
    matrix_writer::check_name(options.out);
    std::string text;
    json answer = json::object();
    {
        progress_line shown;
        const kernel_on_data bound = load_kernel_task(options.task, shown);
        require_memory(bound.size(), 3, "the factor");
        shown.set_phase(fmt::format("factoring a matrix of {} rows", bound.size()));
        const gram_factor factor = factorise(*bound.matrix, options.tolerance);
        write_matrix(options.out, factor.p.view());
        std::vector<index> pivots;
        for (const index pivot : factor.pivots) pivots.push_back(bound.on.row(pivot));
        answer = bound.json_head();
        answer["rank"] = factor.rank();
        answer["pivots"] = pivots;
        answer["tolerance"] = factor.tolerance;
        answer["residual"] = factor.residual;
        answer["relative"] = factor.relative;
        answer["holds"] = factor.holds();
        answer["file"] = options.out;
        text = fmt::format("{}\n{}\n\n", bound.k.text(), bound.on.about);
        text +=
            factor.holds()
                ? fmt::format("  K = PᵀP with P {} × {}; column i is a feature vector of example i\n", factor.rank(),
                              bound.size())
                : fmt::format("  K ≠ PᵀP: K is not positive semidefinite (see `mercer kernel test`). P is {} × {}\n",
                              factor.rank(), bound.size());
        text +=
            fmt::format("  residual     ‖K - PᵀP‖_F <= {:.3g}, {:.3g} of ‖K‖_F\n", factor.residual, factor.relative);
        constexpr std::size_t most = 10;
        const std::vector<index> first(pivots.begin(),
                                       pivots.begin() + static_cast<std::ptrdiff_t>(std::min(most, pivots.size())));
        text += fmt::format("  pivots       rows {}{} (counted from 0)\n", join(first, ", "),
                            pivots.size() > most ? ", ..." : "");
        text += fmt::format("\nwritten to {}\n", options.out);
    }
    if (options.task.common.as_json)
        print(answer);
    else
        print(text);
}

}  // namespace

void add_kernel_factor(CLI::App& group) {
    CLI::App* command = add_command(group, "factor", "Factorise the kernel matrix as K = PᵀP",
                                    "Factorises the kernel matrix as K = PᵀP by pivoted Cholesky. The number of rows "
                                    "of P is the rank of K.");
    const auto options = std::make_shared<factor_options>();
    options->task.add_to(*command, false);
    command->add_option("-o,--output", options->out, "Write P to this .npy or .csv file (required)")
        ->option_text("FILE")
        ->required()
        ->group("Output");
    command
        ->add_option("--tolerance", options->tolerance,
                     "Stop when the diagonal of K - PᵀP is at most T (default: n·2⁻⁵²·max K(i, i))")
        ->option_text("T")
        ->check(CLI::NonNegativeNumber)
        ->group("Factor");
    set_common_options(*command, {"-o", "--tolerance", "--target", "--scale", "--rows", "--sample", "--json"});
    command->footer(
        "Examples:\n"
        "  mercer kernel factor 'poly(degree=2, coef0=1)' data/iris.svm -o P.npy\n"
        "  mercer kernel factor 'rbf(gamma=0.1)' data/wine.svm --scale standard -o P.csv");
    command->callback([options] { show(*options); });
}

}  // namespace mercer::cli
