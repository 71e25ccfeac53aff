// Curves of one class against the rest: ROC, precision and recall from scores, and the reliability of probabilities.
//
// Example:
//
//     const std::vector<double> score = {0.1, 0.4, 0.35, 0.8};
//     const ranking curve = compute_ranking(score, {false, false, true, true});
//     assert(curve.area == 0.75);
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/metrics/confidence_intervals.h"

namespace mercer {

// The ROC curve and the precision-recall curve over all thresholds of a score (Fawcett 2006, An introduction to ROC
// analysis, Pattern Recognition Letters 27). Examples with equal scores cross the threshold together, so the order of
// the examples does not matter.

// The counts of the examples whose score is at least `threshold`.
struct ranking_point {
    double threshold = 0;
    index true_positives = 0, false_positives = 0;
};

// The curves of one class.
struct ranking {
    // in descending order of the threshold, from ∞ (no example is predicted positive) to the smallest score (all are)
    std::vector<ranking_point> points;
    index positives = 0, negatives = 0;
    // area under the ROC curve (Mann-Whitney statistic); NaN if there are no positives or no negatives
    double area = 0;
    double average_precision = 0;  // Σ precision·(increase of recall); NaN without positives

    double recall(const ranking_point& p) const;               // true positives / positives
    double false_positive_rate(const ranking_point& p) const;  // false positives / negatives
    static double precision(const ranking_point& p);           // 1 if no example is predicted positive
    bool has_roc() const { return positives > 0 && negatives > 0; }
    bool has_precision() const { return positives > 0; }
};
// Computes the curves of one class. score[i] is the score of example i; positive[i] is true if the example is of the
// class. Time O(n log n).
ranking compute_ranking(std::span<const double> score, const std::vector<bool>& positive);

// The points at which the ROC curve changes its direction. The points between two of them lie on a straight line.
std::vector<ranking_point> corners(const ranking& all);
// At most `most` of the points, evenly spaced, including the first and the last.
std::vector<ranking_point> thin_out(const std::vector<ranking_point>& points, std::size_t most);

// The reliability of probabilities: among the examples with a predicted probability near p, the share of the class
// should be p (reliability diagram, Murphy and Winkler 1977).

struct reliability_bin {
    double low = 0, high = 0;  // bin of the probabilities low < p <= high; the first bin also contains p = 0
    index count = 0, positive = 0;
    double mean = 0, share = 0;  // mean predicted probability; share of examples of the class
    interval share_interval;     // Wilson interval (95 %) of `share`
};

struct reliability {
    std::vector<reliability_bin> bins;  // bins of equal width; empty bins are left out
    double brier = 0;                   // mean squared difference between p and the indicator of the class (Brier 1950)
    double calibration_error = 0;       // mean of |share - mean| of the bins, weighted by their counts
};
// probability[i] is the predicted probability of the class for example i; positive[i] is true if the example is of the
// class.
reliability compute_reliability(std::span<const double> probability, const std::vector<bool>& positive,
                                index bins = 10);

}  // namespace mercer
