// Embeddings of strings as sparse vectors of counts of words.
#pragma once

#include <string>
#include <string_view>

#include "mercer/kernels/embedding.h"

namespace mercer {

// The number of occurrences of every substring of length k.
named_embedding spectrum_counts(int k);
// decay^l·(number of occurrences) for every substring of length l = 1 … k.
named_embedding blended_counts(int k, double decay);
// For every word of k letters, the number of substrings of length k that differ from it at no more than m positions.
// Letters of the alphabet that occur in no string are interchangeable; one additional letter with the weight √(their
// number) represents them all. Throws errc::data if more than `letters` different bytes occur.
named_embedding mismatch_counts(int k, int m, int letters);
// For every choice of k of g positions and of letters at them, the number of substrings of length g with these letters.
named_embedding gapped_counts(int g, int k);

// Bytes as the name of a feature, with control characters as \x0a.
std::string printable_text(std::string_view bytes);

// The number of words of length k that differ from a given one at no more than m positions, with `changes` other
// letters for each position.
double count_mismatch_words(int k, int m, double changes);
// The binomial coefficient C(n, k) as a double.
double binomial_coefficient(int n, int k);

}  // namespace mercer
