// Agreement with scikit-learn: tests/oracles/make_svm.py stored its results on the same data.
#include <fstream>
#include <nlohmann/json.hpp>

#include "contracts/paths.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

using nlohmann::json;

const json& oracle() {
    static const json all = [] {
        std::ifstream in(mercer::testing_support::tests_file("oracles/svm.json"));
        return json::parse(in);
    }();
    return all["cases"];
}

class scikit_learn : public ::testing::TestWithParam<int> {};

TEST_P(scikit_learn, finds_the_same) {
    const json& c = oracle().at(static_cast<std::size_t>(GetParam()));
    SCOPED_TRACE(c["data"].get<std::string>() + " " + c["task"].get<std::string>() + " " + c["kernel"].dump());
    sample s = load(c["data"]);
    const std::string recipe = c["recipe"];
    if (recipe == "standardise") s = standardised(s);
    if (recipe == "divide by 16")
        for (auto& x : s.x)
            for (double& v : x) v /= 16;
    s = every(s, c["step"]);

    const json& k = c["kernel"];
    formula f = linear_kernel();
    if (k["name"] == "rbf") f = rbf(k["gamma"]);
    if (k["name"] == "poly") f = poly(k["degree"], k["gamma"], k["coef0"]);

    svm_task task{};
    for (const auto each :
         {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr})
        if (c["task"] == name(each)) task = each;
    svm_options o = options_for(task, c["C"], 1e-5);
    o.nu = c["nu"];
    o.epsilon = c["epsilon"];
    for (const auto& [label, weight] : c["class_weight"].items())
        o.class_weight.emplace_back(std::stod(label), weight.get<double>());
    if (c["sample_weight"].get<bool>())
        for (index i = 0; i < s.size(); ++i) o.sample_weight.push_back(0.5 + 0.5 * static_cast<double>(i % 4));
    const svm_model model = fit(f, s, o);
    ASSERT_EQ(model.worst_status(), fit_status::converged);

    const matrix<double> K = gram_matrix(s.x, f);
    const auto problems = svm_contract::take_apart(model, {o, s.y, K.view()});
    const auto objectives = c["objectives"].get<std::vector<double>>();
    ASSERT_EQ(problems.size(), objectives.size());
    for (std::size_t p = 0; p < problems.size(); ++p) {
        // For ν-SVC both libraries store the coefficients after the division by the margin.
        const double found =
            task == svm_task::nu_svc ? 0.5 * problems[p].quadratic() : svm_contract::recomputed_objective(problems[p]);
        EXPECT_NEAR(found, objectives[p], 1e-5 * std::abs(objectives[p])) << "problem " << p;
    }

    std::vector<point> points;
    for (const std::size_t row : c["rows"].get<std::vector<std::size_t>>()) {
        points.push_back(s.x[row]);
        for (double& v : points.back()) v *= 0.9;
    }
    const matrix<double> decisions = decide(model, dense_data(points));
    const auto expected = c["decisions"].get<std::vector<std::vector<double>>>();
    double scale = 0;
    for (const auto& row : expected)
        for (const double v : row) scale = std::max(scale, std::abs(v));
    for (std::size_t i = 0; i < expected.size(); ++i)
        for (std::size_t p = 0; p < expected[i].size(); ++p)
            EXPECT_NEAR(decisions(static_cast<index>(i), static_cast<index>(p)), expected[i][p], 1e-3 * scale)
                << "point " << i << ", problem " << p;
    const double support = c["support"];
    EXPECT_NEAR(static_cast<double>(model.support_rows.size()), support, std::max(2.0, 0.02 * support));
}

INSTANTIATE_TEST_SUITE_P(data_sets, scikit_learn, ::testing::Range(0, static_cast<int>(oracle().size())));

}  // namespace
}  // namespace mercer::svm_testing
