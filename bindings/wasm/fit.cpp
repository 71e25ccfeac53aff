// Fits a model and draws it: predictions on a grid, borders between regions, the role of each example, and the
// explanation of one prediction.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "level_lines.h"
#include "mercer/base/error.h"
#include "mercer/base/json.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/inspection/influence.h"
#include "mercer/inspection/margin_report.h"
#include "mercer/methods/neighbours/knn.h"
#include "session.h"

namespace mercer::page {
namespace {

index whole_number(const request& r, const char* name, index otherwise) {
    return static_cast<index>(r.number(name, static_cast<double>(otherwise)));
}

const svm_model* as_svm(const api::estimator& m) {
    const auto* as = dynamic_cast<const api::estimator_of<svm_model>*>(&m);
    return as ? &as->model() : nullptr;
}

// Decisions of a support vector machine at points: in float, and again in double if rounding could change the sign.
matrix<double> decisions(const svm_model& m, const dataset& at) {
    matrix<double> f = decide(m, at);
    std::vector<index> near;
    for (index i = 0; i < f.rows(); ++i)
        for (index j = 0; j < f.cols(); ++j)
            if (std::abs(f(i, j)) < 1e-4) {
                near.push_back(i);
                break;
            }
    if (!near.empty()) {
        const matrix<double> exact = decide(m, gather(at, std::span<const index>(near)), arithmetic::exact);
        for (std::size_t i = 0; i < near.size(); ++i)
            std::copy_n(exact.row(static_cast<index>(i)), f.cols(), f.row(near[i]));
    }
    return f;
}

std::vector<std::uint8_t> class_numbers(const std::vector<double>& labels, const std::vector<double>& classes) {
    std::vector<std::uint8_t> out(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
        out[i] =
            static_cast<std::uint8_t>(std::lower_bound(classes.begin(), classes.end(), labels[i]) - classes.begin());
    return out;
}

// For each row the difference between the largest and the second largest score.
std::vector<double> score_margins(const matrix<double>& scores) {
    std::vector<double> out;
    for (index i = 0; i < scores.rows(); ++i) {
        double best = -INFINITY, second = -INFINITY;
        for (index j = 0; j < scores.cols(); ++j) {
            second = std::max(second, std::min(best, scores(i, j)));
            best = std::max(best, scores(i, j));
        }
        out.push_back(best - second);
    }
    return out;
}

void add_borders(const plane_grid& on, const matrix<double>& scores, line_list& lines) {
    for (index c = 0; c < scores.cols(); ++c) {
        matrix<double> ahead(on.ny, on.nx);
        for (index i = 0; i < scores.rows(); ++i) {
            double others = -INFINITY;
            for (index j = 0; j < scores.cols(); ++j)
                if (j != c) others = std::max(others, scores(i, j));
            ahead.data()[i] = scores(i, c) - others;
        }
        lines.add(on, ahead.view(), 0);
    }
}

// The regions of a classifier with one function, where f > 0 means its second class.
void put_two_regions(const plane_grid& on, std::span<const double> f, reply& out, bool margins) {
    matrix<double> values(on.ny, on.nx);
    std::copy(f.begin(), f.end(), values.data());
    line_list zero, edges;
    zero.add(on, values.view(), 0);
    if (margins) edges.add(on, values.view(), 1), edges.add(on, values.view(), -1);
    zero.put("border", out);
    edges.put("margins", out);
}

void machine_regions(const svm_model& m, const plane_grid& on, const matrix<double>& f, reply& out) {
    const std::vector<std::uint8_t> winner = class_numbers(predict(m, f.view()), m.classes);
    out.array<std::uint8_t>("label", winner);
    std::vector<double> strength(static_cast<std::size_t>(f.rows()));
    if (f.cols() == 1) {
        // In the library f > 0 means the first class of the problem.
        for (index i = 0; i < f.rows(); ++i) strength[static_cast<std::size_t>(i)] = -f(i, 0);
        put_two_regions(on, strength, out, true);
        out.array<float>("f", strength);
        return;
    }
    line_list lines;
    std::fill(strength.begin(), strength.end(), INFINITY);
    for (index p = 0; p < f.cols(); ++p) {
        const problem_classes sides = classes_of_problem(m, p);
        matrix<double> values(on.ny, on.nx);
        for (index i = 0; i < f.rows(); ++i) {
            values.data()[i] = f(i, p);
            const index c = winner[static_cast<std::size_t>(i)];
            if (c == sides.positive || c == sides.negative)
                strength[static_cast<std::size_t>(i)] =
                    std::min(strength[static_cast<std::size_t>(i)], std::abs(f(i, p)));
        }
        // Draws the border of two regions only in cells that have corners in both.
        lines.add(on, values.view(), 0, [&](index column, index row) {
            bool positive = false, negative = false;
            for (const index at : {row * on.nx + column, row * on.nx + column + 1, (row + 1) * on.nx + column,
                                   (row + 1) * on.nx + column + 1}) {
                const index c = winner[static_cast<std::size_t>(at)];
                positive = positive || c == sides.positive;
                negative = negative || c == sides.negative || (sides.negative < 0 && c != sides.positive);
            }
            return positive && negative;
        });
    }
    lines.put("border", out);
    out.array<float>("f", strength);
}

// The regions of a classifier that returns probabilities, scores, or only labels.
void scored_regions(const api::estimator& m, const plane_grid& on, const dataset& at, reply& out) {
    const std::vector<double> classes = m.classes();
    matrix<double> scores;
    std::vector<double> labels = m.predict(at);
    try {
        scores = m.probabilities(at);
        out.body["probabilities"] = true;
    } catch (const error&) {
        try {
            scores = m.scores(at);
        } catch (const error&) {
        }  // neither: only labels are available
    }
    const std::vector<std::uint8_t> number = class_numbers(labels, classes);
    out.array<std::uint8_t>("label", number);
    line_list lines;
    if (scores.cols() == static_cast<index>(classes.size()) && scores.cols() > 1) {
        add_borders(on, scores, lines);
        out.array<float>("f", score_margins(scores));
    } else {
        lines.add_borders(on, number);
    }
    lines.put("border", out);
}

// Draws the predictions of a fitted method of any kind on the plane.
void regions(const api::model& m, const plane_grid& on, const request& r, reply& out) {
    const dataset at = m.preprocess(on.places());
    if (const svm_model* svm = as_svm(m.inner())) {
        const matrix<double> f = decisions(*svm, at);
        if (svm->is_classifier()) return machine_regions(*svm, on, f, out);
        const std::vector<double> values = api::first_column(f);
        out.array<float>("f", values);
        put_two_regions(on, values, out, false);
        return;
    }
    const auto shaded = [&](std::vector<double> f, index levels) {
        matrix<double> values(on.ny, on.nx);
        std::copy(f.begin(), f.end(), values.data());
        line_list lines;
        lines.add_levels(on, values.view(), levels);
        lines.put("levels", out);
        out.array<float>("f", f);
    };
    if (m.method_name() == "kernel_pca") {
        const api::columns scores = m.transform(on.places());
        const index component = std::min(whole_number(r, "component", 0), scores.values.cols() - 1);
        std::vector<double> f;
        for (index i = 0; i < scores.values.rows(); ++i) f.push_back(scores.values(i, component));
        out.body["components"] = scores.values.cols();
        return shaded(std::move(f), 12);
    }
    if (m.prediction_kind() == target_kind::values) {
        std::vector<double> f = m.inner().predict(at);
        if (m.method_name() == "kernel_density")
            for (double& each : f) each = std::exp(each);
        return shaded(std::move(f), 10);
    }
    if (m.prediction_kind() == target_kind::clusters) {
        const std::vector<double> labels = m.inner().predict(at);
        std::vector<std::uint8_t> number(labels.begin(), labels.end());
        out.array<std::uint8_t>("label", number);
        line_list lines;
        lines.add_borders(on, number);
        lines.put("border", out);
        return;
    }
    scored_regions(m.inner(), on, at, out);
}

// The role of each training example in a classifier: α, ξ, yf and the case of the Karush-Kuhn-Tucker conditions,
// problem by problem.
void machine_examples(const svm_model& m, const table& data, reply& out) {
    margin_options options;
    options.ball = false;
    const margin_report report = report_margins(m, data.x, data.y, options);
    json problems = json::array();
    std::vector<double> alpha(data.y.size()), slack(data.y.size());
    std::vector<std::uint8_t> kind(data.y.size()), side(data.y.size());
    for (const margin_problem& p : report.problems) {
        std::vector<double> all;
        for (const margin_example& e : p.examples) {
            const auto i = static_cast<std::size_t>(e.row);
            alpha[i] = std::max(alpha[i], e.alpha), slack[i] = std::max(slack[i], e.slack);
            kind[i] = std::max(kind[i], static_cast<std::uint8_t>(e.kind));
            side[i] = std::max(side[i], static_cast<std::uint8_t>(e.side));
            all.insert(all.end(), {static_cast<double>(e.row), e.alpha, e.slack, e.y * e.f, static_cast<double>(e.kind),
                                   static_cast<double>(e.side), e.y, e.C});
        }
        const std::string name = "problem" + std::to_string(p.number);
        out.array<double>(name, all);
        json kkt = json::array();
        for (const kkt_violation& v : p.kkt)
            kkt.push_back({{"condition", v.condition},
                           {"formula", v.formula},
                           {"size", number_json(v.size)},
                           {"holds", v.holds()}});
        problems.push_back({{"name", name},
                            {"positive", p.positive},
                            {"negative", p.negative},
                            {"norm", number_json(p.norm)},
                            {"margin", number_json(p.margin)},
                            {"b", p.b},
                            {"primal", number_json(p.primal)},
                            {"dual", number_json(p.dual)},
                            {"gap", number_json(p.duality_gap())},
                            {"support", p.support()},
                            {"optimal", p.optimal()},
                            {"no_bounds", p.no_bounds},
                            {"kkt", kkt}});
    }
    out.body["problems"] = problems;
    out.body["support"] = report.support;
    out.body["correct"] = report.correct;
    if (const auto bound = report.loo_bound()) out.body["loo_bound"] = *bound;
    out.array<double>("alpha", alpha);
    out.array<double>("slack", slack);
    out.array<std::uint8_t>("case", kind);
    out.array<std::uint8_t>("side", side);
}

void examples(const api::model& m, const table& data, reply& out) {
    const svm_model* svm = as_svm(m.inner());
    const bool small = data.x.size() <= 1500;
    // (A model that stores w does not know its examples: its only support row is -1.)
    const bool by_example = svm && std::ranges::none_of(svm->support_rows, [](index row) { return row < 0; });
    if (by_example && svm->is_classifier() && small && !m.scale()) return machine_examples(*svm, data, out);
    if (const auto f = m.inner().kernel_expansions(); f && f->functions() >= 1) {
        std::vector<double> coef(static_cast<std::size_t>(data.x.size()));
        for (index i = 0; i < f->size(); ++i) {
            const index row = f->rows.empty() ? i : f->rows[static_cast<std::size_t>(i)];
            for (index j = 0; j < f->functions() && row >= 0; ++j)
                if (std::abs(f->coef(i, j)) > std::abs(coef[static_cast<std::size_t>(row)]))
                    coef[static_cast<std::size_t>(row)] = f->coef(i, j);
        }
        out.array<double>("coef", coef);
    }
    if (const auto clusters = m.inner().training_clusters(); !clusters.empty())
        out.array<std::uint8_t>("cluster", clusters);
    if (m.prediction_kind() == target_kind::classes || m.prediction_kind() == target_kind::sides ||
        m.prediction_kind() == target_kind::values)
        out.array<double>("said", m.predict(data.x));
}

// {"spec", "view": "plane" | "line" | "none", "plane": [x0, x1, y0, y1], "nx", "ny"}
void fit_and_draw(session& s, const request& r, reply& out) {
    require_data(s, 1);
    const api::spec what = r.spec();
    s.model.reset();
    s.model = api::fit(what, s.data, r.control());
    const api::model& m = *s.model;
    out.body = {{"kernel", m.kernel_text()},
                {"spec", parse_json(api::to_json(m.spec()))},
                {"figures", figures_json(m.fit_summary())},
                {"trouble", m.inner().warning()}};
    out.body["classes"] = m.inner().classes();
    if (!s.data.y.empty() &&
        (m.prediction_kind() == target_kind::classes || m.prediction_kind() == target_kind::values) &&
        m.method_name() != "kernel_density")
        out.body["score"] = figures_json(m.score(s.data));
    if (m.method_name() == "svr") out.body["epsilon"] = std::stod(r.body["spec"].value("epsilon", "0.1"));
    if (m.method_name() == "nu_svr") out.body["epsilon"] = m.fit_summary().number("epsilon");
    examples(m, s.data, out);
    const std::string view = r.text("view", "plane");
    if (view == "plane") regions(m, plane_grid(r.body), r, out);
    if (view == "line") {
        const auto ends = r.body.at("plane").get<std::vector<double>>();
        const index count = whole_number(r, "nx", 400);
        matrix<double> at(count, 1);
        for (index i = 0; i < count; ++i)
            at(i, 0) = ends[0] + (ends[1] - ends[0]) * static_cast<double>(i) / static_cast<double>(count - 1);
        out.array<float>("curve", m.predict(dense<double>(at)));
    }
}

struct term {
    index row = 0;
    double coef = 0, kernel = 0;
    double value() const { return coef * kernel; }
};
json terms_json(std::vector<term> terms, std::size_t most) {
    std::stable_sort(terms.begin(), terms.end(),
                     [](const term& a, const term& b) { return std::abs(a.value()) > std::abs(b.value()); });
    json out = json::array();
    for (std::size_t i = 0; i < std::min(most, terms.size()); ++i)
        out.push_back(
            {{"row", terms[i].row}, {"coef", terms[i].coef}, {"kernel", terms[i].kernel}, {"value", terms[i].value()}});
    return out;
}

// Returns the object to explain: {"x": [coordinates]} is a point, {"row": number} an object of the data.
dataset object_to_explain(const session& s, const request& r) {
    if (r.body.contains("row")) {
        const index row = whole_number(r, "row", 0);
        if (row < 0 || row >= s.data.x.size())
            fail(errc::invalid_argument, "there is no example " + std::to_string(row));
        return gather(s.data.x, row_set(row, 1));
    }
    const auto x = r.body.at("x").get<std::vector<double>>();
    matrix<double> row(1, static_cast<index>(x.size()));
    std::copy(x.begin(), x.end(), row.data());
    return dense<double>(std::move(row));
}

// Explains one prediction: the terms of f(x), or the neighbours that decide.
void why(session& s, const request& r, reply& out) {
    if (!s.model) fail(errc::invalid_argument, "no model has been fitted yet");
    const dataset raw = object_to_explain(s, r), at = s.model->preprocess(raw);
    const api::estimator& m = s.model->inner();
    if (s.model->prediction_kind() != target_kind::none) {
        const double said = s.model->predict(raw)[0];
        out.body["said"] = s.model->prediction_kind() == target_kind::classes ? s.model->class_text(said)
                                                                              : json(number_json(said)).dump();
        out.body["value"] = number_json(said);
    }
    if (const auto* knn = dynamic_cast<const api::estimator_of<knn_model>*>(&m)) {
        const neighbours near = find_neighbours(knn->model(), at);
        json list = json::array();
        for (index j = 0; j < near.indices.cols(); ++j)
            list.push_back({{"row", near.indices(0, j)}, {"distance", near.distances(0, j)}});
        out.body["neighbours"] = list;
        return;
    }
    json functions = json::array();
    if (const svm_model* svm = as_svm(m); svm && svm->is_classifier()) {
        for (const influence& each : compute_influences(*svm, at, 0)) {
            const problem_classes sides = classes_of_problem(*svm, each.problem);
            std::vector<term> terms;
            for (const influence_term& t : each.terms) terms.push_back({t.row, t.coefficient, t.kernel});
            functions.push_back({{"positive", class_text(*svm, sides.positive)},
                                 {"negative", class_text(*svm, sides.negative)},
                                 {"f", each.f},
                                 {"offset", each.offset},
                                 {"count", each.terms.size()},
                                 {"enough", each.deciding_terms},
                                 {"terms", terms_json(std::move(terms), 24)}});
        }
    } else if (const auto sums = m.kernel_expansions(); sums && sums->k) {
        const auto K = make_gram<double>(*sums->k, at, sums->x);
        std::vector<double> k(static_cast<std::size_t>(sums->size()));
        K->row(0, k.data());
        for (index j = 0; j < std::min<index>(sums->functions(), 6); ++j) {
            std::vector<term> terms;
            double f = sums->offset.empty() ? 0 : sums->offset[static_cast<std::size_t>(j)];
            for (index i = 0; i < sums->size(); ++i) {
                terms.push_back({sums->rows.empty() ? i : sums->rows[static_cast<std::size_t>(i)], sums->coef(i, j),
                                 k[static_cast<std::size_t>(i)]});
                f += terms.back().value();
            }
            functions.push_back({{"f", f},
                                 {"offset", sums->offset.empty() ? 0 : sums->offset[static_cast<std::size_t>(j)]},
                                 {"count", terms.size()},
                                 {"terms", terms_json(std::move(terms), 24)}});
        }
    }
    out.body["functions"] = functions;
}

}  // namespace

std::map<std::string, operation> fit_operations() { return {{"fit", fit_and_draw}, {"why", why}}; }

}  // namespace mercer::page
