// The curves of one class against the rest: ROC, precision and recall, reliability.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/metrics/confidence_intervals.h"

namespace mercer {

// How well a score puts the examples of one class before the others: the curve of true against false positives (ROC)
// and of precision against recall, over all thresholds (Fawcett 2006, An introduction to ROC analysis, Pattern
// Recognition Letters 27). Examples of equal score are said at once, so that their order in the file means nothing.

// What is said with a score of at least `threshold`.
struct ranking_point {
    double threshold = 0;
    index right = 0, wrong = 0;  // true and false positives
};

struct ranking {
    std::vector<ranking_point> points;  // from nothing said (threshold ∞) to everything
    index positives = 0, negatives = 0;
    double area = 0;               // under the ROC curve: Mann and Whitney's statistic; NaN where a side is empty
    double average_precision = 0;  // Σ precision·(growth of recall); NaN without positives

    double recall(const ranking_point& p) const;      // true positive rate
    double fallout(const ranking_point& p) const;     // false positive rate
    static double precision(const ranking_point& p);  // 1 where nothing is said
    bool has_roc() const { return positives > 0 && negatives > 0; }
    bool has_precision() const { return positives > 0; }
};
ranking ranking_of(std::span<const double> score, const std::vector<bool>& positive);

// The points at which the ROC curve turns: those between lie on straight lines.
std::vector<ranking_point> corners(const ranking& all);
// At most so many of the points, evenly, the first and the last among them.
std::vector<ranking_point> thinned(const std::vector<ranking_point>& points, std::size_t most);

// Whether probabilities are what they say: of the examples given a probability near p, is the share p of the class?
// (The reliability diagram; Murphy and Winkler 1977.)

struct reliability_bin {
    double low = 0, high = 0;  // probabilities of low < p <= high, of the first also p = 0
    index count = 0, positive = 0;
    double mean = 0, share = 0;  // of the probabilities; of the class
    interval of_share;           // Wilson's, of 95 %
};

struct reliability {
    std::vector<reliability_bin> bins;  // of equal width; those without examples are left out
    double brier = 0;                   // mean (p - [of the class])², Brier 1950
    double calibration_error = 0;       // mean over the examples of |share - mean| of their bin
};
reliability reliability_of(std::span<const double> probability, const std::vector<bool>& positive, index bins = 10);

}  // namespace mercer
