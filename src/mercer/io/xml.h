// XML (1.0, UTF-8), tag by tag: elements, attributes, text, the five named characters and numbered ones. Comments,
// instructions and document types are skipped; no entity is ever looked up elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/text.h"

namespace mercer::detail {

struct xml_tag {
    enum class what { start, end, none } kind = what::none;  // none: the document is over
    std::string_view name{};                                 // without a prefix
    std::size_t offset = 0;
    std::vector<std::pair<std::string_view, std::string>> attributes{};
    std::string text{};  // all text since the tag before

    const std::string* find(std::string_view attribute) const {
        for (const auto& [name, value] : attributes)
            if (name == attribute) return &value;
        return nullptr;
    }
};

// Start and end tags in pairs; <a/> gives both.
class xml_cursor {
public:
    xml_cursor(const std::string& name, std::string_view text) : name_(name), text_(text) {}
    xml_tag next();
    [[noreturn]] void fail_expecting(std::string_view what, std::size_t offset) const;
    std::size_t offset() const { return at_; }  // the byte behind the last tag
    // The first element that is still open, with its prefix; empty: none is.
    std::string_view outermost() const { return open_.empty() ? std::string_view() : open_.front(); }

private:
    bool rest_starts_with(std::string_view wanted) const { return text_.substr(at_).starts_with(wanted); }
    void skip_past(std::string_view mark, std::size_t from);
    void skip_document_type();
    void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
    std::string_view read_name();
    std::string decoded(std::string_view raw) const;
    void read_attributes(xml_tag& to);
    xml_tag read_end(xml_tag tag);

    const std::string& name_;
    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<std::string_view> open_;
    bool close_now_ = false;  // <a/> was read: its end comes next
    bool begun_ = false;
};

}  // namespace mercer::detail
