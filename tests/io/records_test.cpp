#include "mercer/io/records.h"

#include <gtest/gtest.h>

#include "mercer/data/all_kinds.h"
#include "mercer/io/read.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;

table csv(std::string_view text, read_options how = {}) {
    how.format = &find_file_format("records");
    return parse_table(file_contents("x.csv", text, nullptr), how);
}
table lines(std::string_view text, const read_options& how = {}) {
    return parse_table(file_contents("x.jsonl", text, nullptr), how);
}
const records& records_of(const table& t) { return *t.x.as<records>(); }

TEST(csv_records, numbers_are_vectors_and_the_rest_strings) {
    const table t = csv("title,price,kind\n\"red, dark\",3.5,good\nblue,-1e3,bad\n", {.csv = {.label = "kind"}});
    ASSERT_EQ(t.x.size(), 2);
    EXPECT_EQ((*records_of(t).of("title").as<strings>())[0], "red, dark");
    EXPECT_EQ(records_of(t).of("price").as<dense<double>>()->row(1)[0], -1000);
    EXPECT_EQ(t.class_names, (std::vector<std::string>{"bad", "good"}));
    EXPECT_EQ(t.y, (std::vector<double>{1, 0}));
}

TEST(csv_records, a_field_is_read_as_the_training_set_had_it) {
    read_options how;
    how.records.kinds = {{"zip", "strings"}, {"n", "vectors"}};
    EXPECT_EQ((*records_of(csv("zip,n\n01234,1\n", how)).of("zip").as<strings>())[0], "01234");
    EXPECT_EQ(failure([&] { csv("zip,n\n1,2\n3,many\n", how); }),
              "bad data: x.csv:3:3: expected a finite number in field 'n', got 'many'");
}

TEST(csv_records, what_is_wrong_has_a_place) {
    EXPECT_EQ(failure([] { csv("a,b\n1,2\n3\n"); }),
              "parse error: x.csv:3:1: expected 2 fields like the header, got 1");
    EXPECT_EQ(failure([] { csv("a,b\n"); }), "bad data: x.csv: expected at least one example, got none");
    EXPECT_EQ(failure([] { csv("a\n1\n", {.csv = {.label = "a"}}); }),
              "bad data: x.csv: expected at least one field beside the target, got none");
}

TEST(json_records, kinds_by_their_values) {
    const table t = lines(
        "{\"t\": \"x y\", \"p\": [1, 2], \"tags\": [\"a\", \"b\"], \"n\": true, \"label\": 3}\n\n"
        "{\"label\": 4, \"n\": 2.5, \"tags\": [], \"p\": [0, -1], \"t\": \"\"}\n");
    EXPECT_EQ(t.y, (std::vector<double>{3, 4}));
    EXPECT_EQ(records_of(t).of("p").as<dense<double>>()->row(1)[1], -1);
    EXPECT_EQ(records_of(t).of("n").as<dense<double>>()->row(0)[0], 1);
    EXPECT_EQ((*records_of(t).of("tags").as<sets>())[0].size(), 2u);
    EXPECT_TRUE((*records_of(t).of("tags").as<sets>())[1].empty());
    EXPECT_EQ((*records_of(t).of("t").as<strings>())[0], "x y");
}

// The name "records:offers.jsonl" must work for records in JSON lines.
TEST(json_records, need_no_other_name_than_records) {
    for (const char* before : {"", "\xEF\xBB\xBF", "\n  "}) {
        const table t = csv(std::string(before) + "{\"t\": \"x, y\", \"label\": 3}\n{\"t\": \"z\", \"label\": 4}\n");
        EXPECT_EQ(t.y, (std::vector<double>{3, 4})) << before;
        EXPECT_EQ((*records_of(t).of("t").as<strings>())[0], "x, y");
    }
}

TEST(csv_records, fields_are_what_the_kernel_compares) {
    read_options how;
    how.records.kinds = {{"tags", "sets"}, {"parse", "trees"}};
    const table t = csv("tags,parse\na b a,(S (NP x) y)\n,leaf\n", how);
    EXPECT_EQ((*records_of(t).of("tags").as<sets>())[0].size(), 2u);
    EXPECT_TRUE((*records_of(t).of("tags").as<sets>())[1].empty());
    EXPECT_EQ(records_of(t).of("parse").as<trees>()->text(0), "(S (NP x) y)");
    EXPECT_EQ(failure([&] { csv("tags,parse\na,(S\n", how); }),
              "parse error: x.csv:2:3:1:3: expected 1 more ')', got the end");
    how.records.kinds = {{"tags", "graphs"}};
    EXPECT_EQ(failure([&] { csv("tags,parse\na,b\n", how); }),
              "unsupported: x.csv: a column of a table cannot contain graphs, which the kernel compares in field "
              "'tags': write the data as JSON lines");
}

TEST(json_records, of_every_kind) {
    const char* text =
        "{\"net\": {\"nodes\": [\"C\", \"O\"], \"edges\": [[0, 1, \"double\"]]}, \"cloud\": {\"elements\": [\"O\", 1], "
        "\"coordinates\": [[0, 0, 0], [1, 0, 0]]}, \"bag\": {\"a\": 2, \"b\": 1}, \"path\": [[1, 2], [3, 4]], "
        "\"curve\": [1, 2], "
        "\"parse\": \"(S (NP x) y)\"}\n"
        "{\"net\": {\"nodes\": 0}, \"cloud\": {\"coordinates\": []}, \"bag\": {}, \"path\": [[5, 6]], \"curve\": [3, "
        "4], "
        "\"parse\": \"leaf\"}\n";
    const table plain = lines(text);
    EXPECT_EQ((*records_of(plain).of("net").as<graphs>())[0].nodes(), 2);
    EXPECT_EQ((*records_of(plain).of("net").as<graphs>())[0].label(1), label_of("O"));
    EXPECT_EQ((*records_of(plain).of("net").as<graphs>())[1].nodes(), 0);
    EXPECT_EQ(records_of(plain).of("cloud").as<points>()->text(0), "O 0 0 0; H 1 0 0");
    EXPECT_EQ((*records_of(plain).of("bag").as<multisets>())[0].size(), 2u);
    EXPECT_EQ((*records_of(plain).of("path").as<series>())[0].dims, 2);
    EXPECT_EQ((*records_of(plain).of("path").as<series>())[1].size(), 1);
    EXPECT_TRUE(records_of(plain).of("curve").kind() == object_kind::vectors);
    EXPECT_TRUE(records_of(plain).of("parse").kind() == strings::kind);
    read_options how;
    how.records.kinds = {{"curve", "series"}, {"parse", "trees"}};
    const table asked = lines(text, how);
    EXPECT_EQ((*records_of(asked).of("curve").as<series>())[1].values, (std::vector<double>{3, 4}));
    EXPECT_EQ(records_of(asked).of("parse").as<trees>()->text(0), "(S (NP x) y)");
    EXPECT_EQ((*records_of(lines("{\"c\": [1]}\n{\"c\": []}\n{\"c\": [1, 2]}\n", {.records = {{{"c", "series"}}}}))
                    .of("c")
                    .as<series>())[2]
                  .size(),
              2);
}

TEST(json_records, faults_of_every_kind) {
    const auto said = [](const char* text, std::map<std::string, std::string> kinds = {}) {
        return failure([&] { lines(text, {.records = {std::move(kinds)}}); });
    };
    EXPECT_EQ(said("{\"a\": {\"nodes\": 2, \"edges\": [[0, 5]]}}\n").find("parse error: x.jsonl:1:"), 0u);
    EXPECT_EQ(said("{\"a\": {\"edges\": []}}\n"),
              "parse error: x.jsonl:1:7: expected a member \"nodes\" of the graph, got none");
    EXPECT_EQ(
        said("{\"a\": {\"nodes\": 1}}\n{\"a\": {\"x\": 1}}\n"),
        "bad data: x.jsonl:2:7: expected a graph {\"nodes\": ..., \"edges\": ...} in field 'a', as in the first line");
    EXPECT_EQ(said("{\"a\": {\"x\": 1.5}}\n"),
              "parse error: x.jsonl:1:13: expected a count, a whole number from 0, got '1.5'");
    EXPECT_EQ(said("{\"a\": {\"coordinates\": [[1, 2], [3]]}}\n"),
              "parse error: x.jsonl:1:32: expected a list of 2 numbers, got '[3'");
    EXPECT_EQ(said("{\"a\": {\"coordinates\": [[1, 2]], \"elements\": [1, 1]}}\n"),
              "parse error: x.jsonl:1:7: expected one element per point, got 2 elements for 1 points");
    EXPECT_EQ(said("{\"a\": {\"elements\": [\"Xx\"], \"coordinates\": [[1, 2]]}}\n"),
              "parse error: x.jsonl:1:21: expected the symbol of an element or its number, 0 to 118, got '\"Xx\"'");
    EXPECT_EQ(said("{\"a\": \"(S\"}\n", {{"a", "trees"}}),
              "parse error: x.jsonl:1:7:1:3: expected 1 more ')', got the end");
    EXPECT_EQ(said("{\"a\": 1}\n", {{"a", "series"}}),
              "bad data: x.jsonl:1:7: expected a list of finite numbers in field 'a', as in the first line");
    EXPECT_EQ(said("{\"a\": 1}\n", {{"a", "images"}}),
              "unsupported: x.jsonl: JSON lines cannot contain images, which the kernel compares in field 'a'");
}

TEST(json_records, what_is_wrong_has_a_place) {
    const auto said = [](const char* text) { return failure([&] { lines(text); }); };
    EXPECT_EQ(said("{\"a\": 1}\n{\"a\": \n").find("parse error: x.jsonl:2:7: expected "), 0u)
        << said("{\"a\": 1}\n{\"a\": \n");
    EXPECT_EQ(said("{\"a\": 1}\n[1]\n").find("parse error: x.jsonl:2:1: expected an object"), 0u);
    EXPECT_NE(said("{\"a\": 1}\n{\"a\": 2, \"b\": 1}\n").find("x.jsonl:2:15: expected no field 'b'"),
              std::string::npos);
    EXPECT_EQ(said("{\"a\": 1, \"b\": 1}\n{\"b\": 1}\n"), "bad data: x.jsonl:2:1: expected the field 'a'");
    EXPECT_EQ(said("{\"a\": 1}\n{\"a\": null}\n").find("parse error: x.jsonl:2:7: expected a number"), 0u);
    EXPECT_EQ(said("{\"a\": 1}\n{\"a\": \"b\"}\n"),
              "bad data: x.jsonl:2:7: expected a finite number in field 'a', as in the first line");
    EXPECT_EQ(said("{\"a\": [1, 2]}\n{\"a\": [1]}\n"),
              "bad data: x.jsonl:2:7: expected a list of 2 finite numbers in field 'a', as in the first line");
    EXPECT_EQ(said("{\"a\": 1, \"label\": 1}\n{\"a\": 1}\n"), "bad data: x.jsonl:2:1: expected the target 'label'");
}

}  // namespace
}  // namespace mercer
