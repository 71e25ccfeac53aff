#include "mercer/io/first_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;

struct form {
    const char* name;
    std::string head;               // before the first row
    std::vector<std::string> rows;  // texts of the rows with line ends and skipped lines
    read_options how{};
};

std::vector<form> forms() {
    std::vector<form> out;
    out.push_back({"x.csv",
                   "\xef\xbb\xbf"
                   "a,b,c\n",
                   {"1,2,x\n", "\n3,4,\"y\n\"\n", "5,6,z\n"},
                   {.csv = {.label = "c"}}});
    out.push_back({"bare.csv", "", {"1,2\n", "3,4\n", "  \n5,6\n"}, {}});
    out.push_back({"x.svm", "# nothing\n", {"1 1:2\n", "\n# 7\n2 3:4 # five\n", "3 9:1\n"}, {}});
    out.push_back({"x.strings", "", {"a\tone\n", "\nb\ttwo\n", "c\tthree\n"}, {}});
    out.push_back({"bare.strings", "", {"one\n", "\n", "three\n"}, {.tsv = {.labelled = false}}});
    out.push_back({"x.sets", "", {"a\t1 2\n", "b\t3\n", "c\t4\n"}, {}});
    out.push_back({"x.fasta", "", {">s label=a\nAC\nGT\n", ">t label=b\nA\n", ">u label=c\nT\n"}, {}});
    out.push_back(
        {"x.fastq", "", {"@s label=a\nAC\n\nGT\n+\n@I\n+I\n", "\n@t label=b\nA\n+t\nI\n", "@u label=c\nT\n+\nI\n"}});
    out.push_back({"x.xyz", "", {"1\nc 2.0\nH 0 0 0\n", "\n2\n1.5\nH 0 0 0\nO 1 0 0\n", "1\n3\nC 1 2 3\n"}});
    out.push_back(
        {"x.ts", "# 7\n@problemName s\n\n@classLabel true a b\n@data\n", {"1,2:a\n", "# 8\n\n3,4:b\n", "5,6:a\n"}});
    out.push_back({"x.arff",
                   "% 7\n@relation s\n@attribute v numeric\n@attribute class {a,b}\n@DATA\n",
                   {"1,2,a\n", "% 8\n@ 9\n3,4,b\n", "5,6,a\n"}});
    out.push_back({"x.records", "f,g\n", {"1,\"a\n\"\n", "2,b\n", "3,c\n"}, {}});
    out.push_back({"x.jsonl", "", {"{\"f\": 1}\n", "\n{\"f\": 2}\n", "{\"f\": 3}\n"}, {}});
    return out;
}

TEST(read_first_rows, are_a_file_of_these_rows_alone) {
    const scratch_folder folder;
    for (const form& one : forms()) {
        std::string all = one.head, first = one.head;
        for (const std::string& row : one.rows) all += row;
        const std::string path = folder.write(one.name, all);
        for (std::size_t count = 1; count < one.rows.size(); ++count) {
            first += one.rows[count - 1];
            EXPECT_EQ(read_first_rows(path, static_cast<index>(count), one.how).bytes(), first) << one.name << count;
        }
        EXPECT_EQ(read_first_rows(path, 9, one.how).bytes(), all) << one.name;
    }
}

TEST(read_first_rows, of_an_array) {
    const scratch_folder folder;
    matrix<float> all(3, 2);
    for (index i = 0; i < 6; ++i) all.data()[i] = static_cast<float>(i);
    const std::string path = folder.write("x.npy", format_npy(dense<float>(all)));
    matrix<float> two(2, 2);
    for (index i = 0; i < 4; ++i) two.data()[i] = static_cast<float>(i);
    EXPECT_EQ(read_first_rows(path, 2, {}).bytes(), format_npy(dense<float>(two)));
    EXPECT_EQ(read_first_rows(path, 3, {}).bytes(), format_npy(dense<float>(all)));
    EXPECT_EQ(parse_table(read_first_rows(path, 4, {})).x.size(), 3);
}

TEST(read_first_rows, of_graphs_in_a_document) {
    const scratch_folder folder;
    const std::string head =
        "<?xml version='1.0'?>\n<g:graphml xmlns:g='x'><key id='k' for='graph' attr.name='label'/>\n";
    const auto graph = [](const char* label) {
        return fmt::format(
            "<!-- </graph> --><graph edgedefault='undirected'><data key='k'>{}</data><node id='a'/>"
            "<node id='b'/><edge source='a' target='b'/></graph>\n",
            label);
    };
    const std::string path = folder.write("x.graphml", head + graph("u") + graph("v") + graph("u") + "</g:graphml>");
    for (index count = 1; count <= 3; ++count) {
        const table some = parse_table(read_first_rows(path, count, {}));
        EXPECT_EQ(some.x.size(), count);
        EXPECT_EQ(some.class_names.size(), std::min<std::size_t>(static_cast<std::size_t>(count), 2));
    }
    EXPECT_EQ(parse_table(read_first_rows(path, 9, {})).x.size(), 3);
}

TEST(read_first_rows, faults_after_them_are_not_met_and_those_in_them_are_told_with_their_place) {
    const scratch_folder folder;
    const std::string path = folder.write("x.csv", "a,b\n1,2\n3,4\n5,x\n");
    EXPECT_EQ(parse_table(read_first_rows(path, 2, {})).x.size(), 2);
    try {
        parse_table(read_first_rows(path, 3, {}));
        ADD_FAILURE() << "a word was read as a number";
    } catch (const error& wrong) {
        EXPECT_NE(std::string(wrong.what()).find("x.csv:4:3"), std::string::npos) << wrong.what();
    }
}

}  // namespace
}  // namespace mercer
