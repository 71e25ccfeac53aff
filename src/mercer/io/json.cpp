#include "mercer/io/json.h"

#include <fmt/format.h>

#include "mercer/base/text.h"

namespace mercer::detail {
namespace {

constexpr int max_depth = 100;  // levels of nested brackets

void append_utf8(std::string& out, unsigned code) {
    const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xc0 | code >> 6);
        put(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        put(0xe0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    } else {
        put(0xf0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3f));
        put(0x80 | (code >> 6 & 0x3f));
        put(0x80 | (code & 0x3f));
    }
}

}  // namespace

char json_cursor::peek() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
    return at_ == end_ ? '\0' : *at_;
}

void json_cursor::fail_expecting(std::string_view what) {
    peek();
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const std::string_view got = rest.substr(0, rest.find_first_of(",]}: \t\r\n", 1));
    fail_at(errc::parse, name_, text_, offset(),
            fmt::format("expected {}, got {}", what, rest.empty() ? "the end" : quoted(got)));
}

void json_cursor::fail_with(const std::string& message) const { fail_at(errc::parse, name_, text_, offset(), message); }

void json_cursor::open(char bracket, const char* what) {
    if (peek() != bracket) fail_expecting(what);
    if (++depth_ > max_depth) fail_expecting(fmt::format("at most {} levels of nested brackets", max_depth));
    ++at_;
}

bool json_cursor::close(char bracket) {
    if (peek() != bracket) return false;
    ++at_;
    --depth_;
    return true;
}

bool json_cursor::has_next(char bracket) {
    if (close(bracket)) return false;
    if (peek() != ',') fail_expecting(fmt::format("',' or '{}'", bracket));
    ++at_;
    return true;
}

// Reads the four hexadecimal digits after \u.
unsigned json_cursor::escaped_unit() {
    unsigned code = 0;
    for (int k = 0; k < 4; ++k, ++at_) {
        const char c = at_ == end_ ? '\0' : *at_;
        const unsigned digit = is_digit(c)            ? static_cast<unsigned>(c - '0')
                               : c >= 'a' && c <= 'f' ? static_cast<unsigned>(c - 'a' + 10)
                               : c >= 'A' && c <= 'F' ? static_cast<unsigned>(c - 'A' + 10)
                                                      : 16;
        if (digit == 16) fail_expecting("the four hexadecimal digits of a character");
        code = code << 4 | digit;
    }
    return code;
}

std::string json_cursor::string() {
    if (peek() != '"') fail_expecting("a string in quotes");
    const char* const begin = at_++;
    std::string out;
    for (;;) {
        if (at_ == end_) {
            at_ = begin;
            fail_expecting("a string with a closing quote");
        }
        const char c = *at_++;
        if (c == '"') return to_utf8(out);
        if (c != '\\') {
            out += c;
            continue;
        }
        constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        const char escape = at_ == end_ ? '\0' : *at_;
        if (const auto which = letters.find(escape); escape != '\0' && which != std::string_view::npos) {
            out += meanings[which];
            ++at_;
            continue;
        }
        if (escape != 'u') fail_expecting("an escape such as \\n or \\u00e9");
        ++at_;
        unsigned code = escaped_unit();
        if (code >= 0xd800 && code < 0xdc00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
            at_ += 2;
            const unsigned low = escaped_unit();
            code = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
        }
        append_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    }
}

std::string_view json_cursor::number_token() {
    const char first = peek();
    if (!is_digit(first) && first != '-') fail_expecting("a number");
    const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
    const std::string_view token = rest.substr(0, rest.find_first_not_of("+-.0123456789eE"));
    double value = 0;
    if (const number_error fault = parse_number(token, value); fault != number_error::none)
        fail_expecting(expected_text(fault));
    at_ += token.size();
    return token;
}

double json_cursor::number() {
    double value = 0;
    parse_number(number_token(), value);
    return value;
}

void json_cursor::word(std::string_view wanted) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(wanted)) fail_expecting("a value");
    at_ += wanted.size();
}

bool json_cursor::boolean() {
    const char first = peek();
    if (first != 't' && first != 'f') fail_expecting("true or false");
    word(first == 't' ? "true" : "false");
    return first == 't';
}

void json_cursor::skip() {
    switch (peek()) {
        case '{': return for_each_member([&](const std::string&) { skip(); });
        case '[': return for_each_item([&] { skip(); });
        case '"': string(); return;
        case 't': return word("true");
        case 'f': return word("false");
        case 'n': return word("null");
        default: number_token();
    }
}

void json_cursor::require_end() {
    if (peek() != '\0' || at_ != end_) fail_expecting("the end of the line");
}

}  // namespace mercer::detail
