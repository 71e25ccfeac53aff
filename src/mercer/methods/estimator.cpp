#include "mercer/methods/class_scores.h"

namespace mercer::api {
namespace {

// What ask() gives; none where the model says that it has no such thing.
template <class Ask>
std::optional<matrix<double>> if_there(Ask ask) {
    try {
        return ask();
    } catch (const error& what) {
        if (what.code() != errc::unsupported) throw;
        return std::nullopt;
    }
}

matrix<double> both_sides(const matrix<double>& f, std::span<const double> predicted, double first) {
    double sense = 0;
    for (index i = 0; i < f.rows(); ++i) sense += predicted[static_cast<std::size_t>(i)] == first ? f(i, 0) : -f(i, 0);
    matrix<double> out(f.rows(), 2);
    for (index i = 0; i < f.rows(); ++i) out(i, 0) = sense < 0 ? -f(i, 0) : f(i, 0), out(i, 1) = -out(i, 0);
    return out;
}

}  // namespace

std::optional<matrix<double>> scores_of_classes(const fitted& by, const examples& x,
                                                std::span<const double> predicted) {
    const std::vector<double> classes = by.classes();
    if (classes.size() == 2)
        if (const auto f = if_there([&] { return by.decide(x); }); f && f->cols() == 1)
            return both_sides(*f, predicted, classes[0]);
    if (auto found = if_there([&] { return by.scores(x); })) return found;
    return probabilities_of_classes(by, x);
}

std::optional<matrix<double>> probabilities_of_classes(const fitted& by, const examples& x) {
    return if_there([&] { return by.probabilities(x); });
}

}  // namespace mercer::api
