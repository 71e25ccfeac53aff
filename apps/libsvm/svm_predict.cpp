// svm-predict: a replacement of LIBSVM's program. It also reads Mercer's own model files.
#include <cmath>
#include <optional>

#include "libsvm_programs.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/methods/svm/libsvm_model.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/metrics/metrics.h"

namespace mercer::programs {
namespace {

constexpr const char* usage =
    "Usage: svm-predict [options] test_file model_file output_file\n"
    "options:\n"
    "-b probability_estimates: whether to predict probability estimates, 0 or 1 (default 0); for one-class SVM only 0 "
    "is supported\n"
    "-q : quiet mode (no outputs)\n";

struct command {
    bool probabilities = false;
    bool quiet = false;
    std::string test, model, output;
};

command parse(int argc, char** argv) {
    command c;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; ++i) {
        if (argv[i][1] == 'q') {
            c.quiet = true;
            continue;
        }
        if (argv[i][1] != 'b') {
            std::fprintf(stderr, "Unknown option: -%c\n", argv[i][1]);
            show_usage(usage);
        }
        if (++i >= argc) show_usage(usage);
        c.probabilities = whole_option(argv[i], usage) != 0;
    }
    if (i + 2 >= argc) show_usage(usage);
    c.test = argv[i], c.model = argv[i + 1], c.output = argv[i + 2];
    return c;
}

struct loaded_model {
    svm_model model;
    bool zero_based = false;
};

loaded_model load(const file_contents& file, bool zero_based) {
    try {
        return {parse_any_model(file.bytes(), file.name(), zero_based), zero_based};
    } catch (const error& caught) {
        if (!zero_based) {
            try {
                return {parse_any_model(file.bytes(), file.name(), true), true};  // a model of data with an index 0
            } catch (const error&) {
                // the first message is more useful
            }
        }
        end_with(std::string(caught.what()) + "\ncan't open model file " + file.name());
    }
}

// Converts test rows `0:serial 1:K(x,x1) …` to kernel values with the training examples that the model knows.
matrix<double> kernel_values(const svm_model& model, const dataset& rows) {
    const auto& x = *rows.as<sparse<double>>();
    matrix<double> K(x.size(), model.training_size);
    for (index i = 0; i < x.size(); ++i)
        for (std::size_t e = 0; e < x.cols(i).size(); ++e)
            if (const index serial = x.cols(i)[e]; serial >= 1 && serial <= K.cols()) K(i, serial - 1) = x.values(i)[e];
    return K;
}

struct answer {
    std::vector<double> labels;
    matrix<double> probabilities;  // no columns: no probabilities
};

answer decide_all(const svm_model& model, const examples& test, bool probabilities) {
    answer out;
    const bool classes = probabilities && model.is_classifier();
    if (model.k && !classes) {
        out.labels = predict(model, test.data.x);
        return out;
    }
    const matrix<double> f = model.k ? decide(model, test.data.x, arithmetic::exact)
                                     : decide_precomputed(model, kernel_values(model, test.data.x).view());
    if (!classes) {
        out.labels = predict(model, f.view());
        return out;
    }
    // As in LIBSVM, the label is the class of the largest probability.
    out.probabilities = coupled_probabilities(model, f.view());
    for (index i = 0; i < f.rows(); ++i) {
        const double* p = out.probabilities.row(i);
        out.labels.push_back(
            model.classes[static_cast<std::size_t>(std::max_element(p, p + out.probabilities.cols()) - p)]);
    }
    return out;
}

std::string output_text(const svm_model& model, const answer& found) {
    std::string text;
    char digits[max_decimal_length];
    const bool classes = found.probabilities.cols() > 0;
    if (classes) {
        text += "labels";
        for (const double label : model.classes) text += ' ', text.append(digits, write_general(digits, label, 17));
        text += '\n';
    }
    for (std::size_t i = 0; i < found.labels.size(); ++i) {
        text.append(digits, write_general(digits, found.labels[i], classes ? 6 : 17));
        for (index c = 0; c < found.probabilities.cols(); ++c) {
            text += ' ';
            text.append(digits, write_general(digits, found.probabilities(static_cast<index>(i), c), 6));
        }
        text += '\n';
    }
    return text;
}

int run(int argc, char** argv) {
    const command c = parse(argc, argv);
    for (const std::string& input : {c.test, c.model}) require_other_file(c.output, input);
    // Opens the output first, so that an invalid path is reported before the work is done.
    std::optional<atomic_file> output;
    try {
        output.emplace(c.output);
    } catch (const error&) {
        end_with("can't open output file " + c.output);
    }
    const file_contents file = open_file(c.test, "can't open input file ");
    const file_contents stored = open_file(c.model, "can't open model file ", is_model_prefix);
    auto [model, zero_based] = parse_untruncated(stored, [&] { return load(stored, false); });
    if (c.probabilities && (!model.probability || model.task == svm_task::one_class))
        end_with("Model does not support probabiliy estimates");
    if (!c.probabilities && model.probability && !c.quiet)
        std::fputs("Model supports probability estimates, but disabled in prediction.\n", stdout);
    const bool regression = model.task == svm_task::epsilon_svr || model.task == svm_task::nu_svr;
    if (c.probabilities && regression && !c.quiet)
        std::printf(
            "Prob. model for test data: target value = predicted value + z,\nz: Laplace distribution "
            "e^(-|z|/sigma)/(2sigma),sigma=%g\n",
            model.probability->sigma);

    examples test;
    answer found;
    if (!file.bytes().empty()) {
        test = parse_untruncated(file, [&file, precomputed = !model.k, base = zero_based, dims = model.dims] {
            return parse_examples(file, precomputed, base, dims);
        });
        if (test.zero_based && !zero_based) model = load(stored, true).model;
        found = decide_all(model, test, c.probabilities);
    }
    if (file.bytes().empty() && c.probabilities && model.is_classifier())
        found.probabilities = matrix<double>(0, static_cast<index>(model.classes.size()));
    output->write(output_text(model, found));
    output->commit(durability::unsynced);
    if (c.quiet) return 0;
    const auto& y = test.data.y;
    if (regression) {
        const regression_score score = score_regression(y, found.labels);
        std::printf("Mean squared error = %g (regression)\nSquared correlation coefficient = %g (regression)\n",
                    score.mean_squared_error, score.squared_correlation);
    } else {
        const auto correct = static_cast<long>(count_correct(y, found.labels)), total = static_cast<long>(y.size());
        std::printf("Accuracy = %g%% (%ld/%ld) (classification)\n",
                    static_cast<double>(correct) / static_cast<double>(total) * 100, correct, total);
    }
    return 0;
}

}  // namespace
}  // namespace mercer::programs

int main(int argc, char** argv) {
    return mercer::programs::run_program([&] { return mercer::programs::run(argc, argv); });
}
