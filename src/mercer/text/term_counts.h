// How often each term stands in each text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/data/strings.h"
#include "mercer/text/term_table.h"
#include "mercer/text/tokeniser.h"

namespace mercer {

// Rows of counts: text i has count[k] times the term col[k], start[i] <= k < start[i + 1], terms ascending.
struct count_rows {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<std::int32_t> count;
};

// Which terms of a collection are kept.
struct term_choice {
    double min_df = 1;       // at least in so many texts; below 1: in that share of them
    double max_df = 1;       // at most; 1 and below: in that share of them, above: in so many texts
    index max_features = 0;  // the most frequent ones of those, first in the order of bytes where as frequent; 0: all
    bool operator==(const term_choice&) const = default;
};

struct term_counts {
    term_table terms;                    // in the order of their bytes
    std::vector<index> document_counts;  // in how many texts each of them is
    count_rows rows;
};

// The same for any number of threads. Fails where no term is left.
term_counts count_terms(const strings& texts, const tokeniser& cut, const term_choice& choice = {});
// Of known terms; others are not counted.
count_rows count_known_terms(const strings& texts, const tokeniser& cut, const term_table& terms);
// Each term in the column of its hash (MurmurHash3, 32 bits, as scikit-learn's HashingVectorizer has it): different
// terms may share one. 1 <= columns < 2^31.
count_rows count_hashed_terms(const strings& texts, const tokeniser& cut, std::int32_t columns);
std::int32_t hashed_column(std::string_view term, std::int32_t columns);

}  // namespace mercer
