#include "mercer/model_selection/tune_log.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/json.h"
#include "mercer/io/expected_file.h"
#include "mercer/io/file_contents.h"

namespace mercer::api {
namespace {

using nlohmann::json;

json numbers(const std::vector<double>& from) {
    json out = json::array();
    for (const double x : from) out.push_back(std::isfinite(x) ? json(x) : json());
    return out;
}

}  // namespace

void tune_log::take(const trial_runner& by, std::vector<setting>& which) {
    if (path_.empty() || !std::filesystem::exists(path_)) return;
    const source file = read_expected(path_, begins_json_object);
    const std::string text(file.bytes());
    file.require_whole();
    std::string_view rest = text;
    std::map<std::string, json> known;
    index number = 0;
    try {
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const std::string_view line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            ++number;
            if (line.empty()) continue;
            json one = parse_json(line, fmt::format("{}:{}", path_, number));
            if (number == 1) {
                if (one.at("search").get<std::string>() != by.fingerprint())
                    fail(errc::data,
                         fmt::format("{}: the log of another search ({}), this one is {}: take another file", path_,
                                     one.at("search").get<std::string>(), by.fingerprint()));
            } else {
                const auto setting = one.at("setting").get<std::string>();
                known[setting] = std::move(one);
            }
        }
        for (setting& s : which) {
            const auto found = known.find(to_json(s.what));
            if (found == known.end()) continue;
            for (const json& x : found->second.at("scores"))
                s.score.push_back(x.is_null() ? std::numeric_limits<double>::quiet_NaN() : x.get<double>());
            s.score.resize(static_cast<std::size_t>(by.folds()), std::numeric_limits<double>::quiet_NaN());
            s.loss.resize(s.score.size());
            s.dropped = found->second.at("dropped").get<bool>();
            s.trouble = found->second.at("trouble").get<std::string>();
        }
    } catch (const json::exception& wrong) {
        fail(errc::parse, fmt::format("{}:{}: not a line of a log of tune: {}", path_, number, wrong.what()));
    }
}

void tune_log::write(const trial_runner& by, const std::vector<setting>& which, bool due) {
    constexpr auto often = std::chrono::seconds(3);
    const auto now = std::chrono::steady_clock::now();
    if (path_.empty() || (!due && now - written_ < often)) return;
    written_ = now;
    std::string text = json{{"search", by.fingerprint()}}.dump() + "\n";
    for (const setting& s : which)
        if (!s.score.empty())
            text += json{{"setting", to_json(s.what)},
                         {"scores", numbers(s.score)},
                         {"dropped", s.dropped},
                         {"trouble", s.trouble}}
                        .dump() +
                    "\n";
    write_atomically(path_, text);
}

}  // namespace mercer::api
