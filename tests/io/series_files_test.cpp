#include "mercer/io/series_files.h"

#include <gtest/gtest.h>

#include "mercer/data/series.h"
#include "mercer/io/read.h"
#include "readers_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using words = std::vector<std::string>;

words written_series(const table& t) {
    words out;
    for (index i = 0; i < t.x.size(); ++i) out.push_back(t.x.as<series>()->text(i));
    return out;
}

TEST(ts_reader, series_of_numbers_and_of_vectors) {
    const table t = parse_ts("# about\n@problemName X\n@classLabel true a b\n@data\n1,2.5,-3:b\n\n4:a\n", "f");
    EXPECT_EQ(written_series(t), (words{"(1 2.5 -3)", "(4)"}));
    EXPECT_EQ(t.class_names, (words{"a", "b"}));
    EXPECT_EQ(t.y, (std::vector<double>{1, 0}));
    EXPECT_EQ(written_series(parse_ts("@targetLabel true\n@data\n1,2:3,4:0.5\n", "f")), (words{"(1,3 2,4)"}));
    const table no = parse_ts("@CLASSLABEL false\n@DATA\n1,2\n", "f");
    EXPECT_EQ(written_series(no), (words{"(1 2)"}));
    EXPECT_TRUE(no.y.empty());
    EXPECT_TRUE(parse_ts("@classLabel true a\n@data\n1:a\n", "f", {.labelled = false}).y.empty());
}

TEST(ts_reader, faults) {
    EXPECT_EQ(failure([] { parse_ts("@classLabel true a\n@data\n1,x,3:a\n", "f"); }),
              "parse error: f:3:3: expected a finite number, got 'x'");
    EXPECT_EQ(failure([] { parse_ts("@data\n1,?\n", "f"); }), "parse error: f:2:3: expected a finite number, got '?'");
    EXPECT_EQ(failure([] { parse_ts("@classLabel true a\n@data\n1,2\n", "f"); }),
              "parse error: f:3:1: expected values:label, got '1,2'");
    EXPECT_EQ(failure([] { parse_ts("@data\n1,2:3\n", "f"); }),
              "parse error: f:2:1: expected 2 values in every dimension, got '1'");
    EXPECT_EQ(failure([] { parse_ts("@timestamps true\n@data\n1\n", "f"); }),
              "parse error: f:1:1: expected @timeStamps false, got '@timestamps true'");
    EXPECT_EQ(failure([] { parse_ts("1,2\n", "f"); }),
              "parse error: f:1:1: expected a line that begins with @, up to @data, got '1,2'");
    EXPECT_EQ(failure([] { parse_ts("@problemName x", "f"); }),
              "parse error: f:1:15: expected @data, got the end of the file");
    EXPECT_EQ(failure([] { parse_ts("@data\n", "f"); }), "bad data: f: expected at least one example, got none");
}

TEST(arff_reader, series_of_numbers_and_of_vectors) {
    const table t = parse_arff(
        "% about\n@relation X\n@attribute a1 numeric\n@attribute a2 numeric\n@attribute target {1,2}\n\n@data\n"
        "0.5,1,2\n3,?,1\n",
        "f");
    EXPECT_EQ(written_series(t), (words{"(0.5 1)", "(3)"}));
    EXPECT_EQ(t.y, (std::vector<double>{2, 1}));
    const table v = parse_arff(
        "@relation X\n@attribute r relational\n@attribute x numeric\n@end r\n@attribute class {u,v}\n@data\n"
        "'1,2\\n3,4',v\n\"5\\n6\",u\n",
        "f");
    EXPECT_EQ(written_series(v), (words{"(1,3 2,4)", "(5,6)"}));
    EXPECT_EQ(v.y, (std::vector<double>{1, 0}));
}

TEST(arff_reader, faults) {
    EXPECT_EQ(failure([] { parse_arff("@relation x\n@data\n1,?,3\n", "f"); }),
              "parse error: f:3:3: expected a number, because further values follow, got '?'");
    EXPECT_EQ(failure([] { parse_arff("@relation x\n@data\n'1,2\n", "f"); }),
              "parse error: f:3:1: expected a closing ', got ''1,2'");
    EXPECT_EQ(failure([] { parse_arff("@attribute c {a}\n@data\n'1,2' a\n", "f"); }),
              "parse error: f:3:5: expected a comma and a label, got 'a'");
}

TEST(long_series_reader, gathers_by_id_and_sorts_by_time) {
    const table t = parse_long_series("id,time,value,label\nb,2,5,u\na,0,1,v\nb,-1,4,u\na,1,2,v\n", "f");
    EXPECT_EQ(written_series(t), (words{"(4 5)", "(1 2)"}));
    EXPECT_EQ(t.class_names, (words{"u", "v"}));
    EXPECT_EQ(t.y, (std::vector<double>{0, 1}));
    const table v = parse_long_series("id\ttime\tvalue1\tvalue2\n7\t1\t2\t3\n7\t0\t4\t5\n", "f");
    EXPECT_EQ(written_series(v), (words{"(4,5 2,3)"}));
    EXPECT_TRUE(v.y.empty());
}

TEST(long_series_reader, faults) {
    EXPECT_EQ(failure([] { parse_long_series("id,time,value\na,1,2\na,1,3\n", "f"); }),
              "parse error: f:3:3: expected a time that the series does not have yet, got '1'");
    EXPECT_EQ(failure([] { parse_long_series("id,time,value\na,1\n", "f"); }),
              "parse error: f:2:1: expected 3 fields, got 'a,1'");
    EXPECT_EQ(failure([] { parse_long_series("id,time,value,label\na,1,2,u\na,2,2,v\n", "f"); }),
              "parse error: f:3:7: expected the label 'u', as in the other lines of this series, got 'v'");
    EXPECT_EQ(failure([] { parse_long_series("id,time,value\na,1,inf\n", "f"); }),
              "parse error: f:2:5: expected a finite number, got 'inf'");
    EXPECT_EQ(failure([] { parse_long_series("x,y\n1,2\n", "f"); }),
              "parse error: f:1:1: expected a header id,time,value, got 'x,y'");
}

TEST(series_readers, are_recognised) {
    EXPECT_EQ(std::string(detect_format("x", "@problemName X\n@data\n1:a\n").name), "ts");
    EXPECT_EQ(std::string(detect_format("x", "@RELATION X\n").name), "arff");
    EXPECT_EQ(std::string(detect_format("x.csv.txt", "id,time,value\n1,2,3\n").name), "series");
    EXPECT_EQ(std::string(detect_format("x.ts", "").name), "ts");
}

}  // namespace
}  // namespace mercer
