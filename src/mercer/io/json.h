// JSON (RFC 8259), read in one pass by whoever knows what should come next. Each fault names file, line, column and
// what was expected there.
#pragma once

#include <string>
#include <string_view>

#include "mercer/base/text.h"

namespace mercer::detail {

class json_cursor {
public:
    // Reads `part` of `text`, which is the whole file `name`: places are counted in it.
    json_cursor(const std::string& name, std::string_view text, std::string_view part)
        : name_(name), text_(text), at_(part.data()), end_(part.data() + part.size()) {}

    // The first character of what comes next, blanks skipped; '\0' at the end.
    char peek();
    std::size_t offset() const { return static_cast<std::size_t>(at_ - text_.data()); }
    [[noreturn]] void fail_expecting(std::string_view what);
    [[noreturn]] void fail_saying(const std::string& message) const;

    std::string string();             // as UTF-8; surrogates that are not a pair become U+FFFD
    std::string_view number_token();  // as it is written
    double number();
    bool boolean();
    void skip();  // one value of any kind
    void end();   // nothing but blanks is left

    // use(key) for every member of an object: it has to read the value.
    template <class Use>
    void each_member(Use use) {
        open('{', "an object");
        if (close('}')) return;
        do {
            if (peek() != '"') fail_expecting("a name in quotes");
            const std::string key = string();
            if (peek() != ':') fail_expecting("':'");
            ++at_;
            use(key);
        } while (another('}'));
    }
    // use() for every element of an array: it has to read it.
    template <class Use>
    void each_item(Use use) {
        open('[', "a list");
        if (close(']')) return;
        do use();
        while (another(']'));
    }

private:
    void open(char bracket, const char* what);
    bool close(char bracket);
    bool another(char bracket);
    unsigned escaped_unit();
    void word(std::string_view wanted);

    const std::string& name_;
    std::string_view text_;
    const char* at_;
    const char* end_;
    int depth_ = 0;
};

}  // namespace mercer::detail
