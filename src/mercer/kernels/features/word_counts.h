// Objects as sparse vectors of the words they hold: substrings of a string, items of a set, subtrees of a graph.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mercer/kernels/features/pairs.h"

namespace mercer {

// words(objects, i, add) calls add(word) or add(word, weight) for every word of object i; the weights of a word are
// added up in the order of the calls. Words that only Z has get columns of their own, so that k(z, z) is right too.
template <class Word, class Kind, class Words>
sparse<double> count_words(const Kind& some, Words words, std::unordered_map<Word, std::int32_t>& column) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    std::vector<std::pair<std::int32_t, double>> here;
    for (index i = 0; i < some.size(); ++i) {
        here.clear();
        words(some, i, [&](const Word& word, double weight = 1) {
            here.emplace_back(column.try_emplace(word, static_cast<std::int32_t>(column.size())).first->second, weight);
        });
        std::ranges::stable_sort(here, {}, &std::pair<std::int32_t, double>::first);
        for (std::size_t k = 0; k < here.size();) {
            const std::int32_t at = here[k].first;
            double sum = 0;
            for (; k < here.size() && here[k].first == at; ++k) sum += here[k].second;
            col.push_back(at);
            val.push_back(sum);
        }
        start.push_back(static_cast<index>(col.size()));
    }
    return {std::move(start), std::move(col), std::move(val), static_cast<index>(column.size())};
}

template <class Word, class Kind, class Words>
feature word_counts(std::string key, Words words) {
    return {key, [key, words](const dataset& x, const dataset* z) {
                std::unordered_map<Word, std::int32_t> column;
                dataset first = count_words<Word>(objects_of<Kind>(x, key), words, column);
                return std::pair(first,
                                 z ? dataset(count_words<Word>(objects_of<Kind>(*z, key), words, column)) : dataset());
            }};
}

}  // namespace mercer
