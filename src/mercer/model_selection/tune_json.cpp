#include <cmath>
#include <nlohmann/json.hpp>

#include "mercer/base/json.h"
#include "mercer/model_selection/search.h"

namespace mercer::api {
namespace {

using nlohmann::ordered_json;

ordered_json number(double v) { return std::isfinite(v) ? ordered_json(v) : ordered_json(); }

}  // namespace

std::string to_json(const tuning& found) {
    ordered_json trials = ordered_json::array();
    for (const trial& t : found.trials) {
        ordered_json one = ordered_json::object(), at = ordered_json::object();
        for (std::size_t a = 0; a < found.axes.size(); ++a) at[found.axes[a].name] = t.at[a];
        if (!at.empty()) one["at"] = std::move(at);
        one["spec"] = parse_json<ordered_json>(to_json(t.what));
        one["scores"] = ordered_json::array();
        for (const double s : t.scores) one["scores"].push_back(number(s));
        one["mean"] = number(t.mean);
        one["standard_error"] = number(t.error);
        one["dropped"] = t.dropped;
        if (!t.trouble.empty()) one["trouble"] = t.trouble;
        trials.push_back(std::move(one));
    }
    ordered_json out{{"metric", found.metric},        {"cross_validation", found.how}, {"rows", found.rows},
                     {"of_rows", found.of_rows},      {"complete", found.complete},    {"seconds", found.seconds},
                     {"chosen", trials[found.chosen]}};
    out["trials"] = std::move(trials);
    return out.dump();
}

}  // namespace mercer::api
