#include "mercer/export/kernel_formula.h"

#include <algorithm>

#include "contracts/errors.h"
#include "mercer/kernels/expression/algebra.h"

namespace mercer::api {
namespace {

using op = formula::op;

std::vector<op> ops(const std::string& kernel_text, index dims = 3) {
    std::vector<op> out;
    for (const auto& each : make_formula(kernel::parse(kernel_text).node(), dims).steps) out.push_back(each.what);
    return out;
}

TEST(formula, is_the_one_of_the_kernel) {
    EXPECT_EQ(ops("linear()"), (std::vector{op::dot}));
    EXPECT_EQ(ops("rbf(gamma=2)"), (std::vector{op::squared_distance, op::number, op::multiply, op::exp}));
    EXPECT_EQ(ops("sigmoid(gamma=2, coef0=1)"),
              (std::vector{op::dot, op::number, op::multiply, op::number, op::add, op::tanh}));
}

TEST(formula, has_one_step_for_what_two_parts_share) {
    const formula f = make_formula(kernel::parse("rbf(gamma=2) + rbf(gamma=3)*rational_quadratic()").node(), 3);
    EXPECT_EQ(std::ranges::count(f.steps, op::squared_distance, &formula::step::what), 1);
}

TEST(formula, has_no_step_that_nothing_uses) {
    EXPECT_EQ(ops("linear()^2"), (std::vector{op::dot, op::multiply}));
    EXPECT_EQ(ops("linear()^1"), (std::vector{op::dot}));
}

TEST(formula, normalises_exponentials_by_their_logarithms) {
    const formula f = make_formula(kernel::parse("normalize(exp(linear()))").node(), 3);
    EXPECT_EQ(f.steps.back().what, op::exp);
    EXPECT_EQ(std::ranges::count(f.steps, op::exp, &formula::step::what), 1);
}

TEST(formula, knows_whether_it_is_a_constant) {
    EXPECT_FALSE(make_formula(kernel::parse("constant(c=2)").node(), 3).depends_on_pair());
    EXPECT_TRUE(make_formula(kernel::parse("constant(c=2)*linear()").node(), 3).depends_on_pair());
}

TEST(formula, of_other_objects_is_refused_by_name) {
    testing::expect_error(errc::unsupported, "spectrum(k=3)", [] { ops("spectrum(k=3)"); });
    testing::expect_error(errc::unsupported, "jaccard()", [] { ops("0.5*jaccard()"); });
    const kernel own = from_function("mine", [](auto, auto) { return 1.0; });
    testing::expect_error(errc::unsupported, "user(mine)", [&] { make_formula(own.node(), 2); });
}

}  // namespace
}  // namespace mercer::api
