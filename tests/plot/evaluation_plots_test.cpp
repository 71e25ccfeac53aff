#include "mercer/plot/evaluation_plots.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/plot/evaluation_page.h"
#include "plot/occurrences.h"

namespace mercer {
namespace {

using testing_support::occurrences;

evaluation_input some_answers(index n, index k) {
    evaluation_input a{target_kind::classes, {}, {}, {}, matrix<double>(n, k), matrix<double>(n, k)};
    for (index c = 0; c < k; ++c) a.classes.push_back(static_cast<double>(c));
    for (index i = 0; i < n; ++i) {
        a.y.push_back(static_cast<double>(i % k));
        a.predicted.push_back(static_cast<double>(i % 7 == 0 ? 0 : i % k));
        for (index c = 0; c < k; ++c) {
            a.scores(i, c) = std::sin(static_cast<double>(i * (c + 1))) + (i % k == c ? 1 : 0);
            a.probabilities(i, c) = i % k == c ? 0.7 : 0.3 / static_cast<double>(std::max<index>(k - 1, 1));
        }
    }
    return a;
}

TEST(evaluation_pictures, draw_classes_of_any_number_without_nan) {
    for (const index k : {1, 2, 3, 20, 60})
        for (const index n : {1, 5, 400}) {
            evaluation all = evaluate(some_answers(n, k), {.resamples = 20});
            all.names[0] = "<a & b>";
            const auto shared = std::make_shared<const evaluation>(all);
            std::vector<panel> panels;
            for (const auto& each : evaluation_panels(shared)) panels.push_back(each.draw);
            const std::string page = picture_page("t", "s", panels);
            EXPECT_EQ(occurrences(page, "nan") + occurrences(page, "\"inf"), 0)
                << k << " classes, " << n << " examples";
            EXPECT_EQ(occurrences(page, "<a & b>"), 0);
            const std::string html = evaluation_html(all, {.title = "<t>", .about = "a & b"});
            EXPECT_EQ(occurrences(html, "<t>") + occurrences(html, "a & b"), 0);
            EXPECT_EQ(occurrences(html, "nan"), 0) << k << " classes, " << n << " examples";
        }
}

TEST(evaluation_pictures, a_confusion_matrix_has_a_cell_for_each_pair) {
    const auto all = std::make_shared<const evaluation>(evaluate(some_answers(40, 3), {.resamples = 20}));
    const std::string page = picture_page("t", "s", {confusion_panel(all)});
    EXPECT_EQ(occurrences(page, "said to be"), 9);
}

TEST(evaluation_pictures, draw_values_and_importance_without_nan) {
    for (const index n : {1, 3, 60, 3000}) {
        evaluation_input a{target_kind::values, {}, {}};
        for (index i = 0; i < n; ++i) a.y.push_back(static_cast<double>(i)), a.predicted.push_back(2.0 * std::cos(i));
        evaluation all = evaluate(a, {.resamples = 20});
        all.importance_metric = "rmse";
        all.importance = {
            {0, 0.5, 0.1, {0.3, 0.7}, {0.5}}, {1, 0, 0, {0, 0}, {0}}, {2, -0.1, 0.1, {-0.2, 0.01}, {-0.1}}};
        const auto shared = std::make_shared<const evaluation>(all);
        const auto panels = evaluation_panels(shared);
        ASSERT_EQ(panels.size(), 3u);
        for (const auto& each : panels) {
            const std::string page = picture_page("t", "s", {each.draw});
            EXPECT_EQ(occurrences(page, "nan") + occurrences(page, "\"inf"), 0) << each.name << ", " << n;
        }
        const std::string html = evaluation_html(all, {.title = "t"});
        EXPECT_LT(html.find("column 1"), html.find("column 3"));  // the most important first
    }
}

}  // namespace
}  // namespace mercer
