#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "contracts/errors.h"
#include "contracts/paths.h"
#include "io/readers_support.h"
#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/io/read.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/regression/kernel_ridge.h"
#include "mercer/methods/svm/fit_svm.h"
#include "mercer/methods/svm/svm_model.h"
#include "mercer/model/fit.h"
#include "mercer/model/model_file.h"
#include "mercer/preprocess/pipeline.h"

namespace mercer::api {
namespace {

using mercer::testing::expect_error;
using testing_support::data_file;

table first(table all, index n) {
    std::vector<index> rows;
    const index step = std::max<index>(1, all.x.size() / n);
    for (index i = 0; i < all.x.size(); i += step) rows.push_back(i);
    table out{gather(all.x, std::span<const index>(rows)), {}, all.class_names, all.feature_names};
    for (const index i : rows) out.y.push_back(all.y[static_cast<std::size_t>(i)]);
    return out;
}

const table& half_of_iris() {
    static const table data = [] {
        read_options how;
        how.csv.label = "species";
        return first(read_table(data_file("iris.csv"), how), 75);
    }();
    return data;
}
const table& housing() {
    static const table data = first(read_table(data_file("housing.svm")), 100);
    return data;
}
const table& promoters() {
    static const table data = read_table(data_file("promoters.tsv"));
    return data;
}
const table& mushrooms() {
    static const table data = first(read_table(data_file("mushrooms.sets.xz")), 120);
    return data;
}

// Data that a method can learn from: two classes become ±1 for methods that need numbers.
table suited(const method& m, table data) {
    if (m.targets == target_kind::values) data.class_names.clear();
    return data;
}

void expect_same(const columns& a, const columns& b, const std::string& what) {
    ASSERT_EQ(a.values.rows(), b.values.rows()) << what;
    ASSERT_EQ(a.values.cols(), b.values.cols()) << what;
    EXPECT_EQ(a.names, b.names) << what;
    EXPECT_EQ(a.names.size(), static_cast<std::size_t>(a.values.cols())) << what;
    for (index i = 0; i < a.values.rows(); ++i)
        for (index c = 0; c < a.values.cols(); ++c) EXPECT_EQ(a.values(i, c), b.values(i, c)) << what;
}

// For every method the predictions of a loaded model are bit-identical to those of the saved model.
TEST(api_model, every_method_fits_saves_loads_and_answers_the_same) {
    const testing_support::scratch_folder folder;
    const std::string path = folder.path("a.model");
    const auto some = [](const char* file) -> const table& {
        const std::string which = file;
        return which == "iris"        ? half_of_iris()
               : which == "housing"   ? housing()
               : which == "promoters" ? promoters()
                                      : mushrooms();
    };
    for (const method& m : methods())
        for (const char* file : {"iris", "housing", "promoters", "mushrooms"}) {
            const table data = suited(m, some(file));
            const bool continuous = std::string(file) == "housing";
            if (continuous && m.targets == target_kind::classes) continue;
            if ((!m.takes_kernel || m.name == "random_features") && data.x.kind() != object_kind::vectors) continue;
            const std::string what = m.name + " on " + file;
            spec s{m.name, "", data.x.kind() == object_kind::vectors ? "standard" : "", {}};
            if (m.family == method_family::clustering) s.options.emplace_back("n_clusters", "3");
            const model fitted_model = fit(s, data);
            fitted_model.save(path);
            const model loaded = load(path);
            EXPECT_EQ(loaded.bytes(), fitted_model.bytes()) << what;
            EXPECT_EQ(loaded.describe().json(), fitted_model.describe().json()) << what;
            EXPECT_EQ(loaded.class_names(), fitted_model.class_names()) << what;
            EXPECT_EQ(loaded.feature_names(), data.feature_names) << what;
            if (m.can_predict) {
                const std::vector<double> found = fitted_model.predict(data.x);
                EXPECT_EQ(found.size(), data.y.size()) << what;
                for (const double each : found) EXPECT_TRUE(std::isfinite(each)) << what;
                EXPECT_EQ(loaded.predict(data.x), found) << what;
            }
            if (m.can_transform) expect_same(loaded.transform(data.x), fitted_model.transform(data.x), what);
            if (m.targets != target_kind::none) {
                EXPECT_EQ(loaded.score(data).json(), fitted_model.score(data).json()) << what;
            }
        }
}

TEST(api_model, is_the_estimator_it_names) {
    const kernel k = kernel::parse("rbf(gamma=0.5)");
    svm_options o;
    o.C = 10;
    const svm_model direct = fit_svm(k, half_of_iris().x, half_of_iris().y, o);
    const model m = fit({"svc", "rbf(gamma=0.5)", "", {{"C", "10"}}}, half_of_iris());
    EXPECT_EQ(m.predict(half_of_iris().x), predict(direct, half_of_iris().x));
    kernel_ridge_options ridge;
    ridge.alpha = 0.25;
    const matrix<double> y = as_column(housing().y);
    const model r = fit({"kernel_ridge", "rbf(gamma=0.001)", "", {{"alpha", "0.25"}}}, housing());
    EXPECT_EQ(r.predict(housing().x),
              first_column(predict(fit_kernel_ridge(kernel::parse("rbf(gamma=0.001)"), housing().x, y.view(), ridge),
                                   housing().x)));
}

TEST(api_model, scales_new_data_as_those_of_the_fit) {
    const auto by = fit_scaling(half_of_iris().x, "standard");
    table scaled_data = half_of_iris();
    scaled_data.x = apply_scaling(*by, half_of_iris().x);
    const model inside = fit({"svc", "rbf(gamma=0.5)", "standard", {}}, half_of_iris());
    const model outside = fit({"svc", "rbf(gamma=0.5)", "", {}}, scaled_data);
    const dataset one = gather(half_of_iris().x, row_set(3, 1));
    EXPECT_EQ(inside.details(one).values(0, 0), outside.details(gather(scaled_data.x, row_set(3, 1))).values(0, 0));
    // a sparse test set without the last columns
    const sparse<double> short_row({0, 1}, {0}, {0.5}, 1);
    const model sparse_model = fit({"svr", "", "standard", {}}, housing());
    matrix<double> full(1, housing().x.dims());
    full(0, 0) = 0.5;
    EXPECT_EQ(sparse_model.predict(short_row), sparse_model.predict(dense<double>(std::move(full))));
}

TEST(api_model, names_classes) {
    const model m = fit({"kernel_logistic", "", "standard", {}}, half_of_iris());
    const columns p = m.details(half_of_iris().x);
    EXPECT_EQ(p.names, (std::vector<std::string>{"p(setosa)", "p(versicolor)", "p(virginica)"}));
    for (index i = 0; i < p.values.rows(); ++i) EXPECT_NEAR(p.values(i, 0) + p.values(i, 1) + p.values(i, 2), 1, 1e-12);
    EXPECT_EQ(m.class_text(2), "virginica");
    EXPECT_EQ(m.class_text(7), "7");
}

TEST(api_model, knows_files_of_estimators_and_of_libsvm) {
    const svm_model direct = fit_svm(kernel::parse("rbf(gamma=0.5)"), half_of_iris().x, half_of_iris().y, {});
    const model bare = parse(model_bytes(direct), "bare");
    EXPECT_EQ(bare.method_name(), "svc");
    EXPECT_EQ(bare.kernel_text(), "rbf(gamma=0.5)");
    EXPECT_EQ(bare.predict(half_of_iris().x), predict(direct, half_of_iris().x));
    for (const char* name : {"knn_regression", "kernel_ridge", "ridge"}) {
        const model m = fit({name, "", "", {}}, housing());
        const model back = parse(m.inner().bytes(), name);
        EXPECT_EQ(back.method_name(), name);
        EXPECT_EQ(back.predict(housing().x), m.predict(housing().x));
    }
    const char* libsvm =
        "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1\n-1 "
        "1:-1\n";
    const model text = parse(libsvm, "text");
    EXPECT_EQ(text.method_name(), "svc");
    EXPECT_EQ(text.predict(sparse<double>({0, 1, 2}, {0, 0}, {2, -3}, 1)), (std::vector<double>{1, -1}));
}

// Warnings about a fit name only options that the method has.
TEST(api_model, advice_fits_the_method) {
    const auto trouble = [](const spec& s, const table& data) {
        const std::string said = fit(s, data).inner().warning();
        const auto& options = find_method(s.method).options;
        for (const char* each : {"max_iter", "max_seconds", "tol", "C "})
            if (said.find(each) != std::string::npos) {
                EXPECT_TRUE(std::ranges::any_of(
                    options, [&](const option_info& o) { return std::string(each).starts_with(o.name); }))
                    << s.method << ": " << said;
            }
        return said;
    };
    for (const char* method : {"svc", "nu_svc"}) {
        EXPECT_EQ(trouble({method, "rbf(gamma=0.1)", "standard", {}}, half_of_iris()), "");
        EXPECT_NE(
            trouble({method, "sigmoid(gamma=0.1)", "standard", {}}, half_of_iris()).find("not positive semidefinite"),
            std::string::npos)
            << method;
    }
    EXPECT_NE(trouble({"svr", "rbf(gamma=0.1)", "standard", {{"max_seconds", "1e-9"}, {"C", "1000"}}}, housing())
                  .find("time limit"),
              std::string::npos);
    EXPECT_NE(trouble({"kernel_logistic", "rbf(gamma=0.1)", "standard", {{"max_iter", "1"}}}, half_of_iris())
                  .find("max_iter"),
              std::string::npos);
    EXPECT_NE(trouble({"kernel_kmeans", "rbf(gamma=0.1)", "standard", {{"max_iter", "1"}, {"n_clusters", "7"}}},
                      half_of_iris())
                  .find("max_iter"),
              std::string::npos);
}

TEST(api_model, one_class_is_not_scored_against_unrelated_labels) {
    const model m = fit({"one_class", "rbf(gamma=0.1)", "standard", {{"nu", "0.2"}}}, half_of_iris());
    const summary score = m.score(half_of_iris());
    EXPECT_EQ(score.find("accuracy"), nullptr);
    const auto inside = std::get<std::int64_t>(*score.find("inside"));
    EXPECT_NEAR(static_cast<double>(inside), 0.8 * static_cast<double>(half_of_iris().x.size()), 5);
    table sides = half_of_iris();
    sides.y = m.predict(sides.x);
    EXPECT_EQ(std::get<double>(*m.score(sides).find("accuracy")), 1);
}

TEST(api_model, refuses_damaged_files) {
    const std::string whole_file = fit({"knn", "", "standard", {}}, half_of_iris()).bytes();
    expect_error(errc::parse, "not a model file", [] { parse("hello\n", "x"); });
    expect_error(errc::parse, "x", [] { parse("", "x"); });
    for (const std::size_t keep : {std::size_t{20}, whole_file.size() / 2, whole_file.size() - 1})
        expect_error(errc::parse, "x", [&] { parse(std::string_view(whole_file).substr(0, keep), "x"); });
    for (std::size_t at = 0; at < whole_file.size(); at += 97) {
        std::string damaged = whole_file;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x11);
        EXPECT_THROW(parse(damaged, "x"), error) << at;
    }
    expect_error(errc::io, "No such file", [] { load("/nonexistent/model"); });
}

TEST(api_model, refuses_wrong_specs_and_data) {
    const auto fitting = [](spec s, const table& data) { return [=, &data] { fit(s, data); }; };
    expect_error(errc::invalid_argument, "there is no method 'oracle'",
                 fitting({"oracle", "", "", {}}, half_of_iris()));
    expect_error(errc::invalid_argument, "has no option 'gamma'",
                 fitting({"svc", "", "", {{"gamma", "1"}}}, half_of_iris()));
    expect_error(errc::invalid_argument, "0 < C <= inf, got '-1'",
                 fitting({"svc", "", "", {{"C", "-1"}}}, half_of_iris()));
    expect_error(errc::invalid_argument, "takes no kernel", fitting({"ridge", "rbf()", "", {}}, housing()));
    expect_error(errc::unsupported, "needs vectors, but the data are strings: take svc",
                 fitting({"linear_svc", "", "", {}}, promoters()));
    expect_error(errc::unsupported, "take kernel_ridge", [] {
        table t = promoters();
        t.class_names.clear();
        fit({"ridge", "", "", {}}, t);
    });
    expect_error(errc::unsupported, "kernel on vectors", fitting({"knn", "rbf()", "", {}}, promoters()));
    expect_error(errc::unsupported, "scaling needs vectors, but the",
                 fitting({"knn", "", "standard", {}}, promoters()));
    expect_error(errc::invalid_argument, "'standard' or 'minmax'", fitting({"knn", "", "bigger", {}}, half_of_iris()));
    expect_error(errc::data, "the targets are names", fitting({"svr", "", "", {}}, half_of_iris()));
    expect_error(errc::data, "different numbers", fitting({"svc", "", "", {}}, housing()));
    const table none{half_of_iris().x, {}, {}, half_of_iris().feature_names};
    expect_error(errc::data, "have no targets", fitting({"svc", "", "", {}}, none));
    const table empty{};
    expect_error(errc::data, "have no examples", fitting({"kernel_pca", "", "", {}}, empty));
    const model pca = fit({"kernel_pca", "", "", {{"n_components", "2"}}}, none);
    expect_error(errc::unsupported, "does not predict", [&] { pca.predict(half_of_iris().x); });
    expect_error(errc::unsupported, "fitted on vectors", [&] { pca.transform(promoters().x); });
    expect_error(errc::invalid_argument, "4 features, got 13", [&] { pca.transform(housing().x); });
}

// For every option that changes the model, a value other than the default.
const std::map<std::string, std::string> other_values{
    {"C", "0.03"},         {"nu", "0.2"},           {"epsilon", "0.7"},
    {"multiclass", "ovr"}, {"probability", "true"}, {"alpha", "7"},
    {"alphas", "0.02,9"},  {"loo", "true"},         {"variance", "true"},
    {"n_neighbors", "2"},  {"weights", "distance"}, {"n_clusters", "3"},
    {"n_components", "3"}, {"regularisation", "2"}, {"delta", "0.1"},
    {"tau", "0.9"},        {"output_alphas", "3"},  {"intercept_scaling", "4"},
    {"batch_size", "7"},   {"n_centres", "9"},      {"centre_rows", "3,4,20"},
    {"trace_tol", "0.2"},  {"size", "40"},          {"overlap", "0.4"},
};
const std::set<std::string> bounds{"tol", "max_iter", "max_seconds", "n_init", "seed", "shrinking"};

// An accepted option has an effect; an option without effect is refused by name.
TEST(api_model, no_option_is_ignored) {
    for (const method& m : methods()) {
        const bool classes = m.targets == target_kind::classes;
        table data = suited(m, classes ? half_of_iris() : housing());
        const auto outcome = [&](const settings& with) {
            table here = data;
            for (const auto& [name, value] : with)
                if (name == "loss" && !classes && (value == "logistic" || value.ends_with("hinge")))
                    for (double& y : here.y) y = y > 20 ? 1 : -1;
            const bool linear =
                std::ranges::find(with, std::pair<std::string, std::string>("solver", "primal_qp")) != with.end();
            settings all =
                with;  // fewer centres than examples, so that the choice matters, and some with given centres
            const auto has = [&](const char* name, const char* value) {
                return std::ranges::any_of(
                    all, [&](const auto& o) { return o.first == name && (!*value || o.second == value); });
            };
            const bool by_centres = std::ranges::any_of(m.options, [](const auto& o) { return o.name == "n_centres"; });
            if (by_centres && !has("centres", "given") && !has("n_centres", "")) all.emplace_back("n_centres", "30");
            if (has("centres", "given") && !has("centre_rows", "")) all.emplace_back("centre_rows", "1,5,9");
            const model fitted = fit({m.name,
                                      !m.takes_kernel ? ""
                                      : linear        ? "linear()"
                                                      : "rbf(gamma=0.02)",
                                      "", all},
                                     here);
            return fitted.inner().bytes() + fitted.fit_summary().json();
        };
        // Every configuration: no choice, each choice, each list.
        std::vector<settings> configurations{{}};
        for (const auto& o : m.options) {
            for (const auto& one : o.choices) configurations.push_back({{o.name, one}});
            if (o.kind == option_kind::numbers) configurations.push_back({{o.name, "0.5,2"}});
        }
        for (const settings& base : configurations) {
            std::string plain;
            try {
                plain = outcome(base);
            } catch (const error& refused) {
                const std::string why = refused.what(), &named = base.front().first;
                EXPECT_TRUE(why.find(named + "' has no effect") != std::string::npos ||
                            why.find(named + " needs one value per target") != std::string::npos)
                    << why;
                continue;
            }
            for (const auto& o : m.options) {
                if (bounds.contains(o.name) || (!base.empty() && base.front().first == o.name)) continue;
                const std::string value = o.kind == option_kind::flag ? (o.default_value == "true" ? "false" : "true")
                                          : o.kind == option_kind::choice ? o.choices.back()
                                                                          : other_values.at(o.name);
                settings with = base;
                with.emplace_back(o.name, value);
                SCOPED_TRACE(m.name + " " + (base.empty() ? "" : base.front().first + "=" + base.front().second) + " " +
                             o.name + "=" + value);
                try {
                    EXPECT_NE(outcome(with), plain);
                } catch (const error& refused) {
                    EXPECT_NE(std::string(refused.what()).find(" has no effect"), std::string::npos) << refused.what();
                }
            }
        }
    }
}

TEST(api_model, a_path_keeps_what_else_was_asked_for) {
    const settings path{{"alphas", "0.01,0.1,1"}, {"loo", "true"}, {"variance", "true"}};
    const model chosen = fit({"kernel_ridge", "rbf(gamma=0.02)", "standard", path}, housing());
    const double alpha = std::get<double>(*chosen.fit_summary().find("alpha"));
    const model direct = fit({"kernel_ridge",
                              "rbf(gamma=0.02)",
                              "standard",
                              {{"alpha", number_text(alpha)}, {"loo", "true"}, {"variance", "true"}}},
                             housing());
    expect_same(chosen.details(housing().x), direct.details(housing().x), "variance");
    EXPECT_EQ(*chosen.fit_summary().find("loo_mean_squared_error"),
              *direct.fit_summary().find("loo_mean_squared_error"));
    EXPECT_NE(chosen.fit_summary().find("path_gcv"), nullptr);
}

// Written before the files of kernel PCA omitted the scores.
TEST(api_model, files_of_the_first_version_are_read) {
    const model old = load(testing_support::tests_file("model/files/kernel_pca_version1.model"));
    const std::vector<double> six{0, 0, 1, 0.5, 0.25, 2, -1, 1, 0.5, -2, 3, 1};
    const dataset x(dense<double>(matrix_view<const double>(six.data(), 6, 2)));
    // The values that the program of that time wrote.
    const double first[6] = {-0.25423065425263813, -0.061177839087447755, -0.3782384858413582,
                             -0.509799776011889,   0.5169831104699731,    0.6864636447233599};
    for (const model& m : {old, parse(old.bytes(), "again")}) {
        const columns now = m.transform(x), of_the_fit = m.inner().training_scores();
        for (index i = 0; i < 6; ++i) {
            EXPECT_NEAR(now.values(i, 0), first[i], 1e-14);
            EXPECT_NEAR(of_the_fit.values(i, 0), first[i], 1e-14);
        }
    }
}

// Written when `frequencies` was a flag `orthogonal` and random features had only one kind of map.
TEST(api_model, random_features_of_the_first_version_are_read) {
    const model old = load(testing_support::tests_file("model/files/random_features_version1.model"));
    EXPECT_EQ(old.spec().options, (settings{{"n_components", "5"}, {"frequencies", "independent"}, {"seed", "7"}}));
    const std::vector<double> two{0.095, 1.250, -0.931, 0.992, -0.259, -0.262};
    const dataset x(dense<double>(matrix_view<const double>(two.data(), 2, 3)));
    // The values that the program of that time wrote.
    const double then[10] = {0.3495546069232255, 0.527078340267127,   0.508719525509819,  0.37577179825668755,
                             0.2992011513493645, 0.3318873627679284,  0.5383779141411259, -0.054033341480512934,
                             0.6301431567576136, -0.37742088554327735};
    for (const model& m : {old, parse(old.bytes(), "again")})
        for (index i = 0; i < 10; ++i) EXPECT_NEAR(m.transform(x).values.data()[i], then[i], 1e-14);
}

TEST(api_model, a_value_that_cannot_be_used_is_named_by_row_and_column) {
    spec s{.method = "svc", .kernel = "", .scale = "standard", .options = {}};
    const model m = fit(s, half_of_iris());
    const auto said = [&](index column, double value) {
        matrix<double> x(2, 4);
        for (index i = 0; i < 2; ++i)
            for (index j = 0; j < 4; ++j) x(i, j) = 1;
        x(1, column) = value;
        std::vector<std::string> out;
        for (const auto& ask : {std::function([&](const dataset& z) { m.predict(z); }),
                                std::function([&](const dataset& z) { m.predict_with_details(z); })})
            try {
                ask(dense<double>(x));
            } catch (const row_error& wrong) {
                EXPECT_EQ(wrong.code(), errc::data);
                EXPECT_EQ(wrong.row(), 1);
                out.push_back(wrong.one_based_message());
            }
        return out;
    };
    for (const index column : {0, 1, 3}) {  // their standard deviations are below 1, so that scaling overflows
        const std::string place = "row 2, column '" + m.feature_names()[static_cast<std::size_t>(column)] + "': ";
        const auto found = said(column, 1.7e308);
        ASSERT_EQ(found.size(), 2U);
        for (const std::string& each : found) EXPECT_TRUE(each.starts_with(place)) << each;
    }
    for (const std::string& each : said(0, 1e200)) EXPECT_TRUE(each.starts_with("row 2: ")) << each;
}

TEST(api_spec, is_read_from_json_and_comes_back) {
    const spec s = parse_spec(
        R"json({"method": "kernel_ridge", "kernel": "rbf(gamma=0.5)", "scale": "standard", "alphas": [0.1, 1], "loo": true, "alpha": 2})json");
    EXPECT_EQ(s.method, "kernel_ridge");
    EXPECT_EQ(s.options, (settings{{"alphas", "0.1,1"}, {"loo", "true"}, {"alpha", "2"}}));
    EXPECT_EQ(to_json(parse_spec(to_json(s))), to_json(s));
    for (const char* wrong : {"", "[]", "{}", R"({"method": 3})", R"({"method": "svc", "C": {}})",
                              R"({"method": "svc", "C": ["a"]})", R"({"method")"})
        expect_error(errc::parse, "", [&] { parse_spec(wrong); });
}

}  // namespace
}  // namespace mercer::api
