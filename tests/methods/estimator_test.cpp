// Methods as a front end calls them with data in memory: kernel matrices instead of objects, weights, control, and
// parts of a model.
#include "mercer/methods/estimator.h"

#include <gtest/gtest.h>

#include "contracts/errors.h"
#include "contracts/paths.h"
#include "mercer/gram/make_gram.h"
#include "mercer/io/read.h"
#include "mercer/mercer.h"
#include "mercer/methods/clustering/kernel_kmedoids.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer::api {
namespace {

using mercer::testing::expect_error;

const table& iris() {
    static const table data = read(testing_support::data_file("iris.csv"), {.label = "species"});
    return data;
}

const matrix<double>& kernel_values() {
    static const matrix<double> K = [] {
        const cpu_kernel_gram<double> values(kernel::parse("rbf(gamma=0.3)"), iris().x);
        matrix<double> out(values.rows(), values.cols());
        values.fill(out.view());
        return out;
    }();
    return K;
}

estimator_ptr run(const std::string& name, const examples& x, std::vector<double> weight = {},
                  const settings& given = {}, const fit_control& control = {}) {
    const method& m = find_method(name);
    const matrix_view<const double> y(iris().y.data(), x.size(), m.targets == target_kind::none ? 0 : 1);
    const auto k = x.is_matrix() ? nullptr : std::make_shared<const kernel>(kernel::parse("rbf(gamma=0.3)"));
    return fit(m, option_values(m.name, m.options, given), {x, y, k, std::move(weight)}, control);
}

// Methods that need only kernel values give the same results for a kernel matrix as for the objects.
TEST(fitted, learns_from_kernel_values) {
    const examples K(kernel_values().view());
    for (const char* name : {"svc", "nu_svc", "svr", "kernel_ridge", "kernel_logistic", "representer",
                             "nearest_centroid", "nearest_medoid", "kernel_fisher"}) {
        const estimator_ptr from_objects = run(name, iris().x), from_values = run(name, K);
        const std::vector<double> expected = from_objects->predict(iris().x), found = from_values->predict(K);
        ASSERT_EQ(found.size(), expected.size()) << name;
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-2) << name;
        EXPECT_EQ(from_values->kernel_text(), "") << name;
    }
    for (const char* name : {"kernel_kmeans", "kernel_kmedoids", "nystroem_kmeans", "nystroem_spectral"})
        EXPECT_EQ(run(name, K)->predict(K).size(), 150u) << name;
    EXPECT_EQ(run("kernel_pca", K, {}, {{"n_components", "2"}})->transform(K).values.cols(), 2);
    expect_error(errc::unsupported, "expected the objects themselves, got a matrix of kernel values",
                 [&] { run("linear_svc", K); });
}

TEST(fitted, has_parts_by_name) {
    const estimator_ptr m = run("svc", iris().x);
    const svm_model& inside = model_of<svm_model>(*m);
    EXPECT_EQ(std::get<std::vector<double>>(m->part("offset")), inside.offset);
    EXPECT_EQ(std::get<matrix<double>>(m->part("coef")).cols(), inside.coef.cols());
    EXPECT_EQ(std::get<dataset>(m->part("objects")).size(), inside.support.size());
    EXPECT_EQ(std::get<std::vector<summary>>(m->part("reports")).size(), 3u);
    EXPECT_EQ(m->part("colour").index(), 0u);
    expect_error(errc::invalid_argument, "a model of another method", [&] { model_of<kmedoids_model>(*m); });
    EXPECT_EQ(m->scores(iris().x).cols(), 3);
    expect_error(errc::unsupported, "without probabilities", [&] { m->probabilities(iris().x); });
    expect_error(errc::unsupported, "this method has no decision values",
                 [&] { run("knn", iris().x)->decide(iris().x); });
}

TEST(fitted, weight_zero_is_absence) {
    std::vector<double> weight(150, 1.0);
    std::fill_n(weight.begin() + 100, 50, 0.0);
    for (const char* name : {"svc", "kernel_logistic"})
        for (const double label : run(name, iris().x, weight)->predict(iris().x)) EXPECT_LT(label, 2) << name;
}

// Examples are sorted internally, so that clusters do not depend on their order; labels are returned in the order of
// the caller.
TEST(fitted, clusters_do_not_depend_on_the_order) {
    std::vector<index> back(150);
    for (index i = 0; i < 150; ++i) back[static_cast<std::size_t>(i)] = 149 - i;
    const dataset turned = gather(iris().x, std::span<const index>(back));
    fit_control control;
    control.canonical_order = true;
    for (const char* name : {"kernel_kmeans", "kernel_kmedoids", "nystroem_kmeans", "nystroem_spectral"}) {
        const estimator_ptr a = run(name, iris().x, {}, {{"n_clusters", "3"}}, control),
                            b = run(name, turned, {}, {{"n_clusters", "3"}}, control);
        std::vector<index> labels = b->training_clusters();
        std::ranges::reverse(labels);
        EXPECT_EQ(a->training_clusters(), labels) << name;
        EXPECT_EQ(a->summarise().number("objective"), b->summarise().number("objective")) << name;
    }
    // An object of weight 0 gets the nearest cluster.
    std::vector<double> weight(150, 1.0);
    weight[7] = 0;
    const estimator_ptr some = run("kernel_kmedoids", iris().x, weight, {{"n_clusters", "3"}}, control);
    EXPECT_EQ(static_cast<double>(some->training_clusters()[7]), some->predict(iris().x)[7]);
    const estimator_ptr all = run("kernel_kmedoids", iris().x, {}, {{"n_clusters", "3"}}, control);
    const auto rows = std::get<std::vector<std::int64_t>>(*all->summarise().find("medoid_rows"));
    for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(all->training_clusters()[static_cast<std::size_t>(rows[c])], static_cast<index>(c));
}

TEST(fitted, ends_as_its_control_says) {
    fit_control late, refused;
    late.seconds = 1e-9;
    int asked = 0;
    refused.progress = [&](const fit_progress& now) { return ++asked, now.seconds < 0; };
    for (const char* name :
         {"kernel_kmeans", "kernel_kmedoids", "nystroem_kmeans", "nystroem_spectral", "kernel_logistic", "svc"})
        EXPECT_EQ(std::get<std::string>(*run(name, iris().x, {}, {}, late)->summarise().find("status")), "time_limit")
            << name;
    for (const char* name :
         {"kernel_kmeans", "kernel_kmedoids", "nystroem_kmeans", "nystroem_spectral", "kernel_logistic"})
        EXPECT_EQ(std::get<std::string>(*run(name, iris().x, {}, {}, refused)->summarise().find("status")), "cancelled")
            << name;
    EXPECT_GE(asked, 3);
    expect_error(errc::cancelled, "the time limit was reached before there was a model",
                 [&] { run("kernel_ridge", iris().x, {}, {}, late); });
    expect_error(errc::cancelled, "stopped by the caller", [&] { run("kernel_ridge", iris().x, {}, {}, refused); });
    EXPECT_TRUE(has_few_examples(1000, {}));
    EXPECT_FALSE(has_few_examples(1001, {}));
    EXPECT_TRUE(has_few_examples(1001, std::vector<double>(1001, 0.0)));
}

TEST(fitted, machines_by_descent_are_near_the_optimum) {
    // P - D <= gap·P for each class, and the optimum lies between: D is at most gap/(1 - gap)·D below it.
    const double best =
        -run("svc", iris().x, {}, {{"multiclass", "ovr"}, {"tol", "1e-6"}})->summarise().number("objective");
    const summary stochastic = run("pegasos", iris().x, {}, {{"tol", "0.01"}})->summarise();
    const double found = -stochastic.number("objective"), gap = stochastic.number("gap");
    EXPECT_LE(found, best * (1 + 1e-6));
    EXPECT_GE(found + gap / (1 - gap) * found, best * (1 - 1e-6));
    for (const char* solver : {"interior_point", "kernel_pegasos"}) {
        const estimator_ptr other = run("svc", iris().x, {}, {{"solver", solver}});
        const std::vector<double> a = other->predict(iris().x), b = run("svc", iris().x)->predict(iris().x);
        index same = 0;
        for (std::size_t i = 0; i < 150; ++i) same += a[i] == b[i];
        EXPECT_GE(same, 147) << solver;
    }
    expect_error(errc::invalid_argument, "option 'projection' has no effect with rbf", [] {
        run("pegasos", iris().x, {}, {{"projection", "true"}});
    });
}

}  // namespace
}  // namespace mercer::api
