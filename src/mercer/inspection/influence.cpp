#include "mercer/inspection/influence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/make_gram.h"
#include "mercer/inspection/binary_problems.h"

namespace mercer {

std::vector<influence> compute_influences(const svm_model& model, std::span<const double> kernel_values) {
    const index count = model.coef.cols();
    if (static_cast<index>(kernel_values.size()) != count)
        fail(errc::invalid_argument, fmt::format("influences: the model has {} support vectors, got {} kernel values",
                                                 count, kernel_values.size()));
    std::vector<influence> all;
    for (index p = 0; p < model.problems(); ++p) {
        influence made;
        made.problem = p;
        made.offset = model.offset[static_cast<std::size_t>(p)];
        double sum = 0, size = 0;
        for (const auto& [s, coefficient] : problem_coefficients(model, p)) {
            const double k = kernel_values[static_cast<std::size_t>(s)], value = coefficient * k;
            made.terms.push_back({s, model.support_rows[static_cast<std::size_t>(s)], coefficient, k, value});
            sum += value;
            size += std::abs(value);
            (value > 0 ? made.positive : made.negative) += value;
        }
        made.f = sum + made.offset;
        std::ranges::stable_sort(made.terms, std::ranges::greater{},
                                 [](const influence_term& t) { return std::abs(t.value); });
        // The sign is determined once the absolute value of the partial sum exceeds the sum of the remaining |terms|.
        double seen = made.offset, left = size;
        for (; made.deciding_terms < static_cast<index>(made.terms.size()) && std::abs(seen) <= left;
             ++made.deciding_terms) {
            const double value = made.terms[static_cast<std::size_t>(made.deciding_terms)].value;
            seen += value;
            left -= std::abs(value);
        }
        all.push_back(std::move(made));
    }
    return all;
}

std::vector<influence> compute_influences(const svm_model& model, const dataset& x, index row) {
    if (!model.k)
        fail(errc::unsupported,
             "influences: this model was fitted on a precomputed kernel matrix: pass kernel values, not objects");
    if (row < 0 || row >= x.size())
        fail(errc::invalid_argument, fmt::format("influences: must satisfy 0 <= row < {}, got {}", x.size(), row));
    std::vector<double> values(static_cast<std::size_t>(model.coef.cols()));
    if (!values.empty()) {
        make_gram<double>(*model.k, gather(x, row_set(row, 1)), model.support)->row(0, values.data());
    }
    return compute_influences(model, values);
}

explained_decision explain_decision(const svm_model& model, const dataset& x, index row, std::optional<double> label) {
    if (!model.is_classifier())
        fail(errc::unsupported, fmt::format("only the decisions of a classifier can be explained, and this model is {}",
                                            name(model.task)));
    explained_decision why;
    why.row = row;
    std::vector<influence> all = compute_influences(model, x, row);
    matrix<double> f(1, model.problems());
    for (const influence& each : all) f(0, each.problem) = each.f;
    const double said = predict(model, f.view())[0];
    const index winner = class_numbers(model, std::span(&said, 1))[0];
    why.predicted_class = class_text(model, winner);
    if (label) why.true_class = class_text(model, class_numbers(model, std::span(&*label, 1))[0]);
    for (influence& each : all) {
        const auto [a, b] = classes_of_problem(model, each.problem);
        if (a != winner && b != winner) continue;
        why.classes.emplace_back(class_text(model, a), class_text(model, b));
        why.parts.push_back(std::move(each));
    }
    for (std::size_t c = 0; c < model.class_support.size(); ++c)
        why.class_of_support.insert(why.class_of_support.end(), static_cast<std::size_t>(model.class_support[c]),
                                    class_text(model, static_cast<index>(c)));
    return why;
}

}  // namespace mercer
