// A pull parser for XML (1.0, UTF-8), tag by tag: elements, attributes, text, the five predefined entities and
// character references. Comments, processing instructions and document types are skipped; other entities are errors, so
// that no file or address is ever opened.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/text.h"

namespace mercer::detail {

struct xml_tag {
    enum class what { start, end, none } kind = what::none;  // none: the end of the document
    std::string_view name{};                                 // without the prefix of a namespace
    std::size_t offset = 0;
    std::vector<std::pair<std::string_view, std::string>> attributes{};
    std::string text{};  // the text between the previous tag and this one

    const std::string* find(std::string_view attribute) const {
        for (const auto& [name, value] : attributes)
            if (name == attribute) return &value;
        return nullptr;
    }
};

// Returns start and end tags, which are checked to match; <a/> gives both.
class xml_cursor {
public:
    xml_cursor(const std::string& name, std::string_view text) : name_(name), text_(text) {}
    xml_tag next();
    [[noreturn]] void fail_expecting(std::string_view what, std::size_t offset) const;
    std::size_t offset() const { return at_; }  // the first byte after the last tag
    // Returns the name of the root element, with its prefix, while it is open; otherwise an empty name.
    std::string_view root_name() const { return open_.empty() ? std::string_view() : open_.front(); }

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
    bool end_is_next_ = false;  // the start of <a/> was returned: its end is next
    bool begun_ = false;
};

}  // namespace mercer::detail
