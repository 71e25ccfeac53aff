#include "mercer/inspection/margin_report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mercer/kernels/kernel_info.h"

namespace mercer {
namespace {

using json = nlohmann::ordered_json;

// JSON has no infinity: such values become null.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

std::string dump_json(const json& value) { return value.dump(2, ' ', false, json::error_handler_t::replace); }

double width_of(const std::string& text) {
    return static_cast<double>(std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string pad(const std::string& text, int width, bool right = false) {
    const std::string blanks(static_cast<std::size_t>(std::max(0.0, width - width_of(text))), ' ');
    return right ? blanks + text : text + blanks;
}

std::string text_line(const std::string& name, const std::string& value) { return "  " + pad(name, 22) + value + "\n"; }

std::string cases_text(const margin_problem& p) {
    constexpr const char* rows[] = {"α = 0", "0 < α < C", "α = C"};
    constexpr const char* sides[] = {"outside", "on the margin", "inside", "misclassified"};
    std::string out = "\n  " + pad("", 14);
    for (const char* side : sides) out += pad(side, 15, true);
    out += pad("all", 8, true) + "\n";
    const auto table = cross_table(p);
    for (std::size_t c = 0; c < 3; ++c) {
        out += "  " + pad(rows[c], 14);
        for (const index count : table[c]) out += pad(fmt::format("{}", count), 15, true);
        out += pad(fmt::format("{}", p.cases[c]), 8, true) + "\n";
    }
    out += "  " + pad("all", 14);
    for (const index count : p.sides) out += pad(fmt::format("{}", count), 15, true);
    return out + pad(fmt::format("{}", p.size()), 8, true) + "\n";
}

std::string kkt_text(const margin_problem& p, const report_subject& about) {
    std::string out = fmt::format("\n  Conditions of the optimum (Karush, Kuhn, Tucker): {}\n",
                                  p.optimal() ? "all hold" : "NOT all hold");
    for (const kkt_violation& v : p.kkt)
        out += fmt::format("  {} {} {} off by {} (allowed {:.1e}){}\n", v.holds() ? "✓" : "✗", pad(v.condition, 28),
                           pad(v.formula, 30), pad(fmt::format("{:.2e}", v.size), 8, true), v.allowed,
                           v.row >= 0 && v.size > 0 ? fmt::format(", row {}", about.row(v.row)) : "");
    return out;
}

std::string normal_text(const explicit_normal& normal) {
    constexpr std::size_t most = 12;
    std::vector<std::size_t> order(normal.w.size());
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t j) { return std::abs(normal.w[j]); });
    std::string out =
        fmt::format("\n  w written out, {} features{}; it gives the same f as the kernel, to {:.1e}\n", normal.w.size(),
                    normal.w.size() > most ? fmt::format(", the {} largest", most) : "", normal.largest_difference);
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
        out += fmt::format("  {}  {}\n", pad(fmt::format("{:+.6g}", normal.w[order[i]]), 13, true),
                           normal.names[order[i]]);
    return out;
}

std::string problem_text(const margin_report& report, const margin_problem& p, const report_subject& about) {
    std::string out = fmt::format("\n{} (f > 0) against {} (f < 0): {} examples, {}\n", p.positive, p.negative,
                                  p.size(), penalty_text(report, p));
    out += text_line("margin 1/‖w‖", fmt::format("{:.6g}   (‖w‖ = {:.6g})", p.margin, p.norm));
    if (p.squared_norm < 0)
        out += text_line("", fmt::format("‖w‖² = {:.3g} < 0: on these data k is not a kernel, and there is no margin",
                                         p.squared_norm));
    out += text_line("b", p.margin_vectors > 0
                              ? fmt::format("{:.6g}   from {} margin vectors, all of which say b in [{:.6g}, {:.6g}]",
                                            p.b, p.margin_vectors, p.b_low, p.b_high)
                              : fmt::format("{:.6g}   {}", p.b, no_margin_vector_text(p)));
    out += text_line("support vectors", fmt::format("{} of {}", p.support(), p.size()));
    out += text_line("primal objective", fmt::format("{:.10g}", p.primal));
    out += text_line("dual objective", fmt::format("{:.10g}", p.dual));
    out +=
        text_line("duality gap",
                  fmt::format("{:.3g}   ({:.2g} of the primal; the solver's pair gap is {:.2g}, {} {:.2g})",
                              p.duality_gap(), p.primal != 0 ? p.duality_gap() / std::abs(p.primal) : 0.0, p.solver_gap,
                              p.claim_known ? "it claimed" : "it claims none and is held to", p.claimed_gap));
    out += cases_text(p) + kkt_text(p, about);
    if (p.normal) out += normal_text(*p.normal);
    out += "\n  Generalisation\n";
    if (p.loo_bound())
        out += text_line("leave-one-out error",
                         fmt::format("<= #SV/n = {}/{} = {:.4g}", p.support(), p.size(), *p.loo_bound()));
    else
        out += text_line("no bounds", p.no_bounds);
    if (p.ball)
        out += text_line("smallest ball", fmt::format("R² = {:.6g}, certified within {:.1e}, {} points on its sphere",
                                                      p.ball->squared_radius, p.ball->gap(), p.ball->support));
    if (p.vc_bound)
        out += text_line("VC dimension",
                         fmt::format("<= min(⌈R²/ρ²⌉, d) + 1 = {}   (R²/ρ² = {:.4g}, d = {})", number_text(*p.vc_bound),
                                     p.ball->squared_radius * p.squared_norm,
                                     p.dimension ? fmt::format("{}", *p.dimension) : "infinite or above a million"));
    return out;
}

json optional_json(const std::optional<double>& value) { return value ? number(*value) : json(nullptr); }

json ball_json(const margin_problem& p) {
    if (!p.ball) return nullptr;
    return {{"squared_radius", p.ball->squared_radius},
            {"least_squared_radius", p.ball->min_squared_radius},
            {"support", p.ball->support},
            {"status", name(p.ball->status)}};
}

json problem_json(const margin_report& report, const margin_problem& p, const report_subject& about) {
    json kkt = json::array(), examples = json::array();
    for (const kkt_violation& v : p.kkt)
        kkt.push_back({{"condition", v.condition},
                       {"formula", v.formula},
                       {"violation", number(v.size)},
                       {"row", v.row < 0 ? json(nullptr) : json(about.row(v.row))},
                       {"allowed", number(v.allowed)},
                       {"holds", v.holds()}});
    for (const margin_example& e : p.examples)
        examples.push_back({{"row", about.row(e.row)},
                            {"y", e.y},
                            {"C", number(e.C)},
                            {"alpha", e.alpha},
                            {"beta", number(e.beta)},
                            {"slack", e.slack},
                            {"f", e.f},
                            {"case", name(e.kind)},
                            {"side", name(e.side)}});
    json normal = nullptr;
    if (p.normal)
        normal = {{"names", p.normal->names}, {"w", p.normal->w}, {"largest_difference", p.normal->largest_difference}};
    return {
        {"positive", p.positive},
        {"negative", p.negative},
        {"n", p.size()},
        {"C", number(p.C)},
        {"C_inferred", report.C_inferred},
        {"margin", number(p.margin)},
        {"norm", p.norm},
        {"squared_norm", p.squared_norm},
        {"w", normal},
        {"b", p.b},
        {"b_margin_vectors", p.margin_vectors},
        {"b_interval", {p.b_low, p.b_high}},
        {"primal", number(p.primal)},
        {"dual", p.dual},
        {"duality_gap", number(p.duality_gap())},
        {"solver_gap", p.solver_gap},
        {"claimed_gap", p.claimed_gap},
        {"claim_known", p.claim_known},
        {"support", p.support()},
        {"support_share", p.support_share()},
        {"loo_bound", optional_json(p.loo_bound())},
        {"no_bounds", p.no_bounds.empty() ? json(nullptr) : json(p.no_bounds)},
        {"cases", {{"zero", p.cases[0]}, {"free", p.cases[1]}, {"bound", p.cases[2]}}},
        {"sides", {{"outside", p.sides[0]}, {"on", p.sides[1]}, {"inside", p.sides[2]}, {"misclassified", p.sides[3]}}},
        {"optimal", p.optimal()},
        {"kkt", kkt},
        {"ball", ball_json(p)},
        {"dimension", p.dimension ? json(*p.dimension) : json(nullptr)},
        {"vc_bound", optional_json(p.vc_bound)},
        {"examples", examples}};
}

}  // namespace

std::string penalty_text(const margin_report& report, const margin_problem& p) {
    if (!std::isfinite(p.C)) return "hard margin";
    const std::string C = fmt::format("C = {:.6g}", p.C);
    if (report.task == svm_task::nu_svc) return C + " (1/ρ of the ν-classification)";
    return report.C_inferred ? C + " (the model does not say: the largest α)" : C;
}

std::string no_margin_vector_text(const margin_problem& p) {
    return fmt::format("no margin vector: {} in [{:.6g}, {:.6g}]{}",
                       p.no_bounds.empty() ? "any b" : "the conditions want b", p.b_low, p.b_high,
                       p.no_bounds.empty() ? " is optimal, the middle is taken" : "");
}

std::string deciding_terms_text(const influence& part) {
    const auto all = static_cast<index>(part.terms.size());
    if (part.deciding_terms == 0) return "b alone settles the sign, whatever the terms say";
    if (part.deciding_terms == all) return fmt::format("all {} terms are needed to settle the sign", all);
    if (part.deciding_terms == 1)
        return fmt::format("the largest of {} terms settles the sign, whatever the others say", all);
    return fmt::format("the {} largest of {} terms settle the sign, whatever the others say", part.deciding_terms, all);
}

std::array<std::array<index, 4>, 3> cross_table(const margin_problem& p) {
    std::array<std::array<index, 4>, 3> out{};
    for (const margin_example& e : p.examples)
        ++out[static_cast<std::size_t>(e.kind)][static_cast<std::size_t>(e.side)];
    return out;
}

std::string report_text(const margin_report& report, const report_subject& about) {
    std::string out = fmt::format("{}\n{}\n\n", report.kernel_text, about.data);
    out += text_line("training accuracy",
                     fmt::format("{:.2f} %   ({} of {})", 100 * report.accuracy(), report.correct, report.n));
    const std::optional<double> bound = report.loo_bound();
    out += text_line("support vectors",
                     fmt::format("{} of {}{}", report.support, report.n,
                                 bound ? fmt::format(", so the leave-one-out error is at most {:.4g}", *bound) : ""));
    if (!bound) out += text_line("", fmt::format("no bound follows from that: {}", report.no_bounds()));
    if (report.estimate) {
        out += text_line(report.estimate->method,
                         fmt::format("error {:.4g}   ({} of {} wrong, {} fits)", report.estimate->rate(),
                                     report.estimate->wrong, report.estimate->size, report.estimate->fits));
        if (const std::string trouble = report.estimate->fit_outcomes.warning(); !trouble.empty())
            out += text_line("", trouble);
    }
    if (!report.proven)
        out += text_line(
            "", "the kernel is not proven to be one: an optimum need not be the only one (see `mercer kernel test`)");
    for (const margin_problem& p : report.problems) out += problem_text(report, p, about);
    return out;
}

std::string report_json(const margin_report& report, const report_subject& about) {
    json problems = json::array();
    for (const margin_problem& p : report.problems) problems.push_back(problem_json(report, p, about));
    json estimate = nullptr;
    if (report.estimate)
        estimate = {{"method", report.estimate->method},
                    {"error", report.estimate->rate()},
                    {"wrong", report.estimate->wrong},
                    {"n", report.estimate->size},
                    {"fits", report.estimate->fits},
                    {"unfinished", report.estimate->fit_outcomes.unfinished},
                    {"worst_gap", number(report.estimate->fit_outcomes.worst_gap)}};
    return dump_json({{"kernel", report.kernel_text},
                      {"proven", report.proven},
                      {"data", about.data},
                      {"task", name(report.task)},
                      {"n", report.n},
                      {"correct", report.correct},
                      {"accuracy", report.accuracy()},
                      {"support", report.support},
                      {"support_share", report.support_share()},
                      {"loo_bound", optional_json(report.loo_bound())},
                      {"no_bounds", report.loo_bound() ? json(nullptr) : json(report.no_bounds())},
                      {"estimate", estimate},
                      {"problems", problems}});
}

std::string decision_text(const explained_decision& why, const report_subject& about, index most) {
    std::string out = fmt::format("\nWhy is row {} of class {}?{}\n", why.row, why.predicted_class,
                                  why.true_class.empty() || why.true_class == why.predicted_class
                                      ? ""
                                      : fmt::format(" (Its label is {}.)", why.true_class));
    for (std::size_t i = 0; i < why.parts.size(); ++i) {
        const influence& part = why.parts[i];
        const auto& [positive, negative] = why.classes[i];
        out += fmt::format("\n  {} against {}: f = {:+.6g} = {:+.6g} (for {}) {:+.6g} (for {}) {:+.6g} (b)\n", positive,
                           negative, part.f, part.positive, positive, part.negative, negative, part.offset);
        out += fmt::format("  {}\n", deciding_terms_text(part));
        out += fmt::format("  {}{}{}{}   class\n", pad("row", 8, true), pad("αᵢyᵢ", 13, true),
                           pad("k(xᵢ, x)", 13, true), pad("term", 13, true));
        const auto shown = std::min<std::size_t>(part.terms.size(), static_cast<std::size_t>(most));
        for (std::size_t t = 0; t < shown; ++t) {
            const influence_term& term = part.terms[t];
            out += fmt::format("  {:>8}{:>+13.5g}{:>13.5g}{:>+13.5g}   {}\n", about.row(term.row), term.coefficient,
                               term.kernel, term.value, why.class_of_support[static_cast<std::size_t>(term.support)]);
        }
        if (shown < part.terms.size())
            out += fmt::format("  ... and {} more (--json has all)\n", part.terms.size() - shown);
    }
    return out;
}

std::string decision_json(const explained_decision& why, const report_subject& about) {
    json parts = json::array();
    for (std::size_t i = 0; i < why.parts.size(); ++i) {
        json terms = json::array();
        for (const influence_term& t : why.parts[i].terms)
            terms.push_back({{"row", about.row(t.row)},
                             {"class", why.class_of_support[static_cast<std::size_t>(t.support)]},
                             {"coefficient", t.coefficient},
                             {"kernel", t.kernel},
                             {"value", t.value}});
        parts.push_back({{"positive", why.classes[i].first},
                         {"negative", why.classes[i].second},
                         {"f", why.parts[i].f},
                         {"offset", why.parts[i].offset},
                         {"enough", why.parts[i].deciding_terms},
                         {"terms", terms}});
    }
    return dump_json({{"row", why.row},
                      {"said", why.predicted_class},
                      {"truth", why.true_class.empty() ? json(nullptr) : json(why.true_class)},
                      {"problems", parts}});
}

}  // namespace mercer
