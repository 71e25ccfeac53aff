// Fuzz target: arbitrary bytes as texts, one per line, must give terms, and features that are equal after writing and
// reading.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/preprocess/text_features.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    constexpr const char* ways[] = {"tfidf", "tfidf(ngram=3, min_length=1)", "counts(unit=characters, ngram=4)",
                                    "tfidf(hashed=7)", "binary(lower=0, stop=english, max_features=2)"};
    std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1), line;
    std::vector<std::string> texts;
    while (mercer::detail::next_line(rest, line)) texts.emplace_back(line);
    try {
        const mercer::dataset x = mercer::strings(std::move(texts));
        mercer::dataset rows;
        const auto made = mercer::text_features::fit(x, mercer::parse_text_options(ways[data[0] % 5]), &rows);
        const std::string json = made.to_json();
        if (mercer::text_features::from_json(json, "fuzz").to_json() != json) std::abort();
        if (rows.size() != x.size() || made.apply(x).size() != x.size()) std::abort();
        mercer::require_finite(rows);
    } catch (const mercer::error& problem) {
        if (problem.code() == mercer::errc::parse) std::abort();  // a file that the library wrote must be readable
    }
    return 0;
}
