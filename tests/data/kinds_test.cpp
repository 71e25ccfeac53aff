// Requirements of data/object_kind.h, checked for every listed kind of object.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "contracts/errors.h"
#include "contracts/objects.h"
#include "mercer/data/all_kinds.h"
#include "mercer/data/dataset.h"

namespace mercer {
namespace {

using testing::expect_error;
using testing::thrown_by;

struct memory : byte_writer, byte_reader {
    std::string bytes;
    std::size_t at = 0;
    void append(const void* from, std::size_t count) override { bytes.append(static_cast<const char*>(from), count); }
    std::string_view take(index count, std::size_t size) override {
        if (count < 0 || static_cast<std::size_t>(count) > (bytes.size() - at) / size) fail(errc::parse, "too few");
        const auto out = std::string_view(bytes).substr(at, static_cast<std::size_t>(count) * size);
        at += out.size();
        return out;
    }
};

template <class Kind>
Kind some_objects(testing::generator& random, index count) {
    const dataset made = [&]() -> dataset {
        if constexpr (std::is_same_v<Kind, strings>) return testing::strings_of(testing::random_strings(random, count));
        if constexpr (std::is_same_v<Kind, sets>) return testing::sets_of(testing::random_sets(random, count));
        if constexpr (std::is_same_v<Kind, records>)
            return records(
                {{"number", testing::vectors_of<double>(testing::random_vectors(random, count, {.dims = 1}),
                                                        testing::storage::dense)},
                 {"two words", testing::strings_of(testing::random_strings(random, count))},
                 {"thin", testing::vectors_of<double>(testing::random_vectors(random, count, {.density = 0.2}),
                                                      testing::storage::sparse)}});
        if constexpr (std::is_same_v<Kind, graphs>) return testing::graphs_of(testing::random_graphs(random, count));
        if constexpr (std::is_same_v<Kind, multisets>)
            return testing::multisets_of(testing::random_multisets(random, count));
        if constexpr (std::is_same_v<Kind, points>) return testing::points_of(testing::random_clouds(random, count));
        if constexpr (std::is_same_v<Kind, series>) return testing::series_of(testing::random_series(random, count));
        if constexpr (std::is_same_v<Kind, trees>) return testing::trees_of(testing::random_trees(random, count));
        if constexpr (std::is_same_v<Kind, images>) return testing::images_of(testing::random_images(random, count));
    }();
    return *made.as<Kind>();
}

// The same objects, appended one by one.
template <class Kind>
void expect_same(const Kind& a, const Kind& b) {
    ASSERT_EQ(a.size(), b.size());
    for (index i = 0; i < a.size(); ++i) {
        EXPECT_TRUE(a.compare(i, b, i) == 0) << a.text(i) << " and " << b.text(i);
        EXPECT_EQ(a.text(i), b.text(i));
    }
}

template <class Work>
void for_each_kind(Work work) {
    listed_kinds::for_each([&]<class Kind> {
        SCOPED_TRACE(name(Kind::kind));
        testing::generator random(7);
        work(some_objects<Kind>(random, 40));
    });
}

TEST(kinds, gather_and_follow) {
    for_each_kind([]<class Kind>(const Kind& x) {
        const Kind tail = x.gather(row_set(10, 30)), head = x.gather(row_set(0, 10));
        expect_same(head.followed_by(tail), x);
        const std::vector<index> list{5, 5, 0, 39};
        const Kind some = x.gather(std::span<const index>(list));
        for (std::size_t i = 0; i < list.size(); ++i) EXPECT_TRUE(some.compare(static_cast<index>(i), x, list[i]) == 0);
        EXPECT_EQ(x.gather(row_set(0, 0)).size(), 0);
        expect_same(Kind().followed_by(x), x);
        EXPECT_EQ(Kind().size(), 0);
    });
}

TEST(kinds, order_is_total_and_text_tells_objects_apart) {
    for_each_kind([]<class Kind>(const Kind& x) {
        for (index i = 0; i < x.size(); ++i)
            for (index j = 0; j < x.size(); ++j) {
                const auto there = x.compare(i, x, j), back = x.compare(j, x, i);
                EXPECT_TRUE(there == 0 ? back == 0 : (there < 0 && back > 0) || (there > 0 && back < 0));
                EXPECT_EQ(there == 0, x.text(i) == x.text(j)) << x.text(i) << " and " << x.text(j);
                EXPECT_EQ(there == 0, is_same_object(x, i, x, j));
                for (index k = 0; k < x.size(); ++k)
                    EXPECT_TRUE(!(there < 0 && x.compare(j, x, k) < 0) || x.compare(i, x, k) < 0);
            }
    });
}

TEST(kinds, come_back_as_they_were_written) {
    for_each_kind([]<class Kind>(const Kind& x) {
        memory file;
        x.write(file);
        expect_same(Kind::read(file, x.size()), x);
        EXPECT_EQ(file.at, file.bytes.size()) << "read what was written, all of it";
        file.at = 0;
        const objects again = read_objects(name(Kind::kind), file, x.size());
        expect_same(*again.as<Kind>(), x);
        for (std::size_t length = 0; length < file.bytes.size(); length += 3) {
            memory cut;
            cut.bytes = file.bytes.substr(0, length);
            EXPECT_EQ(thrown_by([&] { Kind::read(cut, x.size()); }).code(), errc::parse) << length;
        }
    });
}

TEST(kinds, a_length_no_file_can_have) {
    memory file;
    const std::vector<index> lengths{3, -1};
    file.append(lengths.data(), 16);
    expect_error(errc::parse, "an object of length -1", [&] { strings::read(file, 2); });
}

TEST(kinds, a_graph_is_what_its_edges_say) {
    const std::vector<graph_edge> once{{0, 1, 0}, {1, 2, 5}}, more{{1, 0, 0}, {2, 1, 5}, {0, 1, 0}, {1, 2, 5}};
    EXPECT_EQ(graph({.nodes = 3, .edges = once}), graph({.nodes = 3, .edges = more})) << "both ways, and twice";
    EXPECT_NE(graph({.nodes = 3, .edges = once, .directed = true}),
              graph({.nodes = 3, .edges = more, .directed = true}));
    EXPECT_NE(graph({.nodes = 3, .edges = once}), graph({.nodes = 4, .edges = once}));
    EXPECT_EQ(graph({.nodes = 2, .labels = {0, 0}}), graph({.nodes = 2})) << "no labels are labels 0";
    EXPECT_EQ(graph({.nodes = 0}), graph());

    const graph g({.nodes = 3, .edges = {{2, 2, 0}, {0, 2, 1}, {0, 2, 0}}});
    EXPECT_EQ(std::vector<std::int32_t>(g.neighbours(2).begin(), g.neighbours(2).end()),
              (std::vector<std::int32_t>{0, 0, 2}))
        << "edges of different labels both stay, a loop is there once";
    EXPECT_EQ(g.edges(), (std::vector<graph_edge>{{0, 2, 0}, {0, 2, 1}, {2, 2, 0}}));
    EXPECT_EQ(graphs({g}).text(0), R"({"nodes": 3, "edges": [[0, 2, 0], [0, 2, 1], [2, 2, 0]]})");
}

TEST(kinds, parts_that_make_no_graph) {
    expect_error(errc::invalid_argument, "an edge leads from node 0 to node 2, but the graph has nodes 0 to 1", [] {
        graph({.nodes = 2, .edges = {{0, 2, 0}}});
    });
    expect_error(errc::invalid_argument, "one label per node, got 1 labels",
                 [] { graph({.nodes = 2, .labels = {1}}); });
    expect_error(errc::invalid_argument, "got nan at node 1", [] {
        graph({.nodes = 2, .attributes = 1, .values = {0, std::nan("")}});
    });
}

TEST(kinds, a_damaged_graph) {
    const graphs x({graph({.nodes = 3, .edges = {{0, 1, 0}, {1, 2, 0}}})});
    memory file;
    x.write(file);
    for (std::size_t at = 0; at < file.bytes.size(); ++at)
        for (const int bit : {0, 7}) {
            memory other;
            other.bytes = file.bytes;
            other.bytes[at] = static_cast<char>(other.bytes[at] ^ 1 << bit);
            try {
                const graphs got = graphs::read(other, 1);  // different graphs, or
                EXPECT_EQ(got.size(), 1);
            } catch (const error& thrown) {
                EXPECT_EQ(thrown.code(), errc::parse) << thrown.what();
            }
        }
}

TEST(kinds, labels_of_words) {
    EXPECT_EQ(label_of("-12"), -12);
    EXPECT_EQ(label_of("+7"), 7);
    EXPECT_EQ(label_of(""), static_cast<std::int64_t>(14695981039346656037ull)) << "FNV-1a of nothing";
    EXPECT_EQ(label_of("a"), static_cast<std::int64_t>(0xaf63dc4c8601ec8cull)) << "FNV-1a, published";
    EXPECT_NE(label_of("1.0"), 1);
}

TEST(kinds, are_not_taken_for_one_another) {
    const dataset words = strings({"1"}), numbers = sets({{1, 2}});
    EXPECT_EQ(words.as<sets>(), nullptr);
    EXPECT_EQ(words.as<dense<double>>(), nullptr);
    EXPECT_FALSE(is_same_object(words, 0, numbers, 0));
    expect_error(errc::unsupported, "data sets of different kinds or storage cannot be joined, got strings and sets",
                 [&] { concatenate(words, numbers); });
}

TEST(records, say_what_is_wrong_with_their_fields) {
    const dataset one = strings({"a"}), two = strings({"a", "b"});
    expect_error(errc::invalid_argument, "field 'x' has 1 values, 'y' has 2", [&] {
        records({{"x", one}, {"y", two}});
    });
    expect_error(errc::invalid_argument, "records: the field 'x' occurs twice", [&] {
        records({{"x", one}, {"x", one}});
    });
    expect_error(errc::data, "there is no field 'z': the records have the fields x, y", [&] {
        records({{"x", one}, {"y", one}}).of("z");
    });
    expect_error(errc::data, "there is no field 'y'", [&] {
        records({{"y", one}}).followed_by(records({{"x", one}}));
    });
}

TEST(kinds, multisets_add_up_repeats_and_check_counts) {
    const multisets one({{{7, 2}, {3, 1}, {7, 1}, {5, 0}}});
    EXPECT_EQ(one.text(0), "{3:1 7:3}");
    expect_error(errc::invalid_argument, "0 <= count", [] { multisets({{{1, -1}}}); });
    expect_error(errc::invalid_argument, "2^53", [] { multisets({{{1, std::int64_t{1} << 53}, {2, 1}}}); });
}

TEST(kinds, points_check_what_they_are_made_of) {
    EXPECT_EQ(points({{{8, 1, 0}, {0, -0.0, 0, 0.5, 0, 0, 1, 2, 3}}}).text(0), "O 0 0 0; H 0.5 0 0; X 1 2 3");
    EXPECT_EQ(element_number("cl"), 17);
    EXPECT_EQ(element_number("Q"), -1);
    EXPECT_STREQ(element_symbol(118), "Og");
    expect_error(errc::invalid_argument, "0 <= number <= 118", [] { points({{{119}, {0, 0, 0}}}); });
    expect_error(errc::invalid_argument, "1 points of 3 coordinates need one number per coordinate, got 2 numbers", [] {
        points({{{1}, {0, 0}}});
    });
    expect_error(errc::invalid_argument, "finite", [] { points({{{1}, {0, 0, 0.0 / 0.0}}}); });
    expect_error(errc::invalid_argument, "all points must have 3", [] {
        points({{{1}, {0, 0, 0}}, {{1}, {0, 0}, 2}});
    });
}

TEST(kinds, series_are_whole_vectors_of_finite_numbers) {
    expect_error(errc::invalid_argument, "series 1: 3 numbers cannot be split into vectors of 2 numbers", [] {
        series({{{1, 2}, 2}, {{1, 2, 3}, 2}});
    });
    expect_error(errc::data, "series 0: numbers must be finite, got nan at time 1", [] {
        series({{{1, 2, 3, std::nan("")}, 2}});
    });
    const series x({{{1, 2, 3, 4}, 2}, {{1, 2, 3, 4}, 1}, {{-0.0}, 1}, {{}, 7}});
    EXPECT_EQ(x.text(0), "(1,2 3,4)");
    EXPECT_EQ(x.text(1), "(1 2 3 4)");
    EXPECT_EQ(x.text(2), "(0)");
    EXPECT_TRUE(x.compare(0, x, 1) != 0);
    EXPECT_TRUE(x.compare(3, series({{{}, 1}}), 0) == 0);
}

TEST(kinds, by_name) {
    for (const object_kind each : all_object_kinds()) EXPECT_EQ(parse_object_kind(name(each)), each);
    expect_error(errc::invalid_argument, "the kind of object must be one of vectors, strings, sets, ",
                 [] { parse_object_kind("rocks"); });
    expect_error(errc::invalid_argument, ", any, got rocks", [] { parse_object_kind("rocks"); });
}

TEST(kinds, images_are_grey_or_colour) {
    const images some(
        {{1, 2, 2, {0.25F, 1, 0.5F, 0.5F}}, {1, 1, 4, {1, 0.5F, 0, 0.25F}}, {0, 7, 3, {}}, {1, 1, 1, {-0.0F}}});
    EXPECT_EQ(some[0].channels, 1);
    EXPECT_EQ(some[0].values, (std::vector<float>{0.25F, 0.75F})) << "half of what is there over white";
    EXPECT_EQ(some[1].channels, 3);
    EXPECT_EQ(some[1].values, (std::vector<float>{1, 0.875F, 0.75F}));
    EXPECT_TRUE(some.compare(2, images({image{}}), 0) == 0) << "there is one image without pixels";
    EXPECT_FALSE(std::signbit(some[3].values[0]));
    EXPECT_EQ(some.text(2).substr(0, 16), "0 x 0 grey image");

    expect_error(errc::invalid_argument, "image 0: 3 values are not 2 x 2 pixels of 1 channels", [] {
        images({{2, 2, 1, {1, 2, 3}}});
    });
    expect_error(errc::invalid_argument, "got 5", [] { images({{1, 1, 5, {1, 2, 3, 4, 5}}}); });
    expect_error(errc::invalid_argument, "got -1 x 2", [] { images({{-1, 2, 1, {}}}); });
    expect_error(errc::invalid_argument, "got 65535 x 65535", [] { images({{65535, 65535, 1, {}}}); });
    expect_error(errc::data, "got nan at row 1, column 0", [] { images({{2, 2, 1, {0, 0, std::nanf(""), 0}}}); });
    expect_error(errc::data, "opacity must lie in 0 ... 1, got 2 at row 0, column 1", [] {
        images({{1, 2, 2, {0, 1, 0, 2}}});
    });
}

}  // namespace
}  // namespace mercer
