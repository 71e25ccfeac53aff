// svm-train: a replacement of LIBSVM's program.
//
// Differences: Ctrl-C ends training, writes the model of the current solution, reports the gap on stderr and gives the
// exit code 130; a second Ctrl-C ends the program at once. Such a model does not replace an existing file: it is
// written to MODEL.interrupted. If stderr is a terminal, a run of more than 2 s shows its progress there.
#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <numeric>
#include <optional>

#include "libsvm_programs.h"
#include "mercer/base/threads.h"
#include "mercer/methods/svm/calibrated_fit.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/metrics/metrics.h"
#include "svm_train_options.h"
#include "svm_train_report.h"

namespace mercer::programs {
namespace {

std::atomic<bool> interrupted{false};
bool progress_shown = false;

void watch_interrupt() {
    struct sigaction before {};
    if (sigaction(SIGINT, nullptr, &before) == 0 && before.sa_handler == SIG_IGN)
        return;  // the signal is ignored when a script runs the command in the background
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted.store(true); };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
}

bool keep_going(const svm_progress& now) {
    static const bool terminal = ::isatty(2) != 0;
    if (terminal && now.solver.seconds > 2) {
        std::fprintf(stderr, "\r\033[Kproblem %ld of %ld: %ld steps, gap %.3g, %ld of %ld examples active",
                     static_cast<long>(now.problem + 1), static_cast<long>(now.problems),
                     static_cast<long>(now.solver.steps), now.solver.gap, static_cast<long>(now.solver.active),
                     static_cast<long>(now.solver.size));
        if (std::isfinite(now.solver.seconds_left))
            std::fprintf(stderr, ", about %.0f s left", now.solver.seconds_left);
        progress_shown = true;
    }
    return !interrupted.load();
}

void clear_progress() {
    if (progress_shown) std::fputs("\r\033[K", stderr);
    progress_shown = false;
}

// The training data: vectors, or a kernel matrix with the serial number of each row.
struct problem {
    dataset x;
    matrix<double> K;
    std::vector<index> serial;
    index serials = 0;  // largest serial number for which the file has kernel values
    std::vector<double> y;
    std::shared_ptr<const kernel> k;
    bool zero_based = false;

    index size() const { return static_cast<index>(y.size()); }
};

problem read_problem(const train_command& c) {
    const file_contents file = open_file(c.input, "can't open input file ");
    const bool precomputed = c.kernel == 4;
    problem p;
    examples read;
    if (precomputed) {
        // a file without serial numbers gets LIBSVM's message
        try {
            libsvm_options options;
            options.precomputed = true;
            read.data = parse_libsvm(file, options);
        } catch (const error& caught) {
            file.require_untruncated();
            if (std::string_view(caught.what()).find("0:serial") != std::string_view::npos)
                end_with("Wrong input format: first column must be 0:sample_serial_number");
            wrong_format(line_of(caught.what(), file.name()), caught.what());
        }
        require_no_blank_lines(file, read.data.x.size());
        file.require_untruncated();
    } else {
        read = parse_untruncated(file, [&] { return parse_examples(file, false, false); });
    }
    p.y = std::move(read.data.y);
    p.x = std::move(read.data.x);
    p.zero_based = read.zero_based;
    if (c.task <= 1)
        for (double& label : p.y) label = std::trunc(label);  // LIBSVM truncates class labels to integers
    check_train(c);
    if (!precomputed) {
        const index features = p.zero_based ? p.x.dims() - 1 : p.x.dims();
        libsvm_kernel k{static_cast<libsvm_kernel::kind>(c.kernel), c.degree, c.gamma, c.coef0};
        if (k.gamma == 0 && features > 0) k.gamma = 1.0 / static_cast<double>(features);
        p.k = k.make();
        return p;
    }
    const auto& rows = *p.x.as<sparse<double>>();
    p.serials = rows.dims() - 1;
    for (index i = 0; i < rows.size(); ++i) {
        const double serial = std::trunc(rows.values(i)[0]);
        if (!(serial >= 1 && serial <= static_cast<double>(p.serials)))
            end_with("Wrong input format: sample_serial_number out of range");
        p.serial.push_back(static_cast<index>(serial));
    }
    // The columns of K are filled in the order of ascending serial numbers, because the entries of a row are in this
    // order. Some entries may have indices far beyond the number of rows.
    std::vector<index> order(p.serial.size());
    std::iota(order.begin(), order.end(), index(0));
    std::ranges::stable_sort(order, {}, [&](index i) { return p.serial[static_cast<std::size_t>(i)]; });
    p.K = matrix<double>(p.size(), p.size());
    for (index i = 0; i < rows.size(); ++i) {
        const auto cols = rows.cols(i);
        std::size_t e = 0;
        for (const index j : order) {
            const index wanted = p.serial[static_cast<std::size_t>(j)];
            while (e < cols.size() && cols[e] < wanted) ++e;
            if (e < cols.size() && cols[e] == wanted) p.K(i, j) = rows.values(i)[e];
        }
    }
    return p;
}

svm_options options_of(const train_command& c) {
    svm_options o;
    o.task = static_cast<svm_task>(c.task);
    o.C = c.C;
    o.nu = c.nu;
    o.epsilon = c.epsilon;
    o.tol = c.tol;
    o.sorted_classes = false;
    // LIBSVM applies weights to C-SVC only, and multiplies repeated weights of a class
    if (c.task == 0)
        for (const auto& [label, weight] : c.weights) {
            const auto same =
                std::ranges::find(o.class_weight, static_cast<double>(label), &std::pair<double, double>::first);
            if (same != o.class_weight.end())
                same->second *= weight;
            else
                o.class_weight.emplace_back(label, weight);
        }
    o.memory_bytes = static_cast<std::size_t>(c.cache_mb * 1024 * 1024);
    o.shrinking = c.shrinking != 0;
    o.progress = keep_going;
    return o;
}

void warn_one_class(const train_command& c) {
    if (!c.quiet) std::fputs("WARNING: training data in only one class. See README for details.\n", stdout);
}

// Returns a classifier for data with one class: it has no support vectors and always predicts that class.
svm_model single_class(const problem& p, const train_command& c) {
    svm_model model;
    model.task = static_cast<svm_task>(c.task);
    model.k = p.k;
    model.classes = {p.y[0]};
    model.class_support = {0};
    return model;
}

void print_laplace(const svm_model& model) {
    if (model.probability && !model.is_classifier())
        std::printf(
            "Prob. model for test data: target value = predicted value + z,\nz: Laplace distribution "
            "e^(-|z|/sigma)/(2sigma),sigma= %g\n",
            model.probability->sigma);
}

void warn_weights(const problem& p, const train_command& c) {
    if (c.task > 1) return;
    for (const auto& [label, weight] : c.weights)
        if (std::find(p.y.begin(), p.y.end(), static_cast<double>(label)) == p.y.end())
            std::fprintf(stderr, "WARNING: class label %d specified in weight is not found\n", label);
}

// Reports inner fits that did not converge. Their models are not written, so that nothing else reports it.
void warn_inner(const inner_fits& ended, const char* where) {
    if (ended.unfinished > 0) std::fprintf(stderr, "WARNING: in the %s %s\n", where, ended.warning().c_str());
}

inner_fits calibrate(svm_model& model, const problem& p, const svm_options& o) {
    return p.k ? calibrate(model, *p.k, p.x, p.y, o) : calibrate_precomputed(model, p.K.view(), p.y, o);
}

[[noreturn]] void cannot_save(const std::string& path) { end_with("can't save model to file " + path); }

int train(const problem& p, const train_command& c) {
    const svm_options o = options_of(c);
    warn_weights(p, c);
    const bool one = c.task <= 1 && std::equal(p.y.begin() + 1, p.y.end(), p.y.begin());
    svm_model model;
    watch_interrupt();
    if (one) {
        warn_one_class(c);
        model = single_class(p, c);
        if (!c.quiet) std::fputs("Total nSV = 0\n", stdout);
    } else {
        model = p.k ? fit_svm(*p.k, p.x, p.y, o) : fit_svm_precomputed(p.K.view(), p.y, o);
        inner_fits inner;
        if (c.probability && !interrupted) inner = calibrate(model, p, o);
        clear_progress();
        warn_inner(inner, "cross-validation behind the probabilities");
        if (model.lacks_margin())
            std::fprintf(stderr,
                         "WARNING: nu = %g leaves no margin, the classes overlap too much; use a larger nu, or a "
                         "richer kernel\n",
                         o.nu);
        if (const fit_status end = model.worst_status(); end == fit_status::stalled)
            std::fprintf(stderr,
                         "WARNING: %s: rounding, or too little memory for a better method, keeps the gap at %g, above "
                         "the tolerance; scale the data (svm-scale), raise -m, or use a smaller C\n",
                         name(end), model.largest_gap());
        if (!c.quiet) {
            std::vector<index> all(p.y.size());
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<index>(i);
            print_laplace(model);
            print_reports(model, o, p.y, all);
        }
    }
    const bool cut_short = interrupted;
    const std::string path = c.model + (cut_short && std::filesystem::is_regular_file(c.model) ? ".interrupted" : "");
    // The file refers to kernel columns by their serial numbers.
    if (!p.k)
        for (index& row : model.support_rows) row = p.serial[static_cast<std::size_t>(row)] - 1;
    try {
        // not synced, as in LIBSVM: waiting for the disk would take longer than training on small data
        write_atomically(path, libsvm_model_text(model, p.zero_based), durability::unsynced);
    } catch (const error& caught) {
        if (caught.code() != errc::io) throw;
        cannot_save(path);
    }
    if (!cut_short) return 0;
    std::fprintf(stderr, "interrupted: the largest gap reached is %g (tolerance %g); the model was written to %s%s\n",
                 model.largest_gap(), o.tol, path.c_str(),
                 path == c.model ? "" : (", and " + c.model + " was left as it is").c_str());
    return 130;
}

// Returns the problem restricted to some of the examples.
problem subset(const problem& p, std::span<const index> rows) {
    problem out;
    out.k = p.k;
    for (const index i : rows) out.y.push_back(p.y[static_cast<std::size_t>(i)]);
    if (p.k) {
        out.x = gather(p.x, rows);
    } else {
        out.K = matrix<double>(out.size(), out.size());
        for (index i = 0; i < out.size(); ++i)
            for (index j = 0; j < out.size(); ++j)
                out.K(i, j) = p.K(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
    }
    return out;
}

int cross_validate(const problem& p, const train_command& c) {
    const svm_options o = options_of(c);
    int folds = c.folds;
    if (folds > p.size()) {
        folds = static_cast<int>(p.size());
        std::fputs(
            "WARNING: # folds > # data. Will use # folds = # data instead (i.e., leave-one-out cross validation)\n",
            stderr);
    }
    if (folds < 2) end_with("ERROR: cross validation needs at least two examples");
    warn_weights(p, c);
    // LIBSVM uses the unseeded generator of the C library: with the same C library the folds are the same.
    const random_below random = [](index n) { return static_cast<index>(std::rand() % n); };
    const bool classes = c.task <= 1;
    const fold_plan plan =
        classes && folds < p.size() ? stratified_folds(p.y, folds, random) : plain_folds(p.size(), folds, random);
    const std::unique_ptr<shared_gram> K =
        p.k ? std::make_unique<shared_gram>(*p.k, p.x, o.memory_bytes) : std::make_unique<shared_gram>(p.K.view());
    std::vector<double> target(p.y.size());
    watch_interrupt();
    inner_fits inner;
    const inner_fits ended =
        cross_decide(*K, p.y, o, plan,
                     [&](svm_model& model, std::span<const index> training, std::span<const index> held_out,
                         const matrix<double>& f) {
                         clear_progress();
                         if (interrupted) end_with("interrupted: no result of cross validation", 130);
                         if (model.classes.size() == 1) warn_one_class(c);
                         std::vector<double> labels;
                         if (c.probability && classes && model.classes.size() > 1) {
                             inner.add(calibrate(model, subset(p, training), o));
                             const matrix<double> probability = coupled_probabilities(model, f.view());
                             for (index i = 0; i < f.rows(); ++i)
                                 labels.push_back(model.classes[static_cast<std::size_t>(
                                     std::max_element(probability.row(i), probability.row(i) + probability.cols()) -
                                     probability.row(i))]);
                         } else {
                             labels = predict(model, f.view());
                         }
                         if (!c.quiet) print_reports(model, o, p.y, training);
                         for (std::size_t i = 0; i < held_out.size(); ++i)
                             target[static_cast<std::size_t>(held_out[i])] = labels[i];
                     });
    warn_inner(ended, "cross-validation");
    warn_inner(inner, "cross-validations behind the probabilities");
    if (c.task >= 3) {
        const regression_score score = score_regression(p.y, target);
        std::printf("Cross Validation Mean squared error = %g\nCross Validation Squared correlation coefficient = %g\n",
                    score.mean_squared_error, score.squared_correlation);
    } else {
        std::printf("Cross Validation Accuracy = %g%%\n",
                    100.0 * static_cast<double>(count_correct(p.y, target)) / static_cast<double>(p.size()));
    }
    return 0;
}

int run(int argc, char** argv) {
    const train_command c = parse_train(argc, argv);
    if (c.folds == 0) {
        require_other_file(c.model, c.input);
        if (c.model.empty()) cannot_save(c.model);
    }
    const problem p = read_problem(c);
    // Starting threads would take longer than solving a small problem.
    std::optional<thread_limit> alone;
    if (static_cast<double>(p.size()) * static_cast<double>(p.size()) * (20 + static_cast<double>(p.x.dims())) < 3e7)
        alone.emplace(1);
    try {
        return c.folds > 0 ? cross_validate(p, c) : train(p, c);
    } catch (const error& caught) {
        clear_progress();
        if (caught.code() == errc::infeasible &&
            std::string_view(caught.what()).find("specified nu is infeasible") != std::string_view::npos)
            end_with("ERROR: specified nu is infeasible");
        throw;
    }
}

}  // namespace
}  // namespace mercer::programs

int main(int argc, char** argv) {
    return mercer::programs::run_program([&] { return mercer::programs::run(argc, argv); });
}
