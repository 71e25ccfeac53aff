#include "svm_train_report.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace mercer::programs {
namespace {

// The support vectors of one binary problem: |α| and label of each.
struct multipliers {
    std::vector<double> alpha, label;
    double sum = 0;
    double n = 0;                  // number of examples of the problem
    double first = 0, second = 0;  // the two classes
};

// Returns the multipliers of every binary problem of a model.
std::vector<multipliers> split_by_problem(const svm_model& model, std::span<const double> y,
                                          std::span<const index> rows) {
    std::vector<index> first{0};
    for (const index count : model.class_support) first.push_back(first.back() + count);
    if (model.class_support.empty()) first.push_back(model.coef.cols());
    std::vector<index> size(model.classes.size(), 0);
    for (const index i : rows)
        for (std::size_t c = 0; c < model.classes.size(); ++c)
            size[c] += y[static_cast<std::size_t>(i)] == model.classes[c];
    std::vector<multipliers> out(model.reports.size());
    for (std::size_t p = 0; p < out.size(); ++p) {
        multipliers& found = out[p];
        const auto take = [&](index c, index m) {
            for (index s = first[static_cast<std::size_t>(c)]; s < first[static_cast<std::size_t>(c) + 1]; ++s) {
                const double value = std::abs(model.coef(m, s));
                if (value > 0)
                    found.alpha.push_back(value),
                        found.label.push_back(model.classes.empty() ? 0 : model.classes[static_cast<std::size_t>(c)]);
                found.sum += value;
            }
        };
        if (model.classes.empty()) {
            take(0, 0);
            found.n = static_cast<double>(rows.size());
            continue;
        }
        const auto [a, b] = model.pairs()[static_cast<index>(p)];
        take(a, b - 1), take(b, a);
        found.n = static_cast<double>(size[static_cast<std::size_t>(a)] + size[static_cast<std::size_t>(b)]);
        found.first = model.classes[static_cast<std::size_t>(a)],
        found.second = model.classes[static_cast<std::size_t>(b)];
    }
    return out;
}

double weight_of(const svm_options& o, double label) {
    for (const auto& [named, factor] : o.class_weight)
        if (named == label) return factor;
    return 1.0;
}

// Returns the line between the steps and the objective: the parameter that follows from the solution.
std::string derived_parameter_line(const svm_options& o, const multipliers& found, const svm_report& report) {
    char line[64] = "";
    if (o.task == svm_task::c_svc && weight_of(o, found.first) == weight_of(o, found.second))
        std::snprintf(line, sizeof line, "nu = %f\n", found.sum / (o.C * weight_of(o, found.first) * found.n));
    else if (o.task == svm_task::nu_svc)
        std::snprintf(line, sizeof line, "C = %f\n", 1 / (o.nu * found.n / found.sum));
    else if (o.task == svm_task::epsilon_svr)
        std::snprintf(line, sizeof line, "nu = %f\n", found.sum / (o.C * found.n));
    else if (o.task == svm_task::nu_svr)
        std::snprintf(line, sizeof line, "epsilon = %f\n", report.epsilon);
    return line;
}

}  // namespace

void print_reports(const svm_model& model, const svm_options& o, std::span<const double> y,
                   std::span<const index> rows) {
    if (model.problems() > 0 && !model.report_of(0)) {
        // A model of more than max_reports problems has one summary instead of one report per problem.
        const svm_report& all = model.reports.front();
        std::printf("*\noptimization of %ld problems finished, #iter = %ld\nobj = %f (sum)\n",
                    static_cast<long>(model.problems()), static_cast<long>(all.steps), all.objective);
        std::printf("Total nSV = %ld\n", static_cast<long>(model.coef.cols()));
        return;
    }
    const std::vector<multipliers> problems = split_by_problem(model, y, rows);
    for (std::size_t p = 0; p < problems.size(); ++p) {
        const multipliers& found = problems[p];
        const svm_report& report = model.reports[p];
        double objective = report.objective, bound = 1;
        if (o.task == svm_task::nu_svc) {
            // Σ|α| = νn holds before the margin r is scaled to 1
            const double r = o.nu * found.n / found.sum;
            objective /= r * r, bound = 1 / r;
        } else if (o.task != svm_task::one_class) {
            bound = o.C;
        }
        long bounded = 0;
        for (std::size_t i = 0; i < found.alpha.size(); ++i)
            bounded += found.alpha[i] >= bound * (o.task == svm_task::c_svc ? weight_of(o, found.label[i]) : 1.0) *
                                             (o.task == svm_task::nu_svc ? 1 - 1e-12 : 1);
        std::printf("*\noptimization finished, #iter = %ld\n%sobj = %f, rho = %f\nnSV = %ld, nBSV = %ld\n",
                    static_cast<long>(report.steps), derived_parameter_line(o, found, report).c_str(), objective,
                    model.offset[p] == 0 ? 0.0 : -model.offset[p], static_cast<long>(found.alpha.size()), bounded);
    }
    if (model.is_classifier()) std::printf("Total nSV = %ld\n", static_cast<long>(model.coef.cols()));
}

}  // namespace mercer::programs
