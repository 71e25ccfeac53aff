// Counts of terms in texts. All results are the same for any number of threads.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/strings.h"
#include "mercer/text/tokeniser.h"

namespace mercer {

// A hash table of terms. Terms get the numbers 0, 1, … in the order in which they are added.
class term_table {
public:
    std::int32_t size() const { return static_cast<std::int32_t>(begin_.size()) - 1; }
    std::string_view operator[](std::int32_t term) const {
        const auto i = static_cast<std::size_t>(term);
        return std::string_view(bytes_).substr(begin_[i], begin_[i + 1] - begin_[i]);
    }
    // The number of a term; -1 if it is not in the table.
    std::int32_t find(std::string_view term) const {
        return slots_.empty() ? -1 : slots_[place(term, hash(term))].term;
    }
    // The number of a term, which is added if it is not in the table.
    std::int32_t add(std::string_view term) {
        if (2 * begin_.size() >= slots_.size()) grow();
        const std::uint32_t h = hash(term);
        slot& here = slots_[place(term, h)];
        if (here.term < 0) {
            here = {h, size()};
            bytes_.append(term);
            begin_.push_back(bytes_.size());
        }
        return here.term;
    }

private:
    struct slot {
        std::uint32_t hash = 0;
        std::int32_t term = -1;
    };
    static std::uint32_t hash(std::string_view term) {
        std::uint64_t h = term.size() * 0x9e3779b97f4a7c15u;
        const auto mix = [&](std::uint64_t word) {
            h = (h ^ word) * 0x9fb21c651e98df25u;
            h ^= h >> 32;
        };
        const char* at = term.data();
        std::size_t left = term.size();
        for (; left >= 8; at += 8, left -= 8) {
            std::uint64_t word;
            std::memcpy(&word, at, 8);
            mix(word);
        }
        std::uint64_t rest = 0;
        std::memcpy(&rest, at, left);
        mix(rest);
        return static_cast<std::uint32_t>(h ^ h >> 29);
    }
    // The slot of the term, or the free slot where it belongs.
    std::size_t place(std::string_view term, std::uint32_t h) const {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t at = h & mask;; at = (at + 1) & mask) {
            const slot& here = slots_[at];
            if (here.term < 0 || (here.hash == h && (*this)[here.term] == term)) return at;
        }
    }
    void grow() {
        std::vector<slot> before(slots_.empty() ? 1024 : 2 * slots_.size());
        before.swap(slots_);
        const std::size_t mask = slots_.size() - 1;
        for (const slot& each : before)
            if (each.term >= 0) {
                std::size_t at = each.hash & mask;
                while (slots_[at].term >= 0) at = (at + 1) & mask;
                slots_[at] = each;
            }
    }

    std::string bytes_;
    std::vector<std::size_t> begin_{0};
    std::vector<slot> slots_;  // their number is a power of two; at most half of them are used
};

// Counts in compressed rows: text i contains the term col[k] count[k] times, for start[i] <= k < start[i + 1]; the
// terms of a row are ascending.
struct count_rows {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<std::int32_t> count;
};

// Selection of the terms of a collection by document frequency, the number of texts that contain a term.
struct term_selection {
    double min_df = 1;       // minimum document frequency; below 1: as a fraction of the texts
    double max_df = 1;       // maximum document frequency; 1 and below: as a fraction of the texts
    index max_features = 0;  // number of terms, the most frequent first, equally frequent ones in byte order; 0: all
    bool operator==(const term_selection&) const = default;
};

// The result of count_terms().
struct term_counts {
    term_table terms;                    // in byte order
    std::vector<index> document_counts;  // document frequency of each term
    count_rows rows;
};

// Returns the selected terms of all texts and their counts. Throws errc::invalid_argument if `choice` is out of range.
term_counts count_terms(const strings& texts, const tokeniser& cut, const term_selection& choice = {});
// Returns the counts of the terms that are in a table; other terms are not counted.
count_rows count_known_terms(const strings& texts, const tokeniser& cut, const term_table& terms);
// Returns the counts of hashed terms: the column of a term is its hash modulo `columns` (MurmurHash3, 32 bits, as in
// scikit-learn's HashingVectorizer), so different terms may have the same column. 1 <= columns < 2^31.
count_rows count_hashed_terms(const strings& texts, const tokeniser& cut, std::int32_t columns);
std::int32_t hash_column(std::string_view term, std::int32_t columns);

}  // namespace mercer
