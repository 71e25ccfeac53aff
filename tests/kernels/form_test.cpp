// The structure of expressions, from which a front end can build its own tree.
#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/expression/registered_functions.h"

namespace mercer {
namespace {

// Rebuilds the expression from its forms.
kernel rebuilt(const kernel_node& node) {
    const kernel_form form = node.form();
    std::vector<kernel> part;
    for (const auto& each : form.parts) part.push_back(rebuilt(*each));
    const auto number = [&] { return std::get<double>(form.arguments.at(0).second); };
    const auto list = [&] { return std::get<std::vector<double>>(form.arguments.at(0).second); };
    if (form.operation == "sum") return part.at(0) + part.at(1);
    if (form.operation == "product") return part.at(0) * part.at(1);
    if (form.operation == "scale") return number() * part.at(0);
    if (form.operation == "power") return pow(part.at(0), number());
    if (form.operation == "exp") return exp(part.at(0));
    if (form.operation == "normalize") return normalise(part.at(0));
    if (form.operation == "polynomial_of") return polynomial_of(part.at(0), list());
    if (form.operation == "columns") {
        const std::vector<double> columns_of = list();
        return columns(part.at(0), std::vector<index>(columns_of.begin(), columns_of.end()));
    }
    const registered_kernel* leaf = find_kernel(form.operation);
    if (!leaf) return kernel::parse(form.operation);
    arguments given(form.operation);
    for (const auto& [key, value] : form.arguments) given.set(key, value);
    return leaf->make(given);
}

TEST(kernel_form, has_all_that_the_text_has) {
    for (const char* text :
         {"linear()", "rbf(gamma=0.25)", "0.5*rbf(gamma=0.1) + normalize(poly(degree=3, gamma=1, coef0=1))",
          "(linear() + constant(c=1))^2*exp(cosine())", "polynomial_of(linear(), [1, 0, 2])",
          "columns(rbf(gamma=1), [0, 2])", "bilinear(A=[[2, 1], [1, 2]])", "anisotropic(covariance=[[1, 0], [0, 2]])",
          "matern(nu=1.5, length_scale=2)", "spectrum(k=3) + normalize(spectrum(k=2))", "-1*linear() + rbf(gamma=2)",
          "jaccard()*set_power()"}) {
        const kernel k = kernel::parse(text);
        EXPECT_EQ(rebuilt(k.node()).text(), k.text());
    }
}

TEST(kernel_form, of_every_registered_kernel_names_it) {
    for (const auto& each : kernel_registry()) {
        arguments given(each.info.name);
        for (const auto& parameter : each.info.parameters)
            if (parameter.initial.empty()) given.set(parameter.name, std::vector<std::vector<double>>{{2, 1}, {1, 2}});
        const kernel k = each.make(given);
        const kernel_form form = k.node().form();
        EXPECT_EQ(form.operation, each.info.name);
        EXPECT_EQ(form.arguments.size(), each.info.parameters.size());
        EXPECT_TRUE(form.parts.empty());
        EXPECT_EQ(rebuilt(k.node()).text(), k.text());
    }
}

TEST(kernel_form, names_the_functions_of_users) {
    register_kernel(
        "mine", from_block_function(
                    "mine", [](const dataset&, const row_set&, const dataset&, const row_set&, matrix_view<double>) {},
                    object_kind::vectors));
    const kernel_form form = kernel::parse("user(mine)").node().form();
    EXPECT_EQ(form.operation, "user");
    EXPECT_EQ(form.function_name, "mine");
    const kernel_form outer = kernel::parse("conjugate(norm, linear())").node().form();
    EXPECT_EQ(outer.operation, "conjugate");
    EXPECT_EQ(outer.function_name, "norm");
    EXPECT_EQ(outer.parts.size(), 1u);
}

// The text of a kernel in a file must parse to the same kernel.
TEST(kernel_form, lasting_text_refuses_two_functions_of_one_name) {
    const auto times = [](const char* name, double c) {
        return from_function(name, [c](auto x, auto z) { return c * x[0] * z[0]; });
    };
    const kernel a = times("f", 1), b = times("f", 2), other = times("g", 3);
    EXPECT_EQ(file_text(a * other + a), "user(f)*user(g) + user(f)");
    try {
        file_text(a + exp(normalise(b)));
        FAIL() << "two functions under one name";
    } catch (const error& e) {
        EXPECT_EQ(e.code(), errc::unsupported);
        EXPECT_NE(std::string(e.what()).find("two functions named 'f'"), std::string::npos) << e.what();
    }
}

TEST(kernel_form, local_kernels_come_before_registered_ones) {
    const auto times = [](double c) { return from_function("f", [c](auto x, auto z) { return c * x[0] * z[0]; }); };
    const double unit = 1;
    const dataset one = dense<double>(matrix_view<const double>(&unit, 1, 1));
    register_kernel("f", times(1));
    const auto value = [&] { return pair_value(kernel::parse("user(f)"), one, one); };
    {
        const scoped_kernels outer({{"f", times(2)}});
        EXPECT_EQ(value(), 2);
        {
            const scoped_kernels inner({{"f", times(3)}});
            EXPECT_EQ(value(), 3);
        }
        EXPECT_EQ(value(), 2);
    }
    EXPECT_EQ(value(), 1);
}

}  // namespace
}  // namespace mercer
