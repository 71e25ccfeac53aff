// Parameters out of range are refused with the violated inequality and the value.
#include <limits>

#include "contracts/errors.h"
#include "mercer/data/all_kinds.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/strings/spectrum.h"
#include "mercer/kernels/vectors/anisotropic.h"
#include "mercer/kernels/vectors/bilinear.h"
#include "mercer/kernels/vectors/chi2.h"
#include "mercer/kernels/vectors/constant.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/kernels/vectors/laplacian.h"
#include "mercer/kernels/vectors/matern.h"
#include "mercer/kernels/vectors/periodic.h"
#include "mercer/kernels/vectors/polynomial.h"
#include "mercer/kernels/vectors/rational_quadratic.h"
#include "mercer/kernels/vectors/sigmoid.h"

namespace mercer::testing {
namespace {

const double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

struct refusal {
    const char* text;
    const char* condition;
    const char* value;
};

TEST(parameters, out_of_range_name_the_inequality_and_the_value) {
    const std::vector<refusal> all{
        {"constant(c=-1)", "constant: must satisfy c >= 0", "got -1"},
        {"poly(degree=0)", "poly: must satisfy degree >= 1", "got 0"},
        {"poly(degree=-2)", "poly: must satisfy degree >= 1", "got -2"},
        {"poly(degree=2.5)", "poly: parameter 'degree' must be a whole number", "got 2.5"},
        {"poly(degree=1e12)", "poly: must satisfy |degree| <= 1e9", "got 1000000000000"},
        {"poly(gamma=0)", "poly: must satisfy gamma > 0", "got 0"},
        {"poly(gamma=-0.5)", "poly: must satisfy gamma > 0", "got -0.5"},
        {"poly(coef0=-1e-9)", "poly: must satisfy coef0 >= 0", "got -1e-09"},
        {"rbf(gamma=0)", "rbf: must satisfy gamma > 0", "got 0"},
        {"rbf(-3)", "rbf: must satisfy gamma > 0", "got -3"},
        {"rbf(sigma=0)", "rbf: must satisfy sigma > 0", "got 0"},
        {"rbf(sigma=-2)", "rbf: must satisfy sigma > 0", "got -2"},
        {"rbf(gamma=1, sigma=1)", "gamma and sigma are both given", "one is enough"},
        {"rbf(sigma=1e-200)", "rbf: must satisfy gamma > 0 and be finite", "got inf"},
        {"rbf(sigma=1e200)", "rbf: must satisfy gamma > 0", "got 0"},
        {"anisotropic([1, 0])", "anisotropic: must satisfy covariance[1] > 0", "got 0"},
        {"anisotropic([1, -2])", "anisotropic: must satisfy covariance[1] > 0", "got -2"},
        {"anisotropic([[1, 2], [2, 1]])", "covariance must be positive definite", "smallest eigenvalue is -1"},
        {"anisotropic([[1, 2], [3, 1]])", "must be symmetric", "got 3 at (1, 0) and 2 at (0, 1)"},
        {"anisotropic([[1, 2], [3]])", "must be square", "got 2 rows and 1 numbers in row 1"},
        {"anisotropic([])", "covariance must have at least one number", ""},
        {"anisotropic()", "parameter 'covariance' must be given", ""},
        {"bilinear([[1, 2], [2, 1]])", "A must be positive semidefinite", "smallest eigenvalue is -1"},
        {"bilinear([[0, 1], [0, 0]])", "must be symmetric", "got 0 at (1, 0) and 1 at (0, 1)"},
        {"bilinear()", "parameter 'A' must be given", ""},
        {"laplacian(0)", "laplacian: must satisfy gamma > 0", "got 0"},
        {"chi2(gamma=-1)", "chi2: must satisfy gamma > 0", "got -1"},
        {"matern(nu=1)", "matern: must satisfy nu = 0.5, 1.5 or 2.5", "got 1"},
        {"matern(length_scale=0)", "matern: must satisfy length_scale > 0", "got 0"},
        {"rational_quadratic(alpha=0)", "rational_quadratic: must satisfy alpha > 0", "got 0"},
        {"rational_quadratic(length_scale=-1)", "rational_quadratic: must satisfy length_scale > 0", "got -1"},
        {"periodic(length_scale=0)", "periodic: must satisfy length_scale > 0", "got 0"},
        {"periodic(period=-1)", "periodic: must satisfy period > 0", "got -1"},
        {"spectrum(k=0)", "spectrum: must satisfy k >= 1", "got 0"},
        {"spectrum(k=1.5)", "spectrum: parameter 'k' must be a whole", "got 1.5"},
        {"rbf(gamma=[1, 2])", "rbf: parameter 'gamma' must be a number, got a list", ""},
        {"anisotropic([[1, 2], [3, 4], [5, 6]])", "must be square", "got 3 rows and 2 numbers in row 0"},
        {"polynomial_of(linear(), [])", "at least one coefficient", ""},
    };
    for (const auto& each : all) {
        expect_error(errc::parse, each.condition, [&] { kernel::parse(each.text); });
        expect_error(errc::parse, each.value, [&] { kernel::parse(each.text); });
    }
}

// Every parameter that the registry says has a range is in the table above or below; the registry's own words are the
// message's.
TEST(parameters, refuse_what_the_registry_says) {
    for (const auto& each : kernel_registry())
        for (const auto& parameter : each.info.parameters) {
            const bool positive = parameter.condition == parameter.name + " > 0",
                       not_negative = parameter.condition == parameter.name + " >= 0";
            if (!positive && !not_negative) continue;
            arguments given(each.info.name);
            given.set(parameter.name, -0.75);
            expect_error(errc::invalid_argument,
                         each.info.name + ": must satisfy " + parameter.condition + ", got -0.75",
                         [&] { each.make(given); });
            arguments zero(each.info.name);
            zero.set(parameter.name, 0.0);
            if (positive)
                expect_error(errc::invalid_argument, "got 0", [&] { each.make(zero); });
            else
                EXPECT_NO_THROW(each.make(zero));
        }
}

TEST(parameters, must_be_finite) {
    for (const double bad : {infinity, -infinity, nan}) {
        const auto refuses = [&](auto formula, const std::string& condition) {
            expect_error(errc::invalid_argument, condition + " and be finite, got ", [&] { kernel made(formula); });
        };
        refuses(constant{bad}, "c >= 0");
        refuses(polynomial{2, bad, 0}, "gamma > 0");
        refuses(polynomial{2, 1, bad}, "coef0 >= 0");
        refuses(gaussian{bad}, "gamma > 0");
        refuses(sigmoid{bad, 0}, "|gamma| < infinity");
        refuses(sigmoid{1, bad}, "|coef0| < infinity");
        refuses(laplacian{bad}, "gamma > 0");
        refuses(chi2{bad}, "gamma > 0");
        refuses(matern{0.5, bad}, "length_scale > 0");
        refuses(rational_quadratic{bad, 1}, "alpha > 0");
        refuses(rational_quadratic{1, bad}, "length_scale > 0");
        refuses(periodic{bad, 1}, "length_scale > 0");
        refuses(periodic{1, bad}, "period > 0");
        refuses(anisotropic{{{1, bad}}}, "covariance[1] > 0");
        expect_error(errc::invalid_argument, "must be finite", [&] { kernel made(bilinear{{{bad}}}); });
        expect_error(errc::invalid_argument, "sigma > 0 and be finite", [&] { gaussian::from_sigma(bad); });
        expect_error(errc::invalid_argument, "must be finite", [&] { bad* kernel(gaussian{}); });
        expect_error(errc::invalid_argument, "must be finite", [&] { pow(kernel(gaussian{}), bad); });
        expect_error(errc::invalid_argument, "must be finite", [&] { polynomial_of(kernel(gaussian{}), {1, bad}); });
    }
}

TEST(parameters, matrices_that_are_not_definite_say_so) {
    expect_error(errc::not_psd, "smallest eigenvalue is -1", [] { kernel made(bilinear{{{1, 2}, {2, 1}}}); });
    expect_error(errc::not_psd, "smallest eigenvalue is", [] { kernel made(anisotropic{{{1, 1}, {1, 1}}}); });
    EXPECT_NO_THROW(kernel(bilinear{{{1, 1}, {1, 1}}})) << "semidefinite is enough for xᵀAz";
    EXPECT_NO_THROW(kernel(bilinear{{{0, 0}, {0, 0}}}));
}

TEST(parameters, have_the_documented_defaults) {
    for (const auto& each : kernel_registry()) {
        bool complete = true;
        for (const auto& parameter : each.info.parameters) complete = complete && !parameter.initial.empty();
        if (!complete) {
            EXPECT_THROW(each.make(arguments(each.info.name)), error) << each.info.name;
            continue;
        }
        std::string text = each.info.name + "(";
        for (std::size_t i = 0; i < each.info.parameters.size(); ++i)
            text += (i ? ", " : "") + each.info.parameters[i].name + "=" + each.info.parameters[i].initial;
        EXPECT_EQ(each.make(arguments(each.info.name)).text(), text + ")");
    }
}

TEST(parameters, of_kernels_on_different_objects_cannot_be_mixed) {
    const kernel vectors(gaussian{}), strings(spectrum{});
    expect_error(errc::unsupported, "kernels on different kinds of objects cannot be combined",
                 [&] { vectors + strings; });
    expect_error(errc::unsupported, "rbf(gamma=1) is a kernel on vectors, but spectrum(k=3) is a kernel on strings",
                 [&] { vectors* strings; });
    expect_error(errc::unsupported, "kernels on different kinds of objects cannot be combined",
                 [&] { vectors - strings; });
    expect_error(errc::unsupported, "got spectrum(k=3) on strings", [&] { columns(strings, {0}); });
    EXPECT_EQ((strings + 2.0).kind(), strings::kind) << "a constant goes with anything";
    EXPECT_EQ((2.0 + 3.0 * strings).kind(), strings::kind);
    EXPECT_EQ((kernel(constant{1}) * kernel(constant{2})).kind(), object_kind::any);
}

}  // namespace
}  // namespace mercer::testing
