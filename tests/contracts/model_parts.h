// Splits a model file into its parts and assembles it again with matching lengths and checksums, so that changed
// contents pass the checksum and reach the code behind it. Written from the description of the format in archive.h,
// without the library's own code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::testing {

// FNV-1a over little-endian words of 8 bytes; the last word is padded with zeros.
inline std::uint64_t model_checksum(std::string_view bytes) {
    std::uint64_t sum = 0xCBF29CE484222325ull;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        std::uint64_t word = 0;
        for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i)
            word |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << 8 * (i - at);
        sum = (sum ^ word) * 0x100000001B3ull;
        sum ^= sum >> 29;
    }
    return sum;
}

// The first line up to the version, the head (JSON and a line feed), the numbers, and the nested files, each with the
// bytes before it.
struct model_part {
    std::string name, head, numbers;
    struct inner_file;
    std::vector<inner_file> inner;
    std::size_t length = 0;  // number of bytes in the original file

    // Splits any bytes: a wrong length in a first line is replaced by the correct one. Nested files are split up to
    // this depth.
    static model_part read(std::string_view bytes, int depth = 3);
    std::string bytes() const;
};
struct model_part::inner_file {
    std::string before;
    model_part file;
};

namespace model_parts_detail {

// The position of the next first line "mercer-… version length length checksum
// " and its end; npos if there is none.
struct first_line {
    std::size_t begin = std::string_view::npos, name_end = 0, end = 0;
    std::size_t head = 0, body = 0;
};
inline first_line find_first_line(std::string_view text, std::size_t from) {
    first_line out;
    for (std::size_t at = text.find("mercer-", from); at != text.npos; at = text.find("mercer-", at + 1)) {
        const std::size_t end = text.substr(at, 200).find('\n');
        if (end == text.npos) continue;
        const std::string_view line = text.substr(at, end);
        std::vector<std::string_view> words;
        for (std::size_t i = 0; i <= line.size();) {
            const std::size_t blank = std::min(line.find(' ', i), line.size());
            words.push_back(line.substr(i, blank - i));
            i = blank + 1;
        }
        if (words.size() != 5) continue;
        const auto number = [](std::string_view digits) {
            std::size_t value = 0;
            for (const char c : digits)
                if (c >= '0' && c <= '9' && value < (std::size_t{1} << 50))
                    value = 10 * value + static_cast<unsigned>(c - '0');
            return value;
        };
        out.begin = at, out.end = at + end + 1;
        out.name_end = at + words[0].size() + 1 + words[1].size();
        out.head = number(words[2]), out.body = number(words[3]);
        break;
    }
    return out;
}

}  // namespace model_parts_detail

inline model_part model_part::read(std::string_view bytes, int depth) {
    const auto line = model_parts_detail::find_first_line(bytes, 0);
    model_part out;
    out.length = bytes.size();
    if (line.begin != 0) {  // not a model file: treats all bytes as the head of one
        out.name = "mercer-model 2", out.head = bytes;
        return out;
    }
    out.name = bytes.substr(0, line.name_end);
    std::string_view rest = bytes.substr(line.end);
    out.head = rest.substr(0, std::min({line.head, rest.size()}));
    if (out.head.empty() || out.head.back() != '\n')
        out.head = rest.substr(0, std::min(rest.find('\n'), rest.size() - (rest.empty() ? 0 : 1)) + 1);
    rest.remove_prefix(std::min(out.head.size(), rest.size()));
    std::size_t at = 0;
    while (depth > 0) {
        const auto next = model_parts_detail::find_first_line(rest, at);
        if (next.begin == rest.npos) break;
        const std::size_t after = std::min(rest.size(), next.end + next.head + next.body);
        if (out.inner.empty()) out.numbers = rest.substr(0, next.begin);
        out.inner.push_back({out.inner.empty() ? std::string() : std::string(rest.substr(at, next.begin - at)),
                             read(rest.substr(next.begin, after - next.begin), depth - 1)});
        at = after;
    }
    if (out.inner.empty()) out.numbers = rest;
    return out;
}

inline std::string model_part::bytes() const {
    std::string about = head, body = numbers;
    std::size_t from = 0;
    for (const auto& [before, file] : inner) {
        const std::string text = file.bytes();
        // The head lists the lengths of the nested files in their order.
        const std::string was = "bytes\":" + std::to_string(file.length);
        if (const std::size_t found = about.find(was, from); found != about.npos) {
            const std::string now = "bytes\":" + std::to_string(text.size());
            about.replace(found, was.size(), now);
            from = found + now.size();
        }
        body += before + text;
    }
    const std::string rest = about + body;
    constexpr char digits[] = "0123456789abcdef";
    std::string sum;
    for (int shift = 60; shift >= 0; shift -= 4) sum += digits[model_checksum(rest) >> shift & 15];
    return name + " " + std::to_string(about.size()) + " " + std::to_string(body.size()) + " " + sum + "\n" + rest;
}

}  // namespace mercer::testing
