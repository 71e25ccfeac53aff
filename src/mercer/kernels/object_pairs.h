// Kernels on objects that are computed pair by pair, where no finite vector of features stands for an object.
//
//     int emit(plan_builder& code) const {
//         return emit_pairs<strings>(code, "local_alignment", [](std::string_view s) { return coded(s); },
//                                    [](const codes& a, const codes& b) { return score(a, b); });
//     }
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/plan.h"

namespace mercer {

// The objects of a kind; fails, naming the kernel, where the data are another.
template <class Kind>
const Kind& objects_of(const dataset& x, std::string_view owner) {
    const auto* some = x.as<Kind>();
    if (!some)
        fail(errc::unsupported, std::string(owner) + ": " + name(Kind::where) + " are needed, got " + name(x.kind()));
    return *some;
}

// Emits value(prepare(x), prepare(z)) for every pair; an object is prepared once a call. Both run in several threads.
template <class Kind, class Prepare, class Value>
int emit_pairs(plan_builder& code, const std::string& owner, Prepare prepare, Value value) {
    const auto block = [=](const dataset& x, const selection& rows, const dataset& z, const selection& cols,
                           matrix_view<double> out) {
        using prepared = decltype(prepare(objects_of<Kind>(x, owner)[0]));
        const auto all = [&](const dataset& from, const selection& which) {
            const Kind& some = objects_of<Kind>(from, owner);
            std::vector<prepared> made(static_cast<std::size_t>(which.size()));
            parallel_for(which.size(), [&](index i) { made[static_cast<std::size_t>(i)] = prepare(some[which[i]]); });
            return made;
        };
        const std::vector<prepared> left = all(x, rows), right = all(z, cols);
        parallel_for(out.rows, [&](index i) {
            for (index j = 0; j < out.cols; ++j)
                out(i, j) = value(left[static_cast<std::size_t>(i)], right[static_cast<std::size_t>(j)]);
        });
    };
    instruction step;
    step.what = instruction::op::map;
    step.a = code.use_statistic({statistic::user, code.use_feature({}), false, block});
    return code.push(std::move(step));
}

}  // namespace mercer
