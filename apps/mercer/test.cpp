// mercer test: two-sample test (maximum mean discrepancy) and independence test (HSIC), with p-values by permutation.
#include <fmt/format.h>

#include <set>

#include "fit.h"
#include "mercer/base/error.h"
#include "mercer/kernel_analysis/permutation_tests.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer::cli {
namespace {

struct sample_test_options {
    std::string kernel_text, other_kernel, second;
    data_options from;  // the first data file
    common_options common;
    index permutations = 1000;
    std::uint64_t seed = 0;
    std::size_t memory = 0;
    bool biased = false;
    double level = 0.05;
};

void add_shared(CLI::App& command, sample_test_options& o) {
    command
        .add_option("--kernel", o.kernel_text,
                    "Kernel (see `mercer kernel list`; default: by kind of data, rbf for vectors)")
        ->option_text("EXPR")
        ->group("Test");
    command.add_option("--permutations", o.permutations, "Number of random permutations (default: 1000)")
        ->option_text("N")
        ->check(CLI::PositiveNumber)
        ->group("Test");
    command.get_option("--seed")->description(
        "Random seed of --sample (default: 1) and of the permutations (default: 0)");
    command.add_option("--level", o.level, "Significance level (default: 0.05)")
        ->option_text("P")
        ->check(range_validator(0, 1))
        ->group("Test");
    command.get_option("--max-memory")
        ->description("Memory limit for kernel values, such as 500MB (default: 1GB)")
        ->group("Test");
    o.common.add_to(command);
}

std::string verdict(double p, double level, const char* against, const char* nothing) {
    return fmt::format("p = {:.4g}: {}\n", p, p <= level ? against : nothing);
}

progress_callback report_fraction(progress_line& shown) {
    return [&](const fit_progress& p) {
        shown.set_fraction(static_cast<double>(p.done) / static_cast<double>(p.total));
        return true;
    };
}

// Sparse samples may have different numbers of columns if trailing columns are 0: this is a warning. For dense samples
// it is an error.
void require_same_columns(const loaded_data& a, const loaded_data& b, const sample_test_options& o) {
    const index first = a.data.x.dims(), second = b.data.x.dims();
    if (first == second) return;
    if (!a.data.x.is_sparse() || !b.data.x.is_sparse())
        fail(errc::data,
             fmt::format("'{}' has {} columns, but '{}' has {}: both samples must have the same number of columns",
                         o.from.path, first, o.second, second));
    warn(fmt::format(
        "'{}' has indices up to {}, but '{}' has indices up to {}: the columns from {} on are 0 in the first file",
        first < second ? o.from.path : o.second, std::min(first, second), first < second ? o.second : o.from.path,
        std::max(first, second), std::min(first, second) + 1));
}

void two_sample(const sample_test_options& o) {
    o.common.apply();
    std::optional<kernel> k;
    if (!o.kernel_text.empty()) k = parse_kernel(o.kernel_text);
    std::string text;
    json answer = json::object();
    {
        progress_line shown;
        data_options second = o.from;
        second.path = o.second;
        shown.set_phase("reading " + o.from.path);
        loaded_data a = load_raw(o.from, {}, o.memory);
        shown.set_phase("reading " + o.second);
        read_options how_read;
        how_read.tsv.dictionary = a.data.x.kind() != object_kind::vectors
                                      ? a.data.feature_names
                                      : std::vector<std::string>{};  // the items get the same numbers in both samples
        loaded_data b = load_raw(second, how_read, o.memory);
        if (a.data.x.kind() != b.data.x.kind())
            fail(errc::unsupported,
                 fmt::format("'{}' contains {}, but '{}' contains {}: both samples must be of the same kind",
                             o.from.path, name(a.data.x.kind()), o.second, name(b.data.x.kind())));
        match_columns(b.data, a.data.feature_names, o.second, o.from.path);
        require_same_columns(a, b, o);
        const dataset all = concatenate(a.data.x, b.data.x);
        if (const auto by = api::fit_scaling(all, o.from.scale)) {  // fits one scaling on both samples
            a.data.x = api::apply_scaling(*by, a.data.x);
            b.data.x = api::apply_scaling(*by, b.data.x);
        }
        if (!k) k = api::default_kernel(concatenate(a.data.x, b.data.x));
        require_fit(*k, a, o.from.path);
        two_sample_options how;
        how.kind = o.biased ? two_sample_options::statistic::biased : two_sample_options::statistic::unbiased;
        how.permutations = o.permutations;
        how.seed = o.seed;
        if (o.memory) how.memory_bytes = o.memory;
        shown.set_phase(fmt::format("comparing {} and {} examples", a.size(), b.size()));
        how.progress = report_fraction(shown);
        const two_sample_result r = two_sample_test(*k, a.data.x, b.data.x, how);
        answer = {{"test", "two-sample"},
                  {"kernel", k->text()},
                  {"first", a.about},
                  {"second", b.about},
                  {"statistic", o.biased ? "biased" : "unbiased"},
                  {"biased", r.biased},
                  {"unbiased", r.unbiased},
                  {"p_value", r.p_value},
                  {"permutations", r.permutations},
                  {"different", r.p_value <= o.level}};
        text = fmt::format("{}\n{}\n{}\n\n  MMD², unbiased  {:.6g}\n  MMD², biased    {:.6g}\n  permutations    {}\n\n",
                           k->text(), a.about, b.about, r.unbiased, r.biased, r.permutations);
        text += verdict(r.p_value, o.level, "the samples come from different distributions", "no difference detected");
    }
    if (o.common.as_json) return print(answer);
    print(text);
}

// Returns targets as vectors for the linear kernel: classes as unit vectors, values unchanged.
dataset target_objects(const table& data, bool& classes) {
    const std::set<double> labels(data.y.begin(), data.y.end());
    classes = !data.class_names.empty() || labels.size() <= 12;
    matrix<double> out(static_cast<index>(data.y.size()), classes ? static_cast<index>(labels.size()) : 1);
    for (index i = 0; i < out.rows(); ++i) {
        const double y = data.y[static_cast<std::size_t>(i)];
        if (classes)
            out(i, static_cast<index>(std::distance(labels.begin(), labels.find(y)))) = 1;
        else
            out(i, 0) = y;
    }
    return dense<double>(std::move(out));
}

// The second variable of the independence test: the objects of a second file, or the targets.
struct second_variable {
    dataset y;
    bool classes = false;
    std::string about = "the targets";
};

second_variable load_second_variable(const sample_test_options& o, const loaded_data& a) {
    second_variable out;
    if (!o.second.empty()) {
        data_options second;
        second.path = o.second;
        second.scale = o.from.scale;
        loaded_data b = load(second);
        if (b.size() != a.size())
            fail(errc::invalid_argument,
                 fmt::format("'{}' has {} objects, but '{}' has {}: both files must have the same number of rows",
                             o.from.path, a.size(), o.second, b.size()));
        out.y = b.data.x;
        out.about = b.about;
    } else if (a.data.y.empty()) {
        fail(errc::data, fmt::format("'{}' has no targets to compare with: name the target column with --target, or a "
                                     "second file with --other FILE",
                                     o.from.path));
    } else {
        out.y = target_objects(a.data, out.classes);
    }
    return out;
}

void independence(const sample_test_options& o) {
    o.common.apply();
    std::optional<kernel> k, l;
    if (!o.kernel_text.empty()) k = parse_kernel(o.kernel_text);
    if (!o.other_kernel.empty()) l = parse_kernel(o.other_kernel);
    std::string text;
    json answer = json::object();
    {
        progress_line shown;
        shown.set_phase("reading " + o.from.path);
        loaded_data a = load_raw(o.from, {}, o.memory);
        const second_variable b = load_second_variable(o, a);
        if (const auto by = api::fit_scaling(a.data.x, o.from.scale)) a.data.x = api::apply_scaling(*by, a.data.x);
        if (!k) k = api::default_kernel(a.data.x);
        if (!l) l = b.classes ? kernel::parse("linear()") : api::default_kernel(b.y);
        require_fit(*k, a, o.from.path);
        independence_options how;
        how.permutations = o.permutations;
        how.seed = o.seed;
        if (o.memory) how.memory_bytes = o.memory;
        shown.set_phase(fmt::format("testing {} examples", a.size()));
        how.progress = report_fraction(shown);
        const independence_result r = independence_test(*k, a.data.x, *l, b.y, how);
        answer = {{"test", "independence"},
                  {"kernel", k->text()},
                  {"other_kernel", l->text()},
                  {"data", a.about},
                  {"other", b.about},
                  {"n", a.size()},
                  {"hsic", r.hsic},
                  {"alignment", r.alignment},
                  {"p_value", r.p_value},
                  {"permutations", r.permutations},
                  {"dependent", r.p_value <= o.level}};
        text =
            fmt::format("{} of {}\n{} of {}\n\n  HSIC          {:.6g}\n  alignment     {:.4f}\n  permutations  {}\n\n",
                        k->text(), a.about, l->text(), b.about, r.hsic, r.alignment, r.permutations);
        text += verdict(r.p_value, o.level, "the variables depend on each other", "no dependence detected");
    }
    if (o.common.as_json) return print(answer);
    print(text);
}

}  // namespace

void add_test(CLI::App& program) {
    CLI::App* group =
        add_command(program, "test", "Test whether samples differ or variables depend on each other",
                    "Tests by kernels whether two samples come from one distribution, or whether two variables depend "
                    "on each other.");
    group->require_subcommand(0, 1);
    group->footer(
        "Examples:\n"
        "  mercer test independence data/wine.svm --scale standard\n"
        "  mercer test two-sample --help");
    group->callback([group] {
        if (group->get_subcommands().empty()) print(group->help());
    });

    CLI::App* two = add_command(*group, "two-sample", "Test whether two samples come from one distribution",
                                "Tests whether two files are samples of one distribution, by the maximum mean "
                                "discrepancy (MMD).");
    const auto a = std::make_shared<sample_test_options>();
    a->from.add_to(*two);
    two->add_option("SECOND", a->second, "Data file with the other sample, read with the same options as DATA")
        ->required();
    two->get_option("--target")
        ->description("Target column of CSV, not a feature: name or position from 0 (default: none)");
    two->get_option("--scale")->description(
        "Scale both files together: standard (mean 0, variance 1) or minmax (-1 to 1)");
    two->get_option("--rows")->description("Read only the first N rows of each file");
    two->get_option("--sample")->description("Use a random sample of N rows of each file (see --seed)");
    two->add_flag("--biased", a->biased, "Use the biased estimate of MMD² for the p-value (default: the unbiased one)")
        ->group("Test");
    add_memory(*two, a->memory);
    add_shared(*two, *a);
    set_common_options(*two, {"--kernel", "--permutations", "--level", "--seed", "--target", "--scale", "--rows",
                              "--sample", "--json"});
    two->footer(
        "The default kernel of vectors is rbf with gamma = 1/(number of features · variance of all values).\n"
        "\nExamples:\n"
        "  head -60 data/wine.svm > first.svm\n"
        "  tail -60 data/wine.svm > last.svm\n"
        "  mercer test two-sample first.svm last.svm --scale standard");
    two->callback([a, two] {
        if (two->count("--seed") > 0) a->seed = a->from.seed;
        two_sample(*a);
    });

    CLI::App* one = add_command(*group, "independence", "Test whether examples and targets depend on each other",
                                "Tests whether examples and targets, or the rows of two files, depend on each other, "
                                "by the Hilbert-Schmidt independence criterion (HSIC).");
    const auto b = std::make_shared<sample_test_options>();
    b->from.add_to(*one);
    one->add_option("--other", b->second, "Data file whose rows replace the targets; as many rows as DATA")
        ->option_text("FILE")
        ->group("Test");
    one->add_option("--other-kernel", b->other_kernel,
                    "Kernel on targets or --other (default: classes linear(), values and vectors rbf)")
        ->option_text("EXPR")
        ->group("Test");
    one->get_option("--scale")->description(
        "Scale features of each file: standard (mean 0, variance 1) or minmax (-1 to 1)");
    add_memory(*one, b->memory);
    add_shared(*one, *b);
    set_common_options(*one, {"--other", "--kernel", "--other-kernel", "--permutations", "--level", "--seed",
                              "--target", "--scale", "--sample", "--json"});
    one->footer(
        "The default kernel of vectors is rbf with gamma = 1/(number of features · variance of all values).\n"
        "\nExamples:\n"
        "  mercer test independence data/wine.svm --scale standard\n"
        "  mercer test independence data/promoters.tsv --kernel 'spectrum(k=3)'");
    one->callback([b, one] {
        if (one->count("--seed") > 0) b->seed = b->from.seed;
        independence(*b);
    });
}

}  // namespace mercer::cli
