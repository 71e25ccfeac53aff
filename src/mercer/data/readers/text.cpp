#include "mercer/data/readers/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <unordered_map>

#include "mercer/data/readers/number.h"

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

void fail_at(errc code, const std::string& name, std::string_view text, std::size_t offset, const std::string& message) {
    fail(code, fmt::format("{}: {}", place(name, text, offset), message));
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

bool next_line(std::string_view& rest, std::string_view& line) {
    if (rest.empty()) return false;
    const auto end = rest.find('\n');
    line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
}

bool is_missing(std::string_view field) {
    if (field.empty() || field == "?") return true;
    if (field.size() > 4) return false;
    std::string lower;
    for (const char c : field) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower == "na" || lower == "n/a" || lower == "nan" || lower == "-nan" || lower == "+nan" || lower == "null";
}

void label_column::add(std::string_view label, std::size_t offset) {
    double value = 0;
    if (numbers_.size() == entries_.size() && parse_number(label, value) == number_fault::none) numbers_.push_back(value);
    entries_.push_back({label, offset});
}

void label_column::finish(const std::string& name, std::string_view text, const std::vector<std::string>& known, table& out) {
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
            fail_at(errc::data, name, text, one.offset, fmt::format("expected one of the {} known classes, got {}", names.size(), quoted(one.text)));
        out.y.push_back(found->second);
    }
    out.class_names = std::move(names);
}

}  // namespace mercer::detail
