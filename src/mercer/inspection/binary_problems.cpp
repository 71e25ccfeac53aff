#include "mercer/inspection/binary_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer {

problem_classes classes_of_problem(const svm_model& model, index problem) {
    if (problem < 0 || problem >= model.problems())
        fail(errc::invalid_argument,
             fmt::format("a problem of two classes of the model must satisfy 0 <= problem < {}, got {}",
                         model.problems(), problem));
    const auto [first, second] =
        class_problems(std::max<index>(2, static_cast<index>(model.classes.size())), model.scheme)[problem];
    return {first, second};
}

std::vector<std::pair<index, double>> problem_coefficients(const svm_model& model, index problem) {
    std::vector<std::pair<index, double>> out;
    const class_problems pairs = model.pairs();
    const auto add = [&](index first, index count, index row) {
        for (index s = first; s < first + count; ++s)
            if (model.coef(row, s) != 0) out.emplace_back(s, model.coef(row, s));
    };
    if (!pairs.is_one_vs_one()) {
        add(0, model.coef.cols(), problem);
        return out;
    }
    index first = 0;
    for (index c = 0; c < static_cast<index>(model.class_support.size()); ++c) {
        const index count = model.class_support[static_cast<std::size_t>(c)];
        for (index row = 0; row < pairs.coefficient_rows(); ++row)
            if (pairs.problem_of_row(c, row) == problem) add(first, count, row);
        first += count;
    }
    return out;
}

std::string class_text(const svm_model& model, index number) {
    if (number < 0) return "the rest";
    const double label = model.classes[static_cast<std::size_t>(number)];
    const bool named = label >= 0 && label < static_cast<double>(model.class_names.size());
    return named ? model.class_names[static_cast<std::size_t>(label)] : number_text(label);
}

std::vector<index> class_numbers(const svm_model& model, std::span<const double> y) {
    std::map<double, index> place;
    for (std::size_t c = 0; c < model.classes.size(); ++c) place[model.classes[c]] = static_cast<index>(c);
    std::vector<index> out;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto at = place.find(y[i]);
        if (at == place.end())
            fail(errc::data, fmt::format("example {} has the label {}, which is not among the {} classes of the model: "
                                         "pass the data that the model was fitted on",
                                         i, number_text(y[i]), model.classes.size()));
        out.push_back(at->second);
    }
    return out;
}

namespace {

// The nonzero coordinates of vector i.
using coordinates = std::vector<std::pair<index, double>>;
coordinates nonzeros(const dataset& x, index i) {
    coordinates out;
    std::visit(
        [&](const auto& some) {
            if constexpr (requires { some.cols(0); }) {
                const auto cols = some.cols(i);
                const auto values = some.values(i);
                for (std::size_t j = 0; j < cols.size(); ++j)
                    if (values[j] != 0) out.emplace_back(cols[j], static_cast<double>(values[j]));
            } else if constexpr (requires { some.row(0); }) {
                for (index j = 0; j < some.dims(); ++j)
                    if (some.row(i)[j] != 0) out.emplace_back(j, static_cast<double>(some.row(i)[j]));
            }
        },
        x.items());
    return out;
}

constexpr double coordinate_tolerance = 1e-7;

bool is_equal(const coordinates& a, const coordinates& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t j = 0; j < a.size(); ++j)
        if (a[j].first != b[j].first ||
            !(std::abs(a[j].second - b[j].second) <= coordinate_tolerance * std::abs(a[j].second)))
            return false;
    return true;
}

bool is_nearly_equal(const dataset& x, index i, const dataset& z, index j) {
    const bool vectors = x.kind() == object_kind::vectors && z.kind() == object_kind::vectors;
    return vectors ? is_equal(nonzeros(x, i), nonzeros(z, j)) : is_same_object(x, i, z, j);
}

// A number for each object such that nearly equal objects have nearly equal numbers, and a bound on the difference of
// their numbers.
std::pair<double, double> fingerprint(const dataset& x, index i) {
    if (const auto* some = x.as<objects>()) return {static_cast<double>(std::hash<std::string>{}(some->text(i))), 0.0};
    double sum = 0, size = 0;
    for (const auto& [j, value] : nonzeros(x, i)) {
        const double weight = 1 + 0.5 * std::sin(static_cast<double>(j + 1));
        sum += weight * value;
        size += std::abs(weight * value);
    }
    return {sum, 2 * coordinate_tolerance * size};
}

// The same vectors with another dimension; the added coordinates are 0.
dataset with_dims(const dataset& vectors, index dims) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    for (index i = 0; i < vectors.size(); ++i) {
        for (const auto& [j, value] : nonzeros(vectors, i))
            col.push_back(static_cast<std::int32_t>(j)), val.push_back(value);
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<double>(std::move(start), std::move(col), std::move(val), dims);
}

[[noreturn]] void fail_other_data(index s, const std::string& where) {
    fail(errc::data, fmt::format("support vector {} of the model {}: the model was fitted on other data, or the data "
                                 "were scaled differently",
                                 s, where));
}

}  // namespace

svm_model locate_support_vectors(const svm_model& model, const dataset& x, std::span<const double> y) {
    const std::vector<index> of_class = class_numbers(model, y);
    const index n = x.size(), count = model.coef.cols();
    if (static_cast<index>(of_class.size()) != n)
        fail(errc::invalid_argument, fmt::format("{} examples but {} labels", n, y.size()));
    std::vector<index> wanted;  // class of each support vector
    for (std::size_t c = 0; c < model.class_support.size(); ++c)
        wanted.insert(wanted.end(), static_cast<std::size_t>(model.class_support[c]), static_cast<index>(c));
    svm_model out = model;
    out.training_size = n;
    // fitted by this library: support_rows are valid
    const bool knows = !model.reports.empty() && model.reports[0].size > 0;
    if (knows) {
        if (model.training_size != n)
            fail(errc::data, fmt::format("the model was fitted on {} examples, but the data have {}: pass the data "
                                         "that the model was fitted on",
                                         model.training_size, n));
        for (index s = 0; s < count; ++s) {
            const index row = model.support_rows[static_cast<std::size_t>(s)];
            if (of_class[static_cast<std::size_t>(row)] != wanted[static_cast<std::size_t>(s)] ||
                !is_nearly_equal(x, row, model.support, s))
                fail_other_data(s, fmt::format("is not example {} of the data", row));
        }
        return out;
    }
    std::vector<double> print(static_cast<std::size_t>(n));
    for (index i = 0; i < n; ++i) print[static_cast<std::size_t>(i)] = fingerprint(x, i).first;
    std::vector<index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), index(0));
    const auto print_of = [&](index i) { return print[static_cast<std::size_t>(i)]; };
    std::ranges::stable_sort(order, {}, print_of);
    std::vector<char> taken(static_cast<std::size_t>(n), 0);
    for (index s = 0; s < count; ++s) {
        const auto [at, slack] = fingerprint(model.support, s);
        index found = -1;
        for (auto i = std::ranges::lower_bound(order, at - slack, {}, print_of);
             i != order.end() && print_of(*i) <= at + slack; ++i)
            if ((found < 0 || *i < found) && !taken[static_cast<std::size_t>(*i)] &&
                of_class[static_cast<std::size_t>(*i)] == wanted[static_cast<std::size_t>(s)] &&
                is_nearly_equal(x, *i, model.support, s))
                found = *i;
        if (found < 0) fail_other_data(s, "is not among the examples of the data");
        taken[static_cast<std::size_t>(found)] = 1;
        out.support_rows[static_cast<std::size_t>(s)] = found;
    }
    // The dimension of a file of sparse vectors is the last column that a support vector uses.
    if (x.kind() == object_kind::vectors && out.support.dims() != x.dims()) {
        out.support = with_dims(out.support, x.dims());
        out.dims = x.dims();
    }
    return out;
}

}  // namespace mercer
