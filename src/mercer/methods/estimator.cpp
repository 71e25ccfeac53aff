#include "mercer/methods/estimator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer::api {

namespace {

using nlohmann::ordered_json;

ordered_json finite(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

summary_value one(const ordered_json& from) {
    if (from.is_boolean()) return from.get<bool>();
    if (from.is_number_integer()) return from.get<std::int64_t>();
    if (from.is_number()) return from.get<double>();
    if (from.is_string()) {
        const auto text = from.get<std::string>();
        if (text == "inf" || text == "-inf" || text == "nan") return std::stod(text);
        return text;
    }
    if (!from.is_array()) fail(errc::parse, "a figure is a number, a text or a list of them");
    const auto all = [&](auto test) { return std::ranges::all_of(from, test); };
    if (!from.empty() && all([](const ordered_json& e) { return e.is_number_integer(); }))
        return from.get<std::vector<std::int64_t>>();
    const auto number_like = [](const ordered_json& e) {
        return e.is_number() || e == "inf" || e == "-inf" || e == "nan";
    };
    if (all(number_like)) {
        std::vector<double> out;
        for (const auto& e : from) out.push_back(e.is_number() ? e.get<double>() : std::stod(e.get<std::string>()));
        return out;
    }
    return from.get<std::vector<std::string>>();
}

std::string short_text(const std::string& text) { return text; }
std::string short_text(std::int64_t value) { return fmt::format("{}", value); }
std::string short_text(double value) { return fmt::format("{:.6g}", value); }

}  // namespace

const summary_value* summary::find(std::string_view name) const {
    const auto at = std::ranges::find_if(all_, [&](const auto& each) { return each.first == name; });
    return at == all_.end() ? nullptr : &at->second;
}

std::string summary::json() const {
    ordered_json out = ordered_json::object();
    for (const auto& [name, value] : all_)
        out[name] = std::visit(
            [](const auto& v) -> ordered_json {
                using kind = std::decay_t<decltype(v)>;
                if constexpr (std::is_same_v<kind, double>) return finite(v);
                if constexpr (std::is_same_v<kind, std::vector<double>>) {
                    ordered_json list = ordered_json::array();
                    for (const double each : v) list.push_back(finite(each));
                    return list;
                } else if constexpr (std::is_same_v<kind, text_list>) {
                    return static_cast<const std::vector<std::string>&>(v);
                } else {
                    return v;
                }
            },
            value);
    return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

summary summary::from_json(std::string_view text) {
    summary out;
    try {
        const ordered_json parsed = parse_json<ordered_json>(text, "figures");
        for (const auto& [name, value] : parsed.items()) out.add(name, one(value));
    } catch (const nlohmann::json::exception& wrong) {
        fail(errc::parse, fmt::format("figures: {}", wrong.what()));
    }
    return out;
}

std::string text(const summary_value& value) {
    return std::visit(
        [](const auto& v) -> std::string {
            using kind = std::decay_t<decltype(v)>;
            if constexpr (std::is_same_v<kind, bool>) {
                return v ? "yes" : "no";
            } else if constexpr (requires { typename kind::value_type; } && !std::is_same_v<kind, std::string>) {
                std::string out;
                for (std::size_t i = 0; i < std::min<std::size_t>(v.size(), 6); ++i)
                    out += (i ? ", " : "") + short_text(v[i]);
                return v.size() > 6 ? fmt::format("{}, ... ({} in all)", out, v.size()) : out;
            } else {
                return short_text(v);
            }
        },
        value);
}

double summary::number(std::string_view name) const {
    const summary_value* found = find(name);
    if (found && std::holds_alternative<double>(*found)) return std::get<double>(*found);
    if (found && std::holds_alternative<std::int64_t>(*found))
        return static_cast<double>(std::get<std::int64_t>(*found));
    std::string there;
    for (const auto& [each, value] : all_) there += (there.empty() ? "" : ", ") + each;
    fail(errc::invalid_argument, fmt::format("the model has no number '{}': its numbers are {}", name, there));
}

namespace {

// The words for a value in the text of a summary: its name with spaces, or other words where the name alone would not
// tell what the value is.
std::string words_for(const std::string& name) {
    for (const auto& [key, words] :
         {std::pair{"coordinates", "number of features"}, {"out_of_reach", "unexplained trace"}, {"machines", "fits"}})
        if (name == key) return words;
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    return words;
}

}  // namespace

std::string summary::text() const {
    std::size_t width = 0;
    for (const auto& [name, value] : all_) width = std::max(width, words_for(name).size());
    std::string out;
    for (const auto& [name, value] : all_) {
        const std::string words = words_for(name);
        std::string line = fmt::format("  {:<{}}  {}", words, width, api::text(value));
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
    return out;
}

std::vector<double> estimator::predict(const examples&) const {
    fail(errc::unsupported, "this method does not predict: call transform");
}
matrix<double> estimator::decide(const examples&) const {
    fail(errc::unsupported, "this method has no decision values");
}
matrix<double> estimator::scores(const examples&) const {
    fail(errc::unsupported, "this method has no scores of classes");
}
matrix<double> estimator::probabilities(const examples&) const {
    fail(errc::unsupported, "this method has no probabilities");
}
columns estimator::details(const examples&) const {
    fail(errc::unsupported, "this method has no details of its predictions");
}
detailed_predictions estimator::predict_with_details(const examples& x) const {
    detailed_predictions out{predict(x), {}};
    try {
        out.details = details(x);
    } catch (const error& none) {
        if (none.code() != errc::unsupported) throw;
    }
    return out;
}
columns estimator::transform(const examples&) const {
    fail(errc::unsupported, "this method does not transform: call predict");
}
part_value estimator::part(std::string_view) const { return {}; }

namespace {

// Returns ask(), or nothing if that fails with errc::unsupported.
template <class Ask>
std::optional<matrix<double>> if_supported(Ask ask) {
    try {
        return ask();
    } catch (const error& what) {
        if (what.code() != errc::unsupported) throw;
        return std::nullopt;
    }
}

matrix<double> two_class_scores(const matrix<double>& f, std::span<const double> predicted, double first) {
    double sense = 0;
    for (index i = 0; i < f.rows(); ++i) sense += predicted[static_cast<std::size_t>(i)] == first ? f(i, 0) : -f(i, 0);
    matrix<double> out(f.rows(), 2);
    for (index i = 0; i < f.rows(); ++i) out(i, 0) = sense < 0 ? -f(i, 0) : f(i, 0), out(i, 1) = -out(i, 0);
    return out;
}

}  // namespace

std::optional<matrix<double>> estimator_scores(const estimator& by, const examples& x,
                                               std::span<const double> predicted) {
    const std::vector<double> classes = by.classes();
    if (classes.size() == 2)
        if (const auto f = if_supported([&] { return by.decide(x); }); f && f->cols() == 1)
            return two_class_scores(*f, predicted, classes[0]);
    if (auto found = if_supported([&] { return by.scores(x); })) return found;
    return estimator_probabilities(by, x);
}

std::optional<matrix<double>> estimator_probabilities(const estimator& by, const examples& x) {
    return if_supported([&] { return by.probabilities(x); });
}

std::string fit_warning(fit_status status, const char* options, std::optional<double> gap) {
    const std::string reached = gap ? fmt::format(", the gap is {:.3g}", *gap) : "";
    switch (status) {
        case fit_status::converged: return {};
        case fit_status::stationary:
            return "the kernel matrix is not positive semidefinite, so the solution may not be the best: see `mercer "
                   "kernel test`";
        case fit_status::unbounded:
        case fit_status::infeasible:
            return "the problem has no solution: with C = inf the classes cannot be separated; set a finite C, as in "
                   "--set C=1";
        case fit_status::stalled:
            if (gap)
                return fmt::format(
                    "not converged: rounding errors, or a memory limit that excludes a more accurate solver, keep the "
                    "gap at {:.3g}; scale the data, raise the memory limit, or set a larger tol",
                    *gap);
            return "not converged: no further progress in floating point, or the kernel matrix is not positive "
                   "semidefinite (`mercer kernel test`)";
        default:
            return fmt::format("not converged ({}{}): raise {}, with --set", display_text(status), reached, options);
    }
}

matrix<double> as_column(const std::vector<double>& y) {
    matrix<double> out(static_cast<index>(y.size()), 1);
    std::ranges::copy(y, out.data());
    return out;
}

std::vector<double> first_column(const matrix<double>& values) {
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(values.rows()));
    for (index i = 0; i < values.rows(); ++i) out.push_back(values(i, 0));
    return out;
}

std::vector<std::string> label_names(std::string_view what, const std::vector<double>& labels) {
    std::vector<std::string> out;
    for (const double label : labels) out.push_back(fmt::format("{}({})", what, number_text(label)));
    return out;
}

std::vector<std::string> numbered_names(std::string_view what, index count) {
    std::vector<std::string> out;
    for (index i = 0; i < count; ++i) out.push_back(fmt::format("{}{}", what, i + 1));
    return out;
}

}  // namespace mercer::api
