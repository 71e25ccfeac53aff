// What data/kinds/kind.h asks of a kind of object, for every kind of the list.
#include <gtest/gtest.h>

#include <cstring>

#include "contracts/errors.h"
#include "contracts/objects.h"
#include "mercer/data/kinds/all_kinds.h"
#include "mercer/data/same_object.h"

namespace mercer {
namespace {

using testing::expect_error;
using testing::thrown_by;

struct memory : object_sink, object_source {
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
        if constexpr (std::is_same_v<Kind, multisets>)
            return testing::multisets_of(testing::random_multisets(random, count));
        if constexpr (std::is_same_v<Kind, points>) return testing::points_of(testing::random_clouds(random, count));
        if constexpr (std::is_same_v<Kind, records>)
            return records(
                {{"number", testing::vectors_of<double>(testing::random_vectors(random, count, {.dims = 1}),
                                                        testing::storage::dense)},
                 {"two words", testing::strings_of(testing::random_strings(random, count))},
                 {"thin", testing::vectors_of<double>(testing::random_vectors(random, count, {.density = 0.2}),
                                                      testing::storage::sparse)}});
    }();
    return *made.as<Kind>();
}

// The same objects, one by one.
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
    listed_kinds::each([&]<class Kind> {
        SCOPED_TRACE(name(Kind::where));
        testing::generator random(7);
        work(some_objects<Kind>(random, 40));
    });
}

TEST(kinds, gather_and_follow) {
    for_each_kind([]<class Kind>(const Kind& x) {
        const Kind tail = x.gather(selection(10, 30)), head = x.gather(selection(0, 10));
        expect_same(head.followed_by(tail), x);
        const std::vector<index> list{5, 5, 0, 39};
        const Kind some = x.gather(std::span<const index>(list));
        for (std::size_t i = 0; i < list.size(); ++i) EXPECT_TRUE(some.compare(static_cast<index>(i), x, list[i]) == 0);
        EXPECT_EQ(x.gather(selection(0, 0)).size(), 0);
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
                EXPECT_EQ(there == 0, same_object(x, i, x, j));
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
        const objects again = read_objects(name(Kind::where), file, x.size());
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

TEST(kinds, are_not_taken_for_one_another) {
    const dataset words = strings({"1"}), numbers = sets({{1, 2}});
    EXPECT_EQ(words.as<sets>(), nullptr);
    EXPECT_EQ(words.as<dense<double>>(), nullptr);
    EXPECT_FALSE(same_object(words, 0, numbers, 0));
    expect_error(errc::unsupported, "strings and sets of different storage cannot be joined",
                 [&] { concatenate(words, numbers); });
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
    expect_error(errc::invalid_argument, "1 points of 3 coordinates, got 2 numbers", [] { points({{{1}, {0, 0}}}); });
    expect_error(errc::invalid_argument, "finite", [] { points({{{1}, {0, 0, 0.0 / 0.0}}}); });
    expect_error(errc::invalid_argument, "all points must have 3", [] {
        points({{{1}, {0, 0, 0}}, {{1}, {0, 0}, 2}});
    });
}

TEST(records, say_what_is_wrong_with_their_fields) {
    const dataset one = strings({"a"}), two = strings({"a", "b"});
    expect_error(errc::invalid_argument, "field 'x' has 1 values, 'y' has 2", [&] {
        records({{"x", one}, {"y", two}});
    });
    expect_error(errc::invalid_argument, "the field 'x' is there twice", [&] { records({{"x", one}, {"x", one}}); });
    expect_error(errc::data, "there is no field 'z': the records have x, y", [&] {
        records({{"x", one}, {"y", one}}).of("z");
    });
    expect_error(errc::data, "there is no field 'y'", [&] {
        records({{"y", one}}).followed_by(records({{"x", one}}));
    });
}

TEST(kinds, by_name) {
    for (const domain each : all_domains()) EXPECT_EQ(domain_named(name(each)), each);
    expect_error(errc::invalid_argument,
                 "the kind of object must be one of vectors, strings, sets, multisets, points, records, any, got trees",
                 [] { domain_named("trees"); });
}

}  // namespace
}  // namespace mercer
