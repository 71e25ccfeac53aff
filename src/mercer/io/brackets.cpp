#include "mercer/io/brackets.h"

#include <fmt/format.h>

#include <limits>

#include "mercer/base/readers_text.h"

namespace mercer {
namespace {

class bracket_reader {
public:
    bracket_reader(std::string_view part, const std::string& name, std::string_view text)
        : part_(part), name_(name), text_(text) {}

    tree read() {
        while (skip_blanks()) {
            if (closed_) wrong("the end of the tree");
            if (part_[at_] == '(')
                open();
            else if (part_[at_] == ')')
                close();
            else
                add_leaf();
        }
        if (!open_.empty()) wrong(fmt::format("{} more ')'", open_.size()));
        unwrap();
        return std::move(made_);
    }

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
    bool skip_blanks() {
        while (at_ < part_.size() && is_blank(part_[at_])) ++at_;
        return at_ < part_.size();
    }
    [[noreturn]] void wrong(const std::string& expected) const {
        const std::string got = at_ < part_.size() ? detail::quoted(part_.substr(at_, 20)) : "the end";
        detail::fail_at(errc::parse, name_, text_, static_cast<std::size_t>(part_.data() - text_.data()) + at_,
                        fmt::format("expected {}, got {}", expected, got));
    }
    // The label that starts here: empty where a bracket or a blank does.
    std::string label() {
        std::string out;
        for (; at_ < part_.size(); ++at_) {
            const char c = part_[at_];
            if (c == '(' || c == ')' || is_blank(c)) break;
            if (c == '\\' && ++at_ == part_.size()) wrong("a character after \\");
            out += part_[at_];
        }
        return out;
    }
    void add(std::string text) {
        if (made_.nodes.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
            wrong("no more than 2^31 - 1 nodes");
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
        if (open_.empty()) wrong("'(' or a label");
        tree_node& node = made_.nodes[open_.back()];
        if (node.label.empty() && open_.back() + 1 == made_.nodes.size()) wrong("a label after '('");
        node.size = static_cast<std::int32_t>(made_.nodes.size() - open_.back());
        open_.pop_back();
        closed_ = open_.empty();
        ++at_;
    }
    void add_leaf() { add(label()); }
    // ((S …)) is (S …)
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
    std::vector<std::size_t> open_;  // nodes that are not closed yet
    bool closed_ = false;            // the root is
};

}  // namespace

tree parse_tree(std::string_view part, const std::string& name, std::string_view text) {
    return bracket_reader(part, name, text).read();
}

}  // namespace mercer
