#include "mercer/model_selection/search_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/json.h"
#include "mercer/io/file_contents.h"

namespace mercer::api {

namespace {

using nlohmann::json;

// The numbers of a setting in their order, each with its name: the parameter of a kernel, "weight" for a factor, or the
// name of an option.
struct named_numbers {
    std::vector<std::string> names;
    std::vector<double> values;
};

bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Collects the numbers in the text of a kernel: name=number, or a number that is not part of a word or of another
// number.
void add_numbers(std::string_view text, named_numbers& to) {
    const auto run = [&](std::size_t at, auto belongs) {
        while (at < text.size() && belongs(text[at])) ++at;
        return at;
    };
    const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n'; };
    for (std::size_t at = 0; at < text.size();) {
        std::string name = "weight";
        if (is_word(text[at]) && !(text[at] >= '0' && text[at] <= '9')) {
            const std::size_t end = run(at, is_word), equals = run(end, is_blank);
            name = text.substr(at, end - at);
            at = end;
            if (equals == text.size() || text[equals] != '=') continue;
            at = run(equals + 1, is_blank);
        }
        double value = 0;
        const auto [end, code] = std::from_chars(text.data() + at, text.data() + text.size(), value);
        const auto next = static_cast<std::size_t>(end - text.data());
        if (code == std::errc() && std::isfinite(value) &&
            (next == text.size() || (!is_word(text[next]) && text[next] != '.'))) {
            to.names.push_back(std::move(name));
            to.values.push_back(value);
            at = next;
        } else {
            at = std::max(at + 1, run(at, [](char c) { return is_word(c) || c == '.'; }));
        }
    }
}

named_numbers numbers_of(const spec& s) {
    named_numbers out;
    add_numbers(s.kernel, out);
    for (const auto& [name, text] : s.options) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        if (text.empty() || *end != 0) continue;
        out.names.push_back(name);
        out.values.push_back(value);
    }
    return out;
}

trial read_trial(const json& line) {
    trial out;
    out.what = parse_spec(line.at("setting").get<std::string>());
    double sum = 0, squares = 0;
    for (const json& x : line.at("scores"))
        if (!x.is_null()) out.scores.push_back(x.get<double>());
    const double n = static_cast<double>(out.scores.size());
    for (const double x : out.scores) sum += x;
    out.mean = n > 0 ? sum / n : std::numeric_limits<double>::quiet_NaN();
    for (const double x : out.scores) squares += (x - out.mean) * (x - out.mean);
    out.error = n > 1 ? std::sqrt(squares / (n - 1) / n) : std::numeric_limits<double>::quiet_NaN();
    out.dropped = line.at("dropped").get<bool>();
    out.warning = line.at("trouble").get<std::string>();
    return out;
}

// Parses "svc of 150 vectors by accuracy, 5 folds, stratified, seed 1, targets 12.3".
void read_head(const std::string& what, tuning& out) {
    const std::size_t by = what.find(" by "), seed = what.rfind(", seed ");
    if (by == std::string::npos || seed == std::string::npos || seed < by)
        fail(errc::parse, fmt::format("unknown search strategy '{}'", what));
    const std::string rest = what.substr(by + 4, seed - by - 4);
    const std::size_t comma = std::min(rest.find(", "), rest.size());
    out.metric = rest.substr(0, comma);
    out.how = comma < rest.size() ? rest.substr(comma + 2) : "";
    const auto known = std::ranges::find(metrics(), out.metric, &metric::name);
    if (known == metrics().end()) fail(errc::parse, fmt::format("there is no metric '{}'", out.metric));
    out.larger_is_better = known->larger_is_better;
    out.rows = out.of_rows = std::atoll(what.c_str() + std::min(what.find(" of ") + 4, what.size()));
}

// Finds the numbers that vary between the settings.
void find_axes(tuning& out) {
    std::vector<named_numbers> all;
    for (const trial& t : out.trials) all.push_back(numbers_of(t.what));
    for (const named_numbers& each : all)
        if (each.names != all[0].names) return;  // the settings have different expressions
    for (std::size_t k = 0; k < all[0].names.size(); ++k) {
        axis one;
        one.name = all[0].names[k];
        for (const named_numbers& each : all) one.values.push_back(each.values[k]);
        std::ranges::sort(one.values);
        one.values.erase(std::unique(one.values.begin(), one.values.end()), one.values.end());
        if (one.values.size() < 2) continue;
        one.low = one.values.front(), one.high = one.values.back();
        one.logarithmic = one.low > 0 && one.high > 20 * one.low;
        for (std::size_t t = 0; t < all.size(); ++t) out.trials[t].at.push_back(all[t].values[k]);
        out.axes.push_back(std::move(one));
    }
}

json numbers(const std::vector<double>& from) {
    json out = json::array();
    for (const double x : from) out.push_back(std::isfinite(x) ? json(x) : json());
    return out;
}

}  // namespace

tuning read_tune_log(const std::string& path) {
    const file_contents file = read_file_if(path, begins_json_object);
    const std::string text(file.bytes());
    file.require_untruncated();
    return parse_tune_log(text, path);
}

tuning parse_tune_log(std::string_view rest, const std::string& name) {
    tuning out;
    index number = 0;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        ++number;
        try {
            if (line.empty()) continue;
            const json one = parse_json(line);
            if (number == 1)
                read_head(one.at("search").get<std::string>(), out);
            else if (trial t = read_trial(one); !std::isnan(t.mean))
                out.trials.push_back(std::move(t));
        } catch (const json::exception& wrong) {
            fail(errc::parse,
                 fmt::format("{}:{}: not a line of a log of `mercer tune`: {}", name, number, wrong.what()));
        } catch (const error& wrong) {
            fail(errc::parse, fmt::format("{}:{}: {}", name, number, wrong.what()));
        }
    }
    if (out.trials.empty()) fail(errc::data, fmt::format("{}: the log of tune contains no score", name));
    find_axes(out);
    for (std::size_t t = 1; t < out.trials.size(); ++t) {
        const trial &a = out.trials[t], &b = out.trials[out.best];
        const bool better = out.larger_is_better ? a.mean > b.mean : a.mean < b.mean;
        if (a.dropped != b.dropped ? b.dropped : better) out.best = t;
    }
    out.chosen = out.best;
    return out;
}

void tune_log::restore(const trial_runner& by, std::vector<setting>& which) {
    if (path_.empty() || !std::filesystem::exists(path_)) return;
    const file_contents file = read_file_if(path_, begins_json_object);
    const std::string text(file.bytes());
    file.require_untruncated();
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
                         fmt::format(
                             "{}: the log belongs to another search ({}), and this search is {}: name another file",
                             path_, one.at("search").get<std::string>(), by.fingerprint()));
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
            s.warning = found->second.at("trouble").get<std::string>();
        }
    } catch (const json::exception& wrong) {
        fail(errc::parse, fmt::format("{}:{}: not a line of a log of `mercer tune`: {}", path_, number, wrong.what()));
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
                         {"trouble", s.warning}}
                        .dump() +
                    "\n";
    write_atomically(path_, text);
}

}  // namespace mercer::api
