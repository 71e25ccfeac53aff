#include "mercer/inspection/feature_explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/data/graphs.h"
#include "mercer/data/strings.h"
#include "mercer/data/trees.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/kernels/features/explicit_features.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer {
namespace {

void require_kernel(const kernel_expansion& f) {
    if (!f.k)
        fail(errc::unsupported,
             "this model was fitted on a precomputed kernel matrix: it contains no examples, so their features are not "
             "known");
}

// w of one function, from the features of its support objects.
std::vector<double> weights_of(const kernel_expansion& f, index function, const sparse<double>& rows,
                               const std::vector<double>& scale) {
    std::vector<double> w(scale.size());
    for (index s = 0; s < rows.size(); ++s) {
        const double coef = f.coef(s, function);
        if (coef == 0) continue;
        for (std::size_t e = 0; e < rows.cols(s).size(); ++e)
            w[static_cast<std::size_t>(rows.cols(s)[e])] += coef * rows.values(s)[e];
    }
    for (std::size_t c = 0; c < w.size(); ++c) w[c] *= scale[c];
    return w;
}

// The positions of the `top` largest |values|, largest first; ties by position.
std::vector<index> largest_positions(const std::vector<double>& values, index top) {
    std::vector<index> order(values.size());
    std::iota(order.begin(), order.end(), index{0});
    const auto count = std::min(static_cast<std::ptrdiff_t>(top), static_cast<std::ptrdiff_t>(order.size()));
    const auto size = [&](index i) { return std::abs(values[static_cast<std::size_t>(i)]); };
    std::ranges::partial_sort(order, order.begin() + count,
                              [&](index a, index b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
    order.resize(static_cast<std::size_t>(count));
    return order;
}

index count_parts(const dataset& x, index row) {
    if (const auto* some = x.as<strings>()) return static_cast<index>((*some)[row].size());
    if (const auto* some = x.as<graphs>()) return (*some)[row].nodes();
    if (const auto* some = x.as<trees>()) return (*some)[row].size();
    return 0;
}

// Divides every share among the places of its feature, and the part of a place among its bytes or nodes.
std::vector<double> distribute_shares(const std::map<index, double>& shares, const std::vector<feature_place>& places,
                                      index size) {
    std::vector<double> out(places.empty() ? 0 : static_cast<std::size_t>(size));
    if (out.empty()) return out;  // records: the field of a place is not known
    std::map<index, double> whole;
    for (const feature_place& each : places)
        if (!each.parts.empty()) whole[each.column] += each.weight;
    for (const feature_place& each : places) {
        const auto share = shares.find(each.column);
        if (share == shares.end() || each.parts.empty()) continue;
        const double one = share->second * each.weight / whole[each.column] / static_cast<double>(each.parts.size());
        for (const index part : each.parts) out[static_cast<std::size_t>(part)] += one;
    }
    return out;
}

}  // namespace

std::vector<decision_shares> share_decisions(const kernel_expansion& f, const dataset& x, index row, index top,
                                             const known_names& known, const std::optional<known_places>& where) {
    require_kernel(f);
    if (row < 0 || row >= x.size())
        fail(errc::invalid_argument,
             fmt::format("the row to explain must satisfy 0 <= row < {}, got {}", x.size(), row));
    const dataset one = gather(x, row_set(row, 1));
    const object_features phi(*f.k, one, &f.x);
    const auto cols = phi.x().cols(0);
    const auto values = phi.x().values(0);
    const std::vector<feature_place> places = where ? where->places : phi.places(0);
    std::vector<decision_shares> out;
    for (index j = 0; j < f.functions(); ++j) {
        const std::vector<double> w = weights_of(f, j, phi.z(), phi.weight());
        decision_shares made;
        made.offset = f.offset.empty() ? 0 : f.offset[static_cast<std::size_t>(j)];
        made.features = static_cast<index>(cols.size());
        std::vector<double> shares;
        std::map<index, double> by_column;
        for (std::size_t e = 0; e < cols.size(); ++e) {
            shares.push_back(values[e] * w[static_cast<std::size_t>(cols[e])]);
            by_column[cols[e]] = shares.back();
        }
        made.f = std::accumulate(shares.begin(), shares.end(), 0.0) + made.offset;
        for (const index e : largest_positions(shares, top)) {
            const auto at = static_cast<std::size_t>(e);
            const feature_name name = phi.name(cols[at], known);
            made.largest.push_back({name.text, name.kernel, values[at], w[static_cast<std::size_t>(cols[at])]});
            shares[at] = 0;
        }
        made.rest = std::accumulate(shares.begin(), shares.end(), 0.0);
        made.parts = distribute_shares(by_column, places, where ? where->size : count_parts(one, 0));
        out.push_back(std::move(made));
    }
    return out;
}

std::vector<std::vector<feature_share>> largest_weights(const kernel_expansion& f, index top,
                                                        const known_names& known) {
    require_kernel(f);
    const object_features phi(*f.k, f.x);
    std::vector<std::vector<feature_share>> out;
    for (index j = 0; j < f.functions(); ++j) {
        const std::vector<double> w = weights_of(f, j, phi.x(), phi.weight());
        auto& list = out.emplace_back();
        for (const index c : largest_positions(w, top)) {
            const double weight = w[static_cast<std::size_t>(c)];
            if (weight == 0) break;
            const feature_name name = phi.name(c, known);
            list.push_back({name.text, name.kernel, 0, weight});
        }
    }
    return out;
}

}  // namespace mercer

namespace mercer::api {
namespace {

kernel_expansion require_expansion(const model& m) {
    auto f = m.inner().kernel_expansions();
    if (!f)
        fail(errc::unsupported, fmt::format("{} does not decide by a sum over kernel values, so it has no features to "
                                            "explain (svc, svr, kernel_ridge and kernel_logistic have)",
                                            m.method_name()));
    return std::move(*f);
}

known_names feature_names_of(const model& m) {
    if (!m.text()) return m.feature_names();
    known_names out;
    for (std::int32_t t = 0; t < m.text()->terms().size(); ++t) out.emplace_back(m.text()->terms()[t]);
    return out;
}

// The places of the terms in a text that the model turns into a vector.
std::optional<known_places> text_places(const model& m, const dataset& x, index row) {
    const auto* texts = x.as<strings>();
    if (!m.text() || !texts || row < 0 || row >= texts->size()) return {};
    const text_options& how = m.text()->options();
    known_places out{{}, static_cast<index>((*texts)[row].size())};
    token_options terms = how.terms;
    if (!how.language.empty())
        for (std::string& each : stop_words(how.language)) terms.stop.push_back(std::move(each));
    tokeniser(terms).for_each_term_place((*texts)[row], [&](std::string_view term, std::vector<index> bytes) {
        const std::int32_t column =
            how.hashed ? hash_column(term, static_cast<std::int32_t>(how.hashed)) : m.text()->terms().find(term);
        if (column >= 0) out.places.push_back({column, 1, std::move(bytes)});
    });
    return out;
}

// The names of the classes that the functions separate.
std::vector<explained_function> name_functions(const model& m, index count) {
    std::vector<explained_function> out(static_cast<std::size_t>(count));
    const std::vector<function_sides> sides = class_sides(m.inner(), count);
    for (std::size_t j = 0; j < out.size(); ++j) {
        if (!sides[j].positive) continue;
        out[j].positive = m.class_text(*sides[j].positive);
        out[j].negative = sides[j].negative ? m.class_text(*sides[j].negative) : "the others";
    }
    return out;
}

std::string to_one_line(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return out;
}

std::string function_title(const explained_function& f) {
    return f.positive.empty() ? "f" : fmt::format("{} (f > 0) against {} (f < 0)", f.positive, f.negative);
}

bool has_several_kernels(const std::vector<feature_share>& all) {
    return std::ranges::any_of(all, [&](const feature_share& each) { return each.kernel != all[0].kernel; });
}

// Counts characters, not bytes, so that columns stay aligned.
std::size_t character_count(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}
std::string pad(const std::string& text, std::size_t to) {
    return text + std::string(to > character_count(text) ? to - character_count(text) : 0, ' ');
}

std::string format_shares(const std::vector<feature_share>& all, bool of_object) {
    std::string out;
    std::size_t wide = 7;
    for (const feature_share& each : all) wide = std::min<std::size_t>(60, std::max(wide, character_count(each.name)));
    out += of_object ? fmt::format("  {:>12}  {}  {:>12}  {:>12}\n", "share", pad("feature", wide), "value", "weight")
                     : fmt::format("  {:>12}  {}\n", "weight", "feature");
    const bool several = !all.empty() && has_several_kernels(all);
    for (const feature_share& each : all) {
        const std::string name = to_one_line(each.name);
        out += of_object ? fmt::format("  {:>+12.6g}  {}  {:>12.6g}  {:>+12.6g}", each.share(), pad(name, wide),
                                       each.value, each.weight)
                         : fmt::format("  {:>+12.6g}  {}", each.weight, several ? pad(name, wide) : name);
        out += several ? fmt::format("  {}\n", each.kernel) : "\n";
    }
    return out;
}

}  // namespace

std::vector<function_sides> class_sides(const estimator& m, index functions) {
    std::vector<function_sides> out(static_cast<std::size_t>(functions));
    const std::vector<double> classes = m.classes();
    if (const auto* machine = dynamic_cast<const estimator_of<svm_model>*>(&m)) {
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
    const kernel_expansion f = require_expansion(m);
    if (row < 0 || row >= x.size())
        fail(errc::invalid_argument,
             fmt::format("row {} does not exist: the data have {} rows, counted from 0", row, x.size()));
    const dataset one = gather(x, row_set(row, 1));
    const dataset seen = m.preprocess(one);
    std::vector<decision_shares> decisions =
        share_decisions(f, seen, 0, top, feature_names_of(m), text_places(m, one, 0));
    const double predicted = m.predict(one)[0];
    feature_explanation out{m.method_name(), f.kernel_text(), row, m.class_text(predicted), {}};
    const std::vector<function_sides> sides = class_sides(m.inner(), f.functions());
    std::vector<explained_function> functions = name_functions(m, f.functions());
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
    const kernel_expansion f = require_expansion(m);
    feature_explanation out{m.method_name(), f.kernel_text(), {}, {}, name_functions(m, f.functions())};
    const auto weights = largest_weights(f, top, feature_names_of(m));
    for (std::size_t j = 0; j < weights.size(); ++j) out.functions[j].weights = weights[j];
    return out;
}

std::string text(const feature_explanation& e) {
    std::string out = fmt::format("{} with {}\n", e.method, e.kernel);
    if (e.row) out += fmt::format("row {}: {}\n", *e.row, e.prediction);
    for (const explained_function& each : e.functions) {
        out += fmt::format("\n{}\n", function_title(each));
        if (!e.row) {
            out += format_shares(each.weights, false);
            continue;
        }
        const decision_shares& d = each.decision;
        out += format_shares(d.largest, true);
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
    if (e.row) out["row"] = *e.row, out["said"] = e.prediction;
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

}  // namespace mercer::api
