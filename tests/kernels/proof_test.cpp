// Proofs of validity: which rule, which side condition, and which node breaks one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/vectors/constant.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

kernel read(const std::string& text) { return kernel::parse(text); }

std::vector<std::string> faults_of(const kernel& k) {
    std::vector<std::string> claims;
    const proof made = k.proof();
    for (const proof* each : made.faults()) claims.push_back(each->claim);
    return claims;
}

TEST(proof, each_rule_is_named_with_its_side_condition) {
    const std::vector<std::tuple<const char*, const char*, const char*>> rules{
        {"2.5*linear()", "scale", "c = 2.5"},
        {"0*linear()", "scale", "c = 0"},
        {"linear() + rbf()", "sum", ""},
        {"linear()*rbf()", "product", "Schur"},
        {"linear()^4", "power", "m = 4"},
        {"linear()^0", "power", "m = 0"},
        {"polynomial_of(linear(), [0, 1, 2])", "polynomial with non-negative coefficients", "all coefficients >= 0"},
        {"exp(linear())", "exp", "limit"},
        {"normalize(linear())", "normalised", "1/√k(x,x)"},
        {"conjugate(norm, linear())", "conjugation", "h = norm"},
        {"columns(linear(), [0])", "pull-back", "features"},
        {"rbf(0.5)", "Gaussian", "gamma > 0"},
        {"poly(degree=2)", "polynomial", "integer, degree >= 1; gamma > 0; coef0 >= 0"},
        {"bilinear([[1]])", "bilinear", "A is symmetric positive semidefinite"},
    };
    for (const auto& [text, rule, condition] : rules) {
        const proof made = read(text).proof();
        EXPECT_TRUE(made.valid) << text;
        EXPECT_THAT(made.faults(), IsEmpty());
        EXPECT_EQ(made.claim, read(text).text());
        EXPECT_THAT(made.rule, HasSubstr(rule)) << text;
        // Printed in the first line: the node's own.
        const std::string printed = made.text();
        EXPECT_THAT(printed.substr(0, printed.find('\n')),
                    AllOf(HasSubstr("✓ " + made.claim), HasSubstr(rule), HasSubstr(condition)));
    }
}

TEST(proof, of_every_registered_kernel_is_the_registrys) {
    for (const auto& each : kernel_registry()) {
        arguments given(each.info.name);
        if (each.info.name == "anisotropic") given.set("covariance", std::vector<double>{1});
        if (each.info.name == "bilinear") given.set("A", 1.0);
        const proof made = each.make(given).proof();
        EXPECT_EQ(made.valid, each.info.mercer) << each.info.name;
        const std::set<std::string> marked{"sigmoid", "local_alignment_log", "levenshtein", "time_warp"};
        EXPECT_EQ(made.valid, !marked.contains(each.info.name)) << each.info.name;
        EXPECT_EQ(made.rule, each.info.rule);
        for (const auto& parameter : each.info.parameters) {
            if (!made.valid || parameter.condition.empty()) continue;
            EXPECT_THAT(made.text(), HasSubstr(parameter.condition)) << each.info.name;
        }
    }
}

TEST(proof, fails_exactly_where_no_rule_applies) {
    const kernel user = from_function("mine", [](auto x, auto z) { return x[0] - z[0]; });
    const std::vector<std::tuple<kernel, std::vector<std::string>, const char*>> broken{
        {read("rbf() - linear()"), {"-1*linear()"}, "the factor c = -1 is negative"},
        {read("-0.5*rbf()"), {"-0.5*rbf(gamma=1)"}, "the factor c = -0.5 is negative"},
        {read("linear() - 2"), {"-1*constant(c=2)"}, "c = -1"},
        {read("polynomial_of(linear(), [1, 0, -3])"),
         {"polynomial_of(linear(), [1, 0, -3])"},
         "coefficient c2 = -3 is negative"},
        {read("linear()^0.5"), {"linear()^0.5"}, "m = 0.5"},
        {read("linear()^-1"), {"linear()^-1"}, "m = -1"},
        {read("sigmoid()"), {"sigmoid(gamma=1, coef0=0)"}, "tanh"},
        {user, {"user(mine)"}, "user's function"},
        {read("rbf() + exp(linear()*sigmoid())"), {"sigmoid(gamma=1, coef0=0)"}, "no rule"},
        {normalise(exp(user) + read("linear()^1.5")), {"user(mine)", "linear()^1.5"}, "no rule"},
        {read("(-1*rbf())*(-1*rbf())"), {"-1*rbf(gamma=1)", "-1*rbf(gamma=1)"}, "negative"},
        {read("(-1*sigmoid())^0.5"),
         {"(-1*sigmoid(gamma=1, coef0=0))^0.5", "-1*sigmoid(gamma=1, coef0=0)", "sigmoid(gamma=1, coef0=0)"},
         "no rule"},
    };
    for (const auto& [k, faults, reason] : broken) {
        EXPECT_FALSE(k.proof().valid) << k.text();
        EXPECT_EQ(faults_of(k), faults) << k.proof().text();
        EXPECT_THAT(k.proof().text(), AllOf(HasSubstr("✗ " + k.text()), HasSubstr(reason)));
    }
}

TEST(proof, prints_a_tree_that_keeps_the_valid_parts) {
    const std::string printed = read("2*rbf() + linear()*sigmoid()").proof().text();
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < printed.size();) {
        const std::size_t end = printed.find('\n', at);
        const std::string line = printed.substr(at, end - at);
        lines.push_back(line.substr(0, line.find("   — ")));
        at = end + 1;
    }
    EXPECT_THAT(lines, ElementsAre("✗ 2*rbf(gamma=1) + linear()*sigmoid(gamma=1, coef0=0)", "├─ ✓ 2*rbf(gamma=1)",
                                   "│  └─ ✓ rbf(gamma=1)", "└─ ✗ linear()*sigmoid(gamma=1, coef0=0)",
                                   "   ├─ ✓ linear()", "   └─ ✗ sigmoid(gamma=1, coef0=0)"));
}

TEST(traits, follow_from_the_form) {
    struct expectation {
        const char* text;
        bool stationary, radial, normalised;
    };
    const std::vector<expectation> all{
        {"rbf()", true, true, true},
        {"matern()", true, true, true},
        {"rational_quadratic()", true, true, true},
        {"laplacian()", true, false, true},
        {"periodic()", true, false, true},
        {"anisotropic([1, 2])", true, false, true},
        {"chi2()", false, false, true},
        {"jaccard()", false, false, true},
        {"linear()", false, false, false},
        {"cosine()", false, false, false},
        {"constant(2)", true, true, false},
        {"2*rbf()", true, true, false},
        {"1*rbf()", true, true, true},
        {"rbf() + laplacian()", true, false, false},
        {"rbf()*laplacian()", true, false, true},
        {"rbf()*linear()", false, false, false},
        {"rbf()^3", true, true, true},
        {"exp(rbf())", true, true, false},
        {"polynomial_of(rbf(), [0, 1])", true, true, false},
        {"normalize(exp(linear()))", false, false, true},
        {"normalize(2*set_power())", false, false, true},
        {"normalize(linear())", false, false, false},  // a zero vector has k(x, x) = 0 and keeps it
        {"normalize(rbf())", true, true, true},
        {"columns(rbf(), [0])", false, false, true},
        {"conjugate(norm, rbf())", false, false, false},
    };
    for (const auto& each : all) {
        const traits t = read(each.text).properties();
        EXPECT_EQ(t.stationary, each.stationary) << each.text;
        EXPECT_EQ(t.radial, each.radial) << each.text;
        EXPECT_EQ(t.normalised, each.normalised) << each.text;
    }
}

}  // namespace
}  // namespace mercer
