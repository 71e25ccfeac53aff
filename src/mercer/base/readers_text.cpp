#include "mercer/base/readers_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <unordered_map>

#include "mercer/base/text.h"

namespace mercer::detail {

std::string place(const std::string& name, std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto line_end = before.rfind('\n');
    const std::size_t column = line_end == std::string_view::npos ? offset + 1 : offset - line_end;
    return fmt::format("{}:{}:{}", name, line, column);
}

std::string quoted(std::string_view token) {
    constexpr std::size_t longest = 40;
    std::string out = "'";
    for (const char c : token.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f)
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
        else
            out += c;
    }
    out += token.size() > longest ? "...'" : "'";
    return out;
}

void fail_at(errc code, const std::string& name, std::string_view text, std::size_t offset,
             const std::string& message) {
    fail(code, fmt::format("{}: {}", place(name, text, offset), message));
}

// At most 255 steps fit a counter of a byte, which lets the loop use all lanes.
two_counts count_two(std::string_view text, char first, char second) {
    two_counts total;
    const char* p = text.data();
    for (std::size_t left = text.size(); left > 0;) {
        const std::size_t block = std::min<std::size_t>(left, std::size_t{64} * 255);
        std::uint8_t firsts[64] = {};
        std::uint8_t seconds[64] = {};
        std::size_t k = 0;
        for (; k + 64 <= block; k += 64)
            for (std::size_t lane = 0; lane < 64; ++lane) {
                firsts[lane] = static_cast<std::uint8_t>(firsts[lane] + (p[k + lane] == first));
                seconds[lane] = static_cast<std::uint8_t>(seconds[lane] + (p[k + lane] == second));
            }
        for (std::size_t lane = 0; lane < 64; ++lane) {
            total.first += firsts[lane];
            total.second += seconds[lane];
        }
        for (; k < block; ++k) {
            total.first += p[k] == first;
            total.second += p[k] == second;
        }
        p += block;
        left -= block;
    }
    return total;
}

std::string_view without_mark(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return text;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> split(std::string_view line, std::string_view separators) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = line.find_first_of(separators);
        parts.push_back(trimmed(line.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        line.remove_prefix(end + 1);
    }
}

bool is_number(std::string_view token) {
    double value = 0;
    return parse_number(token, value) != number_fault::syntax;
}

bool next_line(std::string_view& rest, std::string_view& line) {
    if (rest.empty()) return false;
    const auto end = rest.find('\n');
    line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

namespace {

// RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at++]);
        if (lead < 0x80) continue;
        const std::size_t more = lead >= 0xc2 && lead <= 0xdf   ? 1
                                 : lead >= 0xe0 && lead <= 0xef ? 2
                                 : lead >= 0xf0 && lead <= 0xf4 ? 3
                                                                : 0;
        if (more == 0 || text.size() - at < more) return false;
        const auto second = static_cast<unsigned char>(text[at]);
        if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
            (lead == 0xf4 && second > 0x8f))
            return false;
        for (std::size_t k = 0; k < more; ++k, ++at)
            if ((static_cast<unsigned char>(text[at]) & 0xc0) != 0x80) return false;
    }
    return true;
}

}  // namespace

bool cut_to_lines(std::string& text, index rows, bool (*is_row)(std::string_view line)) {
    const std::string_view body = without_mark(text);
    std::size_t at = text.size() - body.size();
    for (index found = 0; found < rows;) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string::npos) return false;
        found += is_row(std::string_view(text).substr(at, end - at));
        at = end + 1;
    }
    text.resize(at);
    return true;
}

bool is_filled(std::string_view line) { return !trimmed(line).empty(); }
bool is_any_line(std::string_view) { return true; }

std::string as_utf8(std::string_view name) {
    if (is_utf8(name)) return std::string(name);
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) out += static_cast<char>(0xc0 | (byte >> 6));
        out += byte < 0x80 ? c : static_cast<char>(0x80 | (byte & 0x3f));
    }
    return out;
}

bool is_missing(std::string_view field) {
    if (field.empty() || field == "?") return true;
    if (field.size() > 4) return false;
    // All these words have an n in front, but for a sign; nearly all fields have a digit there.
    const char first = field[field.size() > 1 && (field[0] == '-' || field[0] == '+')];
    if (first != 'n' && first != 'N') return false;
    std::string lower;
    for (const char c : field) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower == "na" || lower == "n/a" || lower == "nan" || lower == "-nan" || lower == "+nan" || lower == "null";
}

void label_column::add(std::string_view label, std::size_t offset) {
    double value = 0;
    if (numbers_.size() == entries_.size() && parse_number(label, value) == number_fault::none)
        numbers_.push_back(value);
    else if (!is_utf8(label))
        label = converted_.emplace_back(as_utf8(label));
    entries_.push_back({label, offset});
}

void label_column::own_names() {
    if (numbers_.size() == entries_.size()) return;
    std::unordered_map<std::string_view, std::string_view> owned;
    for (entry& one : entries_) {
        const auto [at, fresh] = owned.try_emplace(one.text);
        if (fresh) at->second = converted_.emplace_back(one.text);
        one.text = at->second;
    }
}

void label_column::append(label_column&& next) {
    if (numbers_.size() == entries_.size()) numbers_.insert(numbers_.end(), next.numbers_.begin(), next.numbers_.end());
    entries_.insert(entries_.end(), next.entries_.begin(), next.entries_.end());
    kept_.push_back(std::move(next.converted_));
    std::ranges::move(next.kept_, std::back_inserter(kept_));
}

void label_column::finish(const std::string& name, std::string_view text, const std::vector<std::string>& known,
                          table& out) {
    if (known.empty() && numbers_.size() == entries_.size()) {
        out.y = std::move(numbers_);
        return;
    }
    std::vector<std::string> names = known;
    if (known.empty()) {
        std::unordered_map<std::string_view, bool> seen;
        for (const entry& one : entries_)
            if (seen.emplace(one.text, true).second) names.emplace_back(one.text);
        std::sort(names.begin(), names.end());
    }
    std::unordered_map<std::string_view, double> number;
    for (std::size_t k = 0; k < names.size(); ++k) number.emplace(names[k], static_cast<double>(k));
    out.y.reserve(entries_.size());
    for (const entry& one : entries_) {
        const auto found = number.find(one.text);
        if (found == number.end())
            fail_at(errc::data, name, text, one.offset,
                    fmt::format("expected one of the {} known classes, got {}", names.size(), quoted(one.text)));
        out.y.push_back(found->second);
    }
    out.class_names = std::move(names);
}

}  // namespace mercer::detail
