// A pull parser for JSON (RFC 8259): the caller asks for the value that it expects next, in one pass and without a
// tree. Each error message names the file, the line, the column and what was expected there.
#pragma once

#include <string>
#include <string_view>

#include "mercer/base/text.h"

namespace mercer::detail {

class json_cursor {
public:
    // Parses `part`, a part of `text`. `text` is the contents of the file `name`, for the places in error messages.
    json_cursor(const std::string& name, std::string_view text, std::string_view part)
        : name_(name), text_(text), at_(part.data()), end_(part.data() + part.size()) {}

    // Skips blanks and returns the next character without reading it; '\0' at the end.
    char peek();
    std::size_t offset() const { return static_cast<std::size_t>(at_ - text_.data()); }
    [[noreturn]] void fail_expecting(std::string_view what);
    [[noreturn]] void fail_with(const std::string& message) const;

    std::string string();             // UTF-8; unpaired surrogates become U+FFFD
    std::string_view number_token();  // the text of a finite number
    double number();
    bool boolean();
    void skip();         // reads one value of any kind
    void require_end();  // throws unless only blanks are left

    // Reads an object. Calls use(key) for every member; use() must read the value.
    template <class Use>
    void for_each_member(Use use) {
        open('{', "an object");
        if (close('}')) return;
        do {
            if (peek() != '"') fail_expecting("a name in quotes");
            const std::string key = string();
            if (peek() != ':') fail_expecting("':'");
            ++at_;
            use(key);
        } while (has_next('}'));
    }
    // Reads an array. Calls use() for every element; use() must read the element.
    template <class Use>
    void for_each_item(Use use) {
        open('[', "a list");
        if (close(']')) return;
        do use();
        while (has_next(']'));
    }

private:
    void open(char bracket, const char* what);
    bool close(char bracket);
    bool has_next(char bracket);
    unsigned escaped_unit();
    void word(std::string_view wanted);

    const std::string& name_;
    std::string_view text_;
    const char* at_;
    const char* end_;
    int depth_ = 0;
};

}  // namespace mercer::detail
