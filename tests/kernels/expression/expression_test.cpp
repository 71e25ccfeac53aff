// The text form of kernels: parsing, printing, and error messages.
#include <gtest/gtest.h>

#include <vector>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "contracts/property.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/expression/registered_functions.h"
#include "mercer/kernels/vectors/constant.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/linear.h"
#include "mercer/kernels/vectors/polynomial.h"

namespace mercer::testing {
namespace {

std::string read_back(const std::string& text) { return kernel::parse(text).text(); }

TEST(expression, writes_what_it_reads) {
    const std::vector<std::pair<const char*, const char*>> all{
        {"rbf", "rbf(gamma=1)"},
        {"gaussian(0.5)", "rbf(gamma=0.5)"},
        {" rbf ( gamma = 1e-3 ) ", "rbf(gamma=0.001)"},
        {"rbf(sigma=0.5)", "rbf(gamma=2)"},
        {"poly(2, coef0=1)", "poly(degree=2, gamma=1, coef0=1)"},
        {"poly(coef0=.5, degree=2)", "poly(degree=2, gamma=1, coef0=0.5)"},
        {"rbf+linear", "rbf(gamma=1) + linear()"},
        {"rbf-linear", "rbf(gamma=1) + -1*linear()"},
        {"-rbf", "-1*rbf(gamma=1)"},
        {"--rbf", "rbf(gamma=1)"},
        {"2*rbf*3", "6*rbf(gamma=1)"},
        {"rbf/4", "0.25*rbf(gamma=1)"},
        {"linear*2*rbf/8", "0.25*linear()*rbf(gamma=1)"},
        {"2*(3*rbf)", "2*(3*rbf(gamma=1))"},
        {"2*(3*rbf)*linear", "2*(3*rbf(gamma=1)*linear())"},
        {"(2*rbf)*(3*linear)", "2*rbf(gamma=1)*(3*linear())"},
        {"1 + 2 + rbf", "constant(c=3) + rbf(gamma=1)"},
        {"rbf + 1 + 2", "rbf(gamma=1) + constant(c=1) + constant(c=2)"},
        {"rbf - 1", "rbf(gamma=1) + -1*constant(c=1)"},
        {"3", "constant(c=3)"},
        {"2^3*rbf", "8*rbf(gamma=1)"},
        {"rbf + (linear + rbf)", "rbf(gamma=1) + (linear() + rbf(gamma=1))"},
        {"rbf*(linear*rbf)", "rbf(gamma=1)*(linear()*rbf(gamma=1))"},
        {"(rbf + linear)*rbf", "(rbf(gamma=1) + linear())*rbf(gamma=1)"},
        {"((((rbf))))", "rbf(gamma=1)"},
        {"linear^2", "linear()^2"},
        {"(linear^2)^3", "(linear()^2)^3"},
        {"(2*linear)^0.5", "(2*linear())^0.5"},
        {"linear^-1", "linear()^-1"},
        {"-linear^2", "-1*linear()^2"},
        {"exp(linear)", "exp(linear())"},
        {"normalise(linear + 1)", "normalize(linear() + constant(c=1))"},
        {"polynomial_of(linear, [1, -2, 3e5])", "polynomial_of(linear(), [1, -2, 300000])"},
        {"columns(rbf, [0,2])", "columns(rbf(gamma=1), [0, 2])"},
        {"columns(rbf, [])", "columns(rbf(gamma=1), [])"},
        {"conjugate(norm, rbf)", "conjugate(norm, rbf(gamma=1))"},
        {"anisotropic([1, 2])", "anisotropic(covariance=[1, 2])"},
        {"anisotropic(4)", "anisotropic(covariance=[4])"},
        {"bilinear([[1, 0], [0, 2]])", "bilinear(A=[[1, 0], [0, 2]])"},
        {"rbf\n\t+\r\nlinear", "rbf(gamma=1) + linear()"},
        {"1e300*rbf", "1e+300*rbf(gamma=1)"},
        {"0.1*rbf(0.30000000000000004)", "0.1*rbf(gamma=0.30000000000000004)"},
        {"min()", "intersection()"},
        {"common_subsets", "set_power()"},
    };
    for (const auto& [given, want] : all) {
        EXPECT_EQ(read_back(given), want) << given;
        EXPECT_EQ(read_back(want), want) << "reading back";
    }
}

struct wrong_text {
    std::string text;
    std::size_t character;  // 1-based
    const char* words;
};

TEST(expression, points_at_the_character_that_is_wrong) {
    const std::vector<wrong_text> all{
        {"", 1, "a kernel is expected here"},
        {"   ", 4, "a kernel is expected here"},
        {"rbf(", 5, "a number is expected"},
        {"rbf(gamma=", 11, "a number is expected"},
        {"rbf(gamma=1", 12, "',' is expected"},
        {"rbf(gamma 1)", 11, "'=' is expected"},
        {"rbf(gama=1)", 5, "rbf has no parameter 'gama'; its parameters are gamma"},
        {"linear(gamma=1)", 8, "linear has no parameter 'gamma'; it has no parameters"},
        {"linear(1)", 8, "linear takes 0 arguments"},
        {"rbf(1, 2)", 8, "rbf takes 1 argument"},
        {"rbf(1, gamma=2)", 8, "parameter 'gamma' is given twice"},
        {"rbf(gamma=-1)", 1, "must satisfy gamma > 0, got -1"},
        {"linear() + rbf(gamma=-1)", 12, "must satisfy gamma > 0, got -1"},
        {"rbf()) ", 6, "')' is not expected here"},
        {"rbf() linear()", 7, "'l' is not expected here"},
        {"rbf() +", 8, "a kernel or a number is expected here, but the expression ends"},
        {"rbf() + * linear()", 9, "a kernel or a number is expected here, got '*'"},
        {"2 ** rbf()", 4, "got '*'"},
        {"(rbf()", 7, "')' is expected"},
        {"rfb()", 1, "there is no kernel 'rfb'; did you mean rbf?"},
        {"gausian()", 1, "there is no kernel 'gausian'; did you mean gaussian?"},
        {"linear() + laplacain(1)", 12, "did you mean laplacian?"},
        {"polynom()", 1, "did you mean polynomial?"},
        {"normalze(rbf())", 1, "did you mean normalize?"},
        {"qqqq()", 1, "there is no kernel 'qqqq'\n"},
        {"rbf()^linear()", 7, "the exponent must be a number"},
        {"rbf()^", 7, "a kernel or a number is expected here, but the expression ends"},
        {"rbf()^2^3", 8, "'^' is not expected here"},
        {"rbf()/linear()", 6, "a kernel can be divided by a number only"},
        {"2/rbf()", 2, "a kernel can be divided by a number only"},
        {"rbf()/0", 6, "division by zero"},
        {"1e400*rbf()", 1, "exceeds the range of double"},
        {"rbf(1e999)", 5, "exceeds the range of double"},
        {"rbf(gamma=1e-999)", 11, "exceeds the range of double"},
        {"10^400*rbf()", 1, "must be finite, got inf"},
        {"rbf()/1e-320", 1, "must be finite, got inf"},
        {"(0-1)^0.5*rbf()", 1, "must be finite"},
        {"-1", 1, "must satisfy c >= 0, got -1"},
        {"rbf(inf)", 5, "has no parameter 'inf'"},
        {"rbf(gamma=nan)", 11, "a number is expected"},
        {"polynomial_of(rbf(), 3)", 22, "a list of numbers"},
        {"polynomial_of(rbf(), [[1]])", 22, "a list of numbers"},
        {"polynomial_of(rbf())", 20, "',' is expected"},
        {"polynomial_of(rbf(), [1, x])", 26, "a number is expected"},
        {"polynomial_of(rbf(), [1 2])", 25, "',' is expected"},
        {"columns(rbf(), [0.5])", 16, "columns must be whole numbers >= 0"},
        {"columns(rbf(), [-1])", 16, "columns must be whole numbers >= 0"},
        {"columns(rbf(), [1e18])", 16, "columns must be whole numbers >= 0"},
        {"bilinear([[1], 2])", 16, "a list [a, b, …] is expected here"},
        {"bilinear([1, [2]])", 14, "a list of numbers, or of lists"},
        {"bilinear([[[1]]])", 11, "a list of numbers, or of lists"},
        {"user(nobody)", 6, "no kernel is registered under the name 'nobody'"},
        {"map(nowhere)", 5, "no map is registered under the name 'nowhere'"},
        {"pullback(nowhere, rbf())", 10, "no map is registered"},
        {"conjugate(nothing, rbf())", 11, "no function is registered under the name 'nothing'"},
        {"conjugate(norm)", 15, "',' is expected"},
        {"exp rbf()", 5, "'(' is expected"},
        {"exp()", 5, "a kernel or a number is expected here, got ')'"},
        {"rbf() + spectrum()", 1, "rbf(gamma=1) is a kernel on vectors, but spectrum(k=3) is a kernel on strings"},
        {"jaccard()*linear()", 1, "kernels on different kinds of objects cannot be combined"},
        {"columns(spectrum(), [0])", 1, "expected a kernel on vectors, got spectrum(k=3) on strings"},
        {"rbf(γ=1)", 5, "a number is expected"},
        {"rbf() + é", 9, "got 'é'"},
        {"é + rbf()", 1, "got 'é'"},
        {"rbf()\n+ €", 9, "got '€'"},
        {"rbf(gamma=1) × linear()", 14, "'×' is not expected here"},
        {"linear() + \"γ\"*qqqq", 12, "got '\"'"},
    };
    for (const auto& each : all) {
        const std::string what = thrown_by([&] { kernel::parse(each.text); }).what();
        EXPECT_EQ(thrown_by([&] { kernel::parse(each.text); }).code(), errc::parse) << each.text;
        EXPECT_NE(what.find("character " + std::to_string(each.character) + ":"), std::string::npos)
            << each.text << "\n"
            << what;
        EXPECT_NE(what.find(each.words), std::string::npos) << each.text << "\n" << what;
        // The caret stands under that character, two columns in.
        const std::string caret = "\n" + std::string(each.character + 1, ' ') + "^";
        EXPECT_EQ(what.substr(what.size() - std::min(what.size(), caret.size())), caret) << what;
    }
}

std::string repeated(const std::string& piece, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += piece;
    return out;
}

TEST(expression, reads_deep_and_long_texts_or_refuses_them) {
    EXPECT_EQ(read_back(repeated("(", 199) + "rbf" + repeated(")", 199)), "rbf(gamma=1)");
    for (const int depth : {201, 100000}) {
        expect_error(errc::parse, "more than 200 levels of brackets",
                     [&] { kernel::parse(repeated("(", depth) + "rbf" + repeated(")", depth)); });
        expect_error(errc::parse, "more than 200 levels of brackets",
                     [&] { kernel::parse(repeated("exp(", depth) + "rbf" + repeated(")", depth)); });
        expect_error(errc::parse, "more than 200 levels of brackets",
                     [&] { kernel::parse("bilinear(" + repeated("[", depth)); });
        expect_error(errc::parse, "character", [&] { kernel::parse(repeated("(", depth)); });
    }
    EXPECT_EQ(read_back(repeated("-", 100000) + "rbf"), "rbf(gamma=1)");
    EXPECT_EQ(read_back(repeated("1*", 100000) + "rbf"), "1*rbf(gamma=1)");
    EXPECT_EQ(read_back(repeated("1+", 1000) + "rbf"), "constant(c=1000) + rbf(gamma=1)");
    const std::string sum = repeated("rbf + ", 999) + "rbf";
    EXPECT_EQ(read_back(read_back(sum)), read_back(sum));
    for (const char* chain : {"rbf + ", "rbf*", "rbf - "})
        expect_error(errc::parse, "more than 1000 kernels in one expression",
                     [&] { kernel::parse(repeated(chain, 100000) + "rbf"); });
    expect_error(errc::parse, "more than 1000 kernels in one expression",
                 [&] { kernel::parse(repeated("rbf + (2*rbf)*", 700) + "rbf"); });
}

// The printed text is never nested deeper than the parsed text, so that it can be parsed again.
TEST(expression, does_not_nest_deeper_than_it_was_given) {
    const std::string flat = "rbf" + repeated("*2*rbf/3", 300);
    EXPECT_EQ(read_back(read_back(flat)), read_back(flat));
    const std::string steps = repeated("rbf - 2*(", 199) + "rbf" + repeated(")", 199);
    EXPECT_EQ(read_back(read_back(steps)), read_back(steps));
}

TEST(expression, survives_any_byte) {
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text = "rbf() + " + std::string(1, static_cast<char>(byte));
        if (byte >= '0' && byte <= '9') continue;
        EXPECT_EQ(thrown_by([&] { kernel::parse(text); }).code(), errc::parse) << byte;
    }
}

PROPERTY(expression, reads_back_any_number) {
    const double value = arbitrary::real();
    const kernel k = value * kernel(gaussian{});
    MUST_HOLD(kernel::parse(k.text()).text() == k.text());
    const kernel p = pow(kernel(linear{}), value);
    MUST_HOLD(kernel::parse(p.text()).text() == p.text());
}

// Trees built in C++, whatever their shape, read back as text of the same kernel.
TEST(expression, reads_back_trees_built_in_code) {
    const kernel a = linear{}, b = gaussian{0.5}, c = polynomial{2, 1, 1};
    for (const kernel& k : {2 * (3 * a),
                            2 * (a * b),
                            (2 * a) * b,
                            a * (2 * b),
                            3 * ((2 * a) * b),
                            -1 * (-1 * a),
                            a - (b - c),
                            (a - b) - c,
                            a - (-1.0 * b),
                            pow(2 * a, 2),
                            pow(pow(a, 2), 0.5),
                            pow(a + b, -1),
                            a + (b + c),
                            a * (b + c),
                            (a + b) * c,
                            a * (b * c),
                            2 * (a + b),
                            a + 1.0,
                            1.0 + a,
                            a + (-1.0),
                            (-2.0) + a,
                            exp(2 * a),
                            normalise(a + b),
                            -0.0 * a,
                            1e-320 * a,
                            polynomial_of(a - b, {-1, 0.1}),
                            columns(a * b + c, {3, 0}),
                            2 * pow(a, 2),
                            2 * (-3 * pow(a, 2))}) {
        EXPECT_EQ(kernel::parse(k.text()).text(), k.text());
        generator random(1);
        const objects x = random_vectors(random, 6, {.dims = 4});
        const matrix<double> want = block_of(evaluator<double>(k, vectors_of<double>(x, storage::dense)));
        const matrix<double> got =
            block_of(evaluator<double>(kernel::parse(k.text()), vectors_of<double>(x, storage::dense)));
        for (index i = 0; i < 36; ++i) {
            if (std::isnan(want.data()[i]))
                EXPECT_TRUE(std::isnan(got.data()[i])) << k.text();
            else
                EXPECT_NEAR(got.data()[i], want.data()[i], 1e-14 * std::abs(want.data()[i])) << k.text();
        }
    }
}

TEST(expression, names_functions_that_were_registered) {
    register_weight("half",
                    [](const dataset& x) { return std::vector<double>(static_cast<std::size_t>(x.size()), 0.5); });
    register_map("doubled", [](std::span<const double> x) {
        std::vector<double> out(x.begin(), x.end());
        for (double& v : out) v *= 2;
        return out;
    });
    register_kernel("first", from_function("first", [](std::span<const double> x, std::span<const double> z) {
                        return x[0] * z[0];
                    }));
    const dataset x = vectors_of<double>({{{3, 1}, "", {}}}, storage::dense),
                  z = vectors_of<double>({{{5, 2}, "", {}}}, storage::dense);
    EXPECT_EQ(pair_value(kernel::parse("conjugate(half, linear())"), x, z), 17 / 4.0);
    EXPECT_EQ(pair_value(kernel::parse("pullback(doubled, linear())"), x, z), 17 * 4);
    EXPECT_EQ(pair_value(kernel::parse("map(doubled)"), x, z), 17 * 4);
    EXPECT_EQ(pair_value(kernel::parse("user(first) + 1"), x, z), 16);
    EXPECT_EQ(pair_value(kernel::parse("pullback(doubled, conjugate(norm, constant(1)))"), x, z),
              4 * std::sqrt(10.0 * 29.0));
    for (const char* text : {"conjugate(half, linear())", "pullback(doubled, linear())", "map(doubled)", "user(first)",
                             "pullback(doubled, pullback(doubled, rbf(gamma=1)))"})
        EXPECT_EQ(read_back(text), text);
}

TEST(expression, knows_every_alias) {
    for (const auto& each : kernel_registry()) {
        EXPECT_EQ(find_kernel(each.info.name), &each);
        for (const auto& alias : each.info.aliases) EXPECT_EQ(find_kernel(alias), &each) << alias;
        EXPECT_FALSE(each.info.formula.empty());
        EXPECT_FALSE(each.info.rule.empty());
    }
    EXPECT_EQ(find_kernel("nobody"), nullptr);
    EXPECT_EQ(find_kernel(""), nullptr);
}

}  // namespace
}  // namespace mercer::testing
