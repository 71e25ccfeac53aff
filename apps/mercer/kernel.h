// Options and data shared by the subcommands of `mercer kernel`.
#pragma once

#include <optional>

#include "mercer/gram/make_gram.h"
#include "mercer/kernel_analysis/spectrum.h"
#include "program.h"

namespace mercer::cli {

void add_kernel_list(CLI::App& group);
void add_kernel_show(CLI::App& group);
void add_kernel_test(CLI::App& group);
void add_kernel_gram(CLI::App& group);
void add_kernel_spectrum(CLI::App& group);
void add_kernel_factor(CLI::App& group);

// A kernel and a data file: the input of test, gram, spectrum and factor.
struct kernel_task {
    std::string expression;
    data_options from;
    common_options common;
    std::string picture;  // path of the SVG file; empty if none
    void add_to(CLI::App& command, bool with_picture = true);
};

// A kernel, the objects of the file and their kernel matrix.
struct kernel_on_data {
    kernel k;
    loaded_data on;
    std::unique_ptr<gram<double>> matrix;
    index size() const { return on.size(); }
    json json_head() const;  // {"kernel": …, "data": …, "n": …}
};
// Parses the kernel, reads the data and checks that the kernel is defined on these objects, in this order.
kernel_on_data load_kernel_task(const kernel_task& task, progress_line& shown);

// Draws the kernel matrix as a heat map and its eigenvalues, if `spectrum` is given or n is at most 2000.
void write_picture(const kernel_task& task, const kernel_on_data& bound, std::optional<gram_spectrum> spectrum,
                   progress_line& shown);

}  // namespace mercer::cli
