#include "mercer/io/record_ends.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>

namespace mercer::detail {
namespace {

// From the definition: the position after the last line end that follows an even number of quotes.
std::size_t last_by_counting(const std::string& text, bool quotes) {
    for (std::size_t end = text.size(); end > 0; --end)
        if (text[end - 1] == '\n' &&
            (!quotes || std::count(text.begin(), text.begin() + static_cast<long>(end), '"') % 2 == 0))
            return end;
    return 0;
}

TEST(record_ends, are_those_of_the_definition_however_the_text_grows) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 500; ++trial)
        for (const bool quotes : {false, true}) {
            record_ends ends(quotes);
            std::string text;
            while (text.size() < 40) {
                for (std::size_t more = random() % 8; more > 0; --more) text += "a\"\n,"[random() % 4];
                EXPECT_EQ(ends.last(text), last_by_counting(text, quotes)) << text;
                const bool open = quotes && std::ranges::count(text, '"') % 2 == 1;
                EXPECT_EQ(ends.open_quote(), open ? std::optional(text.rfind('"')) : std::nullopt) << text;
            }
        }
}

TEST(record_ends, of_what_follows_a_header) {
    record_ends ends(true, 4);
    EXPECT_EQ(ends.last("a,b\n1,"), 0u);
    EXPECT_EQ(ends.last("a,b\n1,2\n3"), 8u);
}

}  // namespace
}  // namespace mercer::detail
