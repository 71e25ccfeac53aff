#include "mercer/io/xyz.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/point_clouds.h"
#include "mercer/io/read.h"
#include "mercer/io/record_ends.h"

namespace mercer {
namespace {

std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> out;
    for (const std::string_view each : detail::split(line, " \t"))
        if (!each.empty()) out.push_back(each);
    return out;
}

std::optional<index> parse_whole(std::string_view token) {
    index out = 0;
    const auto read = std::from_chars(token.data(), token.data() + token.size(), out);
    if (read.ec != std::errc() || read.ptr != token.data() + token.size()) return std::nullopt;
    return out;
}

class xyz_parser {
public:
    xyz_parser(std::string_view text, const std::string& name, const xyz_options& options)
        : text_(text), rest_(text), name_(name), options_(options) {}

    table run() {
        std::vector<point_cloud> all;
        std::string_view line;
        table result;
        while (detail::next_line(rest_, line)) {
            if (detail::trimmed(line).empty()) continue;
            const auto count = parse_whole(detail::trimmed(line));
            if (!count || *count < 0) fail_expecting(line, "the number of atoms of a molecule");
            if (!detail::next_line(rest_, line)) fail_expecting(rest_, "a comment line after the number of atoms");
            if (const auto target = target_in(line, all.empty())) result.y.push_back(*target);
            all.push_back(molecule(*count));
        }
        if (all.empty()) fail(errc::data, fmt::format("{}: expected at least one molecule, got none", name_));
        result.x = points(std::move(all));
        return result;
    }

private:
    [[noreturn]] void fail_expecting(std::string_view at, const std::string& expected) const {
        const std::string got = at.data() == text_.data() + text_.size() ? "the end of the file" : detail::quoted(at);
        detail::fail_at(errc::parse, name_, text_, static_cast<std::size_t>(at.data() - text_.data()),
                        fmt::format("expected {}, got {}", expected, got));
    }

    point_cloud molecule(index count) {
        point_cloud out;
        for (index i = 0; i < count; ++i) {
            std::string_view line;
            if (!detail::next_line(rest_, line)) fail_expecting(rest_, fmt::format("atom {} of {}", i + 1, count));
            const auto fields = fields_of(line);
            if (fields.size() < 4) fail_expecting(line, fmt::format("atom {} of {}: element x y z", i + 1, count));
            out.elements.push_back(element(fields[0]));
            for (std::size_t a = 1; a <= 3; ++a) {
                double value = 0;
                if (detail::parse_number(fields[a], value) != detail::number_error::none)
                    fail_expecting(fields[a], "a coordinate");
                out.coordinates.push_back(value);
            }
        }
        return out;
    }

    std::int32_t element(std::string_view token) const {
        const auto number = parse_whole(token);
        const index found = number ? *number : element_number(token);
        if (found < 0 || found > 118) fail_expecting(token, "an element, by its symbol or its number 0 ... 118");
        return static_cast<std::int32_t>(found);
    }

    // Returns the target in a comment. If options.target is empty, there are targets if the first comment has a number.
    std::optional<double> target_in(std::string_view comment, bool first) {
        if (options_.target == "none" || (!first && !has_targets_)) return std::nullopt;
        std::vector<double> numbers;
        std::optional<double> named;
        for (const std::string_view each : fields_of(comment)) {
            double value = 0;
            const std::size_t equal = each.find('=');
            const bool has_name = equal != std::string_view::npos;
            if (detail::parse_number(has_name ? each.substr(equal + 1) : each, value) != detail::number_error::none)
                continue;
            if (!has_name) numbers.push_back(value);
            if (has_name && each.substr(0, equal) == options_.target) named = value;
        }
        if (named) return named;
        const auto place = options_.target.empty() ? std::optional<index>(0) : parse_whole(options_.target);
        const auto n = static_cast<index>(numbers.size());
        if (place && *place >= -n && *place < n)
            return numbers[static_cast<std::size_t>(*place < 0 ? *place + n : *place)];
        has_targets_ = !(first && options_.target.empty());
        if (has_targets_)
            fail_expecting(comment, place ? fmt::format("a comment with number {} (from 0), the target", *place)
                                          : fmt::format("a comment with {}=number, the target", options_.target));
        return std::nullopt;
    }

    std::string_view text_, rest_;
    const std::string& name_;
    const xyz_options& options_;
    bool has_targets_ = true;
};

bool looks_like_xyz(const file_beginning& file) {
    std::string_view rest = detail::without_byte_order_mark(file.bytes), line;
    for (int i = 0; i < 3; ++i) {
        if (!detail::next_line(rest, line)) return false;
        if (i == 0 && !parse_whole(detail::trimmed(line))) return false;
    }
    const auto fields = fields_of(line);
    return fields.size() >= 4 && element_number(fields[0]) >= 0 && detail::is_number(fields[1]) &&
           detail::is_number(fields[2]) && detail::is_number(fields[3]);
}

// Implements file_format::cut_to_rows: a molecule ends with the line of its last atom.
bool cut_to_molecules(std::string& text, index rows, const read_options&) {
    std::string_view rest = detail::without_byte_order_mark(text), line;
    for (index found = 0; found < rows;) {
        if (!detail::next_complete_line(rest, line)) return false;
        if (detail::trimmed(line).empty()) continue;
        const auto count = parse_whole(detail::trimmed(line));
        if (!count || *count < 0) return true;  // more bytes of the file would not repair the fault
        for (index i = 0; i <= *count; ++i)     // the comment and the lines of the atoms
            if (!detail::next_complete_line(rest, line)) return false;
        ++found;
    }
    text.resize(text.size() - rest.size());
    return true;
}

}  // namespace

table parse_xyz(std::string_view text, const std::string& name, const xyz_options& options) {
    return xyz_parser(detail::without_byte_order_mark(text), name, options).run();
}

const file_format& xyz_format() {
    static const file_format about{"xyz",
                                   {".xyz"},
                                   looks_like_xyz,
                                   [](const file_contents& file, const read_options& options) {
                                       return parse_xyz(file.bytes(), file.name(),
                                                        {options.tsv.labelled ? options.csv.label : "none"});
                                   },
                                   nullptr,
                                   nullptr,
                                   cut_to_molecules};
    return about;
}

}  // namespace mercer
