#include "mercer/text/unicode.h"

#include <algorithm>
#include <iterator>

#include "mercer/text/unicode_tables.h"

namespace mercer::unicode {
namespace {

// The entry that c lies in, by its ends; null where there is none.
template <class Entry, std::size_t n>
const Entry* entry_with(const Entry (&table)[n], char32_t c) {
    const Entry* found = std::ranges::lower_bound(table, c, {}, &Entry::last);
    return found != std::end(table) && found->first <= c ? found : nullptr;
}

}  // namespace

char32_t take(std::string_view& text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    const std::size_t length = lead < 0xc2 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 1;
    char32_t c = lead;
    bool good = length > 1 && length <= text.size();
    if (good) {
        c = lead & (0x7fu >> length);
        for (std::size_t i = 1; i < length; ++i) {
            good = good && (byte(i) & 0xc0) == 0x80;
            c = c << 6 | (byte(i) & 0x3f);
        }
        constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
        good = good && c >= smallest[length] && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
    }
    text.remove_prefix(good ? length : 1);
    return good ? c : lead;
}

void append(std::string& to, char32_t c) {
    const auto put = [&](char32_t byte) { to.push_back(static_cast<char>(byte)); };
    if (c < 0x80) return put(c);
    if (c < 0x800) {
        put(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        put(0xe0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3f));
    } else {
        put(0xf0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3f));
        put(0x80 | (c >> 6 & 0x3f));
    }
    put(0x80 | (c & 0x3f));
}

bool is_letter(char32_t c) {
    if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    return entry_with(letters, c) != nullptr;
}

bool is_mark(char32_t c) { return c >= 0x300 && entry_with(marks, c) != nullptr; }

bool is_blank(char32_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

char32_t small(char32_t c) {
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    const capital_run* run = entry_with(capitals, c);
    if (!run || (c - run->first) % run->step != 0) return c;
    return static_cast<char32_t>(static_cast<int>(c) + run->difference);
}

}  // namespace mercer::unicode
