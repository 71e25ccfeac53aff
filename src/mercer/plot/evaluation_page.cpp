#include "mercer/plot/evaluation_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/plot/evaluation_plots.h"
#include "mercer/plot/html_page.h"

namespace mercer {

namespace {

using namespace html;

std::string number(double v) { return std::isfinite(v) ? fmt::format("{:.4g}", v) : "—"; }
std::string range_text(const interval& r) {
    return std::isfinite(r.low) ? fmt::format("{:.4g} – {:.4g}", r.low, r.high) : "—";
}

std::string figures_table(const shown_figures& all, const std::string& first, const std::string& second) {
    std::string out = first.empty() && second.empty() ? "" : head({first, second});
    for (const auto& [name, value] : all) out += row(cell(name, "l") + cell(value, "l"));
    return make_table(out);
}

std::string metrics_table(const evaluation& all) {
    std::string out = head({"metric", "value", "95 %", "interval by", "what it is"});
    for (const evaluated_metric& m : all.metrics)
        out +=
            row(cell(m.name, "l") + cell(number(m.value)) + cell(range_text(m.range)) + cell(m.interval_method, "l") +
                cell(m.about + (m.larger_is_better ? "" : "; the less the better"), "l"));
    return make_table(out);
}

std::string classes_table(const evaluation& all) {
    std::string out = head(
        {"class", "precision", "95 %", "recall", "95 %", "F1", "support", "said", "ROC area", "average precision"});
    for (const class_metrics& c : all.classes) {
        const auto at = std::ranges::find(all.curves, c.label, &class_curves::label);
        const bool ranked = at != all.curves.end() && !at->order.points.empty();
        out +=
            row(cell(all.name_of(c.label), "l") + cell(number(c.precision)) + cell(range_text(c.precision_interval)) +
                cell(number(c.recall)) + cell(range_text(c.recall_interval)) + cell(number(c.f1)) +
                cell(fmt::format("{}", c.support)) + cell(fmt::format("{}", c.predicted)) +
                cell(ranked ? number(at->order.area) : "") + cell(ranked ? number(at->order.average_precision) : ""));
    }
    return make_table(out);
}

std::string residuals_table(const residual_summary& r) {
    return make_table(
        head({"residual", "mean", "standard deviation", "smallest", "quarter", "median", "three quarters", "largest"}) +
        row(cell("true - predicted", "l") + cell(number(r.mean)) + cell(number(r.deviation)) +
            cell(number(r.smallest)) + cell(number(r.quarter)) + cell(number(r.median)) +
            cell(number(r.three_quarters)) + cell(number(r.largest))));
}

std::string importance_table(const evaluation& all) {
    std::vector<const feature_importance*> order;
    for (const feature_importance& f : all.importance) order.push_back(&f);
    std::ranges::stable_sort(order, std::ranges::greater{}, &feature_importance::mean);
    std::string out = head({"feature", all.importance_metric + " worse by", "95 %", "standard deviation"});
    for (const feature_importance* f : order)
        out += row(cell(all.feature(f->column), "l") + cell(number(f->mean)) + cell(range_text(f->mean_interval)) +
                   cell(number(f->deviation)));
    return fmt::format("<details><summary>All {} features</summary>\n{}</details>\n", order.size(), make_table(out));
}

std::string tiles(const evaluation& all) {
    std::string out = "<div class=\"tiles\">\n";
    for (const evaluated_metric& m : all.metrics) {
        const bool share = m.name == "accuracy" || m.name == "balanced_accuracy";
        std::string name = m.name;
        std::ranges::replace(name, '_', ' ');
        const auto text = [&](double v) { return share ? fmt::format("{:.1f}", 100 * v) : fmt::format("{:.4g}", v); };
        if (std::isfinite(m.value))
            out += tile(text(m.value) + (share ? " %" : ""),
                        fmt::format("{}, 95 %: {} – {}", name, text(m.range.low), text(m.range.high)));
    }
    return out + "</div>\n";
}

std::string evaluation_body(const evaluation& all, const evaluation_page& page) {
    std::string body = tiles(all);
    const auto shared = std::make_shared<const evaluation>(all);
    body += "<h2>How good it is</h2>\n";
    if (!page.evaluation_note.empty()) body += "<p class=\"about\">" + xml_escaped(page.evaluation_note) + "</p>\n";
    for (const named_panel& each : evaluation_panels(shared))
        body += figure(panel_figure(each.draw, each.name), each.caption);
    body += metrics_table(all);
    body += fmt::format(
        "<p class=\"about\">Intervals of 95 %: Wilson's for shares, else percentiles of {} draws of the {} examples "
        "with "
        "replacement (bootstrap). They are of this model on other such examples, not of other models.</p>\n",
        all.resamples, all.n);
    body += all.of == target_kind::values ? "<h3>Residuals</h3>\n" + residuals_table(all.residuals)
                                          : "<h3>Class by class</h3>\n" + classes_table(all);
    if (!all.importance.empty()) body += importance_table(all);
    return body;
}

std::string make_page(const evaluation_page& page, const std::string& judged) {
    std::string body =
        fmt::format("<h1>{}</h1>\n<p class=\"about\">{}</p>\n", xml_escaped(page.title), xml_escaped(page.about));
    body += judged;
    body += "<h2>The data</h2>\n" + figures_table(page.data, "", "");
    body += "<h2>The fit</h2>\n" + figures_table(page.choices, "choice or figure", "value");
    if (!page.search_note.empty()) {
        body += "<h2>The search</h2>\n<p class=\"about\">" + xml_escaped(page.search_note) + "</p>\n";
        for (const report_figure& each : page.search) body += figure(each.picture, each.caption);
        if (!page.best.empty()) body += figures_table(page.best, "setting", "score");
    }
    if (!page.pictures.empty()) body += "<h2>The model on the data</h2>\n";
    for (const report_figure& each : page.pictures) body += figure(each.picture, each.caption);
    return make_html_page(page.title, body + page.margins);
}

}  // namespace

std::string evaluation_html(const evaluation& all, const evaluation_page& page) {
    return make_page(page, evaluation_body(all, page));
}

std::string model_html(const evaluation_page& page) { return make_page(page, {}); }

}  // namespace mercer
