#include "mercer/plot/report_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/text.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/plot/class_regions.h"
#include "mercer/plot/html_page.h"

namespace mercer {
namespace {

using namespace html;

std::string cases_table(const margin_problem& p) {
    constexpr const char* rows[] = {"α = 0", "0 < α < C", "α = C"};
    std::string out =
        head({"", "outside, yf > 1", "on the margin, yf = 1", "inside, 0 ≤ yf < 1", "misclassified, yf < 0", "all"});
    const auto counts = cross_table(p);
    for (std::size_t c = 0; c < 3; ++c) {
        std::string cells = cell(rows[c], "l");
        for (const index count : counts[c]) cells += cell(fmt::format("{}", count));
        out += row(cells + cell(fmt::format("{}", p.cases[c])));
    }
    std::string cells = cell("all", "l");
    for (const index count : p.sides) cells += cell(fmt::format("{}", count));
    return make_table(out + row(cells + cell(fmt::format("{}", p.size()))));
}

std::string kkt_table(const margin_problem& p, const report_subject& about) {
    std::string out =
        head({"condition", "formula", "largest violation", "allowed by the gap and rounding", "at row", ""});
    for (const kkt_violation& v : p.kkt)
        out += row(cell(v.condition, "l") + cell(v.formula, "l") + cell(fmt::format("{:.2e}", v.size)) +
                   cell(fmt::format("{:.1e}", v.allowed)) +
                   cell(v.row >= 0 && v.size > 0 ? fmt::format("{}", about.row(v.row)) : "") +
                   (v.holds() ? cell("✓ holds", "good") : cell("✗ fails", "bad")));
    return make_table(out);
}

std::string numbers_table(const margin_report& report, const margin_problem& p) {
    std::string out = head({"quantity", "value", "how"});
    const auto add = [&](const std::string& name, const std::string& value, const std::string& how) {
        out += row(cell(name, "l") + cell(value) + cell(how, "l"));
    };
    add("margin 1/‖w‖", fmt::format("{:.6g}", p.margin), "the distance of f = ±1 from f = 0 in feature space");
    add("‖w‖", fmt::format("{:.6g}", p.norm), "‖w‖² = ΣΣ αᵢαⱼyᵢyⱼk(xᵢ, xⱼ)");
    add("b", fmt::format("{:.6g}", p.b),
        p.margin_vectors > 0 ? fmt::format("mean over {} margin vectors; they agree within [{:.6g}, {:.6g}]",
                                           p.margin_vectors, p.b_low, p.b_high)
                             : no_margin_vector_text(p));
    add("primal objective", fmt::format("{:.10g}", p.primal),
        std::isfinite(p.C) ? "½‖w‖² + Σ Cᵢξᵢ" : "½‖w‖² of w divided by the smallest yf");
    add("dual objective", fmt::format("{:.10g}", p.dual), "Σα - ½‖w‖²");
    add("duality gap", fmt::format("{:.3g}", p.duality_gap()),
        "primal - dual = Σ αᵢ(yᵢf(xᵢ) - 1 + ξᵢ) + Σ βᵢξᵢ; 0 at the optimum");
    add("support vectors", fmt::format("{} of {}", p.support(), p.size()),
        p.loo_bound() ? fmt::format("leave-one-out error ≤ #SV/n = {:.4g}", *p.loo_bound())
                      : "no bound follows: " + p.no_bounds);
    if (report.estimate && report.problems.size() == 1)
        add(report.estimate->method, fmt::format("{:.4g}", report.estimate->rate()),
            fmt::format(
                "{} of {} wrong, {} fits{}", report.estimate->wrong, report.estimate->size, report.estimate->fits,
                report.estimate->fit_outcomes.unfinished > 0 ? "; " + report.estimate->fit_outcomes.warning() : ""));
    if (p.ball)
        add("R²", fmt::format("{:.6g}", p.ball->squared_radius),
            fmt::format("smallest ball around all φ(x), certified within {:.1e}", p.ball->gap()));
    if (p.vc_bound)
        add("VC dimension", "≤ " + number_text(*p.vc_bound),
            fmt::format("min(⌈R²/ρ²⌉, d) + 1 with R²/ρ² = {:.4g}, d = {}", p.ball->squared_radius * p.squared_norm,
                        p.dimension ? fmt::format("{}", *p.dimension) : "infinite or above a million"));
    return make_table(out);
}

std::string normal_table(const explicit_normal& normal) {
    constexpr std::size_t most = 30;
    std::vector<std::size_t> order(normal.w.size());
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t j) { return std::abs(normal.w[j]); });
    std::string out = head({"feature", "w"});
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
        out += row(cell(normal.names[order[i]], "l") + cell(fmt::format("{:+.6g}", normal.w[order[i]])));
    return fmt::format(
        "<details><summary>w written out, {} features{}; the same f as by the kernel, to "
        "{:.1e}</summary>\n{}</details>\n",
        normal.w.size(), normal.w.size() > most ? fmt::format(" (the {} largest)", most) : "",
        normal.largest_difference, make_table(out));
}

std::string examples_table(const margin_problem& p, const report_subject& about) {
    constexpr std::size_t most = 200;
    std::vector<const margin_example*> order;
    for (const margin_example& e : p.examples) order.push_back(&e);
    std::ranges::stable_sort(order, [](const margin_example* a, const margin_example* b) {
        return std::pair(a->slack, a->alpha) > std::pair(b->slack, b->alpha);
    });
    std::string out = head({"row", "y", "α", "C", "ξ", "f(x)", "case", "side"});
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
        const margin_example& e = *order[i];
        constexpr const char* kinds[] = {"α = 0", "0 < α < C", "α = C"};
        constexpr const char* sides[] = {"outside", "on the margin", "inside", "misclassified"};
        out += row(cell(fmt::format("{}", about.row(e.row)), "l") + cell(fmt::format("{:+.0f}", e.y)) +
                   cell(fmt::format("{:.6g}", e.alpha)) + cell(fmt::format("{:.6g}", e.C)) +
                   cell(fmt::format("{:.6g}", e.slack)) + cell(fmt::format("{:+.6g}", e.f)) +
                   cell(kinds[static_cast<int>(e.kind)], "l") + cell(sides[static_cast<int>(e.side)], "l"));
    }
    return fmt::format("<details><summary>Example by example{}</summary>\n{}</details>\n",
                       order.size() > most ? fmt::format(", the {} with the largest ξ and α of {}", most, order.size())
                                           : ", the largest ξ and α first",
                       make_table(out));
}

std::string problem_html(const margin_report& report, const margin_problem& p, const report_subject& about) {
    std::string out = fmt::format(
        "<h3>{}</h3>\n",
        xml_escaped(fmt::format("{} (f > 0) against {} (f < 0), {}", p.positive, p.negative, penalty_text(report, p))));
    out += numbers_table(report, p);
    out += "<h3>The three cases of α, and where the examples lie</h3>\n" + cases_table(p);
    out +=
        fmt::format("<h3>The conditions of the optimum: {}</h3>\n",
                    p.optimal() ? "<span class=\"good\">all hold</span>" : "<span class=\"bad\">not all hold</span>");
    out += kkt_table(p, about) + "<p></p>\n" + figure(slack_figure(p)) + figure(alpha_figure(p));
    if (p.normal) out += normal_table(*p.normal);
    return out + examples_table(p, about);
}

std::string decision_html(const explained_decision& why, const report_subject& about) {
    constexpr std::size_t most = 15;
    std::string out = fmt::format(
        "<h2>{}</h2>\n", xml_escaped(fmt::format("Why is row {} of class {}?{}", why.row, why.predicted_class,
                                                 why.true_class.empty() || why.true_class == why.predicted_class
                                                     ? ""
                                                     : fmt::format(" Its label is {}.", why.true_class))));
    for (std::size_t i = 0; i < why.parts.size(); ++i) {
        const influence& part = why.parts[i];
        const auto& [positive, negative] = why.classes[i];
        out += fmt::format(
            "<p>{}</p>\n",
            xml_escaped(fmt::format(
                "{} against {}: f(x) = Σ αᵢyᵢk(xᵢ, x) + b = {:+.6g} (for {}) {:+.6g} (for {}) {:+.6g} (b) = "
                "{:+.6g}: {}.",
                positive, negative, part.positive, positive, part.negative, negative, part.offset, part.f,
                deciding_terms_text(part))));
        std::string rows = head({"row", "class", "αᵢyᵢ", "k(xᵢ, x)", "term"});
        for (std::size_t t = 0; t < std::min(most, part.terms.size()); ++t) {
            const influence_term& term = part.terms[t];
            rows += row(cell(fmt::format("{}", about.row(term.row)), "l") +
                        cell(why.class_of_support[static_cast<std::size_t>(term.support)], "l") +
                        cell(fmt::format("{:+.5g}", term.coefficient)) + cell(fmt::format("{:.5g}", term.kernel)) +
                        cell(fmt::format("{:+.5g}", term.value)));
        }
        out += make_table(rows);
    }
    return out;
}

}  // namespace

svg slack_figure(const margin_problem& p) {
    std::vector<double> inside, wrong;
    double most = 1;
    for (const margin_example& e : p.examples) {
        const double slack = std::max(0.0, 1 - e.y * e.f);
        if (slack <= p.margin_tolerance) continue;
        most = std::max(most, slack);
        (slack > 1 ? wrong : inside).push_back(slack);
    }
    const double high = std::max(1.2, most);
    return histogram_figure("Slack ξ = max(0, 1 - yf(x))",
                            fmt::format("{} of {} examples have none",
                                        p.size() - static_cast<index>(inside.size() + wrong.size()), p.size()),
                            "ξ", histogram::of(inside, 0, high, 30), histogram::of(wrong, 0, high, 30),
                            fmt::format("inside the margin ({})", inside.size()),
                            fmt::format("misclassified ({})", wrong.size()), {{1, "f = 0"}});
}

svg alpha_figure(const margin_problem& p) {
    std::vector<double> free, bound;
    double most = 0;
    const bool hard = !std::isfinite(p.C);
    for (const margin_example& e : p.examples) {
        if (e.alpha == 0) continue;
        const double share = hard ? e.alpha : e.alpha / e.C;
        most = std::max(most, share);
        (e.kind == alpha_case::bound ? bound : free).push_back(share);
    }
    const double high = hard ? std::max(most, 1e-12) : std::max(1.0, most);
    return histogram_figure(
        "The multipliers α of the support vectors", fmt::format("{} of {} examples have α = 0", p.cases[0], p.size()),
        hard ? "α" : "α/C", histogram::of(free, 0, high, 30), histogram::of(bound, 0, high, 30),
        fmt::format("on the margin, 0 < α < C ({})", free.size()), fmt::format("α = C ({})", bound.size()));
}

std::string margins_html(const margin_report& report, const report_subject& about) {
    const bool binary = report.problems.size() == 1;
    std::string body = fmt::format(
        "<h2>{}</h2>\n", binary ? "The optimum" : fmt::format("The {} binary problems", report.problems.size()));
    for (const margin_problem& p : report.problems) {
        if (binary) {
            body += problem_html(report, p, about);
            continue;
        }
        body += fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                            xml_escaped(fmt::format("{} against {}: margin {:.4g}, {} support vectors of {}, {}",
                                                    p.positive, p.negative, p.margin, p.support(), p.size(),
                                                    p.optimal() ? "✓ optimal" : "✗ not optimal")),
                            problem_html(report, p, about));
    }
    return body;
}

std::string report_html(const margin_report& report, const report_subject& about, const report_page& page) {
    const bool binary = report.problems.size() == 1;
    std::string body = fmt::format("<h1>{}</h1>\n<p class=\"about\">{}</p>\n", xml_escaped(page.title),
                                   xml_escaped(report.kernel_text + " · " + about.data));
    const bool optimal = std::ranges::all_of(report.problems, &margin_problem::optimal);
    body +=
        "<div class=\"tiles\">\n" +
        tile(fmt::format("{:.1f} %", 100 * report.accuracy()), fmt::format("of {} training examples right", report.n)) +
        tile(fmt::format("{}", report.support), fmt::format("support vectors, {:.0f} %", 100 * report.support_share()));
    if (binary) {
        const margin_problem& p = report.problems[0];
        body += tile(fmt::format("{:.4g}", p.margin), "margin 1/‖w‖") +
                tile(fmt::format("{:.2g}", p.duality_gap()), "duality gap");
    }
    if (report.estimate)
        body += tile(
            fmt::format("{:.1f} %", 100 * report.estimate->rate()),
            fmt::format("{} error{}", report.estimate->method,
                        report.loo_bound() ? fmt::format(", ≤ {:.1f} % by #SV/n", 100 * *report.loo_bound()) : ""));
    body +=
        tile(optimal ? "✓ optimal" : "✗ not optimal", optimal ? "all KKT conditions hold" : "a KKT condition fails") +
        "</div>\n";
    if (!report.proven) body += "<p>The kernel is not proven to be one: an optimum need not be the only one.</p>\n";
    for (const report_figure& each : page.regions) body += figure(each.picture, each.caption);
    if (!page.convergence.empty()) body += figure(convergence_figure("How the solver got there", page.convergence));
    for (const explained_decision& each : page.decisions) body += decision_html(each, about);
    body += margins_html(report, about);
    return make_html_page(page.title, body);
}

std::string pictures_html(const std::string& title, const std::string& about,
                          const std::vector<report_figure>& figures) {
    std::string body = fmt::format("<h1>{}</h1>\n<p class=\"about\">{}</p>\n", xml_escaped(title), xml_escaped(about));
    for (const report_figure& each : figures) body += figure(each.picture, each.caption);
    return make_html_page(title, body);
}

std::vector<report_figure> classifier_pictures(const svm_model& model, const dataset& x, std::span<const double> y,
                                               const margin_report& report, const picture_options& options) {
    std::vector<report_figure> out;
    const example_marks marks = mark_examples(model, y, report);
    constexpr index max_numbers = index(1) << 26;
    if (x.kind() == object_kind::vectors && x.dims() >= 2 && x.size() <= max_numbers / x.dims()) {
        const auto [a, b] = options.pair    ? *options.pair
                            : x.dims() == 2 ? std::pair<index, index>{0, 1}
                                            : find_best_separated_features(x, std::vector<double>(y.begin(), y.end()));
        const plane on = make_feature_plane(model, x, a, b, options.feature_names, options.rest);
        out.push_back(
            {region_figure(fmt::format("Class regions over {} and {}", on.x_name, on.y_name), model, on, marks),
             x.dims() == 2
                 ? "Every example lies on this plane: the regions are the classifier itself."
                 : fmt::format("{}Examples are projected onto the plane, so they may lie on the other side of a line "
                               "than their own decision.",
                               options.pair ? "" : "The two features along which the classes lie farthest apart. ")});
    }
    if (x.kind() != object_kind::vectors || x.dims() != 2) {
        out.push_back(
            {region_figure("Feature space", model, make_component_plane(model, *make_gram<double>(*model.k, x)), marks),
             "In feature space the boundary is a plane; its cut with the plane of the first two principal "
             "components is a straight line."});
    }
    return out;
}

}  // namespace mercer
