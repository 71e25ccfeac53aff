#include "mercer/methods/option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/kernel_info.h"

namespace mercer::api {
namespace {

constexpr index max_numbers = 10000;

bool to_number(std::string_view text, double& out) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    return code == std::errc() && end == text.data() + text.size() && !std::isnan(out);
}

bool within(const option_info& o, double value) {
    return (o.low_open ? value > o.low : value >= o.low) && (o.high_open ? value < o.high : value <= o.high);
}

bool is_flag(std::string_view text, bool& out) {
    const bool yes = text == "true" || text == "1" || text == "yes" || text == "on";
    const bool no = text == "false" || text == "0" || text == "no" || text == "off";
    out = yes;
    return yes || no;
}

bool parse_numbers(std::string_view text, std::vector<double>& out) {
    const auto parts = [&](char separator) {
        std::vector<double> values;
        for (std::string_view rest = text;;) {
            const std::size_t at = rest.find(separator);
            double value = 0;
            if (!to_number(rest.substr(0, at), value)) return std::vector<double>{};
            values.push_back(value);
            if (at == std::string_view::npos) return values;
            rest.remove_prefix(at + 1);
        }
    };
    if (text.empty()) return true;
    if (text.find(':') == std::string_view::npos) {
        out = parts(',');
        return !out.empty();
    }
    const std::vector<double> range = parts(':');
    if (range.size() != 3 || !(range[0] > 0) || !(range[1] > 0) || !std::isfinite(range[0] + range[1])) return false;
    if (!(range[2] >= 2) || range[2] > static_cast<double>(max_numbers) || range[2] != std::floor(range[2]))
        return false;
    const auto count = static_cast<index>(range[2]);
    const double from = std::log10(range[0]), to = std::log10(range[1]);
    for (index i = 0; i < count; ++i)
        out.push_back(std::pow(10.0, from + (to - from) * static_cast<double>(i) / static_cast<double>(count - 1)));
    return true;
}

bool valid(const option_info& o, const std::string& text) {
    double value = 0;
    bool yes = false;
    std::vector<double> list;
    switch (o.kind) {
        case option_kind::number: return to_number(text, value) && within(o, value);
        case option_kind::integer:
            return to_number(text, value) && within(o, value) && value == std::floor(value) && std::abs(value) < 9e15;
        case option_kind::flag: return is_flag(text, yes);
        case option_kind::choice: return std::ranges::find(o.choices, text) != o.choices.end();
        case option_kind::numbers:
            return parse_numbers(text, list) && std::ranges::all_of(list, [&](double v) { return within(o, v); });
    }
    return false;
}

std::string requirement_text(const option_requirement& need) {
    std::string out = fmt::format("{}={}", need.option, join(need.values, " or "));
    for (const option_requirement& other : need.alternatives) out += " or " + requirement_text(other);
    return out;
}

// Replaces a former name and its value by the present ones. Returns other names and values unchanged.
std::pair<std::string, std::string> resolve_former_name(const std::vector<option_info>& options,
                                                        const std::string& name, const std::string& value) {
    for (const option_info& o : options)
        for (const former_option_name& old : o.former_names) {
            if (canonical_name(old.name) != canonical_name(name)) continue;
            if (old.values.empty()) return {o.name, value};
            bool yes = false;
            const std::string meant = is_flag(value, yes) ? (yes ? "true" : "false") : value;
            for (const auto& [then, now] : old.values)
                if (then == meant) return {o.name, now};
        }
    return {name, value};
}

// "a, b or c"
std::string alternatives_text(const std::vector<std::string>& items, std::string_view quote) {
    std::string out;
    for (std::size_t i = 0; i < items.size(); ++i)
        out += fmt::format("{}{}{}{}", i == 0 ? "" : i + 1 < items.size() ? ", " : " or ", quote, items[i], quote);
    return out;
}

std::string bound(double value) { return std::isinf(value) ? (value > 0 ? "inf" : "-inf") : fmt::format("{}", value); }

// Returns the condition on the value of an option, to follow "must" in a message.
std::string requirement_of(const option_info& o) {
    if (o.kind == option_kind::flag) return "be true or false";
    if (o.kind == option_kind::choice) {
        std::string out = "be ";
        for (std::size_t i = 0; i < o.choices.size(); ++i)
            out += fmt::format("{}'{}'", i == 0 ? "" : i + 1 < o.choices.size() ? ", " : " or ", o.choices[i]);
        return out;
    }
    if (o.kind == option_kind::numbers)
        return fmt::format("be a list a,b,... or a range low:high:count of numbers {} 0", o.low_open ? ">" : ">=");
    const bool whole = o.kind == option_kind::integer, bounded = std::isfinite(o.low) || std::isfinite(o.high);
    if (!bounded) return whole ? "be a whole number" : "be a number";
    const std::string condition = o.condition();
    return whole ? "be a whole number with " + condition.substr(condition.find(", ") + 2) : "satisfy " + condition;
}

}  // namespace

std::string option_info::condition() const {
    switch (kind) {
        case option_kind::flag: return "true or false";
        case option_kind::choice: return alternatives_text(choices, "");
        case option_kind::numbers: return fmt::format("a,b,c or low:high:count, each {} 0", low_open ? ">" : ">=");
        default: break;
    }
    const std::string start = kind == option_kind::integer ? "integer, " : "";
    const bool is_bounded = std::isfinite(high) || (!high_open && kind == option_kind::number);
    if (!is_bounded)
        return start + (std::isfinite(low) ? fmt::format("{} {} {}", name, low_open ? ">" : ">=", bound(low)) : name);
    const std::string from = std::isfinite(low) ? fmt::format("{} {} ", bound(low), low_open ? "<" : "<=") : "";
    return start + from + fmt::format("{} {} {}", name, high_open ? "<" : "<=", bound(high));
}

std::string option_info::requirements(std::string_view quote) const {
    const auto named = [&](const option_requirement& need) {
        return fmt::format("{}{}{} = {}", quote, need.option, quote, alternatives_text(need.values, quote));
    };
    std::string out;
    for (const option_requirement& need : needs) {
        out += out.empty() ? "" : "; ";
        if (need.values.empty() || need.values.front().empty())
            out += fmt::format("only {} {}{}{}", need.values.empty() ? "with" : "without", quote, need.option, quote);
        else
            out += "only with " + named(need);
        for (const option_requirement& other : need.alternatives) out += " or " + named(other);
    }
    return out;
}

option_values::option_values(const std::string& owner, const std::vector<option_info>& options, const settings& given)
    : option_values(owner, options, given, false) {}

option_values option_values::from_model_file(const std::string& owner, const std::vector<option_info>& options,
                                             const settings& given) {
    return {owner, options, given, true};
}

option_values::option_values(const std::string& owner, const std::vector<option_info>& options, const settings& given,
                             bool stored) {
    for (const auto& o : options) values_.emplace_back(o.name, o.default_value);
    std::vector<std::string> seen;
    for (const auto& [said, said_value] : given) {
        const auto [name, value] = resolve_former_name(options, said, said_value);
        const auto at = std::ranges::find_if(options, [&, wanted = canonical_name(name)](const option_info& o) {
            return canonical_name(o.name) == wanted;
        });
        if (at == options.end()) {
            std::string there;
            for (const auto& o : options) there += (there.empty() ? "" : ", ") + o.name;
            fail(errc::invalid_argument,
                 there.empty() ? fmt::format("{} has no options, got '{}'", owner, name)
                               : fmt::format("{} has no option '{}': its options are {}", owner, name, there));
        }
        if (std::ranges::find(seen, at->name) != seen.end())
            fail(errc::invalid_argument, fmt::format("{}: option '{}' is given twice", owner, at->name));
        seen.push_back(at->name);
        if (!valid(*at, value))
            fail(errc::invalid_argument,
                 fmt::format("{}: option '{}' must {}, got '{}'", owner, at->name, requirement_of(*at), value));
        bool yes = false;
        values_[static_cast<std::size_t>(at - options.begin())].second =
            at->kind == option_kind::flag ? (is_flag(value, yes), yes ? "true" : "false") : value;
    }
    for (const auto& o : options) {
        const option_requirement* missing = find_unmet(o);
        if (!missing) continue;
        if (!stored && std::ranges::find(seen, o.name) != seen.end()) {
            const std::string& other = missing->option;
            fail(errc::invalid_argument,
                 missing->values.empty()
                     ? fmt::format("{}: option '{}' has no effect without '{}': set that option too, or leave '{}' out",
                                   owner, o.name, other, o.name)
                 : missing->values.front().empty()
                     ? fmt::format("{}: option '{}' has no effect beside '{}': leave one of them out", owner, o.name,
                                   other)
                     : fmt::format("{}: option '{}' has no effect with {}={}, only with {}", owner, o.name, other,
                                   text(other), requirement_text(*missing)));
        }
        ignored_.push_back(o.name);
    }
}

const option_requirement* option_values::find_unmet(const option_info& o) const {
    const auto met = [&](const option_requirement& need) { return need.is_met_by(text(need.option)); };
    const auto at = std::ranges::find_if(o.needs, [&](const option_requirement& need) {
        return !met(need) && std::ranges::none_of(need.alternatives, met);
    });
    return at == o.needs.end() ? nullptr : &*at;
}

settings option_values::all() const {
    settings out;
    std::ranges::copy_if(values_, std::back_inserter(out),
                         [&](const auto& each) { return std::ranges::find(ignored_, each.first) == ignored_.end(); });
    return out;
}

const std::string& option_values::text(std::string_view name) const {
    const auto at = std::ranges::find(values_, name, &settings::value_type::first);
    if (at == values_.end()) fail(errc::invalid_argument, fmt::format("there is no option '{}'", name));
    return at->second;
}

double option_values::number(std::string_view name) const {
    double out = 0;
    to_number(text(name), out);
    return out;
}
index option_values::integer(std::string_view name) const { return static_cast<index>(number(name)); }
bool option_values::flag(std::string_view name) const {
    bool out = false;
    is_flag(text(name), out);
    return out;
}
const std::string& option_values::choice(std::string_view name) const { return text(name); }
std::vector<double> option_values::numbers(std::string_view name) const {
    std::vector<double> out;
    parse_numbers(text(name), out);
    return out;
}

std::string text_of(std::span<const double> numbers) {
    std::string out;
    for (const double each : numbers) out += (out.empty() ? "" : ",") + number_text(each);
    return out;
}

std::pair<std::string, std::string> parse_setting(std::string_view text) {
    const std::size_t at = text.find('=');
    if (at == std::string_view::npos || at == 0)
        fail(errc::parse, fmt::format("an option is written name=value, got '{}'", text));
    return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

std::string canonical_name(std::string_view name) {
    std::string out;
    for (const char c : name) out += c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

}  // namespace mercer::api
