#include "mercer/plot/region_sequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/metrics/metrics.h"

namespace mercer {

namespace {

std::string trim(const std::string& text) {
    const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string symbol(const std::string& parameter) {
    return parameter == "gamma" ? "γ" : parameter == "coef0" ? "r" : parameter;
}

// The parts of "name(a, b=[1, 2])": name and arguments; `alone` is true if nothing follows.
struct call {
    std::string name;
    std::vector<std::string> arguments;
    bool alone = true;
};
call parse_call(const std::string& text) {
    const std::size_t open = text.find('(');
    call out{trim(text.substr(0, open)), {}, true};
    if (open == std::string::npos) return out;
    int depth = 0;
    std::string argument;
    for (std::size_t i = open; i < text.size(); ++i) {
        const char c = text[i];
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        if (depth == 0 || (c == ',' && depth == 1)) {
            if (!trim(argument).empty()) out.arguments.push_back(trim(argument));
            argument.clear();
        } else if (i > open) {
            argument += c;
        }
        if (depth > 0) continue;
        out.alone = i + 1 == text.size();
        break;
    }
    return out;
}

std::string kernel_title(const std::string& text) {
    const call of = parse_call(trim(text));
    if (!of.alone || !find_kernel(of.name)) return text + " as";
    return of.name == "rbf" ? "RBF" : of.name == "poly" ? "polynomial" : of.name;
}

// The two features as a dataset.
dataset two_columns(const dataset& x, std::pair<index, index> pair) {
    const dense<double> all = as_dense<double>(x);
    for (const index j : {pair.first, pair.second})
        if (j < 0 || j >= all.dims())
            fail(errc::invalid_argument,
                 fmt::format("the features of a picture must satisfy 0 <= feature < {}, got {}", all.dims(), j));
    if (pair.first == pair.second)
        fail(errc::invalid_argument,
             fmt::format("the two features of a picture must be different, got {} twice", pair.first));
    matrix<double> out(all.size(), 2);
    for (index i = 0; i < all.size(); ++i) {
        out(i, 0) = all.row(i)[pair.first];
        out(i, 1) = all.row(i)[pair.second];
    }
    return dense<double>(std::move(out));
}

}  // namespace

std::vector<sequence_spec> course_sequences() {
    const std::vector<double> penalties{0.01, 0.1, 1, 10, 100};
    return {{"linear()", 1, "C", penalties},
            {"rbf(gamma=1)", 1, "gamma", {0.01, 0.1, 1, 10, 100}},
            {"rbf(gamma=1)", 1, "C", penalties},
            {"poly(degree=3, gamma=1, coef0=1)", 1, "degree", {1, 2, 3, 5, 8}},
            {"poly(degree=3, gamma=1, coef0=1)", 1, "C", penalties},
            {"sigmoid(gamma=0.5, coef0=0)", 1, "gamma", {0.01, 0.1, 0.5, 1, 5}},
            {"sigmoid(gamma=0.5, coef0=0)", 1, "C", penalties}};
}

std::string with_parameter(const std::string& kernel_text, const std::string& parameter, double value) {
    const auto [name, arguments, alone] = parse_call(trim(kernel_text));
    const auto* known = find_kernel(name);
    if (!known || !alone)
        fail(errc::invalid_argument,
             fmt::format(
                 "'{}' is not a single kernel such as rbf or poly: parameters of composite kernels cannot be varied",
                 kernel_text));
    std::vector<std::string> names;
    for (const auto& each : known->info.parameters) names.push_back(each.name);
    if (known->info.name == "rbf") names.emplace_back("sigma");
    if (std::ranges::find(names, parameter) == names.end())
        fail(errc::invalid_argument, fmt::format("the kernel {} has no parameter '{}': vary C or one of {}", name,
                                                 parameter, join(names, ", ")));
    std::string out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const bool named = arguments[i].find('=') != std::string::npos;
        const std::string each = named || i >= names.size() ? arguments[i] : names[i] + "=" + arguments[i];
        const std::string key = trim(each.substr(0, each.find('=')));
        const bool widths = (key == "gamma" && parameter == "sigma") || (key == "sigma" && parameter == "gamma");
        if (key != parameter && !widths) out += each + ", ";
    }
    return fmt::format("{}({}{}={})", name, out, parameter, value);
}

region_sequence fit_sequence(const sequence_spec& spec, const sequence_data& data, double max_seconds,
                             const std::function<void()>& fitted) {
    const dataset x = two_columns(data.x, data.pair);
    std::vector<std::string> names;
    for (const index j : {data.pair.first, data.pair.second})
        names.push_back(j < static_cast<index>(data.feature_names.size())
                            ? data.feature_names[static_cast<std::size_t>(j)]
                            : fmt::format("x{}", j + 1));
    const bool over_C = spec.vary == "C";
    region_sequence out;
    out.title = fmt::format("{} kernel, {} growing  ({})", kernel_title(spec.kernel), symbol(spec.vary),
                            over_C ? kernel::parse(spec.kernel).text() : fmt::format("C = {}", number_text(spec.C)));
    out.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out.title[0])));
    for (const double value : spec.values) {
        const kernel k = kernel::parse(over_C ? spec.kernel : with_parameter(spec.kernel, spec.vary, value));
        svm_options options;
        options.C = over_C ? value : spec.C;
        options.max_seconds = max_seconds;
        region_tile tile;
        tile.caption = fmt::format("{} = {}", symbol(spec.vary), number_text(value));
        try {
            tile.model = fit_svm(k, x, data.y, options);
            tile.model.class_names = data.class_names;
            tile.on = make_feature_plane(tile.model, x, 0, 1, names);
            tile.marks = mark_examples(tile.model, data.y);
            tile.accuracy =
                static_cast<double>(count_correct(data.y, predict(tile.model, x))) / static_cast<double>(data.y.size());
            tile.support = static_cast<index>(tile.model.support_rows.size());
            const fit_status status = tile.model.worst_status();
            if (!is_optimal(status))
                tile.warning = fmt::format("stopped early, gap {:.1g}", tile.model.largest_gap());
            else if (status == fit_status::stationary)
                tile.warning = "not proven to be a kernel";
        } catch (const error& none) {
            if (none.code() != errc::infeasible) throw;
            tile.has_model = false;
            tile.warning = none.what();
        }
        out.tiles.push_back(std::move(tile));
        if (fitted) fitted();
    }
    return out;
}

}  // namespace mercer
