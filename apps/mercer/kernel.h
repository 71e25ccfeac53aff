// What the subcommands of `mercer kernel` share.
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

// A kernel on a data file: what test, gram, spectrum and factor start from.
struct kernel_task {
    std::string expression;
    data_options from;
    common_options common;
    std::string picture;  // path, empty: none
    void add_to(CLI::App& command, bool with_picture = true);
};

// The kernel bound to the objects of the file.
struct bound_kernel {
    kernel k;
    objects on;
    std::unique_ptr<gram<double>> matrix;
    index size() const { return on.size(); }
    json head() const;  // {"kernel": …, "data": …, "n": …}
};
// Wrong usage first, then the data, then what does not fit together.
bound_kernel bind(const kernel_task& task, progress& shown);

// The heat map, and the spectrum where it is known or cheap enough to compute.
void write_picture(const kernel_task& task, const bound_kernel& bound, std::optional<gram_spectrum> spectrum,
                   progress& shown);

}  // namespace mercer::cli
