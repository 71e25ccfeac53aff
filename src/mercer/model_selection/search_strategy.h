// Which settings to look at: what is behind tune().
#pragma once

#include <chrono>
#include <vector>

#include "mercer/model_selection/cross_validate.h"
#include "mercer/model_selection/search_log.h"

namespace mercer::api {

// A spec with holes, and how a point of the space fills them: the kernel's first, then the options' in their order.
class open_spec {
public:
    open_spec(const spec& s, const table& data);
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
    searcher(const open_spec& open, const tune_options& options) : open_(open), options_(options), log_(options.log) {}

    // All folds of these settings, with a race after the first ones.
    void evaluate(const trial_runner& by, std::vector<setting>& which);
    // Many settings on a few examples, a third of them on three times as many (Jamieson, Talwalkar 2016): those that
    // are left for all examples.
    std::vector<setting> halve(std::vector<setting> which, const spec& s, const table& data,
                               const fit_control& control);
    // One setting after the other, where the most is to be hoped for.
    void by_model(const trial_runner& by, index trials, const random_below& random, std::vector<setting>& found);
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }

private:
    void run_heat(const trial_runner& by, std::vector<setting>& which);
    void said(const trial_runner& by, const std::vector<setting>& which);

    const open_spec& open_;
    const tune_options& options_;
    tune_log log_;
    index total_ = 0, done_before_ = 0;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// The mean of the scores that are there; NaN where there is none.
double mean_score(const std::vector<double>& scores);
// These examples.
table rows_of(const table& data, std::span<const index> rows);
// So many examples, at random, in their order.
table sample_of(const table& data, index count, std::uint64_t seed);

}  // namespace mercer::api
