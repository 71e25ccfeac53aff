#include "mercer/io/read.h"

#include <gtest/gtest.h>

#include "mercer/data/all_kinds.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using namespace std::string_literals;

TEST(read_table, format_by_the_end_of_the_name) {
    EXPECT_EQ(detect_format("a/b.svm", "x,y").name, "libsvm"s);
    EXPECT_EQ(detect_format("b.LIBSVM", "").name, "libsvm"s);
    EXPECT_EQ(detect_format("b.svmlight.gz", "").name, "libsvm"s);
    EXPECT_EQ(detect_format("b.csv.xz", "1 1:2").name, "csv"s);
    EXPECT_EQ(detect_format("b.npy", "").name, "npy"s);
    EXPECT_EQ(detect_format("b.strings", "").name, "strings"s);
    EXPECT_EQ(detect_format("b.sets.xz", "").name, "sets"s);
}

TEST(read_table, format_by_content) {
    EXPECT_EQ(detect_format("heart_scale", "+1 1:0.5 2:3 \n").name, "libsvm"s);
    EXPECT_EQ(detect_format("a9a.t", "# comment\n\n-1 qid:3 1:2 # x,y\n").name, "libsvm"s);
    EXPECT_EQ(detect_format("x", "1\n-1 3:4\n").name, "libsvm"s);
    EXPECT_EQ(detect_format("x.data", "1,2\n").name, "csv"s);
    EXPECT_EQ(detect_format("x.txt", "a;b\n1;2\n").name, "csv"s);
    EXPECT_EQ(detect_format("x.tsv", "a\tb\tclass\n1\t2\tred\n").name, "csv"s);
    EXPECT_EQ(detect_format("x.tsv", "a\tb\n1\t2\n").name, "csv"s);
    EXPECT_EQ(detect_format("x.tsv", "+\tACGT\n").name, "strings"s);
    EXPECT_EQ(detect_format("x.tsv", "1\tACGT\n-1\tGATT\n").name, "strings"s);
    EXPECT_EQ(detect_format("x.tsv", "DESC\ttrain\thow did serfdom develop ?\n").name, "strings"s);
    EXPECT_EQ(detect_format("x", std::string_view("\x93NUMPY\x01", 7)).name, "npy"s);
    EXPECT_EQ(failure([] { detect_format("x", "hello world\n"); }),
              "unsupported: x: the format cannot be detected from the name or from the first line 'hello world': name "
              "one of the formats " +
                  format_names());
    EXPECT_EQ(failure([] { detect_format("x", "\n"); }), "bad data: x: expected at least one example, got none");
}

TEST(read_table, formats_have_names) {
    for (const file_format* format : all_formats()) EXPECT_EQ(&find_file_format(format->name), format);
    EXPECT_EQ(failure([] { find_file_format("xls"); }),
              "invalid argument: the format must be one of auto, " + format_names() + ", got 'xls'");
    EXPECT_NE(format_names().find("libsvm, "), std::string::npos);
}

TEST(read_table, iris_is_the_same_from_either_file) {
    const table svm = read_table(data_file("iris.svm"));
    const table csv = read_table(data_file("iris.csv"), {.csv = {.label = "species"}});
    EXPECT_EQ(svm.y, csv.y);
    EXPECT_EQ(rows<double>(as_dense<double>(svm.x)), rows<double>(csv.x));
}

TEST(read_table, options_reach_the_reader) {
    const scratch_folder folder;
    const std::string path = folder.write("data.txt", "1 0:2\n");
    EXPECT_EQ(failure([&] { read_table(path); }),
              "parse error: " + path +
                  ":1:3: expected an index >= 1 (0 only for a precomputed kernel or 0-based indices), got '0'");
    const table t = read_table(path, {.numbers = precision::f32, .libsvm = {.base = index_base::zero}});
    EXPECT_EQ(entries<float>(t.x), (std::vector<entry>{{0, 0, 2}}));
    EXPECT_EQ(read_table(path, {.format = &find_file_format("sets"), .tsv = {.labelled = false}}).feature_names,
              (std::vector<std::string>{"1", "0:2"}));
    EXPECT_EQ(read_table(data_file("promoters.tsv")).x.kind(), strings::kind);
    EXPECT_EQ(read_table(test_file("c_f8.npy"), {.numbers = precision::f32}).x.as<dense<float>>()->dims(), 3);
}

TEST(read_table, archives_are_read_like_plain_files) {
#ifdef MERCER_HAVE_ZLIB
    EXPECT_EQ(read_table(test_file("two_members.svm.gz")).y, (std::vector<double>{1, -1, 1}));
#endif
#ifdef MERCER_HAVE_LZMA
    EXPECT_EQ(read_table(test_file("two_streams.svm.xz")).y, (std::vector<double>{1, -1, 1}));
    EXPECT_EQ(read_table(data_file("mushrooms.sets.xz")).x.kind(), sets::kind);
    EXPECT_EQ(read_table(data_file("abalone.svm.xz")).x.size(), 4177);
#endif
}

TEST(read_table, utf_16_is_told) {
    const scratch_folder folder;
    const std::string path = folder.write("excel.csv", std::string_view("\xff\xfe"
                                                                        "1\0,\0"
                                                                        "2\0\n\0",
                                                                        10));
    EXPECT_EQ(failure([&] { read_table(path); }),
              "unsupported: " + path + ": the text is encoded in UTF-16: save it as UTF-8");
}

TEST(read_table, folders_that_tell_nothing) {
    const scratch_folder folder;
    EXPECT_EQ(failure([&] { read_table(folder.path(".")); }),
              "unsupported: " + folder.path(".") +
                  ": the format of this folder cannot be detected from its files: name the format");
    EXPECT_EQ(failure([&] { read_table(folder.path("."), {.format = &find_file_format("csv")}); }),
              "unsupported: " + folder.path(".") + ": csv is the format of a file, but this is a folder");
}

}  // namespace
}  // namespace mercer
