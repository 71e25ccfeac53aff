// Kernels on texts, multisets and points: their definitions and invariances.
#include <map>
#include <numbers>
#include <set>
#include <sstream>

#include "contracts/dense_oracle.h"
#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "kernels/value_of.h"
#include "mercer/kernels/points/coulomb.h"

namespace mercer::testing {
namespace {

using settings = std::vector<kernel_case>;

// Random strings contain only small letters and blanks, so words are separated by blanks.
std::map<std::string, long double> word_counts_of(const std::string& text, std::size_t ngram, std::size_t min_length) {
    std::istringstream from(text);
    std::vector<std::string> all;
    for (std::string word; from >> word;)
        if (word.size() >= min_length) all.push_back(word);
    std::map<std::string, long double> counts;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::string run;
        for (std::size_t j = i; j < std::min(all.size(), i + ngram); ++j) ++counts[run += " " + all[j]];
    }
    return counts;
}

const definition words_known("words", [] {
    settings made;
    const auto add = [&](const std::string& text, std::size_t ngram, std::size_t shortest, auto weight) {
        made.push_back({kernel::parse(text), [=](const object& s, const object& t) {
                            const auto a = word_counts_of(s.string, ngram, shortest),
                                       b = word_counts_of(t.string, ngram, shortest);
                            approx sum;
                            for (const auto& [word, count] : a)
                                if (const auto same = b.find(word); same != b.end())
                                    sum.value += weight(count) * weight(same->second);
                            sum.error = 8 * sum.value;
                            return sum;
                        }});
    };
    const auto plain = [](long double c) { return c; };
    add("words()", 1, 2, plain);
    add("words(ngram=3, min_length=1)", 3, 1, plain);
    add("words(min_length=1, binary=1)", 1, 1, [](long double) { return 1.0L; });
    add("words(lower=0, min_length=1, sublinear=1)", 1, 1, [](long double c) { return 1 + std::log(c); });
    return made;
});

std::pair<long double, long double> min_and_max(const object& a, const object& b) {
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> both;
    for (const auto& [item, count] : a.multiset) both[item].first += count;
    for (const auto& [item, count] : b.multiset) both[item].second += count;
    std::int64_t low = 0, high = 0;
    for (const auto& [item, counts] : both) {
        low += std::min(counts.first, counts.second);
        high += std::max(counts.first, counts.second);
    }
    return {low, high};
}

const definition intersection_known("multiset_intersection", [] {
    return settings{{kernel::parse("multiset_intersection()"), [](const object& a, const object& b) {
                         return approx{min_and_max(a, b).first, 0};
                     }}};
});
const definition min_max_known("min_max", [] {
    return settings{{kernel::parse("min_max()"), [](const object& a, const object& b) {
                         const auto [low, high] = min_and_max(a, b);
                         const long double value = high == 0 ? 1 : low / high;
                         return approx{value, 40 * value};
                     }}};
});

// The matrix of coulomb.h from its definition; rows are sorted by selection sort.
std::vector<long double> coulomb_by_definition(const point_cloud& of) {
    const auto n = static_cast<std::size_t>(of.size());
    const auto z = [&](std::size_t i) { return of.elements[i] ? static_cast<long double>(of.elements[i]) : 1.0L; };
    std::vector<std::vector<long double>> m(n, std::vector<long double>(n));
    std::vector<long double> norm(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            long double square = 0;
            for (std::size_t a = 0; a < 3; ++a) {
                const long double d = static_cast<long double>(of.coordinates[3 * i + a]) - of.coordinates[3 * j + a];
                square += d * d;
            }
            m[i][j] = i == j ? std::pow(z(i), 2.4L) / 2 : z(i) * z(j) / std::sqrt(square);
            norm[i] += m[i][j] * m[i][j];
        }
    std::vector<std::size_t> order;
    while (order.size() < n) {
        std::size_t best = n;
        for (std::size_t i = 0; i < n; ++i)
            if (std::ranges::find(order, i) == order.end() && (best == n || norm[i] > norm[best])) best = i;
        order.push_back(best);
    }
    std::vector<long double> out;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) out.push_back(m[order[i]][order[j]]);
    return out;
}

const definition coulomb_known("coulomb", [] {
    settings made;
    for (const int norm : {1, 2})
        for (const double sigma : {30.0, 200.0}) {
            const std::string text = "coulomb(sigma=" + std::to_string(sigma) + ", norm=" + std::to_string(norm) + ")";
            made.push_back({kernel::parse(text), [=](const object& a, const object& b) {
                                auto x = coulomb_by_definition(a.cloud), y = coulomb_by_definition(b.cloud);
                                x.resize(std::max(x.size(), y.size()), 0);
                                y.resize(x.size(), 0);
                                approx t;
                                long double size = 0;
                                for (std::size_t i = 0; i < x.size(); ++i) {
                                    const long double d = std::abs(x[i] - y[i]);
                                    t.value += norm == 1 ? d : d * d;
                                    size += norm == 1 ? x[i] + y[i] : 2 * (x[i] * x[i] + y[i] * y[i]);
                                }
                                t.error = (static_cast<long double>(x.size()) + 8) * size;
                                return decay(t, norm == 1 ? 1 / static_cast<long double>(sigma)
                                                          : 1 / (2 * static_cast<long double>(sigma) * sigma));
                            }});
        }
    return made;
});

long double fade(long double d, long double cutoff) {
    return d < cutoff ? (1 + std::cos(std::numbers::pi_v<long double> * d / cutoff)) / 2 : 0;
}
long double apart(const point_cloud& of, std::size_t i, std::size_t j) {
    long double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        const long double d = static_cast<long double>(of.coordinates[3 * i + a]) - of.coordinates[3 * j + a];
        sum += d * d;
    }
    return std::sqrt(sum);
}

using cloud_histogram = std::map<std::vector<int>, long double>;
approx inner(const cloud_histogram& a, const cloud_histogram& b) {
    approx sum;
    for (const auto& [name, value] : a)
        if (const auto same = b.find(name); same != b.end()) {
            sum.value += value * same->second;
            sum.error += std::abs(value * same->second);
        }
    sum.error *= 400;  // rounding of exponentials of squares, and of the same number of terms
    return sum;
}

// root: √c(d) instead of c(d), because c(d) is only known to this accuracy near zero.
cloud_histogram distances_by_definition(const point_cloud& of, long double sigma, long double cutoff,
                                        bool root = false) {
    cloud_histogram out;
    for (std::size_t i = 0; i < of.elements.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            for (int b = 0; static_cast<long double>(b) <= cutoff / sigma; ++b) {
                const long double d = apart(of, i, j), off = d / sigma - b;
                if (d < cutoff && std::abs(off) <= 6)
                    out[{std::min(of.elements[i], of.elements[j]), std::max(of.elements[i], of.elements[j]), b}] +=
                        (root ? std::sqrt(fade(d, cutoff)) : fade(d, cutoff)) * std::exp(-off * off / 2);
            }
    return out;
}

const definition distances_known("pair_distances", [] {
    settings made;
    for (const auto& [sigma, cutoff] : {std::pair(0.25, 3.0), std::pair(0.5, 8.0)})
        made.push_back({kernel::parse("pair_distances(sigma=" + std::to_string(sigma) +
                                      ", cutoff=" + std::to_string(cutoff) + ")"),
                        [=](const object& a, const object& b) {
                            const auto x = distances_by_definition(a.cloud, sigma, cutoff),
                                       y = distances_by_definition(b.cloud, sigma, cutoff);
                            approx out = inner(x, y);
                            out.error += inner(distances_by_definition(a.cloud, sigma, cutoff, true), y).error +
                                         inner(x, distances_by_definition(b.cloud, sigma, cutoff, true)).error;
                            return out;
                        }});
    return made;
});

// All pairs of neighbours in both orders, as in the sum over all E n and E' n'.
cloud_histogram densities_by_definition(const point_cloud& of, long double sigma, long double cutoff, int degree) {
    cloud_histogram out;
    const std::size_t n = of.elements.size();
    for (std::size_t i = 0; i < n; ++i) {
        out[{of.elements[i]}] += 1;
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < n; ++k) {
                const long double r = apart(of, i, j), s = apart(of, i, k);
                if (j == i || k == i || r >= cutoff || s >= cutoff) continue;
                long double cosine = 0;
                for (std::size_t a = 0; a < 3; ++a)
                    cosine += (static_cast<long double>(of.coordinates[3 * j + a]) - of.coordinates[3 * i + a]) / r *
                              (static_cast<long double>(of.coordinates[3 * k + a]) - of.coordinates[3 * i + a]) / s;
                for (int p = 0; p <= cutoff / sigma; ++p)
                    for (int q = 0; q <= cutoff / sigma; ++q)
                        for (int l = 0; l <= degree; ++l)
                            out[{of.elements[i], of.elements[j], p, of.elements[k], q, l}] +=
                                fade(r, cutoff) * fade(s, cutoff) *
                                std::exp(-(r / sigma - p) * (r / sigma - p) / 2 -
                                         (s / sigma - q) * (s / sigma - q) / 2) *
                                std::legendre(static_cast<unsigned>(l), std::clamp(cosine, -1.0L, 1.0L));
            }
    }
    return out;
}

const definition density_known("density_overlap", [] {
    settings made;
    for (const int degree : {0, 3})
        made.push_back({kernel::parse("density_overlap(sigma=1.5, cutoff=2.5, degree=" + std::to_string(degree) + ")"),
                        [=](const object& a, const object& b) {
                            const auto x = densities_by_definition(a.cloud, 1.5L, 2.5L, degree),
                                       y = densities_by_definition(b.cloud, 1.5L, 2.5L, degree);
                            approx out = inner(x, y);
                            // Terms of both signs cancel within a coordinate.
                            out.error += 400 * std::sqrt(inner(x, x).value * inner(y, y).value);
                            return out;
                        }});
    return made;
});

TEST(words_kernel, knows_capitals_scripts_and_bytes_that_are_none) {
    const dataset a = strings({"The Straße in KÖLN, the strasse"}), b = strings({"straße köln the the"}),
                  c = strings({"k\xd6ln"}), none = strings({""}), marks = strings({"!?, ... -"});
    EXPECT_EQ(value_of("words()", a, b), 6);
    EXPECT_EQ(value_of("words(lower=0)", a, b), 2);
    EXPECT_EQ(value_of("words()", a, c), 1) << "a byte that is not UTF-8 is Latin-1";
    EXPECT_EQ(value_of("words()", a, none), 0);
    EXPECT_EQ(value_of("words()", marks, marks), 0);
    EXPECT_EQ(value_of("words(ngram=2)", strings({"new york city"}), strings({"york city new york"})), 6);
    expect_error(errc::parse, "ngram >= 1", [] { kernel::parse("words(ngram=0)"); });
    expect_error(errc::parse, "lower = 0 or 1", [] { kernel::parse("words(lower=2)"); });
}

TEST(multiset_kernels, of_sets_are_those_of_sets) {
    const dataset a = multisets({{{1, 1}, {2, 1}, {3, 1}}}), b = multisets({{{2, 1}, {3, 1}, {9, 1}}});
    EXPECT_EQ(value_of("min_max()", a, b), 0.5);
    EXPECT_EQ(value_of("multiset_intersection()", a, b), 2);
    EXPECT_DOUBLE_EQ(value_of("min_max()", multisets({{{1, 1000000000000}}}), multisets({{{1, 250000000000}}})), 0.25);
    const dataset empty = multisets(std::vector<std::vector<counted_item>>(1));
    EXPECT_EQ(value_of("min_max()", empty, empty), 1);
}

// Rotated about all axes, shifted, and with the points in another order.
point_cloud moved(const point_cloud& from, generator& random) {
    real_matrix turn(3, 3);
    for (index i = 0; i < 3; ++i)
        for (index j = 0; j < 3; ++j) turn(i, j) = uniform(random, -1, 1);
    turn = orthogonal_factor(turn);
    double determinant = 0;
    for (index j = 0; j < 3; ++j)
        determinant +=
            turn(0, j) * (turn(1, (j + 1) % 3) * turn(2, (j + 2) % 3) - turn(1, (j + 2) % 3) * turn(2, (j + 1) % 3));
    if (determinant < 0) turn *= -1;  // a rotation, no reflection
    std::vector<index> order(static_cast<std::size_t>(from.size()));
    std::iota(order.begin(), order.end(), index{0});
    std::ranges::shuffle(order, random);
    point_cloud out;
    for (const index i : order) {
        out.elements.push_back(from.elements[static_cast<std::size_t>(i)]);
        const double shift[] = {3, -2, 5};
        for (index a = 0; a < 3; ++a) {
            double at = shift[a];
            for (index b = 0; b < 3; ++b) at += turn(a, b) * from.at(i)[b];
            out.coordinates.push_back(at);
        }
    }
    return out;
}

TEST(point_kernels, do_not_see_rotation_translation_and_order) {
    generator random(3);
    const objects all = random_clouds(random, 20);
    for (const char* text :
         {"coulomb(sigma=100)", "coulomb(sigma=100, norm=2)", "pair_distances()", "density_overlap()"})
        for (std::size_t i = 2; i < all.size(); ++i) {
            const dataset here = points({all[i].cloud}), there = points({moved(all[i].cloud, random)}),
                          other = points({all[i - 1].cloud});
            const double same = value_of(text, here, here), with = value_of(text, here, other);
            EXPECT_NEAR(value_of(text, here, there), same, 1e-11 * same) << text << " " << i;
            EXPECT_NEAR(value_of(text, there, other), with, 1e-11 * (with + same)) << text << " " << i;
        }
}

TEST(point_kernels, tell_mirrored_methane_atoms_apart_by_nothing) {
    // Four hydrogens whose rows have the same norm: any order of them is the same matrix.
    point_cloud methane{{6, 1, 1, 1, 1}, {0, 0, 0, 1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1}};
    generator random(5);
    const auto want = sorted_coulomb_matrix(methane);
    ASSERT_EQ(want.size(), 15u);
    EXPECT_NEAR(want[0], 0.5 * std::pow(6, 2.4), 1e-12);
    EXPECT_NEAR(want[1], 6 / std::sqrt(3.0), 1e-12);
    for (int i = 0; i < 20; ++i) {
        const auto got = sorted_coulomb_matrix(moved(methane, random));
        for (std::size_t k = 0; k < 15; ++k) EXPECT_NEAR(got[k], want[k], 1e-12);
    }
}

TEST(point_kernels, take_clouds_of_any_dimension_and_refuse_two_points_at_one_place) {
    const dataset flat = points({{{0, 0, 0}, {0, 0, 3, 0, 0, 4}, 2}});
    EXPECT_NEAR(value_of("coulomb()", flat, flat), 1, 1e-15);
    EXPECT_GT(value_of("density_overlap(cutoff=6)", flat, flat), 3);
    const dataset twice = points({{{1, 1}, {0, 0, 0, 0, 0, 0}}});
    expect_error(errc::data, "row 0: coulomb: points 1 and 2 (counted from 1) have the same coordinates",
                 [&] { value_of("coulomb()", twice, twice); });
    EXPECT_GT(value_of("pair_distances()", twice, twice), 0);
}

}  // namespace
}  // namespace mercer::testing
