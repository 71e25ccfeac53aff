#include "mercer/methods/checkpoint.h"

#include "mercer/base/error.h"
#include "mercer/base/fit_checkpoint.h"

namespace mercer {
namespace {

std::uint64_t mark_of(const checkpoint_problem& problem) {
    problem_mark mark;
    for (const auto& part : {problem.p, problem.lower, problem.upper, problem.sums}) mark.add(part);
    return mark.value();
}

}  // namespace

void write_checkpoint(const std::string& path, const checkpoint_problem& problem, std::span<const double> alpha) {
    write_state(path, mark_of(problem), alpha);
}

std::optional<std::vector<double>> read_checkpoint(const std::string& path, const checkpoint_problem& problem) {
    auto alpha = read_state(path, mark_of(problem));
    if (alpha && alpha->size() != problem.p.size())
        fail(errc::io, path + ": the checkpoint is damaged: " + std::to_string(alpha->size()) +
                           " variables, the problem has " + std::to_string(problem.p.size()));
    return alpha;
}

}  // namespace mercer
