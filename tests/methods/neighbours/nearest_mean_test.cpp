#include "mercer/data/all_kinds.h"
#include "mercer/gram/make_gram.h"
#include "mercer/kernel_analysis/geometry.h"
#include "mercer/methods/neighbours/nearest_class.h"
#include "methods/clustering/cluster_support.h"

namespace mercer {
namespace {

using namespace cluster_testing;
using ::testing::ElementsAre;

TEST(nearest_centroid, scikit_learn) {
    const json& c = oracle()["nearest_centroid"];
    const sample s = load(c["data"]);
    EXPECT_EQ(predict(fit_nearest_centroid(linear{}, s.x, s.y), s.fresh), c["labels"].get<std::vector<double>>());
}

TEST(nearest_centroid, distances_are_those_to_the_means) {
    const sample s = load("iris.svm");
    const kernel k = gaussian{0.4};
    const nearest_centroid_model m = fit_nearest_centroid(k, s.x, s.y);
    const matrix<double> d = squared_distances(m, s.fresh);
    for (index c = 0; c < 3; ++c) {
        std::vector<index> members;
        for (std::size_t i = 0; i < s.y.size(); ++i)
            if (s.y[i] == m.classes[static_cast<std::size_t>(c)]) members.push_back(static_cast<index>(i));
        const auto expected = squared_distances_to_mean(k, s.fresh, gather(s.x, std::span<const index>(members)));
        for (index i = 0; i < d.rows(); ++i) EXPECT_NEAR(d(i, c), expected[static_cast<std::size_t>(i)], 1e-13);
    }
    const nearest_centroid_model by_matrix = fit_nearest_centroid(cpu_kernel_gram<double>(k, s.x), s.y);
    const cpu_kernel_gram<double> fresh(k, s.fresh, s.x);
    EXPECT_EQ(predict(by_matrix, fresh), predict(m, s.fresh));
    expect_near(squared_distances(by_matrix, fresh, kernel_diagonal(k, s.fresh)), d, 1e-14);
    const nearest_centroid_model back = round_trip(m);
    expect_near(squared_distances(back, s.fresh), d, 0);
    round_trip(by_matrix);
}

TEST(nearest_centroid, many_classes_have_one_weight_an_example) {
    const index classes = nearest_centroid_model::max_dense_classes + 6, n = 3 * classes;
    const dataset x = random_vectors(n, 4, 5), fresh = random_vectors(50, 4, 6);
    std::vector<double> y;
    for (index i = 0; i < n; ++i) y.push_back(static_cast<double>(i * 3 % classes));
    nearest_centroid_options o;
    for (index i = 0; i < n; ++i) o.sample_weight.push_back(static_cast<double>(1 + i % 3));
    const kernel k = gaussian{0.4};
    const nearest_centroid_model m = fit_nearest_centroid(k, x, y, o);
    EXPECT_FALSE(m.is_dense());
    EXPECT_EQ(m.means.functions(), 0);

    // The same means with a coefficient for each example and class, the form of version 1 of the file.
    nearest_centroid_model whole = m;
    whole.means = m.dense_means();
    whole.weight.clear(), whole.place.clear();
    matrix<double> K(n, n);
    cpu_kernel_gram<double>(k, x).fill(K.view());
    for (index c = 0; c < classes; ++c) {
        double norm = 0;
        for (index i = 0; i < n; ++i)
            for (index j = 0; j < n; ++j) norm += whole.means.coef(i, c) * whole.means.coef(j, c) * K(i, j);
        EXPECT_NEAR(m.norms[static_cast<std::size_t>(c)], norm, 1e-12);
    }
    const nearest_centroid_model old = round_trip(whole);
    EXPECT_TRUE(old.is_dense());
    expect_near(squared_distances(m, fresh), squared_distances(old, fresh), 1e-13);
    EXPECT_EQ(predict(m, fresh), predict(old, fresh));

    const nearest_centroid_model back = round_trip(m);
    EXPECT_EQ(back.weight, m.weight);
    EXPECT_EQ(back.place, m.place);
    EXPECT_EQ(predict(back, fresh), predict(m, fresh));
    EXPECT_LT(2 * model_bytes(m).size(), model_bytes(whole).size());

    const nearest_centroid_model by_matrix = fit_nearest_centroid(cpu_kernel_gram<double>(k, x), y, o);
    const cpu_kernel_gram<double> values(k, fresh, x);
    EXPECT_EQ(predict(by_matrix, values), predict(m, fresh));
}

TEST(nearest_centroid, a_weight_is_a_number_of_copies) {
    const sample s = load("iris.svm");
    nearest_centroid_options o;
    for (index i = 0; i < 150; ++i) o.sample_weight.push_back(static_cast<double>(i % 3));
    const auto copies = repeated(o.sample_weight);
    std::vector<double> y;
    for (const index i : copies) y.push_back(s.y[static_cast<std::size_t>(i)]);
    const auto weighted = fit_nearest_centroid(gaussian{0.4}, s.x, s.y, o),
               repeats = fit_nearest_centroid(gaussian{0.4}, gather(s.x, std::span<const index>(copies)), y);
    expect_near(squared_distances(weighted, s.fresh), squared_distances(repeats, s.fresh), 1e-13);
}

TEST(nearest_centroid, other_objects_and_errors) {
    const std::vector<double> y{1, 1, 1, 2, 2, 2, 1};
    EXPECT_THAT(predict(fit_nearest_centroid(spectrum{2}, few_strings(), y), strings({"abcabcab", "zzzzz"})),
                ElementsAre(1, 2));
    EXPECT_THAT(predict(fit_nearest_centroid(set_intersection{}, few_sets(), y), sets({{1, 2, 3}, {10, 11}})),
                ElementsAre(1, 2));
    EXPECT_THROW(fit_nearest_centroid(linear{}, with_nan(), std::vector<double>{1, 2, 3}), error);
    expect_error(errc::data, "no examples", [] { fit_nearest_centroid(linear{}, random_vectors(0, 2, 1), {}); });
    nearest_centroid_options o;
    o.sample_weight = {1, 1, 0};
    expect_error(errc::data, ": all examples of class 5 have weight 0", [&] {
        fit_nearest_centroid(linear{}, random_vectors(3, 2, 1), std::vector<double>{4, 4, 5}, o);
    });
    EXPECT_THAT(predict(fit_nearest_centroid(linear{}, random_vectors(1, 2, 1), std::vector<double>{3}),
                        random_vectors(2, 2, 2)),
                ElementsAre(3, 3));
}

TEST(nearest_medoid, medoids_are_those_of_the_classes) {
    const sample s = load("wine.svm");
    const kernel k = gaussian{1e-4};
    const nearest_medoid_model m = fit_nearest_medoid(k, s.x, s.y);
    const cpu_kernel_gram<double> K(k, s.x);
    for (std::size_t c = 0; c < m.classes.size(); ++c) {
        std::vector<index> members;
        for (std::size_t i = 0; i < s.y.size(); ++i)
            if (s.y[i] == m.classes[c]) members.push_back(static_cast<index>(i));
        const medoid_result expected = medoid(K, members);
        EXPECT_EQ(m.rows[c], expected.member);
        EXPECT_NEAR(m.sums[c], expected.sum, 1e-11);
    }
    // From the definition: the nearest of three points.
    const matrix<double> d = squared_distances(k, s.fresh, m.medoids);
    const auto labels = predict(m, s.fresh);
    for (index i = 0; i < d.rows(); ++i)
        EXPECT_EQ(labels[static_cast<std::size_t>(i)],
                  m.classes[static_cast<std::size_t>(std::min_element(d.row(i), d.row(i) + 3) - d.row(i))]);
    const nearest_medoid_model by_matrix = fit_nearest_medoid(K, s.y);
    EXPECT_EQ(predict(by_matrix, cpu_kernel_gram<double>(k, s.fresh, s.x)), labels);
    EXPECT_EQ(predict(by_matrix, cpu_kernel_gram<double>(k, s.fresh, m.medoids)), labels);
    EXPECT_EQ(predict(round_trip(m), s.fresh), labels);
    round_trip(by_matrix);
    expect_error(errc::invalid_argument, "got 5 columns",
                 [&] { predict(by_matrix, cpu_kernel_gram<double>(k, s.fresh, gather(s.x, row_set(0, 5)))); });
}

TEST(nearest_medoid, other_objects_and_errors) {
    const std::vector<double> y{1, 1, 1, 2, 2, 2, 1};
    EXPECT_THAT(predict(fit_nearest_medoid(spectrum{2}, few_strings(), y), strings({"abcabcab", "zzzzz"})),
                ElementsAre(1, 2));
    EXPECT_THAT(predict(fit_nearest_medoid(set_intersection{}, few_sets(), y), sets({{1, 2, 3}, {10, 11}})),
                ElementsAre(1, 2));
    EXPECT_THROW(fit_nearest_medoid(linear{}, with_nan(), std::vector<double>{1, 2, 3}), error);
    nearest_medoid_options o;
    o.sample_weight = {1, 1, 5};  // the weight of the third example makes it the medoid
    matrix<double> x(3, 1);
    x(1, 0) = 1, x(2, 0) = 10;
    EXPECT_THAT(fit_nearest_medoid(linear{}, dense<double>(x), std::vector<double>{1, 1, 1}, o).rows, ElementsAre(2));
    EXPECT_THAT(fit_nearest_medoid(linear{}, dense<double>(x), std::vector<double>{1, 1, 1}).rows, ElementsAre(1));
}

}  // namespace
}  // namespace mercer
