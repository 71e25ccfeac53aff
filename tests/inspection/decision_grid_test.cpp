#include "mercer/inspection/decision_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "mercer/gram/make_gram.h"
#include "mercer/inspection/binary_problems.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/methods/svm/cross_validation.h"
#include "mercer/metrics/metrics.h"
#include "mercer/plot/charts.h"
#include "mercer/plot/class_regions.h"
#include "mercer/plot/region_sequences.h"
#include "mercer/plot/report_page.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

matrix<double> on_grid(index rows, index cols, const std::function<double(double, double)>& f) {
    matrix<double> out(rows, cols);
    for (index r = 0; r < rows; ++r)
        for (index c = 0; c < cols; ++c) out(r, c) = f(static_cast<double>(c), static_cast<double>(r));
    return out;
}

TEST(contour_lines, a_circle_is_one_closed_chain) {
    // Linear interpolation of x²+y² along an edge of length 1 is off by at most 1/4·f''/2 = 1/4, over a slope of about
    // 2·radius.
    const matrix<double> f =
        on_grid(61, 61, [](double x, double y) { return (x - 30) * (x - 30) + (y - 30) * (y - 30); });
    const auto found = contour_lines(f.view(), 20.0 * 20.0);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].front(), found[0].back());
    double length = 0;
    for (std::size_t i = 0; i < found[0].size(); ++i) {
        const auto [x, y] = found[0][i];
        EXPECT_NEAR(std::hypot(x - 30, y - 30), 20, 0.01);
        if (i > 0) length += std::hypot(x - found[0][i - 1].first, y - found[0][i - 1].second);
    }
    EXPECT_NEAR(length, 2 * 3.14159265358979 * 20, 0.5);
}

TEST(contour_lines, lines_saddles_and_nothing) {
    const matrix<double> slope = on_grid(5, 9, [](double x, double y) { return x - 2 * y; });
    const auto line = contour_lines(slope.view(), 0.5);
    ASSERT_EQ(line.size(), 1u);
    for (const auto& [x, y] : line[0]) EXPECT_NEAR(x - 2 * y, 0.5, 1e-12);
    EXPECT_NE(line[0].front(), line[0].back());

    // Corners +1, -1, +1, -1: the mean decides which two are joined, and two lines never cross.
    for (const double shift : {0.2, -0.2}) {
        matrix<double> saddle(2, 2);
        saddle(0, 0) = saddle(1, 1) = 1 + shift;
        saddle(0, 1) = saddle(1, 0) = -1 + shift;
        const auto cut = contour_lines(saddle.view(), 0);
        ASSERT_EQ(cut.size(), 2u);
        for (const polyline& each : cut) {
            // Each line cuts off one corner whose sign differs from that of the centre.
            const double x = (each.front().first + each.back().first) / 2,
                         y = (each.front().second + each.back().second) / 2;
            EXPECT_EQ((std::lround(x) + std::lround(y)) % 2 == 1, shift > 0);
        }
    }
    EXPECT_TRUE(contour_lines(slope.view(), 100).empty());
    EXPECT_TRUE(contour_lines(slope.view(), 0.5, [](index, index) { return false; }).empty());
    matrix<double> broken = on_grid(3, 3, [](double x, double) { return x - 1.5; });
    broken(1, 1) = std::nan("");
    EXPECT_TRUE(contour_lines(broken.view(), 0).empty());
}

TEST(regions, the_grid_is_what_predict_says) {
    sample s = standardised(load("iris.svm"));
    for (auto& x : s.x) x = {x[2], x[3]};
    const dataset x = dense_data(s.x);
    for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
        svm_options o = options_for(svm_task::c_svc);
        o.classes = scheme;
        const svm_model model = fit_svm(kernel::parse("rbf(gamma=1)"), x, s.y, o);
        const plane on = make_feature_plane(model, x, 0, 1);
        const region_grid grid = decide_grid(model, on, 31, 23);
        std::vector<point> places;
        for (index r = 0; r < 23; ++r)
            for (index c = 0; c < 31; ++c) places.push_back({grid.x(on, c), grid.y(on, r)});
        const std::vector<double> said = predict(model, dense_data(places));
        for (std::size_t i = 0; i < said.size(); ++i)
            EXPECT_EQ(model.classes[static_cast<std::size_t>(grid.winner[i])], said[i]);
        EXPECT_LT(on.x_low, places.front()[0]);
        EXPECT_GT(on.y_high, places.back()[1]);
    }
}

TEST(regions, a_cut_holds_the_other_features) {
    const sample s = standardised(load("iris.svm"));
    const dataset x = dense_data(s.x);
    const svm_model model = fit(rbf(0.5), s, options_for(svm_task::c_svc));
    matrix<double> place(1, 2);
    place(0, 0) = s.x[70][1];
    place(0, 1) = s.x[70][3];
    // Standardised: all means are 0.
    const matrix<double> mean = make_feature_plane(model, x, 1, 3, {}, other_features::mean).decide(place.view());
    const matrix<double> expected = decide(model, dense_data({{0, place(0, 0), 0, place(0, 1)}}), arithmetic::exact);
    const matrix<double> nearest = make_feature_plane(model, x, 1, 3, {}, other_features::nearest).decide(place.view());
    std::set<std::vector<double>> twins;  // examples at exactly this position
    for (const auto& each : s.x)
        if (each[1] == place(0, 0) && each[3] == place(0, 1)) {
            const matrix<double> f = decide(model, dense_data({each}), arithmetic::exact);
            twins.insert({f.data(), f.data() + f.cols()});
        }
    for (index p = 0; p < 3; ++p) EXPECT_NEAR(mean(0, p), expected(0, p), 1e-10);
    bool one_of = false;
    for (const auto& f : twins)
        one_of |= std::abs(f[0] - nearest(0, 0)) < 1e-12 && std::abs(f[1] - nearest(0, 1)) < 1e-12;
    EXPECT_TRUE(one_of);
    expect_error(errc::invalid_argument, "feature < 4, got 4", [&] { make_feature_plane(model, x, 0, 4); });
    expect_error(errc::invalid_argument, "must be different, got 2 twice", [&] { make_feature_plane(model, x, 2, 2); });
    EXPECT_EQ(find_best_separated_features(x, s.y), (std::pair<index, index>{2, 3}));  // the petals
}

TEST(regions, components_of_the_linear_kernel_in_the_plane_lose_nothing) {
    const sample s = clouds(60, 2, 2, 0.1, 4);
    const dataset x = dense_data(s.x);
    const svm_model model = fit(linear_kernel(), s, options_for(svm_task::c_svc));
    const plane on = make_component_plane(model, cpu_kernel_gram<double>(linear{}, x));
    const matrix<double> f = on.decide(on.points.view()), expected = decide(model, x, arithmetic::exact);
    for (index i = 0; i < 60; ++i) EXPECT_NEAR(f(i, 0), expected(i, 0), 1e-9);
    // Distances are those of the data.
    for (index i = 1; i < 60; ++i)
        EXPECT_NEAR(std::hypot(on.points(i, 0) - on.points(0, 0), on.points(i, 1) - on.points(0, 1)),
                    std::sqrt(squared_distance(s.x[static_cast<std::size_t>(i)], s.x[0])), 1e-9);
    EXPECT_EQ(make_component_plane(model, cpu_kernel_gram<double>(linear{}, x), 10).rows.size(), 10u);
}

TEST(regions, parameters_of_a_kernel_are_replaced) {
    EXPECT_EQ(kernel::parse(with_parameter("rbf", "gamma", 10)).text(), "rbf(gamma=10)");
    EXPECT_EQ(kernel::parse(with_parameter("rbf(0.5)", "gamma", 2)).text(), "rbf(gamma=2)");
    EXPECT_EQ(kernel::parse(with_parameter("rbf(sigma=3)", "gamma", 2)).text(), "rbf(gamma=2)");
    EXPECT_EQ(kernel::parse(with_parameter("poly(degree=3, gamma=1, coef0=1)", "degree", 5)).text(),
              "poly(degree=5, gamma=1, coef0=1)");
    expect_error(errc::invalid_argument, "has no parameter 'degree': vary C or one of gamma",
                 [] { with_parameter("rbf", "degree", 2); });
    for (const char* composite : {"rbf() + linear()", "2*rbf()", "normalize(rbf())", "rbf()*rbf()"})
        expect_error(errc::invalid_argument, "' is not a single kernel such as rbf",
                     [&] { with_parameter(composite, "gamma", 2); });
    EXPECT_EQ(course_sequences().size(), 7u);
    for (const sequence_spec& each : course_sequences())
        for (const double value : each.values)
            EXPECT_NO_THROW(
                kernel::parse(each.vary == "C" ? each.kernel : with_parameter(each.kernel, each.vary, value)));
}

TEST(regions, sequences_are_fits_of_two_columns) {
    const sample s = standardised(load("iris.svm"));
    sequence_data data{dense_data(s.x), s.y, {"setosa", "versicolor", "virginica"}, {}, {2, 3}};
    const region_sequence row = fit_sequence({"rbf(gamma=1)", 1, "gamma", {0.1, 10}}, data);
    ASSERT_EQ(row.tiles.size(), 2u);
    std::vector<point> two;
    for (const auto& x : s.x) two.push_back({x[2], x[3]});
    for (std::size_t t = 0; t < 2; ++t) {
        const svm_model model = fit_svm(kernel::parse(t == 0 ? "rbf(gamma=0.1)" : "rbf(gamma=10)"), dense_data(two),
                                        s.y, options_for(svm_task::c_svc));
        EXPECT_EQ(row.tiles[t].support, static_cast<index>(model.support_rows.size()));
        EXPECT_DOUBLE_EQ(row.tiles[t].accuracy,
                         static_cast<double>(count_correct(s.y, predict(model, dense_data(two)))) / 150);
    }
    // A hard margin that does not exist leaves its place empty and says why.
    const region_sequence hard = fit_sequence({"linear()", 1, "C", {1, std::numeric_limits<double>::infinity()}}, data);
    EXPECT_TRUE(hard.tiles[0].has_model);
    EXPECT_FALSE(hard.tiles[1].has_model);
    EXPECT_NE(hard.tiles[1].warning.find("cannot be separated"), std::string::npos);
    const std::string page = sequences_figure("title <1>", "about & more", {row, hard}).finish();
    EXPECT_NE(page.find("γ = 0.1"), std::string::npos);
    EXPECT_NE(page.find("title &lt;1&gt;"), std::string::npos);
    EXPECT_NE(page.find("class versicolor"), std::string::npos);
}

TEST(charts, histograms_count_everything_once) {
    const std::vector<double> values{0, 0.05, 0.1, 0.95, 1, 0.5};
    const histogram h = histogram::of(values, 0, 1, 10);
    index sum = 0;
    for (const index each : h.counts) sum += each;
    EXPECT_EQ(sum, 6);
    EXPECT_EQ(h.counts[0], 2);
    EXPECT_EQ(h.counts[9], 2);  // the end belongs to the last
    EXPECT_EQ(histogram::of(values, 2, 3, 4).counts, (std::vector<index>(4, 0)));
}

TEST(charts, a_retraced_fit_ends_where_the_fit_does) {
    const sample s = standardised(load("heart_scale.svm"));
    const matrix<double> K = gram_matrix(s.x, rbf(0.1));
    const shared_gram shared(K.view());
    svm_options o = options_for(svm_task::c_svc, 10);
    const std::vector<convergence_point> curve = trace_convergence(shared.fast(), shared.exact(), s.y, o);
    const svm_report end = fit_svm(shared.fast(), shared.exact(), s.y, o).reports[0];
    ASSERT_GE(curve.size(), 3u);
    EXPECT_EQ(curve.back().steps, end.steps);
    EXPECT_EQ(curve.back().objective, -end.objective);
    for (std::size_t i = 1; i < curve.size(); ++i) {
        EXPECT_GE(curve[i].steps, curve[i - 1].steps);
        EXPECT_GE(curve[i].objective, curve[i - 1].objective - 1e-6 * std::abs(end.objective)) << "the dual only grows";
    }
    std::vector<convergence_point> told;
    const auto record = record_progress(told, 1);
    svm_progress now;
    now.problem = 1;
    now.solver.gap = 0.5;
    EXPECT_TRUE(record(now));
    now.problem = 0;
    EXPECT_TRUE(record(now));
    EXPECT_EQ(told.size(), 1u);
    EXPECT_NE(convergence_figure("c", told).finish().find("before there was anything to record"), std::string::npos);
}

TEST(report_html, is_one_file_and_holds_what_the_report_says) {
    const sample s = standardised(load("heart_scale.svm"));
    const dataset x = dense_data(s.x);
    svm_model model = fit(rbf(0.1), s, options_for(svm_task::c_svc));
    const margin_report report = report_margins(model, x, s.y);
    report_page page;
    page.title = "a <b> & c";
    page.regions.push_back(
        {region_figure("regions", model, make_feature_plane(model, x, 0, 1), mark_examples(model, s.y)), "caption"});
    page.decisions.push_back(explain_decision(model, x, 3, s.y[3]));
    const std::string html = report_html(report, {"heart", {}}, page);
    for (const char* foreign : {"<script", "src=", "@import", "url(", "<link", "href=\"http", "a <b>"})
        EXPECT_EQ(html.find(foreign), std::string::npos) << foreign;
    EXPECT_NE(html.find("prefers-color-scheme: dark"), std::string::npos);
    EXPECT_NE(html.find("Why is row 3"), std::string::npos);
    EXPECT_NE(html.find("complementary slackness of β"), std::string::npos);
    EXPECT_NE(html.find("all hold"), std::string::npos);
}

}  // namespace
}  // namespace mercer::svm_testing
