// XYZ, multisets, folders of texts and text columns of CSV.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "contracts/errors.h"
#include "mercer/data/all_kinds.h"
#include "mercer/io/read.h"
#include "mercer/io/text_folder.h"
#include "mercer/io/xyz.h"

namespace mercer {
namespace {

using testing::expect_error;

constexpr const char* water_and_helium =
    "3\nwater 12 -76.4 energy=-76.25\nO 0 0 0.5 charge\nh 0 1 -0.5\n1 0 -1 -0.5\n\n1\r\nhelium 2 -2.9 energy=-2.5\r\n2 "
    "1e-1 0 0\r\n";

TEST(xyz, reads_molecules_and_targets) {
    const auto targets = [](const char* which) { return parse_xyz(water_and_helium, "m.xyz", {which}).y; };
    const table both = parse_xyz(water_and_helium, "m.xyz");
    const auto& x = *both.x.as<points>();
    ASSERT_EQ(x.size(), 2);
    EXPECT_EQ(x.text(0), "O 0 0 0.5; H 0 1 -0.5; H 0 -1 -0.5");
    EXPECT_EQ(x.text(1), "He 0.1 0 0");
    EXPECT_EQ(both.y, (std::vector<double>{12, 2})) << "the first number";
    EXPECT_EQ(targets("1"), (std::vector<double>{-76.4, -2.9}));
    EXPECT_EQ(targets("-1"), (std::vector<double>{-76.4, -2.9}));
    EXPECT_EQ(targets("energy"), (std::vector<double>{-76.25, -2.5}));
    EXPECT_TRUE(targets("none").empty());
    EXPECT_TRUE(parse_xyz("0\nnothing\n", "m.xyz").y.empty());
    EXPECT_EQ(detect_format("m", water_and_helium).name, std::string("xyz"));
}

TEST(xyz, says_where_a_file_is_wrong) {
    const auto wrong = [](const char* text, const char* message, const char* target = "") {
        expect_error(errc::parse, message, [&] { parse_xyz(text, "m.xyz", {target}); });
    };
    wrong("two\n", "m.xyz:1:1: expected the number of atoms of a molecule, got 'two'");
    wrong("-1\n", "expected the number of atoms");
    wrong("1\n", "m.xyz:2:1: expected a comment line after the number of atoms, got the end of the file");
    wrong("2\n\nH 0 0 0\n", "expected atom 2 of 2, got the end of the file");
    wrong("1\n\nH 0 0\n", "m.xyz:3:1: expected atom 1 of 1: element x y z, got 'H 0 0'");
    wrong("1\n\nQq 0 0 0\n", "m.xyz:3:1: expected an element");
    wrong("1\n\n119 0 0 0\n", "0 ... 118");
    wrong("1\n\nH 0 x 0\n", "m.xyz:3:5: expected a coordinate, got 'x'");
    wrong("1\n\nH 0 inf 0\n", "expected a coordinate");
    wrong("0\n1.5\n0\nnone here\n", "m.xyz:4:1: expected a comment with number 0 (from 0), the target");
    wrong("0\n1.5\n", "expected a comment with energy=number", "energy");
    expect_error(errc::data, "at least one molecule", [] { parse_xyz("\n\n", "m.xyz"); });
}

TEST(multisets_file, reads_counts_and_repeats) {
    const table some = parse_multisets("a\tx:2 y x\nb\tz:0\n\nb\t\n", "m");
    EXPECT_EQ(some.x.as<multisets>()->text(0), "{0:3 1:1}");
    EXPECT_EQ(some.x.as<multisets>()->text(1), "{}");
    EXPECT_EQ(some.x.size(), 3);
    EXPECT_EQ(some.feature_names, (std::vector<std::string>{"x", "y", "z"}));
    EXPECT_EQ(some.class_names, (std::vector<std::string>{"a", "b"}));
    tsv_options known;
    known.dictionary = some.feature_names;
    known.classes = some.class_names;
    EXPECT_EQ(parse_multisets("b\ty:5", "m", known).x.as<multisets>()->text(0), "{1:5}");
    for (const char* text : {"a\tx y:-1", "a\tx y:", "a\tx :2", "a\tx y:1.5", "a\tx y:1:2", "a\tx y:99999999999999999"})
        expect_error(errc::parse, "m:1:5: expected item or item:count", [&] { parse_multisets(text, "m"); });
    expect_error(errc::parse, "expected label<TAB>item:count item ...", [] { parse_multisets("x:1 y", "m"); });
}

TEST(csv_texts, reads_a_column) {
    csv_options o;
    o.text = "body";
    o.label = "class";
    const table some = parse_csv("id,class,body\n1,ham,\"Hi, \"\"you\"\"\nthere\"\n2,spam,\n", "t.csv", o);
    EXPECT_EQ(some.x.as<strings>()->text(0), "Hi, \"you\"\nthere");
    EXPECT_EQ(some.x.as<strings>()->text(1), "");
    EXPECT_EQ(some.class_names, (std::vector<std::string>{"ham", "spam"}));
    o.label = "";
    EXPECT_TRUE(parse_csv("body,x\na,b\n", "t.csv", o).y.empty());
    const auto wrong = [&](const char* text, errc code, const char* message) {
        expect_error(code, message, [&] { parse_csv(text, "t.csv", o); });
    };
    wrong("a,b\n1,2\n", errc::invalid_argument, "t.csv: text column 'body': the header has no column of this name");
    wrong("body,x\na,b\nc\n", errc::parse, "t.csv:3:1: row 2: expected 2 fields, got 1");
    wrong("body,x\n", errc::data, "at least one row");
    o.label = "x";
    wrong("body,x\na,\n", errc::data, "expected a target, got an empty field");
    o.text = "7";
    wrong("body,x\na,b\n", errc::invalid_argument,
          "the position of the text column must satisfy -2 <= position < 2, got 7");
}

TEST(text_folder, reads_a_class_a_folder) {
    namespace fs = std::filesystem;
    const fs::path here = fs::path(::testing::TempDir()) / "mercer_text_folder";
    fs::remove_all(here);
    const auto put = [&](const char* name, const char* text) {
        fs::create_directories((here / name).parent_path());
        std::ofstream(here / name) << text;
    };
    put("pos/2.txt", "good");
    put("pos/10.txt", "fine");
    put("neg/53245", "bad\nvery");
    put("neg/.hidden", "no");
    const table some = read_table(here.string());
    ASSERT_EQ(some.x.size(), 3);
    EXPECT_EQ(some.class_names, (std::vector<std::string>{"neg", "pos"}));
    EXPECT_EQ(some.y, (std::vector<double>{0, 1, 1}));
    EXPECT_EQ(some.x.as<strings>()->text(0), "bad\nvery");
    EXPECT_EQ(some.x.as<strings>()->text(1), "fine") << "in the order of names";
    tsv_options o;
    o.classes = {"pos"};
    expect_error(errc::data, "expected one of the 1 known classes, got 'neg'",
                 [&] { read_text_folder(here.string(), o); });
    o.labelled = false;
    EXPECT_TRUE(read_text_folder(here.string(), o).y.empty());
    put("pos/picture.png", "");
    expect_error(errc::unsupported, "the format of this folder cannot be detected from",
                 [&] { read_table(here.string()); });
    fs::remove_all(here);
    fs::create_directories(here);
    expect_error(errc::data, "a sub-folder for each class", [&] { read_text_folder(here.string()); });
    fs::remove_all(here);
}

}  // namespace
}  // namespace mercer
