#include "mercer/meta/learn_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "mercer/base/error.h"
#include "mercer/model/fit.h"
#include "methods/model_support.h"

namespace mercer::api {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(learn, the_kernel_is_an_expression_that_any_method_takes) {
    const table wine = sample("wine.svm"), housing = sample("housing.svm");
    for (const char* by : {"mkl", "alignment", "relevance"}) {
        learn_options o;
        o.by = by;
        const learning found = learn({"svc", "", "standard", {}}, wine, o);
        EXPECT_TRUE(found.complete) << by;
        EXPECT_EQ(found.names.size(), found.weights.size());
        EXPECT_TRUE(kernel::parse(found.what.kernel).proof().valid);
        EXPECT_GT(fit(found.what, wine).score(wine).number("accuracy"), 0.97) << by;
        EXPECT_THAT(to_json(found), HasSubstr("\"status\":"));
    }
    learn_options o;
    o.by = "relevance";
    const learning ridge = learn({"kernel_ridge", "", "standard", {}}, housing, o);
    EXPECT_THAT(ridge.what.kernel, StartsWith("anisotropic(covariance=["));
    EXPECT_EQ(ridge.weight_name, "gamma");
    EXPECT_EQ(ridge.weights.size(), 13u);
    EXPECT_EQ(ridge.what.options.back().first, "alpha");
    EXPECT_LT(ridge.about.number("criterion_at_end"), ridge.about.number("criterion_at_start"));
}

TEST(learn, one_class_and_strings) {
    table wine = sample("wine.svm");
    wine.y.clear();
    const learning one = learn({"one_class", "", "standard", {{"nu", "0.2"}}}, wine);
    EXPECT_EQ(one.about.find("status") != nullptr, true);
    EXPECT_TRUE(one.complete);
    EXPECT_NEAR(std::accumulate(one.weights.begin(), one.weights.end(), 0.0), 1, 1e-9);
}

TEST(learn, says_what_to_take_instead) {
    const table wine = sample("wine.svm");
    const auto told = [&](const spec& s, const char* by) {
        learn_options o;
        o.by = by;
        return failure([&] { learn(s, wine, o); });
    };
    EXPECT_THAT(told({"kernel_ridge", "", "", {}}, "mkl"), HasSubstr("--by alignment"));
    EXPECT_THAT(told({"one_class", "", "", {}}, "alignment"), HasSubstr("by=mkl"));
    EXPECT_THAT(told({"linear_svc", "", "", {}}, "mkl"), HasSubstr("takes no kernel"));
    EXPECT_THAT(told({"svc", "", "", {}}, "magic"), HasSubstr("'mkl', 'alignment' or 'relevance'"));
    EXPECT_THAT(told({"svc", "rbf(gamma=?)", "", {}}, "mkl"), HasSubstr("gamma=?"));
    EXPECT_THAT(told({"svc", "cosine()", "", {}}, "relevance"), HasSubstr("no derivatives"));
}

}  // namespace
}  // namespace mercer::api
