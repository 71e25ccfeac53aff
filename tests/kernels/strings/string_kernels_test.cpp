// The definitions of the kernels on strings, by which the contract of kernels checks them, and cases of their own.
#include <gtest/gtest.h>

#include <algorithm>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "kernels/value_of.h"
#include "mercer/base/error.h"

namespace mercer::testing {
namespace {

using real = long double;

real size_of(const object& s) { return static_cast<real>(s.string.size()); }

// A sum of positive terms, each with a few rounding errors; the sum adds one per letter.
approx summed(real value, const object& s, const object& t, real more = 0) {
    return {value, value * (2 * (size_of(s) + size_of(t)) + 16 + more)};
}

real inner_product(const std::map<std::string, real>& a, const std::map<std::string, real>& b) {
    real sum = 0;
    for (const auto& [word, value] : a)
        if (const auto found = b.find(word); found != b.end()) sum += value * found->second;
    return sum;
}

// base^0 … base^n, stored because the definitions use the same powers repeatedly.
const std::vector<real>& powers(real base, std::size_t n) {
    static std::map<real, std::vector<real>> known;
    std::vector<real>& made = known[base];
    while (made.size() <= n) made.push_back(std::pow(base, static_cast<real>(made.size())));
    return made;
}

// count·weight^length for all substrings with lengths from low to high.
std::map<std::string, real> substrings(const std::string& s, std::size_t low, std::size_t high, real weight) {
    std::map<std::string, real> made;
    const std::vector<real>& power = powers(weight, s.size());
    for (std::size_t i = 0; i < s.size(); ++i)
        for (std::size_t l = low; l <= high && i + l <= s.size(); ++l) made[s.substr(i, l)] += power[l];
    return made;
}

const definition blended("blended_spectrum", [] {
    std::vector<kernel_case> made;
    for (const auto& [k, decay] : std::vector<std::pair<int, double>>{{1, 1.0}, {3, 0.5}, {4, 1.0}, {30, 0.75}})
        made.push_back({kernel::parse("blended_spectrum(" + std::to_string(k) + ", " + std::to_string(decay) + ")"),
                        [k = k, decay = decay](const object& s, const object& t) {
                            const auto high = static_cast<std::size_t>(k);
                            return summed(inner_product(substrings(s.string, 1, high, decay),
                                                        substrings(t.string, 1, high, decay)),
                                          s, t, 8.0L * k);
                        }});
    return made;
});

const definition everything("all_substrings", [] {
    std::vector<kernel_case> made;
    for (const double decay : {0.5, 1.0, 0.9, 0.015625})
        made.push_back(
            {kernel::parse("all_substrings(" + std::to_string(decay) + ")"), [decay](const object& s, const object& t) {
                 return summed(inner_product(substrings(s.string, 1, s.string.size(), decay),
                                             substrings(t.string, 1, t.string.size(), decay)),
                               s, t, size_of(s) + size_of(t));
             }});
    return made;
});

// For every word over the alphabet, the substrings of s that differ from it in at most m positions.
real mismatch_by_words(const std::string& s, const std::string& t, std::size_t k, int m, int letters) {
    const std::string alphabet = std::string(" abcdefg").substr(0, static_cast<std::size_t>(letters));
    std::vector<std::size_t> word(k, 0);
    const auto near = [&](const std::string& in) {
        real count = 0;
        for (std::size_t i = 0; i + k <= in.size(); ++i) {
            int differ = 0;
            for (std::size_t c = 0; c < k; ++c) differ += in[i + c] != alphabet[word[c]];
            count += differ <= m;
        }
        return count;
    };
    real sum = 0;
    for (;;) {
        sum += near(s) * near(t);
        std::size_t at = 0;
        while (at < k && ++word[at] == alphabet.size()) word[at++] = 0;
        if (at == k) return sum;
    }
}

const definition mismatches("mismatch", [] {
    std::vector<kernel_case> made;
    for (const auto& [k, m, letters] :
         std::vector<std::tuple<int, int, int>>{{1, 0, 4}, {3, 1, 4}, {3, 2, 5}, {2, 2, 6}, {4, 1, 4}})
        made.push_back({kernel::parse("mismatch(" + std::to_string(k) + ", " + std::to_string(m) + ", " +
                                      std::to_string(letters) + ")"),
                        [k = k, m = m, letters = letters](const object& s, const object& t) {
                            return summed(
                                mismatch_by_words(s.string, t.string, static_cast<std::size_t>(k), m, letters), s, t,
                                200);
                        }});
    return made;
});

// Substrings of length g in which all but k letters are replaced by dots, in all ways.
std::map<std::string, real> gapped(const std::string& s, std::size_t g, int k) {
    std::map<std::string, real> made;
    for (std::size_t i = 0; i + g <= s.size(); ++i)
        for (unsigned mask = 0; mask < 1u << g; ++mask) {
            std::string word = s.substr(i, g);
            int kept = 0;
            for (std::size_t c = 0; c < g; ++c) mask >> c & 1 ? void(++kept) : void(word[c] = '.');
            if (kept == k) made[word] += 1;
        }
    return made;
}

const definition gaps("gapped_kmer", [] {
    std::vector<kernel_case> made;
    for (const auto& [g, k] : std::vector<std::pair<int, int>>{{1, 1}, {3, 2}, {5, 2}, {4, 4}, {6, 3}})
        made.push_back({kernel::parse("gapped_kmer(" + std::to_string(g) + ", " + std::to_string(k) + ")"),
                        [g = static_cast<std::size_t>(g), k = k](const object& s, const object& t) {
                            return approx{inner_product(gapped(s.string, g, k), gapped(t.string, g, k)), 0};
                        }});
    return made;
});

real weighted_degree_by_places(const std::string& s, const std::string& t, int d, int shifts) {
    real sum = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
        for (std::size_t j = 0; j < t.size(); ++j) {
            const auto r = std::abs(static_cast<int>(i) - static_cast<int>(j));
            if (r > shifts) continue;
            for (int l = 1; l <= d; ++l) {
                const auto length = static_cast<std::size_t>(l);
                if (i + length > s.size() || j + length > t.size() || s.substr(i, length) != t.substr(j, length))
                    continue;
                sum += 2.0L * (d - l + 1) / (d * (d + 1.0L)) * (r == 0 ? 1 : 1 / (2.0L * (r + 1)));
            }
        }
    return sum;
}

const definition degrees("weighted_degree", [] {
    std::vector<kernel_case> made;
    for (const int d : {1, 3, 7, 40})
        made.push_back(
            {kernel::parse("weighted_degree(" + std::to_string(d) + ")"), [d](const object& s, const object& t) {
                 return summed(weighted_degree_by_places(s.string, t.string, d, 0), s, t, d);
             }});
    return made;
});

const definition shifted("weighted_degree_shifts", [] {
    std::vector<kernel_case> made;
    for (const auto& [d, shifts] : std::vector<std::pair<int, int>>{{3, 0}, {1, 1}, {3, 2}, {5, 30}})
        made.push_back(
            {kernel::parse("weighted_degree_shifts(" + std::to_string(d) + ", " + std::to_string(shifts) + ")"),
             [d = d, shifts = shifts](const object& s, const object& t) {
                 return summed(weighted_degree_by_places(s.string, t.string, d, shifts), s, t, d + shifts);
             }});
    return made;
});

// For every subsequence of length k the sum of decay^span over its occurrences in s, by enumerating k positions.
const std::map<std::string, real>& spans(const std::string& s, std::size_t k, real decay) {
    static std::map<std::tuple<std::string, std::size_t, real>, std::map<std::string, real>> known;
    const auto [at, is_new] = known.try_emplace({s, k, decay});
    if (!is_new || k > s.size()) return at->second;
    std::vector<bool> chosen(s.size());
    std::fill_n(chosen.begin(), k, true);
    const std::vector<real>& power = powers(decay, s.size());
    do {
        std::string word;
        std::size_t first = s.size(), last = 0;
        for (std::size_t i = 0; i < s.size(); ++i)
            if (chosen[i]) word += s[i], first = std::min(first, i), last = i;
        at->second[word] += power[last - first + 1];
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return at->second;
}

const definition gappy("subsequences", [] {
    std::vector<kernel_case> made;
    for (const auto& [k, decay] :
         std::vector<std::pair<int, double>>{{1, 0.5}, {2, 0.5}, {3, 1.0}, {4, 0.75}, {8, 0.5}})
        made.push_back({kernel::parse("subsequences(" + std::to_string(k) + ", " + std::to_string(decay) + ")"),
                        [k = static_cast<std::size_t>(k), decay = decay](const object& s, const object& t) {
                            return summed(inner_product(spans(s.string, k, decay), spans(t.string, k, decay)), s, t,
                                          8.0L * static_cast<real>(k) * (size_of(s) + size_of(t)));
                        }});
    return made;
});

struct scoring {
    real beta, match, mismatch, open, extend;
};

// Enumerates alignments by their first pair and the remaining alignment.
real alignments(const std::string& s, const std::string& t, const scoring& p) {
    const auto cost = [&](std::size_t gap) { return gap == 0 ? 0.0L : p.open + p.extend * static_cast<real>(gap - 1); };
    // The factor of gaps with these lengths in s and in t.
    const std::size_t longest = std::max(s.size(), t.size());
    static std::map<std::tuple<real, real, real>, std::vector<std::vector<real>>> known;
    auto& left = known[{p.beta, p.open, p.extend}];
    if (left.size() < longest) {
        left.assign(longest, std::vector<real>(longest));
        for (std::size_t a = 0; a < longest; ++a)
            for (std::size_t b = 0; b < longest; ++b) left[a][b] = std::exp(-p.beta * (cost(a) + cost(b)));
    }
    std::vector<std::vector<real>> starting(s.size(), std::vector<real>(t.size()));
    real sum = 1;
    for (std::size_t i = s.size(); i-- > 0;)
        for (std::size_t j = t.size(); j-- > 0;) {
            real rest = 1;
            for (std::size_t a = i + 1; a < s.size(); ++a)
                for (std::size_t b = j + 1; b < t.size(); ++b) rest += left[a - i - 1][b - j - 1] * starting[a][b];
            sum += starting[i][j] = std::exp(p.beta * (s[i] == t[j] ? p.match : p.mismatch)) * rest;
        }
    return sum;
}

const std::vector<std::pair<std::string, scoring>>& scorings() {
    static const std::vector<std::pair<std::string, scoring>> all{{"()", {0.5, 2, -1, 3, 1}},
                                                                  {"(1, 1, 0, 0.5, 0.25)", {1, 1, 0, 0.5, 0.25}},
                                                                  {"(0.125, 4, -3, 11, 1)", {0.125, 4, -3, 11, 1}}};
    return all;
}

real steps(const object& s, const object& t) { return 6 * (size_of(s) + size_of(t)) + 40; }

const definition aligned_strings("local_alignment", [] {
    std::vector<kernel_case> made;
    for (const auto& [text, p] : scorings())
        made.push_back({kernel::parse("local_alignment" + text), [p = p](const object& s, const object& t) {
                            const real value = alignments(s.string, t.string, p);
                            return approx{value, value * (steps(s, t) + 2 * std::log(value))};
                        }});
    return made;
});

const definition aligned_strings_log("local_alignment_log", [] {
    std::vector<kernel_case> made;
    for (const auto& [text, p] : scorings())
        made.push_back({kernel::parse("local_alignment_log" + text), [p = p](const object& s, const object& t) {
                            const real value = std::log(alignments(s.string, t.string, p)) / p.beta;
                            return approx{value, steps(s, t) / p.beta + 4 * value};
                        }});
    return made;
});

std::size_t edits(const std::string& s, const std::string& t) {
    std::vector<std::vector<std::size_t>> d(s.size() + 1, std::vector<std::size_t>(t.size() + 1));
    for (std::size_t i = 0; i <= s.size(); ++i)
        for (std::size_t j = 0; j <= t.size(); ++j) {
            if (i == 0 || j == 0)
                d[i][j] = i + j;
            else
                d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (s[i - 1] != t[j - 1])});
        }
    return d[s.size()][t.size()];
}

const definition edited("levenshtein", [] {
    std::vector<kernel_case> made;
    for (const double gamma : {1.0, 0.125})
        made.push_back(
            {kernel::parse("levenshtein(" + std::to_string(gamma) + ")"), [gamma](const object& s, const object& t) {
                 const approx d{static_cast<real>(edits(s.string, t.string)), 0};
                 return decay(d, gamma);
             }});
    return made;
});

std::string random_text(generator& random, index length, const std::string& letters) {
    std::string made;
    for (index i = 0; i < length; ++i)
        made += letters[static_cast<std::size_t>(below(random, static_cast<index>(letters.size())))];
    return made;
}

const char* const each_kernel[] = {
    "spectrum()",        "blended_spectrum()",    "all_substrings()",  "mismatch(letters=256, m=1)",
    "gapped_kmer(4, 2)", "subsequences()",        "weighted_degree()", "weighted_degree_shifts()",
    "local_alignment()", "local_alignment_log()", "levenshtein()"};

// Longer than a machine word, a SIMD vector and a block, compared with the definitions.
TEST(string_kernels, long_strings) {
    generator random(3);
    for (const index n : {63, 64, 65, 128, 200})
        for (const index m : {1, 64, 129, 193}) {
            const object s{{}, random_text(random, n, "ab"), {}}, t{{}, random_text(random, m, "abc"), {}};
            for (const char* name : {"levenshtein", "weighted_degree", "weighted_degree_shifts", "all_substrings"})
                for (const kernel_case& each : kernel_cases_of(name))
                    EXPECT_TRUE(close(value_of(each.k.text(), s.string, t.string), each.f(s, t))) << each.k.text();
        }
}

// Any byte is a letter, also zero: renaming the letters changes nothing.
TEST(string_kernels, bytes_are_letters) {
    generator random(4);
    const std::string s = random_text(random, 40, "abc"), t = random_text(random, 30, "abc");
    const auto renamed = [](std::string text) {
        for (char& c : text) c = c == 'a' ? '\0' : c == 'b' ? '\xff' : '\xc3';
        return text;
    };
    for (const char* k : each_kernel) EXPECT_EQ(value_of(k, s, t), value_of(k, renamed(s), renamed(t))) << k;
}

TEST(string_kernels, empty_strings) {
    for (const char* k : each_kernel) {
        const std::string name(k);
        const double nothing = name == "local_alignment()" || name == "levenshtein()" ? 1 : 0;
        EXPECT_EQ(value_of(k, "", ""), nothing) << k;
        if (name == "levenshtein()") continue;
        EXPECT_EQ(value_of(k, "", "abc"), nothing) << k;
    }
    EXPECT_DOUBLE_EQ(value_of("levenshtein()", "", "abc"), std::exp(-3));
}

// Computed by hand: "aa" occurs at n-1 positions of a^n, which has n(n+1)/2 substrings.
TEST(string_kernels, values_by_hand) {
    EXPECT_EQ(value_of("all_substrings(1)", "aaa", "aaa"), 9 + 4 + 1);
    EXPECT_EQ(value_of("blended_spectrum(2, 1)", "aaa", "aaa"), 9 + 4);
    EXPECT_EQ(value_of("subsequences(2, 0.5)", "cat", "car"), 1.0 / 16);  // ca, Lodhi's example
    EXPECT_EQ(value_of("subsequences(2, 0.5)", "cat", "cat"), 2 / 16.0 + 1 / 64.0);
    EXPECT_EQ(value_of("mismatch(2, 1, 2)", "ab", "ba"), 2);    // aa, bb
    EXPECT_EQ(value_of("gapped_kmer(3, 2)", "abc", "adc"), 1);  // a.c
    EXPECT_DOUBLE_EQ(value_of("weighted_degree(2)", "abc", "abd"), 2 * 2 / 3.0 + 1 / 3.0);
    EXPECT_DOUBLE_EQ(value_of("levenshtein(1)", "kitten", "sitting"), std::exp(-3));
    // One pair of letters and the empty alignment.
    EXPECT_NEAR(value_of("local_alignment(1, 2)", "a", "a"), 1 + std::exp(2), 1e-14);
}

TEST(string_kernels, alignments_beyond_the_range_of_double) {
    const std::string s(3000, 'a'), half(1500, 'a');
    // The best alignment dominates: 3000 pairs of score 5, then 1500.
    EXPECT_NEAR(value_of("local_alignment_log(4, 5, -4, 20, 10)", s, s), 15000, 0.01);
    EXPECT_NEAR(value_of("local_alignment_log(4, 5, -4, 20, 10)", s, half), 7500, 3);
    EXPECT_NEAR(value_of("normalize(local_alignment(4, 5, -4, 20, 10))", s, s), 1, 1e-9);
    EXPECT_THROW(value_of("local_alignment(4, 5, -4, 20, 10)", s, s), error);
    // Far apart: matches late in s and early in t are not lost beside large earlier terms.
    EXPECT_NEAR(value_of("local_alignment_log(4, 5, -4, 20, 10)", std::string(500, 'a') + std::string(600, 'b'),
                         std::string(600, 'b') + std::string(500, 'a')),
                3000, 1);
}

TEST(string_kernels, parameters_and_alphabets) {
    for (const char* k :
         {"blended_spectrum(0)", "blended_spectrum(3, 0)", "all_substrings(0)", "all_substrings(1.5)", "mismatch(3, 4)",
          "mismatch(3, 1, 300)", "mismatch(12, 8, 20)", "gapped_kmer(3, 4)", "gapped_kmer(60, 30)", "subsequences(0)",
          "subsequences(3, 2)", "subsequences(1000, 0.1)", "weighted_degree(0)", "weighted_degree_shifts(3, -1)",
          "local_alignment(0)", "local_alignment(1, 1, 2)", "levenshtein(0)"})
        EXPECT_THROW(kernel::parse(k), error) << k;
    expect_error(errc::data, "letters must be at least 5", [] { value_of("mismatch(3, 1, 4)", "abcde", "a"); });
    expect_error(errc::unsupported, "letters of these strings, more than the 64 bits of a feature number", [] {
        std::string bytes;
        for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
        value_of("gapped_kmer(9, 8)", bytes, bytes);
    });
    EXPECT_EQ(value_of("mismatch(20, 0, 4)", "abcdabcdabcdabcdabcd", "abcdabcdabcdabcdabcd"), 1);
}

// Letters that occur in no other string count only through the size of the alphabet.
TEST(string_kernels, mismatch_does_not_depend_on_the_other_strings) {
    const kernel k = kernel::parse("mismatch(3, 1, 5)");
    const dataset few = strings({"abcab", "bca"}), many = strings({"abcab", "bca", "ddeae"});
    const auto a = block_of(evaluator<double>(k, few)), b = block_of(evaluator<double>(k, many));
    for (index i = 0; i < 2; ++i)
        for (index j = 0; j < 2; ++j) EXPECT_NEAR(a(i, j), b(i, j), 1e-12 * b(i, j));
}

TEST(string_kernels, very_long_strings) {
    const std::string s(50000, 'a');
    const double n = 50000;
    EXPECT_EQ(value_of("all_substrings(1)", s, s.substr(0, 2)), 2 * n + (n - 1));
    EXPECT_EQ(value_of("weighted_degree(1)", s, s), n);
    EXPECT_EQ(value_of("spectrum(3)", s, s), (n - 2) * (n - 2));
    EXPECT_NEAR(value_of("levenshtein(0.0001)", s, s.substr(0, 40000)), std::exp(-1), 1e-12);
    EXPECT_THROW(value_of("subsequences(300, 1)", s.substr(0, 1200), s.substr(0, 1200)), error);
}

}  // namespace
}  // namespace mercer::testing
