// Everything that is said of a model's answers on examples whose targets are known: figures with intervals, and the
// curves behind them.
//
//     const evaluation all = evaluate({.of = answer::classes, .y = y, .predicted = found, .classes = classes});
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/methods/method_info.h"
#include "mercer/metrics/metrics.h"
#include "mercer/metrics/permutation_importance.h"

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

struct model_answers {
    answer of = answer::classes;  // or values
    std::vector<double> y, predicted;
    std::vector<double> classes{};             // of the model, ascending
    matrix<double> scores{}, probabilities{};  // a column for each class; empty: the model has none
};

struct evaluation_options {
    index resamples = 0;  // of the bootstrap; 0: 1000, fewer of many examples
    index bins = 10;      // of probabilities
    std::uint64_t seed = 1;
};

struct evaluated_metric {
    std::string name, about;
    double value = 0;
    interval range;  // of 95 %
    std::string by;  // "Wilson" or "bootstrap"
    bool larger_is_better = true;
};

// One class against the rest.
struct class_curves {
    double label = 0;
    ranking order;              // empty: no scores
    reliability probabilities;  // no bins: no probabilities
};

// Of values: y - predicted.
struct residual_figures {
    double mean = 0, deviation = 0, smallest = 0, quarter = 0, median = 0, three_quarters = 0, largest = 0;
};

struct evaluation {
    answer of = answer::classes;
    index n = 0;
    index resamples = 0;
    std::vector<evaluated_metric> metrics;
    confusion table;
    std::vector<std::string> names;  // of the labels of the table
    std::vector<class_figures> classes;
    std::vector<class_curves> curves;  // of two classes that of the larger label, of more of each
    std::vector<double> y, predicted;  // of values, for pictures
    residual_figures residuals;
    std::vector<feature_importance> importance;  // empty: not asked for
    std::string importance_metric;
    std::vector<std::string> features;  // names of columns, empty: none

    const std::string& name_of(double label) const { return names[static_cast<std::size_t>(table.place(label))]; }
    std::string feature(index column) const;
    const evaluated_metric* find(std::string_view metric) const;  // null: it does not apply
};

// Fails with errc::data, naming the row, where a target, an answer or a score is not finite.
evaluation evaluate(const model_answers& a, const evaluation_options& options = {});

}  // namespace mercer
