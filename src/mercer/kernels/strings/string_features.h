// Strings as sparse vectors of the words they hold.
#pragma once

#include <string>
#include <string_view>

#include "mercer/kernels/embedding.h"

namespace mercer {

// The number of occurrences of every substring of length k.
named_feature spectrum_counts(int k);
// decay^l·(number of occurrences) for every substring of a length l <= k.
named_feature blended_counts(int k, double decay);
// For every word of k letters the number of substrings of length k that differ from it at m places at most. Letters of
// the alphabet that no string holds are interchangeable: they are one letter more, each with the weight √(their
// number).
named_feature mismatch_counts(int k, int m, int letters);
// For every choice of k of g places and letters there, the number of substrings of length g that have them.
named_feature gapped_counts(int g, int k);

// Bytes as the name of a feature: what nobody can read as \x0a.
std::string readable(std::string_view bytes);

// Words of length k within m changes of a given one, when each place may have one of `changes` other letters.
double mismatch_words(int k, int m, double changes);
// The binomial coefficient, as a double.
double ways_to_choose(int n, int k);

}  // namespace mercer
