#include "mercer/kernels/features/explicit_features.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "mercer/data/records.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/expression/listed_kernels.h"

namespace mercer::testing {
namespace {

double dot(const object_features& phi, const sparse<double>& a, index i, const sparse<double>& b, index j) {
    std::map<std::int32_t, double> left;
    for (std::size_t e = 0; e < a.cols(i).size(); ++e) left[a.cols(i)[e]] = a.values(i)[e];
    double sum = 0;
    for (std::size_t e = 0; e < b.cols(j).size(); ++e)
        if (const auto at = left.find(b.cols(j)[e]); at != left.end())
            sum += phi.weight()[static_cast<std::size_t>(at->first)] * at->second * b.values(j)[e];
    return sum;
}

// Products of feature rows equal the kernel values, and no two features of one part have the same name.
void expect_kernel_values(const kernel& k, const dataset& x, const dataset& z) {
    const object_features phi(k, x, &z), alone(k, x);
    const auto block = block_of(evaluator<double>(k, x, z)), own = block_of(evaluator<double>(k, x));
    double most = 0;
    for (index i = 0; i < x.size(); ++i) most = std::max(most, std::abs(own(i, i)));
    for (index i = 0; i < x.size(); ++i) {
        for (index j = 0; j < z.size(); ++j)
            EXPECT_NEAR(dot(phi, phi.x(), i, phi.z(), j), block(i, j), 1e-12 * most) << k.text();
        for (index j = 0; j < x.size(); ++j)
            EXPECT_NEAR(dot(alone, alone.x(), i, alone.x(), j), own(i, j), 1e-12 * most) << k.text();
    }
    std::map<std::pair<std::string, std::string>, int> seen;
    for (index f = 0; f < phi.size(); ++f) {
        const feature_name name = phi.name(f, {});
        EXPECT_FALSE(name.text.empty()) << k.text();
        ++seen[{name.kernel, name.text}];
    }
    for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name.first << " " << name.second;
}

dataset texts_of(std::vector<std::string> all) { return strings(std::move(all)); }

TEST(object_features, are_those_of_every_kernel_that_has_some) {
    generator random(5);
    for (const char* text : {"spectrum(k=2)",
                             "blended_spectrum(k=3, decay=0.7)",
                             "mismatch(k=3, m=1, letters=6)",
                             "gapped_kmer(g=4, k=2)",
                             "weighted_degree(d=3)",
                             "words(ngram=2, min_length=1)",
                             "words(sublinear=1, min_length=1)",
                             "set_intersection()",
                             "multiset_intersection()",
                             "wl(h=2)",
                             "wl(h=2, edges=0)",
                             "wl_assignment(h=2)",
                             "shortest_path()",
                             "graphlets(k=3)",
                             "graphlets(k=4, frequencies=0)",
                             "vertex_histogram()",
                             "edge_histogram()",
                             "vertex_edge_histogram()",
                             "propagation(t=2, w=0.5)",
                             "pair_distances(sigma=0.5, cutoff=3)",
                             "density_overlap(sigma=1, cutoff=3, degree=1)",
                             "fourier(terms=3)",
                             "fourier(terms=2, phases=1)",
                             "shapelets(count=5, length=2, spread=2)",
                             "subtrees()",
                             "subtrees(lambda=0.3)"}) {
        const kernel k = kernel::parse(text);
        ASSERT_FALSE(missing_features_reason(k)) << text;
        const kernel_case s{k, {}};
        expect_kernel_values(k, data_for(s, objects_for(s, random, 14)), data_for(s, objects_for(s, random, 9)));
    }
}

TEST(object_features, follow_the_algebra) {
    generator random(6);
    const kernel_case s{kernel::parse("spectrum(k=2)"), {}};
    const dataset x = data_for(s, objects_for(s, random, 12)), z = data_for(s, objects_for(s, random, 7));
    for (const char* text :
         {"0.5*spectrum(k=1)", "spectrum(k=1) + 2*spectrum(k=3)", "normalize(spectrum(k=2))",
          "spectrum(k=2) - 0.25*spectrum(k=1)", "normalize(spectrum(k=1) + weighted_degree(d=2)) + 3"})
        expect_kernel_values(kernel::parse(text), x, z);
    // Products contain each pair of features twice, as (a, b) and (b, a): only values are compared.
    for (const char* text :
         {"spectrum(k=1)*spectrum(k=2)", "spectrum(k=1)^3", "polynomial_of(spectrum(k=2), [1, 2, 0.5])"}) {
        const kernel k = kernel::parse(text);
        const object_features phi(k, x, &z);
        const auto block = block_of(evaluator<double>(k, x, z));
        for (index i = 0; i < x.size(); ++i)
            for (index j = 0; j < z.size(); ++j)
                EXPECT_NEAR(dot(phi, phi.x(), i, phi.z(), j), block(i, j), 1e-9 * std::max(1.0, block(i, j))) << text;
    }
    EXPECT_TRUE(has_sparse_features(kernel::parse("normalize(spectrum()) + 1")));
    EXPECT_FALSE(has_sparse_features(kernel::parse("spectrum()^2")));
}

TEST(object_features, name_what_they_count) {
    const dataset x = texts_of({"TATAAT"}), none = texts_of({});
    const auto names = [&](const char* text) {
        const object_features phi(kernel::parse(text), x);
        std::vector<std::string> out;
        for (index f = 0; f < phi.size(); ++f) out.push_back(phi.name(f, {}).text);
        std::sort(out.begin(), out.end());
        return out;
    };
    EXPECT_EQ(names("spectrum(k=3)"), (std::vector<std::string>{"AAT", "ATA", "TAA", "TAT"}));
    EXPECT_EQ(names("gapped_kmer(g=3, k=2)"),
              (std::vector<std::string>{".AA", ".AT", ".TA", "A.A", "A.T", "AA.", "AT.", "T.A", "T.T", "TA."}));
    EXPECT_EQ(names("weighted_degree(d=1)"),
              (std::vector<std::string>{"A at 1", "A at 3", "A at 4", "T at 0", "T at 2", "T at 5"}));
    EXPECT_EQ(names("mismatch(k=1, m=1, letters=3)"), (std::vector<std::string>{"*", "A", "T"}));
    const object_features words(kernel::parse("words(ngram=2)"), texts_of({"Free money, free"}));
    std::vector<std::string> all;
    for (index f = 0; f < words.size(); ++f) all.push_back(words.name(f, {}).text);
    EXPECT_EQ(all, (std::vector<std::string>{"free", "free money", "money", "money free"}));
}

TEST(object_features, of_sets_and_vectors_go_by_the_names_of_the_data) {
    const dataset some = sets(std::vector<std::vector<std::int64_t>>{{0, 2}, {1, 7}});
    const object_features phi(kernel::parse("set_intersection()"), some);
    std::vector<std::string> names;
    for (index f = 0; f < phi.size(); ++f) names.push_back(phi.name(f, {"red", "green", "blue"}).text);
    EXPECT_EQ(names, (std::vector<std::string>{"red", "blue", "green", "7"}));
    const dataset x = dense<double>(matrix<double>(1, 2));
    EXPECT_EQ(object_features(kernel::parse("linear()"), x).name(1, {"a", "b"}).text, "b");
    EXPECT_EQ(object_features(kernel::parse("linear()"), x).name(1, {}).text, "x2");
    EXPECT_EQ(object_features(kernel::parse("poly(degree=2)"), x).size(), 3);
}

TEST(object_features, of_graphs_are_written_as_rooted_trees) {
    // 1 - 2 - 1, labels of nodes
    const graph path(graph_parts{3, {{0, 1, 0}, {1, 2, 0}}, {1, 2, 1}});
    const object_features phi(kernel::parse("wl(h=1)"), graphs(std::vector<graph>{path}));
    std::vector<std::string> names;
    for (index f = 0; f < phi.size(); ++f) names.push_back(phi.name(f, {}).text);
    EXPECT_EQ(names, (std::vector<std::string>{"1", "2", "1(2)", "2(2×1)"}));
    const auto places = phi.places(0);
    ASSERT_EQ(places.size(), 6u);  // a colour of each depth for each node
    EXPECT_EQ(places[1].parts, std::vector<index>{1});
    EXPECT_EQ(phi.name(places[4].column, {}).text, "2(2×1)");
}

TEST(object_features, stand_where_they_are_counted) {
    const dataset x = texts_of({"abcab", "Über  Maß, über"});
    const object_features phi(kernel::parse("spectrum(k=2)"), x);
    std::map<std::string, std::vector<std::vector<index>>> at;
    for (const feature_place& each : phi.places(0)) at[phi.name(each.column, {}).text].push_back(each.parts);
    EXPECT_EQ(at["ab"], (std::vector<std::vector<index>>{{0, 1}, {3, 4}}));
    EXPECT_EQ(at["ca"], (std::vector<std::vector<index>>{{2, 3}}));
    const object_features words(kernel::parse("words()"), x);
    at.clear();
    for (const feature_place& each : words.places(1)) at[words.name(each.column, {}).text].push_back(each.parts);
    // Ü and ß are two bytes.
    EXPECT_EQ(at["über"], (std::vector<std::vector<index>>{{0, 1, 2, 3, 4}, {13, 14, 15, 16, 17}}));
    EXPECT_EQ(at["maß"], (std::vector<std::vector<index>>{{7, 8, 9, 10}}));
}

TEST(object_features, of_records_are_those_of_their_fields) {
    const dataset x = records({{"title", texts_of({"ab", "ba"})}, {"price", dense<double>(matrix<double>(2, 1))}});
    const object_features phi(kernel::parse("field(title, spectrum(k=1)) + 0.5*field(price, linear())"), x);
    EXPECT_EQ(phi.name(0, {}).text, "title: a");
    EXPECT_EQ(phi.name(2, {}).text, "price: x1");
    EXPECT_EQ(phi.weight()[2], 0.5);
}

TEST(object_features, are_refused_by_name_where_there_are_none) {
    const dataset x = texts_of({"ab"});
    for (const char* text : {"subsequences(k=2)", "spectrum() + all_substrings()", "normalize(levenshtein())",
                             "exp(spectrum())", "weighted_degree_shifts(d=2)"}) {
        const kernel k = kernel::parse(text);
        EXPECT_TRUE(missing_features_reason(k)) << text;
        expect_error(errc::unsupported, "has no explicit features", [&] { object_features(k, x); });
    }
    EXPECT_EQ(*missing_features_reason(kernel::parse("spectrum() + all_substrings()")),
              "all_substrings(decay=0.5) has no explicit features");
    EXPECT_TRUE(missing_features_reason(kernel::parse("random_walk()")));
    EXPECT_TRUE(missing_features_reason(kernel::parse("jaccard()")));
    EXPECT_TRUE(missing_features_reason(kernel::parse("rbf()")));
    EXPECT_FALSE(missing_features_reason(kernel::parse("poly()")));
}

}  // namespace
}  // namespace mercer::testing
