// The name that somebody meant who wrote another one.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace mercer {
namespace detail {

// Letters to insert, drop or replace and neighbours to exchange, to make one word of the other.
inline std::size_t edits(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i)
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[a.size()][b.size()];
}

}  // namespace detail

// Of these the closest to the word, when so close, or so well begun, that it is likely what was meant; else empty.
inline std::string nearest_name(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const auto& each : known) {
        const bool begins = word.size() >= 2 && each.compare(0, word.size(), word) == 0;
        const bool long_one = word.size() > 64 || each.size() > 64;
        const std::size_t apart = begins ? 1 : long_one ? least : detail::edits(word, each);
        if (apart < least && apart < each.size()) least = apart, best = each;
    }
    return best;
}

}  // namespace mercer
