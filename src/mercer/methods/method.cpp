#include "mercer/methods/method.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "mercer/base/communicator.h"
#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer::api {

const method& find_method(std::string_view name) {
    const std::string wanted = canonical_name(name);
    for (const method& each : methods())
        if (each.name == wanted || std::ranges::find(each.aliases, wanted) != each.aliases.end()) return each;
    std::vector<std::string> known;
    std::string there;
    for (const method& each : methods()) {
        known.push_back(each.name);
        known.insert(known.end(), each.aliases.begin(), each.aliases.end());
        there += (there.empty() ? "" : ", ") + each.name;
    }
    const std::string near = nearest_name(wanted, known);
    fail(errc::invalid_argument, near.empty()
                                     ? fmt::format("there is no method '{}': the methods are {}", name, there)
                                     : fmt::format("there is no method '{}', did you mean {}? The methods are {}", name,
                                                   find_method(near).name, there));
}

std::string kernel_counterpart(const method& m) {
    const std::string twin = "kernel_" + m.name;
    return std::ranges::find(methods(), twin, &method::name) != methods().end() ? twin : "svc";
}

std::string help(const method& m) {
    std::string out = fmt::format("{}: {}\n  {}\n", m.name, m.about, m.formula);
    if (!m.options.empty()) out += "\nOptions, with the default and the allowed values:\n";
    for (const auto& o : m.options) {
        out += fmt::format("  {}{}  ({})\n      {}\n", o.name, o.default_value.empty() ? "" : " = " + o.default_value,
                           o.condition(), o.about);
        for (const auto& [choice, meaning] : o.choice_meanings) out += fmt::format("        {}: {}\n", choice, meaning);
        if (const std::string needs = o.requirements(); !needs.empty()) out += fmt::format("      {}\n", needs);
    }
    return out;
}

void require_checkpoint_support(const method& m, const fit_control& control) {
    if (!control.checkpoint.path.empty() && !m.keeps_checkpoints)
        fail(errc::unsupported, fmt::format("{} does not support checkpoints; these methods do: {}", m.name,
                                            join(methods_with_checkpoints(), ", ")));
}

estimator_ptr fit(const method& m, const option_values& options, fit_task task, const fit_control& control) {
    require_checkpoint_support(m, control);
    const thread_limit limit(control.threads);
    fit_monitor watch(control);
    // Methods with the option max_seconds observe the time limit themselves. For the others, whose steps may be long,
    // parallel loops check it too, with a grace period of 10 % or one second.
    const bool own_clock = std::ranges::find(m.options, "max_seconds", &option_info::name) != m.options.end();
    std::optional<cancellation_scope> late;
    if (std::isfinite(control.seconds) && !own_clock)
        late.emplace([ask = watch.callback(),
                      end = std::chrono::steady_clock::now() +
                            std::chrono::duration<double>(control.seconds + std::max(1.0, 0.1 * control.seconds))] {
            return std::chrono::steady_clock::now() > end && !ask({});
        });
    try {
        return m.fit({std::move(task), options, control, watch});
    } catch (const error& problem) {
        if (problem.code() == errc::cancelled && watch.final_status(fit_status::cancelled) == fit_status::time_limit)
            fail(errc::cancelled, fmt::format("{}: the time limit was reached before there was a model", m.name));
        throw;
    }
}

fit_status fit_call::final_status(fit_status of) const {
    of = watch.final_status(of);
    // The time limit of one rank stops all ranks, and all report it.
    return all_ranks(processes, of != fit_status::time_limit) ? of : fit_status::time_limit;
}

}  // namespace mercer::api
