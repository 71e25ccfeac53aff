#include "mercer/io/tsv.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "mercer/data/all_kinds.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using words = std::vector<std::string>;
using numbers = std::vector<std::int64_t>;

numbers set(const table& t, index i) {
    const auto one = (*t.x.as<sets>())[i];
    return {one.begin(), one.end()};
}

TEST(strings_reader, label_first_text_last) {
    const table t = parse_strings("+\tACGT\n-\ttrain\tGA TT \r\n\n+\t\n-\tlast", "f");
    EXPECT_EQ(texts(t), (words{"ACGT", "GA TT ", "", "last"}));
    EXPECT_EQ(t.class_names, (words{"+", "-"}));
    EXPECT_EQ(t.y, (std::vector<double>{0, 1, 0, 1}));
}

TEST(strings_reader, numeric_labels_stay_numbers) {
    const table t = parse_strings("1.5\ta\n-2\tb\n", "f");
    EXPECT_EQ(t.y, (std::vector<double>{1.5, -2}));
    EXPECT_TRUE(t.class_names.empty());
}

TEST(strings_reader, one_text_label_makes_all_of_them_classes) {
    const table t = parse_strings("1\ta\nx\tb\n1\tc\n", "f");
    EXPECT_EQ(t.class_names, (words{"1", "x"}));
    EXPECT_EQ(t.y, (std::vector<double>{0, 1, 0}));
}

TEST(strings_reader, without_labels) {
    const table t = parse_strings("one\nid\ttwo\n", "f", {.labelled = false});
    EXPECT_EQ(texts(t), (words{"one", "two"}));
    EXPECT_TRUE(t.y.empty());
}

TEST(strings_reader, a_blank_line_without_labels_is_an_empty_string) {
    EXPECT_EQ(texts(parse_strings("a\n\n \r\nb\n\n", "f", {.labelled = false})), (words{"a", "", " ", "b", ""}));
    EXPECT_EQ(texts(parse_strings("\n", "f", {.labelled = false})), (words{""}));
}

TEST(strings_reader, faults) {
    EXPECT_EQ(failure([] { parse_strings("+\ta\nACGT\n", "f"); }),
              "parse error: f:2:1: expected label<TAB>text, got 'ACGT'");
    EXPECT_EQ(failure([] { parse_strings("+\ta\n\tACGT\n", "f"); }),
              "parse error: f:2:1: expected label<TAB>text, got '\\x09ACGT'");
    EXPECT_EQ(failure([] { parse_strings("", "f"); }), "bad data: f: expected at least one example, got none");
    EXPECT_EQ(failure([] { parse_strings("a\tx\nb\ty\n", "f", {.classes = {"a"}}); }),
              "bad data: f:2:1: expected one of the 1 known classes, got 'b'");
}

TEST(strings_reader, promoters) {
    const table t = read_strings(data_file("promoters.tsv"));
    EXPECT_EQ(t.x.size(), 106);
    EXPECT_EQ(std::count(t.y.begin(), t.y.end(), 0.0), 53);
    for (const std::string& text : texts(t)) EXPECT_EQ(text.size(), 57u);
}

TEST(sets_reader, items_get_numbers_in_order_of_appearance) {
    const table t = parse_sets("p\tb a  b\ne\ta\tc\np\t\n", "f");
    EXPECT_EQ(t.feature_names, (words{"b", "a", "c"}));
    EXPECT_EQ(set(t, 0), (numbers{0, 1}));
    EXPECT_EQ(set(t, 1), (numbers{1, 2}));
    EXPECT_EQ(set(t, 2), (numbers{}));
    EXPECT_EQ(t.class_names, (words{"e", "p"}));
    EXPECT_EQ(t.y, (std::vector<double>{1, 0, 1}));
}

TEST(sets_reader, a_blank_line_without_labels_is_an_empty_set) {
    const table t = parse_sets("a b\n\n \t\nb\n", "f", {.labelled = false});
    ASSERT_EQ(t.x.size(), 4);
    EXPECT_EQ(set(t, 1), (numbers{}));
    EXPECT_EQ(set(t, 2), (numbers{}));
    EXPECT_EQ(set(t, 3), (numbers{1}));
    // In a file with labels a label may be missing, but an empty line is not an example.
    EXPECT_EQ(failure([] { parse_sets("p\ta\n\t\n", "f"); }),
              "parse error: f:2:1: expected label<TAB>item item ..., got '\\x09'");
    EXPECT_EQ(parse_sets("p\ta\n\n \n", "f").x.size(), 1);
}

TEST(sets_reader, an_item_in_latin_1_is_that_in_utf_8) {
    const table t = parse_sets("caf\xe9 t\xe9\ncaf\xc3\xa9\n", "f", {.labelled = false});
    EXPECT_EQ(t.feature_names, (words{"caf\xc3\xa9", "t\xc3\xa9"}));
    EXPECT_EQ(set(t, 1), (numbers{0}));
}

TEST(sets_reader, dictionary_carries_over_to_other_files) {
    const table train = parse_sets("p\tb a\n", "f");
    const table test = parse_sets("p\tz a\np\tb\n", "f", {.dictionary = train.feature_names});
    EXPECT_EQ(set(test, 0), (numbers{1, 2}));
    EXPECT_EQ(set(test, 1), (numbers{0}));
    EXPECT_EQ(test.feature_names, (words{"b", "a", "z"}));
    EXPECT_EQ(failure([] {
                  parse_sets("p\ta\n", "f", {.dictionary = {"a", "a"}});
              }),
              "invalid argument: the items of a dictionary must differ, got 'a' twice");
}

TEST(sets_reader, unlabelled_items_with_blanks) {
    const table t =
        parse_sets("whole milk\tbread\r\nbread\n", "f", {.labelled = false, .items_separated_by_tab = true});
    EXPECT_EQ(t.feature_names, (words{"whole milk", "bread"}));
    EXPECT_EQ(set(t, 1), (numbers{1}));
    EXPECT_TRUE(t.y.empty());
}

// Models fitted in Python have no dictionary: a word has the same item number in both.
TEST(sets_reader, items_numbered_by_their_names) {
    const table t = parse_sets("x\tred blue\n", "f", {.number_items_by_name = true});
    numbers want{item_number("red"), item_number("blue")};
    std::ranges::sort(want);
    EXPECT_EQ(set(t, 0), want);
    EXPECT_TRUE(t.feature_names.empty());
}

TEST(sets_reader, faults) {
    EXPECT_EQ(failure([] { parse_sets("p\ta\nb c\n", "f"); }),
              "parse error: f:2:1: expected label<TAB>item item ..., got 'b c'");
    EXPECT_EQ(failure([] { parse_sets(" \n", "f"); }), "bad data: f: expected at least one example, got none");
}

TEST(trees_reader, brackets) {
    const table t = parse_trees("a\t(S (NP (D the) (N dog)) (VP barks))\nb\t( (S x\\ y (z)))\r\n\na\t\nb\tleaf\n", "f");
    const auto& read = *t.x.as<trees>();
    ASSERT_EQ(read.size(), 4);
    EXPECT_EQ(t.y, (std::vector<double>{0, 1, 0, 1}));
    EXPECT_EQ(read.text(0), "(S (NP (D the) (N dog)) (VP barks))");
    EXPECT_EQ(read[0].size(), 8);
    EXPECT_EQ(read[0][1].label, "NP");
    EXPECT_EQ(read[0][1].size, 5);
    EXPECT_EQ(read.text(1), "(S x\\ y z)") << "a root without a label is left out";
    EXPECT_EQ(read[1][1].label, "x y");
    EXPECT_EQ(read.text(2), "");
    EXPECT_EQ(read.text(3), "(leaf)");
    EXPECT_EQ(parse_trees("(a\t(b c) d)\n", "f", {.labelled = false}).x.as<trees>()->text(0), "(a (b c) d)");
}

TEST(trees_reader, faults) {
    const auto wrong = [](const char* text) { return failure([&] { parse_trees(text, "f", {.labelled = false}); }); };
    EXPECT_EQ(wrong("(a b)\n(a (b c)\n"), "parse error: f:2:9: expected 1 more ')', got the end");
    EXPECT_EQ(wrong("(a b))\n"), "parse error: f:1:6: expected the end of the tree, got ')'");
    EXPECT_EQ(wrong(") (a)\n"), "parse error: f:1:1: expected '(' or a label, got ') (a)'");
    EXPECT_EQ(wrong("(a ())\n"), "parse error: f:1:5: expected a label after '(', got '))'");
    EXPECT_EQ(wrong("a b\n"), "parse error: f:1:3: expected the end of the tree, got 'b'");
    EXPECT_EQ(wrong("(a b\\"), "parse error: f:1:6: expected a character after \\, got the end");
    EXPECT_EQ(failure([] { parse_trees("(a b)\n", "f"); }),
              "parse error: f:1:1: expected label<TAB>(tree in brackets), got '(a b)'");
    EXPECT_EQ(failure([] {
                  trees({tree{{{"a", 3}, {"b", 1}}}});
              }),
              "invalid argument: tree 0: the subtree of node 0 goes beyond the end of the tree");
    EXPECT_EQ(failure([] {
                  trees({tree{{{"a", 3}, {"b", 1}, {"", 1}}}});
              }),
              "invalid argument: tree 0: a leaf must have a label, node 2 has none");
}

#ifdef MERCER_HAVE_LZMA
TEST(sets_reader, mushrooms) {
    const table t = read_sets(data_file("mushrooms.sets.xz"));
    EXPECT_EQ(t.x.size(), 8124);
    EXPECT_EQ(t.class_names, (words{"e", "p"}));
    EXPECT_EQ(std::count(t.y.begin(), t.y.end(), 1.0), 3916);  // poisonous, as UCI gives it
    for (index i = 0; i < t.x.size(); ++i) {
        ASSERT_GE(set(t, i).size(), 21u) << i;  // 22 attributes, of which only stalk-root may be unknown
        ASSERT_LE(set(t, i).size(), 22u) << i;
    }
}
#endif

}  // namespace
}  // namespace mercer
