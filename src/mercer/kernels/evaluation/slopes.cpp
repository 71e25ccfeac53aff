#include "mercer/kernels/evaluation/slopes.h"

#include <fmt/format.h>

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/kernels/dual_number.h"
#include "mercer/kernels/evaluation/run_plan.h"

namespace mercer {

kernel_slopes::kernel_slopes(const kernel& k) : plan_(k.compile()) {
    const auto refuse = [&](const char* why) {
        fail(errc::unsupported, fmt::format("{} has no slopes by columns: {}", k.text(), why));
    };
    if (k.where() != domain::vectors && k.where() != domain::any) refuse("it is no kernel on vectors");
    for (const feature& each : plan_->features)
        if (each.apply && each.key != "non_negative") refuse("it compares vectors made of the columns");
    for (const instruction& step : plan_->code) {
        place_.push_back(-1);
        if (step.what == instruction::op::outer_multiply || step.what == instruction::op::outer_add)
            refuse("a part of it depends on one object alone, as in normalize()");
        if (step.what != instruction::op::map) continue;
        const pair_statistic& stat = plan_->statistics[static_cast<std::size_t>(step.a)];
        if (stat.what == statistic::user) refuse("a part of it is a user's function");
        if (step.input == map_input::with_norms) refuse("a part of it depends on the norms");
        const input wanted{stat.what, step.input == map_input::squared_distance};
        const auto same = std::ranges::find_if(
            inputs_, [&](const input& each) { return each.what == wanted.what && each.distance == wanted.distance; });
        place_.back() = static_cast<int>(same - inputs_.begin());
        if (same == inputs_.end()) inputs_.push_back(wanted);
    }
}

double kernel_slopes::operator()(std::span<const double> at, std::span<double> slope) const {
    double value = 0;
    const auto none = [](std::size_t, dual a) { return a; };  // such plans were refused
    for (std::size_t by = 0; by < inputs_.size(); ++by) {
        const dual made = run_plan<dual>(
            *plan_,
            [&](const instruction& step) {
                const auto which =
                    static_cast<std::size_t>(place_[static_cast<std::size_t>(&step - plan_->code.data())]);
                const bool moves = which == by && !(inputs_[by].vanishes() && at[by] <= 0);
                return mapped_by(step.formula, dual(at[which], moves ? 1 : 0), dual(), listed_kernels());
            },
            none, none);
        value = made.value;
        slope[by] = made.slope;
    }
    if (inputs_.empty())
        value = run_plan<dual>(
                    *plan_, [](const instruction&) { return dual(); }, none, none)
                    .value;
    return value;
}

}  // namespace mercer
