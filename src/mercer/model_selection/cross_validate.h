// Cross-validation of settings: the scores that every search asks for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mercer/data/folds.h"
#include "mercer/model_selection/search.h"

namespace mercer::api {

// A setting (a point of the search space) and its scores so far.
struct setting {
    space_point at;
    spec what;
    std::vector<double> score;             // one for each fold; NaN: not computed
    std::vector<std::vector<float>> loss;  // loss of each held-out example, fold by fold; compared by the race
    bool dropped = false;
    std::string warning{};
};

// The score of a model on examples. Stores the predictions in `predicted` if it is not null.
double score_model(const metric& by, const model& m, const table& data, std::vector<double>* predicted = nullptr);

// Cross-validates settings of one method on one dataset.
class trial_runner {
public:
    trial_runner(const spec& open, const table& data, const tune_options& options, const fit_control& control);
    int folds() const { return uses_leave_one_out_ ? 1 : static_cast<int>(parts_.size()); }
    std::string describe() const;
    // Identifies a search: method, examples, folds, metric, seed, targets.
    std::string fingerprint() const;
    const metric& scoring_metric() const { return *metric_; }
    // The number of an additional fold for the first race of settings that are fast to fit: less than half of the
    // examples are used for training and the others for validation. Its score is stored as that of the first fold.
    static constexpr int race_fold = -1;
    bool has_race_fold() const { return !race_part_.held_out.empty(); }
    // Computes the scores of these settings on these folds. `on_progress` is called after each piece of work; it may
    // throw to stop.
    void run(const std::vector<setting*>& which, const std::vector<int>& folds,
             const std::function<void()>& on_progress) const;

private:
    struct part {
        std::vector<index> training, held_out;
    };
    void make_folds(const tune_options& options);
    std::size_t ridge_memory() const;
    void run_c_path(const std::vector<setting*>& which, const std::vector<int>& folds,
                    const std::function<void()>& on_progress) const;
    void run_ridge_folds(const std::vector<setting*>& which, const std::vector<int>& folds,
                         const std::function<void()>& on_progress) const;
    void run_ridge_paths(const std::vector<setting*>& which, const std::function<void()>& on_progress) const;
    void run_one_by_one(const std::vector<setting*>& which, const std::vector<int>& folds,
                        const std::function<void()>& on_progress) const;
    const part& fold_part(int fold) const {
        return fold == race_fold ? race_part_ : parts_[static_cast<std::size_t>(fold)];
    }
    void record_scores(setting& s, int fold, std::span<const double> predicted, matrix_view<const double> scores,
                       std::span<const double> classes) const;

    const method& method_;
    const metric* metric_;
    const table& data_;  // objects after text features and scaling
    fit_control control_;
    bool stratified_ = false, grouped_ = false, by_time_ = false;
    int each_ = 5, repeats_ = 1;
    std::uint64_t seed_ = 1;
    // the fast path that applies: path over C, ridge folds, or leave-one-out in closed form
    bool uses_c_path_ = false, uses_ridge_folds_ = false, uses_leave_one_out_ = false;
    std::vector<part> parts_;
    part race_part_;
};

}  // namespace mercer::api
