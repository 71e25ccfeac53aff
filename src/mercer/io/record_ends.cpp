#include "mercer/io/record_ends.h"

#include <algorithm>

#include "mercer/base/text.h"

namespace mercer::detail {

bool next_complete_line(std::string_view& rest, std::string_view& line) {
    return rest.find('\n') != std::string_view::npos && next_line(rest, line);
}

std::size_t record_ends::last(std::string_view text) {
    while (at_ < text.size()) {
        const std::size_t quote = quotes_ ? text.find('"', at_) : std::string_view::npos;
        const std::size_t end = std::min(quote, text.size());
        if (!inside_) {
            const std::size_t line_end = text.substr(at_, end - at_).rfind('\n');
            if (line_end != std::string_view::npos) end_ = at_ + line_end + 1;
        }
        if (quote != std::string_view::npos) {
            inside_ = !inside_;
            quote_ = quote;
        }
        at_ = quote == std::string_view::npos ? text.size() : quote + 1;
    }
    return end_;
}

bool cut_to_lines(std::string& text, index rows, bool (*is_row)(std::string_view line)) {
    const std::string_view body = without_byte_order_mark(text);
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

bool is_not_blank(std::string_view line) { return !trimmed(line).empty(); }
bool accept_any_line(std::string_view) { return true; }

}  // namespace mercer::detail
