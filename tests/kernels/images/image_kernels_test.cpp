// The definitions of the kernels on images, by which the contract of kernels checks them, and cases of their own.
#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "kernels/value_of.h"
#include "mercer/kernels/expression/listed_kernels.h"

namespace mercer::testing {
namespace {

using real = long double;
using image_histogram = std::map<std::vector<index>, real>;

// --- the definitions

real value_at(const image& of, index r, index c, index channel) {
    return of.values[static_cast<std::size_t>((r * of.width + c) * of.channels + channel)];
}

image_histogram shares(image_histogram of) {
    real sum = 0;
    for (const auto& [bin, mass] : of) sum += mass;
    for (auto& [bin, mass] : of) mass = sum > 0 ? mass / sum : 0;
    return of;
}

image_histogram colours_of(const image& of, index bins) {
    image_histogram out;
    for (index r = 0; r < of.height; ++r)
        for (index c = 0; c < of.width; ++c) {
            std::vector<index> cube;
            for (index k = 0; k < 3; ++k) {
                index part = bins - 1;
                while (part > 0 && value_at(of, r, c, of.channels == 3 ? k : 0) * bins < part) --part;
                cube.push_back(part);
            }
            out[cube] += 1;
        }
    return shares(out);
}

image_histogram gradients_of(const image& of, index cells, index bins) {
    image_histogram out;
    const auto inside = [](index i, index n) { return i < 0 ? 0 : i >= n ? n - 1 : i; };
    for (index r = 0; r < of.height; ++r)
        for (index c = 0; c < of.width; ++c) {
            real x = 0, y = 0;
            for (index k = 0; k < of.channels; ++k) {
                const real dx = value_at(of, r, inside(c + 1, of.width), k) -
                                value_at(of, r, inside(c - 1, of.width), k),
                           dy = value_at(of, inside(r + 1, of.height), c, k) -
                                value_at(of, inside(r - 1, of.height), c, k);
                if (dx * dx + dy * dy > x * x + y * y) x = dx, y = dy;
            }
            const real m = std::sqrt(x * x + y * y);
            if (m == 0) continue;
            // The angle to the right, of the direction that does not point up: in 0 … π, and π is 0.
            real angle = std::acos((y < 0 ? -x : x) / m);
            if (y == 0) angle = 0;
            index i = 0, j = 0;
            while ((i + 1) * of.height <= r * cells) ++i;
            while ((j + 1) * of.width <= c * cells) ++j;
            for (index b = 0; b < bins; ++b)
                for (index turn = -1; turn <= 1; ++turn) {
                    const real apart =
                        std::abs(angle * bins / std::numbers::pi_v<real> - 0.5L - static_cast<real>(b + turn * bins));
                    out[{i, j, b}] += m * std::max<real>(0, 1 - apart);
                }
        }
    return shares(out);
}

template <class Term>
real over_both(const image_histogram& x, const image_histogram& z, Term term) {
    image_histogram all = x;
    all.insert(z.begin(), z.end());
    const auto in = [](const image_histogram& of, const std::vector<index>& bin) {
        const auto found = of.find(bin);
        return found == of.end() ? real(0) : found->second;
    };
    real sum = 0;
    for (const auto& [bin, mass] : all) sum += term(in(x, bin), in(z, bin));
    return sum;
}
real sum_of_products(const image_histogram& x, const image_histogram& z) {
    return over_both(x, z, [](real a, real b) { return a * b; });
}
real common_to(const image_histogram& x, const image_histogram& z) {
    return over_both(x, z, [](real a, real b) { return std::min(a, b); });
}
real chi2_of(const image_histogram& x, const image_histogram& z) {
    return over_both(x, z, [](real a, real b) { return a + b > 0 ? (a - b) * (a - b) / (a + b) : 0; });
}

real pyramid_match(const image& x, const image& z, int levels, index bins) {
    real sum = 0;
    for (int l = 0; l <= levels; ++l)
        sum += (l == 0 ? 1 / std::pow(2.0L, levels) : 1 / std::pow(2.0L, levels - l + 1)) *
               common_to(gradients_of(x, index{1} << l, bins), gradients_of(z, index{1} << l, bins));
    return sum;
}

// The value of an image shifted by (down, right) at a position of the plane.
real moved_value(const image& of, index r, index c, index k, index down, index right) {
    const bool black = r - down < 0 || r - down >= of.height || c - right < 0 || c - right >= of.width;
    return black ? 0 : value_at(of, r - down, c - right, k);
}

approx shifted_mean(const image& x, const image& z, index s, double gamma) {
    real norms = 0;
    for (const image* each : {&x, &z})
        for (const float v : each->values) norms += static_cast<real>(v) * v;
    approx sum;
    const real terms = std::pow(static_cast<real>(2 * s + 1), 4.0L);
    for (index a = -s; a <= s; ++a)
        for (index b = -s; b <= s; ++b)
            for (index d = -s; d <= s; ++d)
                for (index e = -s; e <= s; ++e) {
                    real apart = 0;
                    for (index r = -s; r < x.height + s; ++r)
                        for (index c = -s; c < x.width + s; ++c)
                            for (index k = 0; k < x.channels; ++k) {
                                const real difference = moved_value(x, r, c, k, a, b) - moved_value(z, r, c, k, d, e);
                                apart += difference * difference;
                            }
                    const approx one =
                        decay({apart, static_cast<real>(x.values.size() + 8) * norms}, static_cast<real>(gamma));
                    sum.value += one.value / terms;
                    sum.error += (one.error + terms * one.value) / terms;
                }
    return sum;
}

// A sum over histogram bins: each is a fraction of 1 with a rounding error of a few times `bins`.
approx of_shares(real value, index bins) { return {value, static_cast<real>(50 * bins + 50)}; }

const definition known_colours("colours", [] {
    std::vector<kernel_case> made;
    for (const index bins : {1, 2, 4, 7})
        made.push_back(
            {kernel::parse("colours(" + std::to_string(bins) + ")"), [bins](const object& x, const object& z) {
                 return of_shares(sum_of_products(colours_of(x.picture, bins), colours_of(z.picture, bins)), 1);
             }});
    return made;
});

const definition known_gradients("gradients", [] {
    std::vector<kernel_case> made;
    for (const auto& [cells, bins] : std::vector<std::pair<index, index>>{{1, 9}, {2, 4}, {3, 1}, {7, 5}})
        made.push_back(
            {kernel::parse("gradients(" + std::to_string(cells) + ", " + std::to_string(bins) + ")"),
             [cells = cells, bins = bins](const object& x, const object& z) {
                 return of_shares(
                     sum_of_products(gradients_of(x.picture, cells, bins), gradients_of(z.picture, cells, bins)), bins);
             }});
    return made;
});

const definition known_pyramid("spatial_pyramid", [] {
    std::vector<kernel_case> made;
    for (const auto& [levels, bins] : std::vector<std::pair<int, index>>{{0, 8}, {2, 3}, {3, 1}})
        made.push_back({kernel::parse("spatial_pyramid(" + std::to_string(levels) + ", " + std::to_string(bins) + ")"),
                        [levels = levels, bins = bins](const object& x, const object& z) {
                            return of_shares(pyramid_match(x.picture, z.picture, levels, bins), 8 * bins);
                        }});
    return made;
});

const definition known_pixels("pixels", [] {
    return std::vector<kernel_case>{{kernel::parse("pixels()"), [](const object& x, const object& z) {
                                         object a, b;
                                         a.vector.assign(x.picture.values.begin(), x.picture.values.end());
                                         b.vector.assign(z.picture.values.begin(), z.picture.values.end());
                                         return dot_of(a, b);
                                     }}};
});

const definition known_shifts("shifted_pixels", [] {
    std::vector<kernel_case> made;
    for (const auto& [shift, gamma] : std::vector<std::pair<index, double>>{{0, 0.25}, {1, 0.0625}})
        made.push_back({kernel::parse("shifted_pixels(" + std::to_string(shift) + ", " + std::to_string(gamma) + ")"),
                        [shift = shift, gamma = gamma](const object& x, const object& z) {
                            return shifted_mean(x.picture, z.picture, shift, gamma);
                        }});
    return made;
});

// --- cases of their own

image random_image(generator& random, index height, index width, index channels) {
    image made{height, width, channels, {}};
    for (index i = 0; i < height * width * channels; ++i)
        made.values.push_back(static_cast<float>(below(random, 9)) / 8);
    return made;
}

// Empty, one pixel, one row, one column, odd sides, grey and colour.
std::vector<image> of_all_sizes() {
    generator random(3);
    std::vector<image> made{{}};
    for (const auto& [h, w, c] : std::vector<std::array<index, 3>>{
             {1, 1, 1}, {1, 1, 3}, {1, 6, 1}, {5, 1, 3}, {3, 7, 1}, {8, 8, 3}, {9, 4, 1}, {2, 2, 3}})
        made.push_back(random_image(random, h, w, c));
    return made;
}

TEST(image_kernels, compare_images_of_any_size) {
    const std::vector<image> all = of_all_sizes();
    for (const image& x : all)
        for (const image& z : all) {
            EXPECT_NEAR(value_of("colours(3)", x, z), sum_of_products(colours_of(x, 3), colours_of(z, 3)), 1e-14);
            EXPECT_NEAR(value_of("gradients(4, 9)", x, z),
                        sum_of_products(gradients_of(x, 4, 9), gradients_of(z, 4, 9)), 1e-13);
            EXPECT_NEAR(value_of("spatial_pyramid(2, 8)", x, z), pyramid_match(x, z, 2, 8), 1e-13);
        }
}

TEST(image_kernels, intersections_and_chi2_of_histograms) {
    const std::vector<image> all = of_all_sizes();
    for (const image& x : all)
        for (const image& z : all) {
            const image_histogram xc = colours_of(x, 4), zc = colours_of(z, 4), xg = gradients_of(x, 2, 6),
                                  zg = gradients_of(z, 2, 6);
            EXPECT_NEAR(value_of("pullback(colours(4), intersection())", x, z), common_to(xc, zc), 1e-14);
            EXPECT_NEAR(value_of("pullback(colours(4), chi2(2))", x, z), std::exp(-2 * chi2_of(xc, zc)), 1e-14);
            EXPECT_NEAR(value_of("pullback(gradients(2, 6), intersection())", x, z), common_to(xg, zg), 1e-13);
            EXPECT_NEAR(value_of("pullback(gradients(2, 6), chi2(2))", x, z), std::exp(-2 * chi2_of(xg, zg)), 1e-12);
            const real gap = sum_of_products(xg, xg) + sum_of_products(zg, zg) - 2 * sum_of_products(xg, zg);
            EXPECT_NEAR(value_of("pullback(gradients(2, 6), rbf(3))", x, z), std::exp(-3 * gap), 1e-12);
        }
}

TEST(image_kernels, two_steps_of_shift_by_brute_force) {
    generator random(5);
    const image x = random_image(random, 3, 4, 1), z = random_image(random, 3, 4, 1);
    for (const index s : {0, 1, 2})
        EXPECT_NEAR(value_of("shifted_pixels(" + std::to_string(s) + ", 0.5)", x, z), shifted_mean(x, z, s, 0.5).value,
                    1e-14);
    EXPECT_NEAR(value_of("shifted_pixels(0, 0.5)", x, z), value_of("pullback(pixels(), rbf(0.5))", x, z), 1e-14);
    EXPECT_EQ(value_of("shifted_pixels()", image{}, image{}), 1) << "two images without pixels are the same";
}

// The image in a black frame, shifted by (down, right).
image placed(const image& what, index down, index right) {
    image out{what.height + 6, what.width + 6, what.channels, {}};
    out.values.resize(static_cast<std::size_t>(out.pixels() * out.channels));
    for (index r = 0; r < what.height; ++r)
        for (index c = 0; c < what.width; ++c)
            for (index k = 0; k < what.channels; ++k)
                out.values[static_cast<std::size_t>(((r + down) * out.width + c + right) * out.channels + k)] =
                    static_cast<float>(value_at(what, r, c, k));
    return out;
}

TEST(image_kernels, what_shifts_do_not_change) {
    generator random(6);
    const image a = random_image(random, 4, 5, 3), b = random_image(random, 4, 5, 3);
    const auto shifted = [&](index down, index right) {
        return value_of("shifted_pixels(2, 0.1)", placed(a, down, right), placed(b, down, right));
    };
    EXPECT_NEAR(shifted(0, 0), shifted(6, 3), 1e-14) << "both moved alike";
    const std::string one_cell = "gradients(1, 9)", shares = "colours(4)";
    EXPECT_NEAR(value_of(one_cell, placed(a, 1, 1), placed(b, 1, 1)),
                value_of(one_cell, placed(a, 4, 2), placed(b, 1, 3)), 1e-14)
        << "one cell does not know where";
    EXPECT_EQ(value_of(shares, placed(a, 0, 0), b), value_of(shares, placed(a, 5, 2), b));
}

TEST(image_kernels, what_light_does_not_change) {
    generator random(7);
    const image a = random_image(random, 6, 5, 1);
    image b = a;
    for (float& v : b.values) v = 0.25F * v + 2;
    const kernel k = kernel::parse("spatial_pyramid()"), g = kernel::parse("pullback(gradients(), chi2())");
    EXPECT_NEAR(pair_value(k, images({a}), images({b})), 1, 1e-14);
    EXPECT_NEAR(pair_value(g, images({a}), images({b})), 1, 1e-14);
    EXPECT_NEAR(pair_value(k, images({a}), images({a})), 1, 1e-14);
    const image flat{3, 3, 1, std::vector<float>(9, 0.5F)};
    EXPECT_EQ(pair_value(k, images({flat}), images({flat})), 0) << "nothing to see";
}

TEST(image_kernels, a_worked_example) {
    // A step from black to white between the columns: every gradient is horizontal, half of them in each column.
    const image step{2, 2, 1, {0, 1, 0, 1}}, turned{2, 2, 1, {0, 0, 1, 1}};
    EXPECT_DOUBLE_EQ(value_of("gradients(1, 1)", step, turned), 1);
    EXPECT_DOUBLE_EQ(value_of("gradients(1, 2)", step, step), 0.5) << "0 is between the two bins";
    EXPECT_DOUBLE_EQ(value_of("gradients(2, 1)", step, turned), 0.25) << "four cells of a quarter each";
    // Of the four bins of 45 degrees, 0 is half in the first and the last, 90 half in those between.
    EXPECT_DOUBLE_EQ(value_of("spatial_pyramid(1, 4)", step, turned), 0);
    EXPECT_DOUBLE_EQ(value_of("colours(2)", step, turned), 0.5);
}

TEST(image_kernels, say_what_they_cannot_compare) {
    const image a{1, 2, 1, {0, 1}}, b{2, 1, 1, {0, 1}}, bright{1, 2, 1, {0, 3}};
    expect_error(errc::data,
                 "size: the first image has 1 x 2 pixels of 1 channels, image 0 has 2 x 1 pixels of 1 channels",
                 [&] { value_of("pixels()", a, b); });
    expect_error(errc::data, "shifted_pixels: all images must have the same size",
                 [&] { value_of("shifted_pixels()", a, b); });
    expect_error(errc::data, "values of images must lie in 0 ... 1, got 3 at row 0, column 1 of image 0",
                 [&] { value_of("colours()", bright, a); });
    EXPECT_GT(value_of("gradients()", bright, a), 0);
    expect_error(errc::parse, "1 <= cells <= 64", [] { kernel::parse("gradients(cells=65)"); });
    expect_error(errc::parse, "0 <= shift <= 16", [] { kernel::parse("shifted_pixels(shift=-1)"); });
    expect_error(errc::parse, "gamma > 0", [] { kernel::parse("shifted_pixels(gamma=0)"); });
    expect_error(errc::parse, "0 <= levels <= 6", [] { kernel::parse("spatial_pyramid(levels=7)"); });
    expect_error(errc::parse, "1 <= bins <= 256", [] { kernel::parse("colours(bins=0)"); });
}

// --- pullback of explicit features, on any kind of object

TEST(pullback_of_features, is_a_kernel_of_what_the_map_compares) {
    const kernel k = kernel::parse("pullback(gradients(cells=2, bins=4), chi2(gamma=3))");
    EXPECT_EQ(k.text(), "pullback(gradients(cells=2, bins=4), chi2(gamma=3))");
    EXPECT_EQ(kernel::parse(k.text()).text(), k.text());
    EXPECT_TRUE(k.kind() == images::kind);
    EXPECT_TRUE(k.proof().valid);
    EXPECT_TRUE(k.properties().normalised);
    EXPECT_EQ(k.node().form().parts.size(), 2U);
    EXPECT_TRUE(kernel::parse("field(photo, pullback(colours(), intersection()))").kind() == records::kind);
    EXPECT_TRUE(kernel::parse("pullback(words(), 1)").kind() == strings::kind) << "a constant is a kernel";
    EXPECT_FALSE(kernel::parse("pullback(words(), sigmoid())").proof().valid) << "as valid as the kernel inside";
}

TEST(pullback_of_features, gives_what_the_algebra_gives) {
    const dataset x = strings({"banana", "bandana", "ananas", ""});
    const auto same = [&](const char* left, const char* right) {
        const auto a = block_of(evaluator<double>(kernel::parse(left), x)),
                   b = block_of(evaluator<double>(kernel::parse(right), x));
        for (index i = 0; i < a.rows(); ++i)
            for (index j = 0; j < a.cols(); ++j) EXPECT_NEAR(a(i, j), b(i, j), 1e-13) << left;
    };
    same("pullback(spectrum(2), linear())", "spectrum(2)");
    same("pullback(spectrum(2), poly(degree=2, coef0=1))", "(spectrum(2) + 1)^2");
    same("pullback(spectrum(2), cosine())", "normalize(spectrum(2))");
    same("pullback(spectrum(2), rbf(0.5))", "normalize(exp(spectrum(2)))");
}

TEST(pullback_of_features, says_what_has_no_features) {
    const auto wrong = [](const char* text, const char* message) {
        expect_error(errc::parse, message, [&] { kernel::parse(text); });
    };
    wrong("pullback(shifted_pixels(), rbf(1))", "has no explicit features (kernels such as words, spectrum");
    wrong("pullback(rbf(1), rbf(1))", "has no explicit features (kernels such as words, spectrum");
    wrong("pullback(words(), spectrum(2))", "spectrum(k=2) is a kernel on strings, but the features of words(");
    wrong("pullback(nothing, rbf(1))", "no map is registered under the name 'nothing'");
    wrong("pullback(words()", "','");
    wrong("pullback(words(ngrams=2), rbf(1))", "words has no parameter 'ngrams'");
}

}  // namespace
}  // namespace mercer::testing
