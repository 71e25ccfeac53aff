// Scores of settings on folds: what every search asks for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mercer/data/folds.h"
#include "mercer/model_selection/search.h"

namespace mercer::api {

// A setting on its way: which C, which kernel, and what came out on each fold.
struct setting {
    space_point at;
    spec what;
    std::vector<double> score;             // one for each fold; NaN: not run
    std::vector<std::vector<float>> loss;  // of each example held out, fold by fold: what a race compares
    bool dropped = false;
    std::string trouble{};
};

// How good a model is on examples; `predicted`: its answers, where they are wanted.
double score_by(const metric& by, const model& m, const table& data, std::vector<double>* predicted = nullptr);

// Runs settings of one method on one set of examples.
class trial_runner {
public:
    trial_runner(const spec& open, const table& data, const tune_options& options, const fit_control& control);
    int folds() const { return by_leaving_one_out_ ? 1 : static_cast<int>(parts_.size()); }
    std::string how() const;
    // What is searched: method, examples, folds, metric, seed.
    std::string fingerprint() const;
    const metric& scored_by() const { return *metric_; }
    // A part of its own for the first race of settings that are quick to fit: learnt from less than half of the
    // examples and judged by the others, its score in the place of the first fold's.
    static constexpr int heat = -1;
    bool has_heat() const { return !heat_.held_out.empty(); }
    // The scores of these settings on these folds. `said` is told after each piece of work; it may throw to stop.
    void run(const std::vector<setting*>& which, const std::vector<int>& folds,
             const std::function<void()>& said) const;

private:
    struct part {
        std::vector<index> training, held_out;
    };
    void deal(const tune_options& options);
    std::size_t ridge_memory() const;
    void along_prices(const std::vector<setting*>& which, const std::vector<int>& folds,
                      const std::function<void()>& said) const;
    void by_ridge_folds(const std::vector<setting*>& which, const std::vector<int>& folds,
                        const std::function<void()>& said) const;
    void by_ridge_paths(const std::vector<setting*>& which, const std::function<void()>& said) const;
    void one_by_one(const std::vector<setting*>& which, const std::vector<int>& folds,
                    const std::function<void()>& said) const;
    const part& part_of(int fold) const { return fold == heat ? heat_ : parts_[static_cast<std::size_t>(fold)]; }
    void judge(setting& s, int fold, std::span<const double> predicted, matrix_view<const double> scores,
               std::span<const double> classes) const;

    const method& method_;
    const metric* metric_;
    const table& data_;  // objects as kernels see them: scaled, texts made vectors
    fit_control control_;
    bool stratified_ = false, grouped_ = false, by_time_ = false;
    int each_ = 5, repeats_ = 1;
    std::uint64_t seed_ = 1;
    bool prices_ = false, ridges_ = false, by_leaving_one_out_ = false;  // which of the quick ways serves
    std::vector<part> parts_;
    part heat_;
};

}  // namespace mercer::api
