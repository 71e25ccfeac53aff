#include "mercer/kernels/plan.h"

namespace mercer {

embedding compose(embedding first, embedding second) {
    if (!first.apply) return second;
    if (!second.apply) return first;
    return {first.key + " | " + second.key, [first, second](const dataset& x, const dataset* z) {
                const auto [fx, fz] = first.apply(x, z);
                return second.apply(fx, z ? &fz : nullptr);
            }};
}

int plan_builder::use_embedding(embedding wanted) {
    wanted = compose(outer_, std::move(wanted));
    for (std::size_t i = 0; i < made_.embeddings.size(); ++i)
        if (made_.embeddings[i].key == wanted.key) return static_cast<int>(i);
    made_.embeddings.push_back(std::move(wanted));
    return static_cast<int>(made_.embeddings.size()) - 1;
}

// Until finish() knows the number of statistics, registers below this number are statistics and the others are
// temporaries.
static constexpr int first_temporary = 1 << 24;

int plan_builder::use_statistic(plan_statistic wanted) {
    for (std::size_t i = 0; i < made_.statistics.size(); ++i) {
        auto& have = made_.statistics[i];
        // `centred` must agree: in rbf() + linear() the vectors of the distances may be translated, but those of the
        // dot products may not.
        if (have.statistic == wanted.statistic && have.embedding == wanted.embedding &&
            have.statistic != pair_statistic::user && have.centred == wanted.centred)
            return static_cast<int>(i);
    }
    made_.statistics.push_back(std::move(wanted));
    return static_cast<int>(made_.statistics.size()) - 1;
}

int plan_builder::push(instruction step) {
    using op = instruction::op;
    // All operations except fill and map work in place on the temporary a.
    const bool in_place = step.operation != op::fill && step.operation != op::map;
    step.to = in_place ? step.a : first_temporary + temporaries_++;
    made_.code.push_back(std::move(step));
    return made_.code.back().to;
}

std::shared_ptr<const plan> plan_builder::finish(int result) {
    const int offset = static_cast<int>(made_.statistics.size()) - first_temporary;
    const auto place = [&](int reg) { return reg >= first_temporary ? reg + offset : reg; };
    for (auto& step : made_.code) {
        step.to = place(step.to);
        step.a = place(step.a);
        step.b = place(step.b);
    }
    made_.registers = static_cast<int>(made_.statistics.size()) + temporaries_;
    made_.result = place(result);
    return std::make_shared<const plan>(std::move(made_));
}

std::shared_ptr<const plan> plan_builder::plan_of_part(const void* part, quantity what,
                                                       const std::function<int(plan_builder&)>& emit) {
    const part_key key(part, what, outer_.key);
    if (const auto known = parts_->find(key); known != parts_->end()) return known->second;
    plan_builder own;
    own.outer_ = outer_;
    own.parts_ = parts_;
    std::shared_ptr<const plan> made = own.finish(emit(own));
    parts_->emplace(key, made);
    return made;
}

}  // namespace mercer
