#include "mercer/inspection/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/data/strings.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/plot/decision_features.h"

namespace mercer::api {
namespace {

kernel_expansion sums_of(const model& m) {
    auto f = m.inner().sums();
    if (!f)
        fail(errc::unsupported, fmt::format("{} decides by something else than a sum over kernel values: it has no "
                                            "features to explain (svc, svr, kernel_ridge, kernel_logistic have)",
                                            m.method_name()));
    return std::move(*f);
}

known_names names_of(const model& m) {
    if (!m.text()) return m.feature_names();
    known_names out;
    for (std::int32_t t = 0; t < m.text()->terms().size(); ++t) out.emplace_back(m.text()->terms()[t]);
    return out;
}

// Where the terms of a text stand that the model has made a vector of.
std::optional<known_places> text_places(const model& m, const dataset& x, index row) {
    const auto* texts = x.as<strings>();
    if (!m.text() || !texts || row < 0 || row >= texts->size()) return {};
    const text_options& how = m.text()->options();
    known_places out{{}, static_cast<index>((*texts)[row].size())};
    token_options terms = how.terms;
    if (!how.language.empty())
        for (std::string& each : stop_words(how.language)) terms.stop.push_back(std::move(each));
    tokeniser(terms).each_place((*texts)[row], [&](std::string_view term, std::vector<index> bytes) {
        const std::int32_t column =
            how.hashed ? hashed_column(term, static_cast<std::int32_t>(how.hashed)) : m.text()->terms().find(term);
        if (column >= 0) out.places.push_back({column, 1, std::move(bytes)});
    });
    return out;
}

// What people call the sides of the functions.
std::vector<explained_function> named_functions(const model& m, index count) {
    std::vector<explained_function> out(static_cast<std::size_t>(count));
    const std::vector<function_sides> sides = sides_of(m.inner(), count);
    for (std::size_t j = 0; j < out.size(); ++j) {
        if (!sides[j].positive) continue;
        out[j].positive = m.class_text(*sides[j].positive);
        out[j].negative = sides[j].negative ? m.class_text(*sides[j].negative) : "the others";
    }
    return out;
}

std::string one_line(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return out;
}

std::string against(const explained_function& f) {
    return f.positive.empty() ? "f" : fmt::format("{} (f > 0) against {} (f < 0)", f.positive, f.negative);
}

bool several_kernels(const std::vector<feature_share>& all) {
    return std::ranges::any_of(all, [&](const feature_share& each) { return each.kernel != all[0].kernel; });
}

// Characters, not bytes, so that columns stay straight.
std::size_t letters(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}
std::string padded(const std::string& text, std::size_t to) {
    return text + std::string(to > letters(text) ? to - letters(text) : 0, ' ');
}

std::string listed(const std::vector<feature_share>& all, bool of_object) {
    std::string out;
    std::size_t wide = 7;
    for (const feature_share& each : all) wide = std::min<std::size_t>(60, std::max(wide, letters(each.name)));
    out += of_object
               ? fmt::format("  {:>12}  {}  {:>12}  {:>12}\n", "share", padded("feature", wide), "value", "weight")
               : fmt::format("  {:>12}  {}\n", "weight", "feature");
    const bool several = !all.empty() && several_kernels(all);
    for (const feature_share& each : all) {
        const std::string name = one_line(each.name);
        out += of_object ? fmt::format("  {:>+12.6g}  {}  {:>12.6g}  {:>+12.6g}", each.share(), padded(name, wide),
                                       each.value, each.weight)
                         : fmt::format("  {:>+12.6g}  {}", each.weight, several ? padded(name, wide) : name);
        out += several ? fmt::format("  {}\n", each.kernel) : "\n";
    }
    return out;
}

}  // namespace

std::vector<function_sides> sides_of(const fitted& m, index functions) {
    std::vector<function_sides> out(static_cast<std::size_t>(functions));
    const std::vector<double> classes = m.classes();
    if (const auto* machine = dynamic_cast<const fitted_as<svm_model>*>(&m)) {
        if (!machine->model().is_classifier()) return out;
        for (index p = 0; p < functions; ++p) {
            const auto [a, b] = classes_of_problem(machine->model(), p);
            out[static_cast<std::size_t>(p)].positive = classes[static_cast<std::size_t>(a)];
            if (b >= 0) out[static_cast<std::size_t>(p)].negative = classes[static_cast<std::size_t>(b)];
        }
    } else if (classes.size() == 2 && functions == 1) {
        out[0] = {classes[1], classes[0]};
    } else if (static_cast<index>(classes.size()) == functions) {
        for (std::size_t c = 0; c < classes.size(); ++c) out[c].positive = classes[c];
    }
    return out;
}

feature_explanation explain_object(const model& m, const dataset& x, index row, index top) {
    const kernel_expansion f = sums_of(m);
    if (row < 0 || row >= x.size())
        fail(errc::invalid_argument,
             fmt::format("there is no row {}: the data have {} (rows are counted from 0)", row, x.size()));
    const dataset one = gather(x, selection(row, 1));
    const dataset seen = m.prepared(one);
    std::vector<decision_shares> decisions = share_decisions(f, seen, 0, top, names_of(m), text_places(m, one, 0));
    const double predicted = m.predict(one)[0];
    feature_explanation out{m.method_name(), f.kernel_text(), row, m.class_text(predicted), {}};
    const std::vector<function_sides> sides = sides_of(m.inner(), f.functions());
    std::vector<explained_function> functions = named_functions(m, f.functions());
    for (std::size_t j = 0; j < functions.size(); ++j) {
        const bool concerns = !sides[j].positive || functions.size() == 1 || *sides[j].positive == predicted ||
                              (sides[j].negative && *sides[j].negative == predicted);
        if (!concerns) continue;
        functions[j].decision = std::move(decisions[j]);
        out.functions.push_back(std::move(functions[j]));
    }
    return out;
}

feature_explanation explain_model(const model& m, index top) {
    const kernel_expansion f = sums_of(m);
    feature_explanation out{m.method_name(), f.kernel_text(), {}, {}, named_functions(m, f.functions())};
    const auto weights = largest_weights(f, top, names_of(m));
    for (std::size_t j = 0; j < weights.size(); ++j) out.functions[j].weights = weights[j];
    return out;
}

std::string text(const feature_explanation& e) {
    std::string out = fmt::format("{} with {}\n", e.method, e.kernel);
    if (e.row) out += fmt::format("row {}: {}\n", *e.row, e.said);
    for (const explained_function& each : e.functions) {
        out += fmt::format("\n{}\n", against(each));
        if (!e.row) {
            out += listed(each.weights, false);
            continue;
        }
        const decision_shares& d = each.decision;
        out += listed(d.largest, true);
        out += fmt::format("  {:>+12.6g}  the {} other features of the object\n", d.rest,
                           d.features - static_cast<index>(d.largest.size()));
        out += fmt::format("  {:>+12.6g}  offset\n  {:>+12.6g}  f\n", d.offset, d.f);
    }
    return out;
}

std::string to_json(const feature_explanation& e) {
    using json = nlohmann::ordered_json;
    const auto features = [&](const std::vector<feature_share>& all) {
        json out = json::array();
        for (const feature_share& each : all) {
            json one{{"feature", each.name}, {"kernel", each.kernel}, {"weight", each.weight}};
            if (e.row) one["value"] = each.value, one["share"] = each.share();
            out.push_back(std::move(one));
        }
        return out;
    };
    json out{{"method", e.method}, {"kernel", e.kernel}};
    if (e.row) out["row"] = *e.row, out["said"] = e.said;
    out["functions"] = json::array();
    for (const explained_function& each : e.functions) {
        json one = json::object();
        if (!each.positive.empty()) one["positive"] = each.positive, one["negative"] = each.negative;
        const decision_shares& d = each.decision;
        if (e.row) {
            one["f"] = d.f, one["offset"] = d.offset, one["rest"] = d.rest, one["features"] = d.features;
            one["largest"] = features(d.largest);
            one["parts"] = d.parts;
        } else {
            one["largest"] = features(each.weights);
        }
        out["functions"].push_back(std::move(one));
    }
    return out.dump(2, ' ', false, json::error_handler_t::replace);
}

std::string picture(const feature_explanation& e, const dataset& x) {
    if (!e.row || e.functions.empty()) fail(errc::invalid_argument, "a picture is of one object: say which");
    const explained_function& f = e.functions.front();
    feature_picture_words words;
    words.title = f.positive.empty() ? fmt::format("Row {}: f = {:.4g}", *e.row, f.decision.f)
                                     : fmt::format("Row {}: {}, f = {:+.4g}", *e.row, e.said, f.decision.f);
    words.subtitle = fmt::format("{} with {}, offset {:+.3g}", e.method, e.kernel, f.decision.offset);
    words.positive = f.positive, words.negative = f.negative;
    return feature_picture(x, *e.row, f.decision, words).finish();
}

}  // namespace mercer::api
