// Embeddings of objects as sparse vectors whose coordinates are numbered while the objects are read: counts of words
// (substrings of a string, items of a set, subtrees of a tree), or descriptions whose coordinates have names of 64
// bits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {

// Numbers different words 0, 1, … in the order of their first occurrence. A hash table with open addressing: most words
// take one probe, and words are not allocated one by one.
template <class Word>
class dictionary {
public:
    std::int32_t number(const Word& word) {
        if (2 * words_.size() >= slots_.size()) grow();
        for (std::size_t at = place(word);; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at] < 0) {
                if (words_.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
                    fail(errc::unsupported, "the objects contain more than 2^31 - 1 different words");
                words_.push_back(word);
                return slots_[at] = static_cast<std::int32_t>(words_.size()) - 1;
            }
            if (words_[static_cast<std::size_t>(slots_[at])] == word) return slots_[at];
        }
    }
    const std::vector<Word>& words() const { return words_; }
    std::size_t size() const { return words_.size(); }

private:
    std::size_t place(const Word& word) const {
        auto bits = static_cast<std::uint64_t>(std::hash<Word>()(word));
        if constexpr (std::is_integral_v<Word>) bits ^= bits >> 32;  // std::hash of an integer is the integer
        return static_cast<std::size_t>(bits * 0x9e3779b97f4a7c15u >> shift_);
    }
    void grow() {
        slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), -1);
        shift_ = 64;
        for (std::size_t size = slots_.size(); size > 1; size /= 2) --shift_;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            std::size_t at = place(words_[w]);
            while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<std::int32_t>(w);
        }
    }

    std::vector<Word> words_;
    std::vector<std::int32_t> slots_;  // numbers of words, -1: free; the size is a power of 2, at most half are used
    int shift_ = 64;
};

namespace detail {

// Bytes that a word owns on the heap.
template <class Word>
std::size_t bytes_outside(const Word& word) {
    if constexpr (requires { word.capacity(); })
        return static_cast<std::size_t>(word.size());
    else
        return 0;
}

// The rows of a chunk of consecutive objects, with words numbered by a dictionary of the chunk.
template <class Word>
struct counted_chunk {
    dictionary<Word> known;
    std::vector<std::size_t> end;  // end of each row in `entries`
    std::vector<std::pair<std::int32_t, double>> entries;

    template <class Kind, class Words>
    void count(const Kind& some, index first, index last, const Words& words) {
        std::vector<double> sum;
        std::vector<char> met;
        cancellation_check stop_check;
        // Memory is counted as follows. A new word is stored twice, in the dictionary of its thread and in the
        // dictionary of all objects, each time with a slot of a hash table. A count of a word is stored twice, in the
        // list of the thread and in the final sparse row. Memory is reserved in portions, because all threads share the
        // lock of the memory limit.
        constexpr std::size_t per_word = 2 * (sizeof(Word) + 16), per_entry = 32, portion = std::size_t{1} << 18;
        std::size_t wanted = 0;
        const auto reserve = [&](std::size_t least) {
            if (wanted >= least) reserve_workspace(std::exchange(wanted, 0));
        };
        for (index i = first; i < last; ++i) {
            const std::size_t begin = entries.size();
            words(some, i, [&](const Word& word, double weight = 1, const masked_range& = {}) {
                stop_check.count(32 + bytes_outside(word));
                const std::size_t before = known.size();
                const std::int32_t number = known.number(word);
                const auto at = static_cast<std::size_t>(number);
                if (at >= sum.size()) sum.resize(2 * at + 64), met.resize(sum.size());
                if (!met[at]) {
                    entries.emplace_back(number, 0.0);
                    met[at] = 1;
                    wanted += per_entry;
                    if (known.size() > before) wanted += per_word + 2 * bytes_outside(word);
                    reserve(portion);
                }
                sum[at] += weight;
            });
            for (std::size_t e = begin; e < entries.size(); ++e) {
                const auto at = static_cast<std::size_t>(entries[e].first);
                entries[e].second = sum[at];
                sum[at] = 0, met[at] = 0;
            }
            end.push_back(entries.size());
        }
        reserve(1);
    }
    // Replaces the numbers of the chunk's dictionary by those of all objects and sorts each row by them.
    void renumber(const std::vector<std::int32_t>& column) {
        std::size_t begin = 0;
        for (const std::size_t stop : end) {
            for (std::size_t e = begin; e < stop; ++e)
                entries[e].first = column[static_cast<std::size_t>(entries[e].first)];
            std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                      entries.begin() + static_cast<std::ptrdiff_t>(stop),
                      [](const auto& a, const auto& b) { return a.first < b.first; });
            begin = stop;
        }
    }
};

}  // namespace detail

// Counts the words of all objects. words(objects, i, add) calls add(word), add(word, weight) or
// add(word, weight, position) for every word of object i; the weights of a word are added in the order of the calls.
// Columns are numbered in the order of the first occurrence of the words, object by object, for any number of threads:
// chunks of objects number their words in this order, and their dictionaries are merged in the order of the chunks.
// `column` keeps its words, so that a second call, for Z, gives new columns to words that occur only in Z; k(z, z) is
// then correct too.
template <class Word, class Kind, class Words>
sparse<double> count_words(const Kind& some, Words words, dictionary<Word>& column) {
    const index run = std::max<index>(16, some.size() / 64 + 1), count = (some.size() + run - 1) / run;
    std::vector<detail::counted_chunk<Word>> runs(static_cast<std::size_t>(count));
    parallel_for(count, [&](index r) {
        runs[static_cast<std::size_t>(r)].count(some, r * run, std::min(some.size(), (r + 1) * run), words);
    });
    std::vector<std::vector<std::int32_t>> columns;
    for (const auto& each : runs) {
        auto& numbers = columns.emplace_back();
        for (const Word& word : each.known.words()) numbers.push_back(column.number(word));
    }
    std::vector<index> start{0};
    for (const auto& each : runs) {
        const index before = start.back();
        for (const std::size_t end : each.end) start.push_back(before + static_cast<index>(end));
    }
    std::vector<std::int32_t> col(static_cast<std::size_t>(start.back()));
    std::vector<double> val(col.size());
    parallel_for(count, [&](index r) {
        auto& one = runs[static_cast<std::size_t>(r)];
        one.renumber(columns[static_cast<std::size_t>(r)]);
        auto at = static_cast<std::size_t>(start[static_cast<std::size_t>(r * run)]);
        for (const auto& [number, value] : one.entries) col[at] = number, val[at++] = value;
    });
    return {std::move(start), std::move(col), std::move(val), static_cast<index>(column.size())};
}

// Counts the words of x and z and names the columns: write(word, known names) is the text of a word. `key` is the key
// of the embedding and names it in errors.
template <class Word, class Kind, class Words, class Write>
named_rows named_words(const std::string& key, const dataset& x, const dataset* z, Words words, Write write) {
    const auto column = std::make_shared<dictionary<Word>>();
    named_rows out;
    out.x = count_words<Word>(objects_of<Kind>(x, key), words, *column);
    if (z) out.z = count_words<Word>(objects_of<Kind>(*z, key), words, *column);
    // Words may refer to memory of the objects, so the function keeps the objects alive.
    out.name = [column, write, kept = std::pair(x, z ? *z : dataset())](index c, const known_names& known) {
        return write(column->words()[static_cast<std::size_t>(c)], known);
    };
    out.places = [column, words, key, x](index i) {
        std::vector<feature_place> found;
        words(objects_of<Kind>(x, key), i, [&](const Word& word, double weight = 1, const masked_range& at = {}) {
            found.push_back({column->number(word), weight, at.positions()});
        });
        return found;
    };
    return out;
}

// Returns the embedding that counts the words of the objects of a Kind, a collection such as `strings`. words(objects,
// i, add) calls add() for every word of object i (count_words() above). write(word, known names) returns the name of
// the feature that counts `word`. Equal keys must mean equal embeddings; the key also names the embedding in error
// messages.
template <class Word, class Kind, class Words, class Write>
named_embedding word_counts(std::string key, Words words, Write write) {
    return {key, [key, words, write](const dataset& x, const dataset* z) {
                return named_words<Word, Kind>(key, x, z, words, write);
            }};
}

// The name of an item, or its number if it has no name.
inline std::string item_text(std::int64_t item, const known_names& known) {
    return item >= 0 && item < static_cast<std::int64_t>(known.size()) ? known[static_cast<std::size_t>(item)]
                                                                       : std::to_string(item);
}

// The nonzero coordinates of an object, as pairs (name of 64 bits, value); each name occurs once. Descriptions are
// computed in parallel and numbered by one thread, which is faster than word_counts if computing them takes longer than
// looking up their names.
using description = std::vector<std::pair<std::uint64_t, double>>;

// The descriptions of all objects as sparse rows; `column` maps names to columns and gets the new names.
template <class Kind, class Describe>
sparse<double> describe_all(const Kind& some, const Describe& describe,
                            std::unordered_map<std::uint64_t, std::int32_t>& column) {
    std::vector<description> made(static_cast<std::size_t>(some.size()));
    // Bytes of a coordinate in the description and in the row, and of its name in the hash table.
    constexpr std::size_t per_coordinate = 100;
    parallel_for(some.size(), [&](index i) {
        description& here = made[static_cast<std::size_t>(i)];
        here = describe(some[i], i);
        reserve_workspace(per_coordinate * here.size());
    });
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    std::vector<std::pair<std::int32_t, double>> here;
    for (description& each : made) {
        here.clear();
        for (const auto& [name, value] : each)
            here.emplace_back(column.try_emplace(name, static_cast<std::int32_t>(column.size())).first->second, value);
        description().swap(each);
        std::ranges::sort(here, {}, &std::pair<std::int32_t, double>::first);
        for (const auto& [c, value] : here) {
            col.push_back(c);
            val.push_back(value);
        }
        start.push_back(static_cast<index>(col.size()));
    }
    return {std::move(start), std::move(col), std::move(val), static_cast<index>(column.size())};
}

struct name_as_number {
    std::string operator()(std::uint64_t name) const { return std::to_string(name); }
};

// The embedding by descriptions: describe(object, its index) returns a description, write(name) the text of a name.
template <class Kind, class Describe, class Write = name_as_number>
named_embedding description_embedding(std::string key, Describe describe, Write write = {}) {
    return {key, [key, describe, write](const dataset& x, const dataset* z) {
                std::unordered_map<std::uint64_t, std::int32_t> column;
                named_rows out;
                out.x = describe_all(objects_of<Kind>(x, key), describe, column);
                if (z) out.z = describe_all(objects_of<Kind>(*z, key), describe, column);
                std::vector<std::uint64_t> names(column.size());
                for (const auto& [name, c] : column) names[static_cast<std::size_t>(c)] = name;
                out.name = [names = std::move(names), write](index c, const known_names&) {
                    return write(names[static_cast<std::size_t>(c)]);
                };
                return out;
            }};
}

}  // namespace mercer
