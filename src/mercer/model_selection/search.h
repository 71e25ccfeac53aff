// The numbers of a method and its kernel, chosen by cross-validation.
//
//     api::spec s{"svc", "rbf(gamma=?)", "standard", {{"C", "?"}}};
//     const api::tuning found = api::tune(s, data);
//     const api::model m = api::fit(found.chosen_spec(), data);
//
// Whatever is written as ? (search_space.h) is searched for. Texts become vectors and columns are scaled
// once, on all the data that are searched; everything learnt from targets is learnt without the examples it is judged
// by. What settings share is computed once: one kernel matrix serves all folds and all C (price_folds.h), one
// decomposition many λ of a ridge (kernel_ridge_path.h), whose leave-one-out error, as many folds as examples, has
// a closed form. After the first folds settings that are significantly worse than the best are not looked at any more
// (a race, Maron and Moore 1994); of ridges, which are quick on few examples, already after learning from less than
// half of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mercer/metrics/metrics.h"
#include "mercer/model/spec.h"
#include "mercer/model_selection/search_space.h"

namespace mercer::api {

struct tune_progress {
    index done = 0, total = 0;  // settings and folds
    double best = 0;            // score so far; NaN: none yet
    double seconds = 0;
};

struct tune_options {
    std::string search = "grid";  // grid, random, halving, model
    index points = 0;             // values of each axis of a grid; 0: 10, and fewer where there are more than two axes
    index trials = 0;             // settings of the other searches; 0: 60
    int folds = 5, repeats = 1;
    std::vector<std::int64_t> groups{};  // examples of one group are never on both sides; empty: none
    bool by_time = false;             // examples are in order of time: learn from the past, be judged by what follows
    std::string metric{};             // empty: accuracy, or rmse
    bool one_standard_error = false;  // the simplest setting within a standard error of the best, instead of the best
    bool race = true;
    std::uint64_t seed = 1;
    index most_rows = 10000;  // larger data are searched on so many examples, drawn at random; 0: on all
    std::string log{};        // a file of what was found, which a later search of the same goes on from
    std::function<bool(const tune_progress&)> progress{};  // false: stop, with the best so far
};

// One setting.
struct trial {
    space_point at;
    spec what;
    std::vector<double> scores;  // of each fold that was run
    double mean = 0, error = 0;  // of the scores, and the standard error of that; NaN where there is one score
    bool dropped = false;        // significantly worse than the best after some folds, or a heat on fewer examples
    std::string trouble{};       // what did not go well: fits cut short, an error
};

struct tuning {
    std::vector<axis> axes;
    std::vector<trial> trials;  // those that have a score
    std::size_t best = 0, chosen = 0;
    std::string metric, how;  // "rmse", "5 folds, stratified"
    bool larger_is_better = true;
    index rows = 0, of_rows = 0;  // searched on so many of so many examples
    bool complete = true;         // false: it was stopped
    double seconds = 0;

    const spec& chosen_spec() const { return trials[chosen].what; }
};

// {"metric", "cross_validation", "rows", "of_rows", "complete", "seconds", "chosen": a trial, "trials": [{"at": {axis:
// number}, "spec", "scores", "mean", "standard_error", "dropped", "trouble"}]}; what is not a number is null.
std::string to_json(const tuning& found);

// Fails with errc::invalid_argument where nothing is left open, errc::cancelled where it was stopped before any score.
tuning tune(const spec& open, const table& data, const tune_options& options = {}, const fit_control& control = {});

}  // namespace mercer::api
