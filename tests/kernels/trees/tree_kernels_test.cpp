// Kernels on trees: their definitions, by which the contract of kernels checks them, and values worked out by hand.
#include <gtest/gtest.h>

#include <map>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "mercer/io/tsv.h"
#include "mercer/kernels/features/explicit_features.h"

namespace mercer::testing {
namespace {

using real = long double;

// All fragments rooted at v as text, each with the number of its nodes that have children.
std::vector<std::pair<std::string, int>> fragments_at(const tree& of, index v) {
    std::vector<std::pair<std::string, int>> so_far{{"(" + of[v].label, 1}};
    for (index c = v + 1; c < of.subtree_end(v); c = of.subtree_end(c)) {
        std::vector<std::pair<std::string, int>> below{{of[c].label, 0}};
        if (!of.is_leaf(c))
            for (auto& each : fragments_at(of, c)) below.push_back(each);
        std::vector<std::pair<std::string, int>> longer;
        for (const auto& [text, inner] : so_far)
            for (const auto& [more, others] : below) longer.emplace_back(text + " " + more, inner + others);
        so_far = std::move(longer);
    }
    for (auto& [text, inner] : so_far) text += ")";
    return so_far;
}

std::map<std::string, std::pair<real, int>> counted_fragments(const tree& of) {
    std::map<std::string, std::pair<real, int>> out;
    for (index v = 0; v < of.size(); ++v)
        if (!of.is_leaf(v))
            for (const auto& [text, inner] : fragments_at(of, v)) out[text].first += 1, out[text].second = inner;
    return out;
}

// Complete subtrees as text: (label child child …).
std::string whole(const tree& of, index v, int& inner) {
    std::string out = "(" + of[v].label;
    inner += !of.is_leaf(v);
    for (index c = v + 1; c < of.subtree_end(v); c = of.subtree_end(c)) out += " " + whole(of, c, inner);
    return out + ")";
}
std::map<std::string, std::pair<real, int>> counted_subtrees(const tree& of) {
    std::map<std::string, std::pair<real, int>> out;
    for (index v = 0; v < of.size(); ++v) {
        if (of.is_leaf(v)) continue;
        int inner = 0;
        const std::string text = whole(of, v, inner);
        out[text].first += 1, out[text].second = inner;
    }
    return out;
}

template <class Counted>
approx weighted(const Counted& x, const Counted& z, double lambda) {
    approx sum;
    for (const auto& [text, found] : x)
        if (const auto same = z.find(text); same != z.end())
            sum.value += std::pow(static_cast<real>(lambda), found.second) * found.first * same->second.first;
    sum.error = 60 * sum.value;  // all terms are positive: products and sums of at most nine nodes
    return sum;
}

const definition known_subset_trees("subset_trees", [] {
    std::vector<kernel_case> made;
    for (const double lambda : {0.4, 1.0, 0.125})
        made.push_back(
            {kernel::parse("subset_trees(" + std::to_string(lambda) + ")"), [lambda](const object& x, const object& z) {
                 return weighted(counted_fragments(x.branches), counted_fragments(z.branches), lambda);
             }});
    return made;
});

const definition known_subtrees("subtrees", [] {
    std::vector<kernel_case> made;
    for (const double lambda : {1.0, 0.5})
        made.push_back(
            {kernel::parse("subtrees(" + std::to_string(lambda) + ")"), [lambda](const object& x, const object& z) {
                 return weighted(counted_subtrees(x.branches), counted_subtrees(z.branches), lambda);
             }});
    return made;
});

dataset one(const std::string& text) { return trees({parse_tree(text, "test", text)}); }
double value_of_trees(const std::string& k, const std::string& x, const std::string& z) {
    return pair_value(kernel::parse(k), one(x), one(z));
}

// The tree of "Jeff ate the apple" in Collins and Duffy's paper: of the noun phrase (NP (D the) (N apple)) there are
// six fragments.
TEST(tree_kernels, six_fragments_of_a_noun_phrase) {
    const std::string np = "(NP (D the) (N apple))";
    EXPECT_EQ(value_of_trees("subset_trees(1)", np, np), 6);
    EXPECT_EQ(value_of_trees("subtrees(1)", np, np), 3);
    EXPECT_EQ(value_of_trees("subset_trees(1)", np, "(NP (D a) (N apple))"), 3) << "NP, NP with N, N";
    EXPECT_EQ(value_of_trees("subtrees(1)", np, "(NP (D a) (N apple))"), 1);
    // With weights: D, N and NP alone 0.5 each, NP with one of them 0.25 each, all three 0.125.
    EXPECT_DOUBLE_EQ(value_of_trees("subset_trees(0.5)", np, np), 3 * 0.5 + 2 * 0.25 + 0.125);
    EXPECT_DOUBLE_EQ(value_of_trees("subtrees(0.5)", np, np), 2 * 0.5 + 0.125);
    EXPECT_EQ(value_of_trees("subset_trees(1)", np, "(NP (N apple) (D the))"), 2) << "children have an order";
}

TEST(tree_kernels, a_leaf_is_a_node_that_was_cut_off) {
    EXPECT_EQ(value_of_trees("subset_trees(1)", "(A B)", "(A (B c))"), 1) << "the fragment (A B)";
    EXPECT_EQ(value_of_trees("subtrees(1)", "(A B)", "(A (B c))"), 0);
}

TEST(tree_kernels, nothing_and_leaves) {
    for (const char* k : {"subset_trees()", "subtrees()"})
        for (const char* empty : {"", "a", "(a)"}) {
            EXPECT_EQ(value_of_trees(k, empty, empty), 0) << k << empty;
            EXPECT_EQ(value_of_trees(k, empty, "(a b)"), 0) << k << empty;
        }
}

TEST(tree_kernels, labels_that_run_together_are_not_the_same) {
    EXPECT_EQ(value_of_trees("subset_trees()", "(a bc d)", "(a b cd)"), 0);
    EXPECT_EQ(value_of_trees("subset_trees()", "(a 1:b)", "(a 1 b)"), 0);
    EXPECT_EQ(value_of_trees("subtrees()", "(a \\(b\\))", "(a (b))"), 0);
    EXPECT_EQ(value_of_trees("subtrees()", "(a b\\ c)", "(a b c)"), 0);
    EXPECT_EQ(value_of_trees("subtrees()", "(k\xd6ln \xff)", "(k\xd6ln \xff)"), 1) << "any bytes";
}

// The values of a full binary tree with one label grow doubly exponentially with its depth.
TEST(tree_kernels, long_and_large_trees) {
    std::string chain = "leaf", full = "a";
    for (int i = 0; i < 3000; ++i) chain = "(n " + chain + ")";
    EXPECT_EQ(value_of_trees("subtrees(1)", chain, chain), 3000);
    const std::string three = "(n (n (n leaf)))";
    EXPECT_EQ(value_of_trees("subset_trees(1)", three, three), 2 * 2 + 1 * 1 + 3 * 1)
        << "n, n n, and three with the leaf";
    for (int i = 0; i < 11; ++i) full = "(a " + full + " " + full + ")";
    expect_error(errc::data, "", [&] { value_of_trees("subset_trees(1)", full, full); });
    EXPECT_NEAR(value_of_trees("normalize(subset_trees(0.01))", full, full), 1, 1e-12);
}

TEST(tree_kernels, features_are_subtrees_where_they_stand) {
    const object_features phi(kernel::parse("subtrees()"), one("(S (NP dogs) (VP (V like) (NP dogs)))"));
    std::map<std::string, std::vector<std::vector<index>>> at;
    for (const feature_place& each : phi.places(0)) at[phi.name(each.column, {}).text].push_back(each.parts);
    EXPECT_EQ(at["(NP dogs)"], (std::vector<std::vector<index>>{{1, 2}, {6, 7}}));
    EXPECT_EQ(at["(V like)"], (std::vector<std::vector<index>>{{4, 5}}));
    EXPECT_EQ(at.size(), 4u);
}

TEST(tree_kernels, say_what_is_wrong) {
    expect_error(errc::parse, "0 < lambda <= 1", [] { kernel::parse("subset_trees(1.5)"); });
    expect_error(errc::parse, "0 < lambda <= 1", [] { kernel::parse("subtrees(0)"); });
    EXPECT_THROW(pair_value(kernel::parse("subtrees()"), strings({"(a b)"}), strings({"(a b)"})), error);
}

}  // namespace
}  // namespace mercer::testing
