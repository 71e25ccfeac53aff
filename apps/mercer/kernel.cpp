#include "kernel.h"

#include <fmt/format.h>

#include "mercer/base/file.h"
#include "mercer/plot/heat_map.h"
#include "mercer/plot/spectrum_plot.h"

namespace mercer::cli {

void add_kernel(CLI::App& program) {
    CLI::App* group =
        add_command(program, "kernel", "Show, check and compute kernels",
                    "Shows kernels and their proofs, tests them on data, and computes their kernel matrices.");
    group->require_subcommand(0, 1);
    group->footer(
        "Kernels are expressions: names with arguments, +, *, ^ and functions of kernels, such as\n"
        "  0.5*rbf(gamma=0.1) + poly(degree=3, coef0=1)*linear()\n"
        "  normalize(exp(spectrum(k=3)))\n"
        "\nExamples:\n"
        "  mercer kernel show 'rbf(gamma=0.1) - 0.5*linear()'\n"
        "  mercer kernel test 'sigmoid(gamma=0.5, coef0=1)' data/heart_scale.svm");
    group->callback([group] {
        if (group->get_subcommands().empty()) print(group->help());
    });
    add_kernel_list(*group);
    add_kernel_show(*group);
    add_kernel_test(*group);
    add_kernel_gram(*group);
    add_kernel_spectrum(*group);
    add_kernel_factor(*group);
}

void kernel_task::add_to(CLI::App& command, bool with_picture) {
    command.add_option("EXPR", expression, "Kernel expression (see `mercer kernel list`)")->required();
    from.add_to(command);
    command.get_option("--target")
        ->description("Target column of CSV, not a feature: name or position from 0 (default: none)");
    common.add_to(command);
    if (with_picture)
        command
            .add_option("--svg", picture,
                        "SVG picture of the kernel matrix and, for at most 2000 examples, its eigenvalues")
            ->option_text("FILE")
            ->group("Output");
}

json kernel_on_data::json_head() const { return {{"kernel", k.text()}, {"data", on.about}, {"n", size()}}; }

kernel_on_data load_kernel_task(const kernel_task& task, progress_line& shown) {
    task.common.apply();
    const kernel k = parse_kernel(task.expression);
    shown.set_phase("reading " + task.from.path);
    loaded_data on = load(task.from, read_options_for(task.expression));
    require_fit(k, on, task.from.path);
    const dataset x = on.data.x;
    return {k, std::move(on), make_gram<double>(k, x)};
}

void write_picture(const kernel_task& task, const kernel_on_data& bound, std::optional<gram_spectrum> spectrum,
                   progress_line& shown) {
    if (task.picture.empty()) return;
    constexpr index max_for_spectrum = 2000;  // takes a few seconds
    if (!spectrum && bound.size() <= max_for_spectrum) {
        shown.set_phase("computing the eigenvalues for the picture");
        spectrum = decompose(*bound.matrix, eigen_parts::values);
    }
    shown.set_phase("drawing");
    const object_order order = order_by_target(bound.on.data);
    std::vector<panel> panels{heat_map_panel(
        average_cells(*bound.matrix, order.objects, 400, [&](double done) { shown.set_fraction(done); }), order)};
    if (spectrum) panels.push_back(spectrum_panel(*spectrum));
    write_atomically(task.picture, picture_page(bound.k.text(), bound.on.about, panels));
}

}  // namespace mercer::cli
