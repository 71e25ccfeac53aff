// Embeddings of graphs as sparse vectors of counts of words (labels, edges, paths, …), counted in parallel. The columns
// are the different words of all graphs in ascending order, so they do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mercer/base/threads.h"
#include "mercer/base/workspace.h"
#include "mercer/data/graphs.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {

// Counts the words of one graph. The list of words is sorted and equal words are merged whenever it is full, so that
// its length stays below twice the number of different words (at least 65,536).
template <class Word>
class word_counter {
public:
    void add(const Word& word, std::initializer_list<index> = {}) {
        if (items_.size() == limit_) join();
        items_.emplace_back(word, 1);
    }
    // The different words in ascending order with their counts.
    std::vector<std::pair<Word, std::int64_t>> finish() && {
        join();
        // Memory for the word in this list, in the list of all words, and in the row.
        reserve_workspace(items_.size() * (sizeof(item) + 2 * sizeof(Word) + 32));
        return std::move(items_);
    }

private:
    void join() {
        std::ranges::sort(items_, {}, &item::first);
        std::size_t kept = 0;
        for (std::size_t k = 0; k < items_.size(); ++k)
            if (kept > 0 && items_[kept - 1].first == items_[k].first)
                items_[kept - 1].second += items_[k].second;
            else
                items_[kept++] = items_[k];
        items_.resize(kept);
        limit_ = std::max(limit_, 2 * kept);
        held_.grow_to(limit_ * sizeof(item));
    }
    using item = std::pair<Word, std::int64_t>;
    std::vector<item> items_;
    std::size_t limit_ = 1 << 16;
    workspace held_;
};

// The rows first … first + count - 1, each a list of (column, value) with ascending columns, as sparse vectors of
// `dims` columns.
inline sparse<double> as_sparse(const std::vector<std::vector<std::pair<index, double>>>& rows, std::size_t first,
                                std::size_t count, index dims, const std::string& owner) {
    if (dims > std::numeric_limits<std::int32_t>::max())
        fail(errc::memory, owner + ": the graphs have " + std::to_string(dims) +
                               " different features, more than the limit of 2^31 - 1: take fewer graphs, or smaller "
                               "parameters of the kernel");
    std::vector<index> start{0};
    for (std::size_t i = 0; i < count; ++i) start.push_back(start.back() + static_cast<index>(rows[first + i].size()));
    std::vector<std::int32_t> col(static_cast<std::size_t>(start.back()));
    std::vector<double> val(col.size());
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < rows[first + i].size(); ++k) {
            const auto at = static_cast<std::size_t>(start[i]) + k;
            col[at] = static_cast<std::int32_t>(rows[first + i][k].first);
            val[at] = rows[first + i][k].second;
        }
    return {std::move(start), std::move(col), std::move(val), dims};
}

// The graphs of x, followed by those of z.
struct joined_graphs {
    const graphs* x;
    const graphs* z;  // null if only x is given

    joined_graphs(const dataset& left, const dataset* right, const std::string& owner)
        : x(&objects_of<graphs>(left, owner)), z(right ? &objects_of<graphs>(*right, owner) : nullptr) {}
    index size() const { return x->size() + (z ? z->size() : 0); }
    const graph& operator[](index i) const { return i < x->size() ? (*x)[i] : (*z)[i - x->size()]; }
    // Splits rows of all graphs into the data sets of x and z.
    std::pair<dataset, dataset> split(const std::vector<std::vector<std::pair<index, double>>>& rows, index dims,
                                      const std::string& owner) const {
        const auto left = static_cast<std::size_t>(x->size());
        return {as_sparse(rows, 0, left, dims, owner),
                z ? dataset(as_sparse(rows, left, rows.size() - left, dims, owner)) : dataset()};
    }
};

// The text of a label: a number as it is; a hash of a word (data/graphs.h) as 8 hexadecimal digits.
inline std::string label_text(std::int64_t label) {
    if (label > -1'000'000'000 && label < 1'000'000'000) return std::to_string(label);
    char out[16];
    std::snprintf(out, sizeof(out), "#%08x", static_cast<unsigned>(static_cast<std::uint64_t>(label) >> 32));
    return out;
}

// Counts the words of all graphs. words(graph, tally) calls tally.add(word, {its nodes}) for every word of a graph; it
// is called from several threads. write(word) is the text of a word.
template <class Word, class Words, class Write>
named_rows count_graph_words(const std::string& key, const dataset& left, const dataset* right, Words words,
                             Write write) {
    const joined_graphs both(left, right, key);
    std::vector<std::vector<std::pair<Word, std::int64_t>>> counted(static_cast<std::size_t>(both.size()));
    parallel_for(both.size(), [&](index i) {
        word_counter<Word> tally;
        words(both[i], tally);
        counted[static_cast<std::size_t>(i)] = std::move(tally).finish();
    });
    const auto known = std::make_shared<std::vector<Word>>();
    auto& all = *known;
    for (const auto& one : counted) {
        if (all.size() > (std::size_t{1} << 22)) {  // most of them are duplicates
            std::ranges::sort(all);
            all.erase(std::unique(all.begin(), all.end()), all.end());
        }
        for (const auto& [word, count] : one) all.push_back(word);
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    const auto column = [known](const Word& word) { return std::ranges::lower_bound(*known, word) - known->begin(); };
    std::vector<std::vector<std::pair<index, double>>> rows(counted.size());
    parallel_for(both.size(), [&](index i) {
        for (const auto& [word, count] : counted[static_cast<std::size_t>(i)])
            rows[static_cast<std::size_t>(i)].emplace_back(column(word), static_cast<double>(count));
    });
    named_rows out;
    std::tie(out.x, out.z) = both.split(rows, static_cast<index>(all.size()), key);
    out.name = [known, write](index c, const known_names&) { return write((*known)[static_cast<std::size_t>(c)]); };
    out.places = [column, words, key, left](index i) {
        struct {
            decltype(column) column_of;
            std::vector<feature_place> found;
            void add(const Word& word, std::initializer_list<index> nodes = {}) {
                found.push_back({column_of(word), 1, nodes});
            }
        } places{column, {}};
        words(objects_of<graphs>(left, key)[i], places);
        return std::move(places.found);
    };
    return out;
}

// Returns the embedding that counts the words of graphs; `words` and `write` are those of count_graph_words(). Equal
// keys must mean equal embeddings; the key also names the embedding in error messages.
template <class Word, class Words, class Write>
named_embedding graph_word_counts(std::string key, Words words, Write write) {
    return {key, [key, words, write](const dataset& left, const dataset* right) {
                return count_graph_words<Word>(key, left, right, words, write);
            }};
}

}  // namespace mercer
