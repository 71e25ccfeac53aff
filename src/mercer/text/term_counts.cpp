#include "mercer/text/term_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"

namespace mercer {
namespace {

constexpr index texts_per_chunk = 64;  // texts of one chunk of parallel work

struct entry {
    std::int32_t term, count;
};
// The counts of the texts of one chunk. The terms of a text are not sorted.
struct counted_chunk {
    std::vector<index> lengths;
    std::vector<entry> entries;
    int worker = 0;  // the thread that assigned the numbers of the terms
};

// The workspace of one thread.
struct counter {
    tokeniser::scratch scratch;
    std::vector<std::int32_t> seen;  // counts by term; all zero between texts
    std::vector<std::int32_t> here;  // the terms of the current text

    void add(std::int32_t term) {
        if (static_cast<std::size_t>(term) >= seen.size()) seen.resize(2 * static_cast<std::size_t>(term) + 1024, 0);
        if (seen[static_cast<std::size_t>(term)]++ == 0) here.push_back(term);
    }
    void end_text(counted_chunk& out) {
        out.lengths.push_back(static_cast<index>(here.size()));
        for (const std::int32_t term : here)
            out.entries.push_back({term, std::exchange(seen[static_cast<std::size_t>(term)], 0)});
        here.clear();
    }
};

// Counts the terms of all texts. number(worker, term) returns the number of a term, or a negative number for a term
// that is not counted.
template <class Number>
std::vector<counted_chunk> count_chunks(const strings& texts, const tokeniser& cut, const Number& number) {
    const index chunks = (texts.size() + texts_per_chunk - 1) / texts_per_chunk;
    std::vector<counted_chunk> out(static_cast<std::size_t>(chunks));
    std::vector<counter> counters(static_cast<std::size_t>(threads()));
    parallel_for(chunks, [&](index r, int worker) {
        counter& my = counters[static_cast<std::size_t>(worker)];
        counted_chunk& chunk = out[static_cast<std::size_t>(r)];
        chunk.worker = worker;
        for (index i = r * texts_per_chunk; i < std::min(texts.size(), (r + 1) * texts_per_chunk); ++i) {
            cut.for_each_term(texts[i], my.scratch, [&](std::string_view term) {
                if (const std::int32_t t = number(worker, term); t >= 0) my.add(t);
            });
            my.end_text(chunk);
        }
    });
    return out;
}

// The rows of all chunks. column(chunk, term) returns the column of a term, or a negative number for a term that is
// left out.
template <class Column>
count_rows rows_of(std::vector<counted_chunk>& chunks, index texts, const Column& column) {
    parallel_for(static_cast<index>(chunks.size()), [&](index r) {
        counted_chunk& chunk = chunks[static_cast<std::size_t>(r)];
        auto from = chunk.entries.begin(), to = from;
        for (index& length : chunk.lengths) {
            const auto begin = to;
            for (const auto end = from + length; from != end; ++from)
                if (const std::int32_t c = column(chunk, from->term); c >= 0) *to++ = {c, from->count};
            std::sort(begin, to, [](const entry& a, const entry& b) { return a.term < b.term; });
            length = to - begin;
        }
        chunk.entries.erase(to, chunk.entries.end());
    });
    count_rows out;
    out.start.reserve(static_cast<std::size_t>(texts) + 1);
    std::vector<index> first;
    for (const counted_chunk& chunk : chunks) {
        first.push_back(out.start.back());
        for (const index length : chunk.lengths) out.start.push_back(out.start.back() + length);
    }
    out.col.resize(static_cast<std::size_t>(out.start.back()));
    out.count.resize(out.col.size());
    parallel_for(static_cast<index>(chunks.size()), [&](index r) {
        auto at = static_cast<std::size_t>(first[static_cast<std::size_t>(r)]);
        for (const entry& each : chunks[static_cast<std::size_t>(r)].entries) {
            out.col[at] = each.term;
            out.count[at++] = each.count;
        }
    });
    return out;
}

// The terms of all threads in one table.
struct merged_terms {
    term_table all;
    std::vector<std::vector<std::int32_t>> number;  // [thread][number in the table of the thread]: number in `all`
    std::vector<index> texts, total;                // for each term: texts that contain it, occurrences
};

merged_terms merge(const std::vector<term_table>& tables, const std::vector<counted_chunk>& chunks) {
    merged_terms out;
    for (const term_table& mine : tables) {
        auto& number = out.number.emplace_back();
        for (std::int32_t t = 0; t < mine.size(); ++t) number.push_back(out.all.add(mine[t]));
    }
    out.texts.assign(static_cast<std::size_t>(out.all.size()), 0);
    out.total = out.texts;
    for (const counted_chunk& chunk : chunks)
        for (const entry& each : chunk.entries) {
            const auto t = static_cast<std::size_t>(
                out.number[static_cast<std::size_t>(chunk.worker)][static_cast<std::size_t>(each.term)]);
            ++out.texts[t];
            out.total[t] += each.count;
        }
    return out;
}

// A term and its first 8 bytes as a number, which decides most comparisons.
struct sort_key {
    std::uint64_t front;
    std::int32_t term;
};
std::vector<std::int32_t> in_order(const term_table& terms, const std::vector<std::int32_t>& chosen) {
    std::vector<sort_key> keys;
    keys.reserve(chosen.size());
    for (const std::int32_t t : chosen) {
        const std::string_view text = terms[t];
        std::uint64_t front = 0;
        for (std::size_t i = 0; i < 8; ++i)
            front = front << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0u);
        keys.push_back({front, t});
    }
    std::ranges::sort(keys, [&](const sort_key& a, const sort_key& b) {
        return a.front != b.front ? a.front < b.front : terms[a.term] < terms[b.term];
    });
    std::vector<std::int32_t> out;
    out.reserve(keys.size());
    for (const sort_key& key : keys) out.push_back(key.term);
    return out;
}

std::vector<std::int32_t> chosen_terms(const merged_terms& from, const term_selection& choice, index texts) {
    const auto n = static_cast<double>(texts);
    const double fewest = choice.min_df < 1 ? choice.min_df * n : choice.min_df,
                 most = choice.max_df <= 1 ? choice.max_df * n : choice.max_df;
    std::vector<std::int32_t> kept;
    for (std::int32_t t = 0; t < from.all.size(); ++t)
        if (const auto df = static_cast<double>(from.texts[static_cast<std::size_t>(t)]); df >= fewest && df <= most)
            kept.push_back(t);
    kept = in_order(from.all, kept);
    if (choice.max_features > 0 && static_cast<index>(kept.size()) > choice.max_features) {
        std::vector<std::int32_t> place(kept.size());
        std::iota(place.begin(), place.end(), 0);
        std::ranges::stable_sort(place, std::greater<>(), [&](std::int32_t p) {
            return from.total[static_cast<std::size_t>(kept[static_cast<std::size_t>(p)])];
        });
        place.resize(static_cast<std::size_t>(choice.max_features));
        std::ranges::sort(place);
        for (std::size_t k = 0; k < place.size(); ++k) kept[k] = kept[static_cast<std::size_t>(place[k])];
        kept.resize(place.size());
    }
    return kept;
}

void check(const term_selection& choice) {
    const auto need = [](bool ok, const char* condition, double value) {
        if (!ok) fail(errc::invalid_argument, fmt::format("terms of texts must satisfy {}, got {}", condition, value));
    };
    need(choice.min_df >= 0 && std::isfinite(choice.min_df), "0 <= min_df", choice.min_df);
    need(choice.max_df > 0 && std::isfinite(choice.max_df), "0 < max_df", choice.max_df);
    need(choice.max_features >= 0, "0 <= max_features", static_cast<double>(choice.max_features));
}

}  // namespace

term_counts count_terms(const strings& texts, const tokeniser& cut, const term_selection& choice) {
    check(choice);
    std::vector<term_table> tables(static_cast<std::size_t>(threads()));
    std::vector<counted_chunk> chunks = count_chunks(texts, cut, [&](int worker, std::string_view term) {
        return tables[static_cast<std::size_t>(worker)].add(term);
    });
    merged_terms merged = merge(tables, chunks);
    const std::vector<std::int32_t> kept = chosen_terms(merged, choice, texts.size());
    term_counts out;
    std::vector<std::int32_t> column(static_cast<std::size_t>(merged.all.size()), -1);
    for (const std::int32_t t : kept) {
        column[static_cast<std::size_t>(t)] = out.terms.add(merged.all[t]);
        out.document_counts.push_back(merged.texts[static_cast<std::size_t>(t)]);
    }
    for (auto& mine : merged.number)  // from the numbers of a thread to columns
        for (std::int32_t& t : mine) t = column[static_cast<std::size_t>(t)];
    out.rows = rows_of(chunks, texts.size(), [&](const counted_chunk& chunk, std::int32_t t) {
        return merged.number[static_cast<std::size_t>(chunk.worker)][static_cast<std::size_t>(t)];
    });
    return out;
}

count_rows count_known_terms(const strings& texts, const tokeniser& cut, const term_table& terms) {
    std::vector<counted_chunk> chunks =
        count_chunks(texts, cut, [&](int, std::string_view term) { return terms.find(term); });
    return rows_of(chunks, texts.size(), [](const counted_chunk&, std::int32_t t) { return t; });
}

count_rows count_hashed_terms(const strings& texts, const tokeniser& cut, std::int32_t columns) {
    std::vector<counted_chunk> chunks =
        count_chunks(texts, cut, [&](int, std::string_view term) { return hash_column(term, columns); });
    return rows_of(chunks, texts.size(), [](const counted_chunk&, std::int32_t t) { return t; });
}

// Appleby's MurmurHash3_x86_32 with seed 0. The column is the absolute value of the hash modulo `columns`.
std::int32_t hash_column(std::string_view term, std::int32_t columns) {
    constexpr std::uint32_t c1 = 0xcc9e2d51, c2 = 0x1b873593;
    const auto turned = [](std::uint32_t x, int by) { return x << by | x >> (32 - by); };
    std::uint32_t h = 0;
    std::size_t at = 0;
    for (; at + 4 <= term.size(); at += 4) {
        std::uint32_t k;
        std::memcpy(&k, term.data() + at, 4);
        h = turned(h ^ turned(k * c1, 15) * c2, 13) * 5 + 0xe6546b64;
    }
    if (at < term.size()) {
        std::uint32_t k = 0;
        std::memcpy(&k, term.data() + at, term.size() - at);
        h ^= turned(k * c1, 15) * c2;
    }
    h ^= static_cast<std::uint32_t>(term.size());
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    h ^= h >> 16;
    const std::int64_t size = std::abs(static_cast<std::int64_t>(static_cast<std::int32_t>(h)));
    return static_cast<std::int32_t>(size % columns);
}

}  // namespace mercer
