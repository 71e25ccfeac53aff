#include "mercer/methods/svm/price_folds.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/methods/svm/svm.h"

namespace mercer {
namespace {

// Column `problem` of every answer, from one price to the next.
void follow(smo::price_path& path, index n, std::span<const index> decided, index problem, std::span<const double> C,
            double tol, const price_options& options, std::vector<price_answer>& answers) {
    for (std::size_t c = 0; c < C.size(); ++c) {
        stop_point();
        path.solve(C[c], tol, options.most_steps_each * n);
        for (std::size_t i = 0; i < decided.size(); ++i)
            answers[c].decisions(static_cast<index>(i), problem) = path.decision(decided[i]);
        inner_fits& fits = answers[c].fits;
        ++fits.fits;
        if (path.gap() <= tol) continue;
        ++fits.unfinished;
        fits.worst_gap = std::max(fits.worst_gap, path.gap());
        fits.worst = fit_status::step_limit;
    }
}

// One binary problem: signs of the objects of a matrix, 0 for those who take no part.
class binary_path {
public:
    binary_path(const smo::padded_matrix& K, std::span<const double> y, std::span<const index> training,
                std::span<const index> held_out, std::span<const double> weight)
        : all_(K), y_(y), training_(training), held_out_(held_out), weight_(weight) {}

    // Class `first` against `second`, or against all others where that is no label. answers: one for each C, whose
    // column `problem` is filled.
    void solve(double first, const double* second, index problem, std::span<const double> C,
               const price_options& options, std::vector<price_answer>& answers) const {
        std::vector<index> taken;
        std::vector<double> sign;
        for (const index i : training_) {
            const double label = y_[static_cast<std::size_t>(i)];
            if (label != first && second && label != *second) continue;
            taken.push_back(i);
            sign.push_back(label == first ? 1.0 : -1.0);
        }
        // Where every example takes part the matrix is taken as it is; a part of it is worth a copy.
        if (taken.size() == training_.size()) {
            std::vector<double> signs(static_cast<std::size_t>(all_.size()), 0.0);
            for (std::size_t t = 0; t < taken.size(); ++t) signs[static_cast<std::size_t>(taken[t])] = sign[t];
            run(all_, signs, weight_, held_out_, problem, C, options, answers);
            return;
        }
        std::vector<index> both = taken, places;
        for (const index i : held_out_) places.push_back(static_cast<index>(both.size())), both.push_back(i);
        const smo::padded_matrix part = copied(both, static_cast<index>(taken.size()));
        sign.resize(both.size(), 0.0);
        std::vector<double> weight;
        for (const index i : both)
            if (!weight_.empty()) weight.push_back(weight_[static_cast<std::size_t>(i)]);
        run(part, sign, weight, places, problem, C, options, answers);
    }

private:
    // The rows of the first so many; of the others only the diagonal is ever looked at.
    smo::padded_matrix copied(const std::vector<index>& which, index rows) const {
        smo::padded_matrix out(static_cast<index>(which.size()));
        for (index r = 0; r < out.size(); ++r) {
            const float* from = all_.view().row(which[static_cast<std::size_t>(r)]);
            float* to = out.view().row(r);
            to[r] = from[which[static_cast<std::size_t>(r)]];
            for (std::size_t c = 0; r < rows && c < which.size(); ++c) to[c] = from[which[c]];
        }
        out.filled();
        return out;
    }

    static void run(const smo::padded_matrix& K, std::span<const double> sign, std::span<const double> weight,
                    std::span<const index> decided, index problem, std::span<const double> C,
                    const price_options& options, std::vector<price_answer>& answers) {
        smo::price_path path(K, sign, weight);
        follow(path, K.size(), decided, problem, C, options.tol, options, answers);
    }

    const smo::padded_matrix& all_;
    std::span<const double> y_;
    std::span<const index> training_, held_out_;
    std::span<const double> weight_;
};

}  // namespace

std::vector<price_answer> decide_along_prices(const smo::padded_matrix& K, std::span<const double> y,
                                              std::span<const index> training, std::span<const index> held_out,
                                              std::span<const double> C, const price_options& options) {
    svm_model machine;
    machine.scheme = options.scheme;
    for (const index i : training) machine.classes.push_back(y[static_cast<std::size_t>(i)]);
    std::ranges::sort(machine.classes);
    machine.classes.erase(std::unique(machine.classes.begin(), machine.classes.end()), machine.classes.end());
    if (machine.classes.size() < 2) fail(errc::data, "a part of the examples has a single class: take fewer folds");

    const class_problems problems = machine.pairs();
    std::vector<price_answer> answers(C.size());
    for (price_answer& each : answers)
        each.decisions = matrix<double>(static_cast<index>(held_out.size()), problems.count());
    const binary_path path(K, y, training, held_out, options.weight);
    problems.each([&](index p, index a, index b) {
        path.solve(machine.classes[static_cast<std::size_t>(a)],
                   b < 0 ? nullptr : &machine.classes[static_cast<std::size_t>(b)], p, C, options, answers);
    });
    for (price_answer& each : answers) each.predicted = predict(machine, each.decisions.view());
    return answers;
}

std::vector<price_answer> predict_along_prices(const smo::padded_matrix& K, std::span<const double> y,
                                               std::span<const index> training, std::span<const index> held_out,
                                               std::span<const double> C, double epsilon,
                                               const price_options& options) {
    std::vector<std::uint8_t> takes_part(y.size(), 0);
    double mean = 0, squares = 0;
    const auto n = static_cast<double>(training.size());
    for (const index i : training)
        takes_part[static_cast<std::size_t>(i)] = 1, mean += y[static_cast<std::size_t>(i)] / n;
    for (const index i : training) squares += std::pow(y[static_cast<std::size_t>(i)] - mean, 2) / n;
    const double spread = squares > 0 ? std::sqrt(squares) : 1;
    std::vector<price_answer> answers(C.size());
    for (price_answer& each : answers) each.decisions = matrix<double>(static_cast<index>(held_out.size()), 1);
    smo::price_path path(K, y, takes_part, epsilon, options.weight);
    follow(path, K.size(), held_out, 0, C, options.tol * spread, options, answers);
    for (price_answer& each : answers)
        each.predicted.assign(each.decisions.data(), each.decisions.data() + held_out.size());
    return answers;
}

}  // namespace mercer
