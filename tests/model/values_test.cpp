// Methods as values: the description of a value agrees with the registry, the checks and the files.
#include <gtest/gtest.h>

#include "contracts/errors.h"
#include "contracts/paths.h"
#include "mercer/mercer.h"

namespace mercer {
namespace {

using mercer::testing::expect_error;

template <class Method>
class described : public ::testing::Test {};
using all_methods =
    ::testing::Types<svc, nu_svc, svr, nu_svr, one_class, linear_svc, pegasos, ridge, kernel_ridge, kernel_logistic,
                     representer, knn, knn_regression, nearest_centroid, nearest_medoid, kernel_kmeans, kernel_kmedoids,
                     nystroem_kmeans, nystroem_spectral, kernel_pca, kernel_fisher, kernel_density, nystroem_ridge,
                     nystroem_logistic, nystroem_svc, nystroem_pca, nystroem, random_features, cells_svc,
                     cells_logistic, cells_svr, cells_ridge>;
TYPED_TEST_SUITE(described, all_methods);

TYPED_TEST(described, is_what_the_registry_has) {
    const method_info info = TypeParam::info();
    const api::method& there = api::find_method(info.name);
    EXPECT_EQ(there.about, info.about);
    EXPECT_EQ(there.formula, info.formula);
    const auto mine = api::options_of<TypeParam>();
    ASSERT_EQ(there.options.size(), mine.size());
    for (std::size_t i = 0; i < mine.size(); ++i) {
        EXPECT_EQ(there.options[i].name, mine[i].name);
        EXPECT_FALSE(mine[i].about.empty());
        if (mine[i].kind == api::option_kind::choice) {
            EXPECT_EQ(mine[i].choices.front(), mine[i].default_value);
        }
    }
    EXPECT_TRUE(api::settings_of(TypeParam{}).empty()) << "a default is nothing to say";
}

TYPED_TEST(described, comes_back_from_its_texts) {
    const TypeParam value = api::value_of<TypeParam>(api::option_values("m", api::options_of<TypeParam>(), {}));
    const auto a = api::options_of(value), b = api::options_of<TypeParam>();
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].default_value, b[i].default_value);
}

template <class... Method>
constexpr std::size_t count(::testing::Types<Method...>) {
    return sizeof...(Method);
}

// The list above contains all methods.
TEST(all_methods, are_values) { EXPECT_EQ(api::methods().size(), count(all_methods())); }

const table& iris() {
    static const table data = read(testing_support::data_file("iris.csv"), {.label = "species"});
    return data;
}

TEST(values, fit_as_their_specs_do) {
    const model by_value = fit(svc{.kernel = gaussian{0.5}, .scale = "standard", .C = 10}, iris());
    api::spec s{"svc", "rbf(gamma=0.5)", "standard", {{"C", "10"}}};
    model by_spec = api::fit(s, iris());
    EXPECT_EQ(by_value.bytes(), by_spec.bytes());
    EXPECT_EQ(by_value.label, "species");
    EXPECT_EQ(to_json(by_value.spec()), to_json(by_spec.spec()));
}

TEST(values, every_word_on_every_kind_of_method) {
    EXPECT_GT(score(fit(knn{.n_neighbors = 3}, iris()), iris()).number("accuracy"), 0.9);
    EXPECT_EQ(transform(fit(kernel_pca{.n_components = 2}, iris()), iris()).values.cols(), 2);
    EXPECT_EQ(predict(fit(kernel_kmeans{.n_clusters = 3}, iris()), iris()).size(), 150u);
    const model m = fit(kernel_ridge{.alphas = {0.1, 1}, .score = "loo"}, table{iris().x, iris().y, {}, {}});
    EXPECT_GT(score(m, table{iris().x, iris().y, {}, {}}).number("r2"), 0.8);
    EXPECT_EQ(decide(fit(kernel_logistic{}, iris()), iris()).values.cols(), 3);
}

TEST(values, are_checked_as_texts_are) {
    expect_error(errc::invalid_argument, "svc: option 'C' must satisfy 0 < C <= inf, got '-1'",
                 [] { fit(svc{.C = -1}, iris()); });
    expect_error(errc::invalid_argument, "svc: option 'multiclass' must be 'ovo' or 'ovr', got 'all'",
                 [] { fit(svc{.multiclass = "all"}, iris()); });
    expect_error(errc::invalid_argument, "kernel_ridge: option 'alpha' has no effect beside 'alphas'", [] {
        fit(kernel_ridge{.alpha = 2, .alphas = {1, 2}}, table{iris().x, iris().y, {}, {}});
    });
    expect_error(errc::unsupported, "does not transform", [] { transform(fit(svc{}, iris()), iris()); });
    expect_error(errc::invalid_argument, "the model has no number 'precision': its numbers are accuracy",
                 [] { score(fit(svc{}, iris()), iris()).number("precision"); });
}

TEST(values, columns_are_known_by_their_names) {
    const model m = fit(svc{}, iris());
    table turned = iris();
    std::ranges::reverse(turned.feature_names);
    matrix<double> x(150, 4);
    const dense<double> from = as_dense<double>(iris().x);
    for (index i = 0; i < 150; ++i)
        for (index a = 0; a < 4; ++a) x(i, a) = from.row(i)[3 - a];
    turned.x = dense<double>(std::move(x));
    EXPECT_EQ(predict(m, turned), predict(m, iris()));
    turned.feature_names[0] = "colour";
    expect_error(errc::data, "the column 'petal_width' of the data the model was fitted on is missing",
                 [&] { predict(m, turned); });
}

TEST(values, a_model_reads_files_as_it_was_fitted) {
    const model m = fit(svc{}, iris());
    const table again = read(testing_support::data_file("iris.csv"), like(m));
    EXPECT_EQ(again.y, iris().y);
    EXPECT_EQ(again.class_names, iris().class_names);
}

}  // namespace
}  // namespace mercer
