#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "evaluate.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/random_generator.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/inspection/evaluate.h"
#include "mercer/inspection/margin_report.h"
#include "mercer/methods/svm/svm.h"
#include "tune.h"

namespace mercer::cli {
namespace {

constexpr index drawn_rows = 1500;  // of a picture of the objects: kernel PCA takes their matrix

shown_figures data_figures(const api::model& m, const table& data, const std::string& path) {
    shown_figures out{{"file", path}, {"examples", fmt::format("{}", data.x.size())}, {"kind", name(data.x.kind())}};
    if (data.x.kind() == domain::vectors) out.emplace_back("columns", fmt::format("{}", data.x.dims()));
    if (const std::string& label = data.label.empty() ? m.label : data.label; !label.empty())
        out.emplace_back("targets", label);
    std::map<double, index> count;
    if (m.gives() == api::answer::classes)
        for (const double y : data.y) ++count[y];
    std::string classes;
    for (const auto& [y, n] : count) classes += fmt::format("{}{} {}", classes.empty() ? "" : ", ", m.class_text(y), n);
    if (!classes.empty()) out.emplace_back("examples of the classes", classes);
    return out;
}

shown_figures shown(const api::figures& all) {
    shown_figures out;
    for (const auto& [name, value] : all.all()) {
        std::string words = name;
        std::ranges::replace(words, '_', ' ');
        out.emplace_back(words, api::text(value));
    }
    return out;
}

}  // namespace

void add_search(const api::tuning& found, evaluation_page& page) {
    page.search_note =
        fmt::format("{} settings by {}, {}, on {} examples", found.trials.size(), found.metric, found.how, found.rows);
    if (const auto drawn = search_panel(found))
        page.search.push_back({panel_figure(*drawn, "scores of the settings"), "The ring is the best setting."});
    std::vector<const api::trial*> order;
    for (const api::trial& t : found.trials) order.push_back(&t);
    std::ranges::stable_sort(order, [&](const api::trial* a, const api::trial* b) {
        if (a->dropped != b->dropped) return b->dropped;
        return found.larger_is_better ? a->mean > b->mean : a->mean < b->mean;
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(5, order.size()); ++i) {
        std::string at = found.axes.empty() ? api::to_json(order[i]->what) : "";
        for (std::size_t a = 0; a < found.axes.size(); ++a)
            at += fmt::format("{}{} = {:.4g}", a ? ", " : "", found.axes[a].name, order[i]->at[a]);
        page.best.emplace_back(
            at, fmt::format("{:.5g}{}", order[i]->mean,
                            std::isnan(order[i]->error) ? "" : fmt::format(" ± {:.2g}", order[i]->error)));
    }
}

namespace {

// The objects as the model sees them, a sample of many.
void add_pictures(const api::model& m, const table& data, std::uint64_t seed, evaluation_page& page) {
    table drawn = data;
    if (data.x.size() > drawn_rows) {
        class seeded random(seed);  // the class: data/folds.h has a function of that name
        std::vector<index> rows = random.sample(data.x.size(), drawn_rows);
        std::ranges::sort(rows);
        drawn.x = gather(data.x, selection(rows));
        drawn.y.clear();
        for (const index i : rows)
            if (!data.y.empty()) drawn.y.push_back(data.y[static_cast<std::size_t>(i)]);
    }
    for (const panel& each : model_panels(m, drawn, 0))
        page.pictures.push_back({panel_figure(each, "the model on the data"),
                                 data.x.size() > drawn_rows
                                     ? fmt::format("{} of {} examples, drawn at random", drawn_rows, data.x.size())
                                     : std::string()});
}

constexpr index most_for_margins = 20000;  // every example against every support vector, in double

// What the theory says of a machine on the examples it was fitted on.
std::string margins_of(const api::model& m, const table& data, const std::string& path) {
    const bool machine = m.method_name() == "svc" || m.method_name() == "nu_svc";
    if (!machine || data.y.empty() || data.x.size() > most_for_margins) return {};
    svm_model svm = api::model_of<svm_model>(m.inner());
    if (!svm.k) return {};
    const dataset x = m.prepared(data.x);
    if (svm.class_names.empty()) svm.class_names = m.class_names();
    svm = with_support_found(svm, x, data.y);
    margin_options how;
    how.feature_names = data.feature_names;
    how.ball = data.x.size() <= most_for_margins / 4;
    const api::figures about = m.describe();
    if (const auto* C = about.find("C"); C && m.method_name() == "svc") how.C = about.number("C");
    return margins_html(report_margins(svm, x, data.y, how), report_subject{path, {}});
}

}  // namespace

evaluation_page model_page(const api::model& m, const table& data, const std::string& path, std::uint64_t seed) {
    evaluation_page page;
    page.title = fmt::format("{} of {}", m.method_name(), path);
    page.about =
        fmt::format("{}{}{}", m.kernel_text(), m.kernel_text().empty() ? "" : " · ", counted(data.x.size(), "example"));
    page.data = data_figures(m, data, path);
    page.choices = shown(m.describe());
    add_pictures(m, data, seed, page);
    return page;
}

void write_fit_page(const std::string& file, const api::model& m, const table& data, const std::string& path,
                    std::uint64_t seed, const api::tuning* search) {
    evaluation_page page = model_page(m, data, path, seed);
    if (search) add_search(*search, page);
    page.margins = margins_of(m, data, path);
    const bool can_be_judged =
        !data.y.empty() && (m.gives() == api::answer::classes || m.gives() == api::answer::values);
    if (!can_be_judged) return write_atomically(file, model_html(page));
    api::evaluate_options how;
    how.figures.seed = seed;
    page.judged = "By the examples it was fitted on: new ones will be judged worse. " +
                  (search ? fmt::format("Examples it had not seen, in the search: {} {:.4g}.", search->metric,
                                        search->trials[search->chosen].mean)
                          : std::string("`mercer evaluate MODEL OTHER_DATA --html FILE` judges it by others."));
    write_atomically(file, evaluation_html(api::evaluate(m, data, how), page));
}

}  // namespace mercer::cli
