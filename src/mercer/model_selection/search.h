// Searches the best parameters of a method and its kernel by cross-validation.
//
// Every ? (search_space.h) is a parameter to search. Text features and scaling are fitted once on all data of the
// search; everything that depends on targets is fitted without the held-out examples. Settings share computations: one
// kernel matrix serves all folds and all C (methods/svm/cross_validation.h), one decomposition many λ of a ridge
// (kernel_ridge_path.h), whose leave-one-out error has a closed form. After the first folds, settings that are
// significantly worse than the best are dropped (a race, Maron and Moore 1994); for ridges, which are fast on few
// examples, already after training on less than half of the examples.
//
// Example:
//
//     const table iris = read("data/iris.csv", {.label = "species"});
//     const api::spec open{"svc", "rbf(gamma=?)", "standard", {{"C", "?"}}};
//     const api::tuning found = api::tune(open, iris, {.points = 3, .folds = 3});
//     const api::model m = api::fit(found.chosen_spec(), iris);
//     assert(found.trials.size() <= 9 && m.score(iris).number("accuracy") > 0.9);
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mercer/metrics/metrics.h"
#include "mercer/model/spec.h"
#include "mercer/model_selection/search_space.h"

namespace mercer::api {

// The state of a running search.
struct tune_progress {
    index done = 0, total = 0;  // pairs of setting and fold
    double best = 0;            // best score so far; NaN: none
    double seconds = 0;
};

// Options of tune(). Cross-validation with `folds` folds is repeated `repeats` times, each time with new folds.
struct tune_options {
    std::string search = "grid";  // grid, random, halving or bayes
    index points = 0;             // grid: values per parameter; 0: 10, fewer with more than two parameters
    index trials = 0;             // random, halving, bayes: number of settings; 0: 60
    int folds = 5, repeats = 1;
    std::vector<std::int64_t> groups{};  // examples of one group are never in both parts of a fold; empty: no groups
    bool by_time = false;                // examples are in order of time: train on the past, score on what follows
    std::string metric{};                // empty: accuracy for classes, rmse for values
    // Choose the simplest setting whose mean score is within one standard error of the best one. Simple settings have
    // small parameters (relative to their ranges), but a large alpha.
    bool one_standard_error = false;
    bool race = true;  // drop settings that are significantly worse than the best after the first folds
    std::uint64_t seed = 1;
    index max_rows = 10000;  // larger data are searched on a random sample of this size; 0: no limit
    std::string log{};       // log file, from which a later search continues (search_log.h); empty: none
    std::function<bool(const tune_progress&)> progress{};  // return false to stop with the best setting so far
};

// A setting and its scores.
struct trial {
    space_point at;              // the values of the parameters, one for each entry of tuning::axes
    spec what;                   // the spec with these values, which fit() accepts
    std::vector<double> scores;  // one score for each computed fold
    double mean = 0, error = 0;  // mean score and its standard error; NaN with a single score
    bool dropped = false;        // dropped by the race as significantly worse than the best
    std::string warning{};       // warnings and errors of the fits
};

// The result of a search.
struct tuning {
    std::vector<axis> axes;
    std::vector<trial> trials;         // settings with at least one score
    std::size_t best = 0, chosen = 0;  // positions in `trials`; they may differ with one_standard_error
    std::string metric, how;           // e.g. "rmse" and "5 folds, stratified"
    bool larger_is_better = true;
    index rows = 0, of_rows = 0;  // number of examples of the search, and of the data
    bool complete = true;         // false: cancelled
    double seconds = 0;           // duration of the search

    const spec& chosen_spec() const { return trials[chosen].what; }
};

// Returns the result of a search as a JSON object with the members "metric", "cross_validation" (text, `how` of
// tuning), "rows" and "of_rows" (number of examples of the search and of the data), "complete" (false if the search was
// cancelled), "seconds", "chosen" (the chosen trial) and "trials" (the list of all trials). A trial is an object with
// the members "at" (an object: name of a parameter → its value), "spec" (model/spec.h), "scores" (a list, one number
// per computed fold), "mean", "standard_error", "dropped" (true if the race dropped it) and "trouble" (the warnings and
// errors of its fits; absent if there are none). Numbers that are not finite are null.
std::string to_json(const tuning& found);

// Runs the search on the examples and targets of `data`. Throws errc::invalid_argument if the spec has no open
// parameter, errc::unsupported if the method does not learn from targets, and errc::cancelled if it was stopped before
// the first score.
tuning tune(const spec& open, const table& data, const tune_options& options = {}, const fit_control& control = {});

}  // namespace mercer::api
