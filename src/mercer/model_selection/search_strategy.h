// The search strategies behind tune(): which settings are evaluated, and when one is dropped.
#pragma once

#include <chrono>
#include <vector>

#include "mercer/model_selection/cross_validate.h"
#include "mercer/model_selection/search_log.h"

namespace mercer::api {

// A spec with free parameters. A point of the space holds the values for the kernel first, then for the options in
// their order.
class search_request {
public:
    search_request(const spec& s, const table& data);
    const std::vector<axis>& axes() const { return axes_; }
    setting at(const space_point& point) const;
    std::vector<setting> at(const std::vector<space_point>& points) const;

private:
    spec spec_;
    open_text kernel_;
    std::vector<open_text> options_;
    std::vector<axis> axes_;
};

class searcher {
public:
    searcher(const search_request& open, const tune_options& options)
        : open_(open), options_(options), log_(options.log) {}

    // Evaluates the settings on all folds, with a race after the first folds.
    void evaluate(const trial_runner& by, std::vector<setting>& which);
    // Successive halving (Jamieson, Talwalkar 2016): evaluates the settings on few examples, keeps the best third,
    // triples the examples, and repeats. Returns the settings to evaluate on all examples.
    std::vector<setting> successive_halving(std::vector<setting> which, const spec& s, const table& data,
                                            const fit_control& control);
    // Sequential search: evaluates the setting with the largest expected improvement, then chooses the next.
    void search_by_model(const trial_runner& by, index trials, const random_below& random, std::vector<setting>& found);
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }

private:
    void run_race_fold(const trial_runner& by, std::vector<setting>& which);
    void report_progress(const trial_runner& by, const std::vector<setting>& which);

    const search_request& open_;
    const tune_options& options_;
    tune_log log_;
    index total_ = 0, done_before_ = 0;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// The mean of the scores that are not NaN; NaN if there are none.
double mean_score(const std::vector<double>& scores);
// The given rows of a table.
table rows_of(const table& data, std::span<const index> rows);
// A random sample of `count` examples, in their order.
table sample_of(const table& data, index count, std::uint64_t seed);

}  // namespace mercer::api
