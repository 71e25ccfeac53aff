#include "mercer/io/fasta.h"

#include <gtest/gtest.h>

#include "mercer/data/strings.h"
#include "mercer/io/read.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using words = std::vector<std::string>;

TEST(fasta_reader, joins_lines_and_takes_the_word_after_the_id) {
    const table t =
        parse_fasta(";old comment\n>s1 yes more\nACG\n TT \r\n\n>s2\tno\n>s3 first label=yes\nA\xff*-\n", "f");
    EXPECT_EQ(texts(t), (words{"ACGTT", "", "A\xff*-"}));
    EXPECT_EQ(t.class_names, (words{"no", "yes"}));
    EXPECT_EQ(t.y, (std::vector<double>{1, 0, 1}));
}

TEST(fasta_reader, labels_in_the_id_and_numbers) {
    EXPECT_EQ(parse_fasta(">label=2.5\nA\n> -1\nC\n>x   3\nG", "f").y, (std::vector<double>{2.5, -1, 3}));
}

TEST(fasta_reader, without_labels) {
    const table t = parse_fasta(">\nA\n>only_an_id\nC", "f", {.labelled = false});
    EXPECT_EQ(texts(t), (words{"A", "C"}));
    EXPECT_TRUE(t.y.empty());
}

TEST(fasta_reader, faults) {
    EXPECT_EQ(failure([] { parse_fasta("\nACGT\n>a b\n", "f"); }),
              "parse error: f:2:1: expected a header that begins with '>', got 'ACGT'");
    EXPECT_EQ(failure([] { parse_fasta(">a b\nAC GT\n", "f"); }),
              "parse error: f:2:3: expected letters of a sequence, got ' '");
    EXPECT_EQ(failure([] { parse_fasta(">a b\nA\n>c\nA\n", "f"); }),
              "parse error: f:3:1: expected '>id label' or 'label=NAME' in the header, got '>c'");
    EXPECT_EQ(failure([] { parse_fasta(">a x\nA\n>b  y\nA\n", "f", {.classes = {"x"}}); }),
              "bad data: f:3:5: expected one of the 1 known classes, got 'y'");
    EXPECT_EQ(failure([] { parse_fasta("\n", "f"); }), "bad data: f: expected at least one example, got none");
}

TEST(fastq_reader, sequences_and_qualities_of_several_lines) {
    const table t = parse_fastq("@r1 a\nACGT\n+\n@@@@\n@r2 b\nAC\nG\n+r2\n!!\n+\n@r3 a\n+\n", "f");
    EXPECT_EQ(texts(t), (words{"ACGT", "ACG", ""}));
    EXPECT_EQ(t.y, (std::vector<double>{0, 1, 0}));
}

TEST(fastq_reader, faults) {
    EXPECT_EQ(failure([] { parse_fastq("ACGT\n", "f"); }),
              "parse error: f:1:1: expected a header that begins with '@', got 'ACGT'");
    EXPECT_EQ(failure([] { parse_fastq("@a b\nACGT", "f"); }),
              "parse error: f:2:5: expected a line that begins with '+', got the end of the file");
    EXPECT_EQ(failure([] { parse_fastq("@a b\nACGT\n+\n!!", "f"); }),
              "parse error: f:4:3: expected 2 more quality characters, got the end of the file");
    EXPECT_EQ(failure([] { parse_fastq("@a b\nAC\n+\n!!!\n", "f"); }),
              "parse error: f:4:3: expected 2 quality characters, one for each letter of the sequence, got 3");
}

TEST(fasta_reader, is_recognised) {
    EXPECT_EQ(std::string(detect_format("x", ">a b\nACGT\n").name), "fasta");
    EXPECT_EQ(std::string(detect_format("x.fna.gz", "").name), "fasta");
    EXPECT_EQ(std::string(detect_format("x.fq", "").name), "fastq");
}

}  // namespace
}  // namespace mercer
