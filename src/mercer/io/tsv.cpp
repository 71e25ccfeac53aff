#include "mercer/io/tsv.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <unordered_map>

#include "mercer/base/text.h"
#include "mercer/data/all_kinds.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"
#include "mercer/io/record_ends.h"
#include "mercer/io/target_column.h"

namespace mercer {
namespace {

// Calls object(rest of the line) for each line, after its label was added to `labels` if `labelled`. Blank lines are
// skipped if `labelled`. `form` is the expected form of a line, for error messages.
template <class Object>
void for_each_line(std::string_view text, const std::string& name, bool labelled, const char* form,
                   detail::label_column& labels, Object&& object) {
    std::string_view rest = text;
    std::string_view line;
    bool any = false;
    while (detail::next_line(rest, line)) {
        if (labelled && line.find('\t') == std::string_view::npos && detail::trimmed(line).empty()) continue;
        any = true;
        if (labelled) {
            const auto offset = static_cast<std::size_t>(line.data() - text.data());
            const auto tab = line.find('\t');
            const std::string_view label = detail::trimmed(line.substr(0, tab));
            if (tab == std::string_view::npos || label.empty())
                detail::fail_at(errc::parse, name, text, offset,
                                fmt::format("expected {}, got {}", form, detail::quoted(line)));
            labels.add(label, offset);
            line.remove_prefix(tab + 1);
        }
        object(line);
    }
    if (!any) fail(errc::data, fmt::format("{}: expected at least one example, got none", name));
}

}  // namespace

table parse_strings(std::string_view text, const std::string& name, const tsv_options& options) {
    const std::string_view body = detail::without_byte_order_mark(text);
    table result;
    detail::label_column labels;
    std::vector<std::string> items;
    for_each_line(body, name, options.labelled, "label<TAB>text", labels, [&](std::string_view line) {
        items.emplace_back(line.substr(line.rfind('\t') + 1));  // a line without tabs: npos + 1 = 0
    });
    if (options.labelled) labels.finish(name, body, options.classes, result);
    result.x = strings(std::move(items));
    return result;
}

namespace {

// Numbers items: those of the dictionary first, then new items in the order in which they occur.
class item_numbers {
public:
    explicit item_numbers(const tsv_options& options)
        : by_name_(options.number_items_by_name), names_(options.dictionary) {
        for (const std::string& word : names_)
            if (!number_.emplace(word, static_cast<std::int64_t>(number_.size())).second)
                fail(errc::invalid_argument,
                     fmt::format("the items of a dictionary must differ, got {} twice", detail::quoted(word)));
    }
    std::int64_t operator()(std::string_view item) {
        const std::string word = detail::to_utf8(item);
        if (by_name_) return item_number(word);
        const auto [entry, is_new] = number_.emplace(word, static_cast<std::int64_t>(number_.size()));
        if (is_new) names_.push_back(word);
        return entry->second;
    }
    std::vector<std::string> names() && { return std::move(names_); }

private:
    bool by_name_;
    std::unordered_map<std::string, std::int64_t> number_;
    std::vector<std::string> names_;
};

// Calls f(item) for every item of a line.
template <class F>
void for_each_item(std::string_view line, bool by_tab, F&& f) {
    const char* const between = by_tab ? "\t" : " \t";
    for (std::size_t at = line.find_first_not_of(between); at != std::string_view::npos;
         at = line.find_first_not_of(between, at)) {
        const std::size_t end = std::min(line.find_first_of(between, at), line.size());
        f(line.substr(at, end - at));
        at = end;
    }
}

}  // namespace

table parse_sets(std::string_view text, const std::string& name, const tsv_options& options) {
    const std::string_view body = detail::without_byte_order_mark(text);
    item_numbers number(options);
    detail::label_column labels;
    std::vector<std::vector<std::int64_t>> items;
    for_each_line(body, name, options.labelled, "label<TAB>item item ...", labels, [&](std::string_view line) {
        auto& one = items.emplace_back();
        for_each_item(line, options.items_separated_by_tab,
                      [&](std::string_view item) { one.push_back(number(item)); });
    });
    table result;
    result.feature_names = std::move(number).names();
    if (options.labelled) labels.finish(name, body, options.classes, result);
    result.x = sets(std::move(items));
    return result;
}

table parse_multisets(std::string_view text, const std::string& name, const tsv_options& options) {
    constexpr std::int64_t most = std::int64_t{1} << 53;
    const std::string_view body = detail::without_byte_order_mark(text);
    item_numbers number(options);
    detail::label_column labels;
    std::vector<std::vector<counted_item>> items;
    for_each_line(body, name, options.labelled, "label<TAB>item:count item ...", labels, [&](std::string_view line) {
        auto& one = items.emplace_back();
        std::int64_t total = 0;
        for_each_item(line, options.items_separated_by_tab, [&](std::string_view item) {
            const std::size_t colon = item.find(':');
            std::int64_t count = 1;
            if (colon != std::string_view::npos) {
                const char* const end = item.data() + item.size();
                const auto read = std::from_chars(item.data() + colon + 1, end, count);
                if (colon == 0 || read.ec != std::errc() || read.ptr != end || count < 0 || count > most - total)
                    detail::fail_at(
                        errc::parse, name, body, static_cast<std::size_t>(item.data() - body.data()),
                        fmt::format("expected item or item:count, 0 <= count, all counts at most 2^53, got {}",
                                    detail::quoted(item)));
            }
            total += count;
            one.push_back({number(item.substr(0, colon)), count});
        });
    });
    table result;
    result.feature_names = std::move(number).names();
    if (options.labelled) labels.finish(name, body, options.classes, result);
    result.x = multisets(std::move(items));
    return result;
}

table parse_trees(std::string_view text, const std::string& name, const tsv_options& options) {
    const std::string_view body = detail::without_byte_order_mark(text);
    detail::label_column labels;
    std::vector<tree> items;
    for_each_line(body, name, options.labelled, "label<TAB>(tree in brackets)", labels,
                  [&](std::string_view line) { items.push_back(parse_tree(line, name, body)); });
    table result;
    if (options.labelled) labels.finish(name, body, options.classes, result);
    result.x = trees(std::move(items));
    return result;
}

table read_strings(const std::string& path, const tsv_options& options) {
    const file_contents file = read_file(path);
    return parse_untruncated(file, [&] { return parse_strings(file.bytes(), file.name(), options); });
}

table read_sets(const std::string& path, const tsv_options& options) {
    const file_contents file = read_file(path);
    return parse_untruncated(file, [&] { return parse_sets(file.bytes(), file.name(), options); });
}

namespace {

bool cut_to_examples(std::string& text, index rows, const read_options& options) {
    return detail::cut_to_lines(text, rows, options.tsv.labelled ? detail::is_not_blank : detail::accept_any_line);
}

bool looks_like_strings(std::string_view line) {
    const auto fields = detail::split(line, "\t");
    if (fields.size() < 2 || detail::is_number(fields.back())) return false;
    // Numbers between label and text are features: the file is a table whose last column is a class.
    return fields.size() == 2 || std::none_of(fields.begin() + 1, fields.end(), detail::is_number);
}

}  // namespace

const file_format& strings_format() {
    static const file_format about{"strings",
                                   {".strings"},
                                   [](const file_beginning& file) { return looks_like_strings(file.second_line); },
                                   [](const file_contents& file, const read_options& options) {
                                       return parse_strings(file.bytes(), file.name(), options.tsv);
                                   },
                                   nullptr,
                                   nullptr,
                                   cut_to_examples};
    return about;
}

const file_format& sets_format() {
    static const file_format about{"sets",
                                   {".sets"},
                                   nullptr,
                                   [](const file_contents& file, const read_options& options) {
                                       return parse_sets(file.bytes(), file.name(), options.tsv);
                                   },
                                   nullptr,
                                   nullptr,
                                   cut_to_examples};
    return about;
}

const file_format& multisets_format() {
    static const file_format about{"multisets",
                                   {".multisets"},
                                   nullptr,
                                   [](const file_contents& file, const read_options& options) {
                                       return parse_multisets(file.bytes(), file.name(), options.tsv);
                                   },
                                   nullptr,
                                   nullptr,
                                   cut_to_examples};
    return about;
}

const file_format& trees_format() {
    static const file_format about{"trees",
                                   {".trees"},
                                   nullptr,
                                   [](const file_contents& file, const read_options& options) {
                                       return parse_trees(file.bytes(), file.name(), options.tsv);
                                   },
                                   nullptr,
                                   nullptr,
                                   cut_to_examples};
    return about;
}

namespace {

class bracket_reader {
public:
    bracket_reader(std::string_view part, const std::string& name, std::string_view text)
        : part_(part), name_(name), text_(text) {}

    tree read() {
        while (skip_blanks()) {
            if (closed_) fail_expecting("the end of the tree");
            if (part_[at_] == '(')
                open();
            else if (part_[at_] == ')')
                close();
            else
                add_leaf();
        }
        if (!open_.empty()) fail_expecting(fmt::format("{} more ')'", open_.size()));
        unwrap();
        return std::move(made_);
    }

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
    bool skip_blanks() {
        while (at_ < part_.size() && is_blank(part_[at_])) ++at_;
        return at_ < part_.size();
    }
    [[noreturn]] void fail_expecting(const std::string& expected) const {
        const std::string got = at_ < part_.size() ? detail::quoted(part_.substr(at_, 20)) : "the end";
        detail::fail_at(errc::parse, name_, text_, static_cast<std::size_t>(part_.data() - text_.data()) + at_,
                        fmt::format("expected {}, got {}", expected, got));
    }
    // Reads the label at the current position; it is empty if a bracket or a blank is there.
    std::string label() {
        std::string out;
        for (; at_ < part_.size(); ++at_) {
            const char c = part_[at_];
            if (c == '(' || c == ')' || is_blank(c)) break;
            if (c == '\\' && ++at_ == part_.size()) fail_expecting("a character after \\");
            out += part_[at_];
        }
        return out;
    }
    void add(std::string text) {
        if (made_.nodes.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            fail_expecting("no more than 2^31 - 1 nodes");
        made_.nodes.push_back({std::move(text), 1});
        closed_ = open_.empty();
    }
    void open() {
        ++at_;
        add(label());
        open_.push_back(made_.nodes.size() - 1);
        closed_ = false;
    }
    void close() {
        if (open_.empty()) fail_expecting("'(' or a label");
        tree_node& node = made_.nodes[open_.back()];
        if (node.label.empty() && open_.back() + 1 == made_.nodes.size()) fail_expecting("a label after '('");
        node.size = static_cast<std::int32_t>(made_.nodes.size() - open_.back());
        open_.pop_back();
        closed_ = open_.empty();
        ++at_;
    }
    void add_leaf() { add(label()); }
    // Removes roots without a label: ((S …)) becomes (S …).
    void unwrap() {
        auto& nodes = made_.nodes;
        std::size_t root = 0;
        while (root + 1 < nodes.size() && nodes[root].label.empty() && nodes[root + 1].size + 1 == nodes[root].size)
            ++root;
        nodes.erase(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(root));
    }

    std::string_view part_;
    const std::string& name_;
    std::string_view text_;
    std::size_t at_ = 0;
    tree made_;
    std::vector<std::size_t> open_;  // nodes whose bracket is not closed yet
    bool closed_ = false;            // the root is complete
};

}  // namespace

tree parse_tree(std::string_view part, const std::string& name, std::string_view text) {
    return bracket_reader(part, name, text).read();
}

}  // namespace mercer
