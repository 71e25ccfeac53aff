#include "mercer/io/xml.h"

#include <fmt/format.h>

#include <charconv>

namespace mercer::detail {
namespace {

constexpr std::size_t max_depth = 100;  // levels of nested elements
constexpr std::string_view ends_name = " \t\r\n/>=<&'\"";

std::string_view without_prefix(std::string_view name) { return name.substr(name.find(':') + 1); }

void append_utf8(std::string& out, unsigned code) {
    const unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr unsigned lead[] = {0, 0xc0, 0xe0, 0xf0};
    out += static_cast<char>(lead[more] | code >> (6 * more));
    for (unsigned k = more; k-- > 0;) out += static_cast<char>(0x80 | (code >> (6 * k) & 0x3f));
}

}  // namespace

void xml_cursor::fail_expecting(std::string_view what, std::size_t offset) const {
    const std::string_view rest = text_.substr(std::min(offset, text_.size()));
    const std::string_view got = rest.substr(0, rest.find('\n'));
    fail_at(errc::parse, name_, text_, std::min(offset, text_.size()),
            fmt::format("expected {}, got {}", what, rest.empty() ? "the end" : quoted(got)));
}

void xml_cursor::skip_past(std::string_view mark, std::size_t from) {
    const auto end = text_.find(mark, from);
    if (end == std::string_view::npos) fail_expecting(fmt::format("'{}' after this", mark), at_);
    at_ = end + mark.size();
}

// Skips <!DOCTYPE ... [ ... ]>, in which '>' may occur inside quotes and brackets.
void xml_cursor::skip_document_type() {
    int brackets = 0;
    for (std::size_t k = at_ + 2; k < text_.size(); ++k) {
        const char c = text_[k];
        if (c == '"' || c == '\'') {
            k = text_.find(c, k + 1);
            if (k == std::string_view::npos) break;
        }
        brackets += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c == '>' && brackets <= 0) {
            at_ = k + 1;
            return;
        }
    }
    fail_expecting("a document type that ends with '>'", at_);
}

std::string_view xml_cursor::read_name() {
    const std::string_view name = text_.substr(at_, std::min(text_.find_first_of(ends_name, at_), text_.size()) - at_);
    if (name.empty()) fail_expecting("a name", at_);
    at_ += name.size();
    return name;
}

std::string xml_cursor::decoded(std::string_view raw) const {
    std::string out;
    for (std::size_t k = 0; k < raw.size(); ++k) {
        if (raw[k] != '&') {
            out += raw[k];
            continue;
        }
        const auto offset = static_cast<std::size_t>(raw.data() - text_.data()) + k;
        const auto end = raw.find(';', k);
        const std::string_view word = end == std::string_view::npos ? "" : raw.substr(k + 1, end - k - 1);
        static constexpr std::pair<std::string_view, char> known[] = {
            {"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
        const auto* found =
            std::find_if(std::begin(known), std::end(known), [&](const auto& e) { return e.first == word; });
        if (found != std::end(known)) {
            out += found->second;
        } else {
            unsigned code = 0;
            const bool hex = word.starts_with("#x");
            const std::string_view digits = word.starts_with('#') ? word.substr(hex ? 2 : 1) : "";
            const auto [stop, fault] =
                std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
            if (digits.empty() || fault != std::errc() || stop != digits.data() + digits.size() || code == 0 ||
                code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
                fail_expecting("a character such as &amp; or &#233;", offset);
            append_utf8(out, code);
        }
        k = end;
    }
    return to_utf8(out);
}

void xml_cursor::read_attributes(xml_tag& to) {
    for (;;) {
        skip_blanks();
        if (rest_starts_with(">")) {
            ++at_;
            return;
        }
        if (rest_starts_with("/>")) {
            at_ += 2;
            end_is_next_ = true;
            return;
        }
        const std::string_view name = read_name();
        skip_blanks();
        if (!rest_starts_with("=")) fail_expecting("'=' after the name of an attribute", at_);
        ++at_;
        skip_blanks();
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        if (quote != '"' && quote != '\'') fail_expecting("a value in quotes", at_);
        const std::size_t begin = at_ + 1, end = text_.find(quote, begin);
        if (end == std::string_view::npos) fail_expecting("a value that ends with a quote", at_);
        to.attributes.emplace_back(without_prefix(name), decoded(text_.substr(begin, end - begin)));
        at_ = end + 1;
    }
}

xml_tag xml_cursor::read_end(xml_tag tag) {
    at_ += 2;
    tag.kind = xml_tag::what::end;
    const std::string_view name = read_name();
    skip_blanks();
    if (open_.empty() || open_.back() != name || !rest_starts_with(">"))
        fail_expecting(open_.empty() ? "no end tag here" : fmt::format("</{}>", open_.back()), tag.offset);
    ++at_;
    tag.name = without_prefix(name);
    open_.pop_back();
    return tag;
}

xml_tag xml_cursor::next() {
    xml_tag tag;
    if (end_is_next_) {
        end_is_next_ = false;
        tag.kind = xml_tag::what::end;
        tag.name = without_prefix(open_.back());
        tag.offset = at_;
        open_.pop_back();
        return tag;
    }
    for (;;) {
        const std::size_t end = std::min(text_.find('<', at_), text_.size());
        const std::string_view raw = text_.substr(at_, end - at_);
        if (open_.empty() && raw.find_first_not_of(" \t\r\n") != std::string_view::npos)
            fail_expecting("'<'", at_ + raw.find_first_not_of(" \t\r\n"));
        tag.text += decoded(raw);
        at_ = tag.offset = end;
        if (at_ == text_.size()) {
            if (!open_.empty()) fail_expecting(fmt::format("</{}>", open_.back()), at_);
            if (!begun_) fail_expecting("an element", at_);
            return tag;
        }
        if (rest_starts_with("<!--")) {
            skip_past("-->", at_ + 4);
        } else if (rest_starts_with("<![CDATA[")) {
            const std::size_t begin = at_ + 9;
            skip_past("]]>", begin);
            tag.text += to_utf8(text_.substr(begin, at_ - 3 - begin));
        } else if (rest_starts_with("<?")) {
            skip_past("?>", at_ + 2);
        } else if (rest_starts_with("<!")) {
            skip_document_type();
        } else {
            break;
        }
    }
    if (rest_starts_with("</")) return read_end(std::move(tag));
    if (open_.empty() && begun_) fail_expecting("nothing after the first element", at_);
    if (open_.size() == max_depth) fail_expecting(fmt::format("at most {} levels of nested elements", max_depth), at_);
    ++at_;
    begun_ = true;
    tag.kind = xml_tag::what::start;
    open_.push_back(read_name());
    tag.name = without_prefix(open_.back());
    read_attributes(tag);
    return tag;
}

}  // namespace mercer::detail
