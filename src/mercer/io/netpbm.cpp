// PGM and PPM, in text (P2, P3) or binary (P5, P6): the format, width, height and the largest value in decimal with
// blanks or comments between them, one blank, then the values; binary ones of two bytes where the largest is above 255.
#include <fmt/format.h>

#include <cctype>

#include "mercer/base/error.h"
#include "mercer/io/decode.h"

namespace mercer::detail {
namespace {

class netpbm_parser {
public:
    netpbm_parser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    image run(index most_pixels) {
        const char kind = bytes_[1];
        at_ = 2;
        image out;
        out.width = number("the width", image::most_side);
        out.height = number("the height", image::most_side);
        out.channels = kind == '3' || kind == '6' ? 3 : 1;
        require_decodable(out.height, out.width, name_, most_pixels);
        most_ = static_cast<unsigned>(number("the largest value", 65535));
        if (most_ == 0) wrong("a largest value from 1 to 65535", at_);
        const index count = out.pixels() * out.channels;
        kind == '2' || kind == '3' ? text(out, count) : binary(out, count);
        return out;
    }

private:
    void text(image& out, index count) {
        if (static_cast<index>(bytes_.size() - at_) < 2 * count - 1) short_of(count);
        for (index i = 0; i < count; ++i)
            out.values.push_back(intensity(static_cast<unsigned>(number("a value", most_)), most_));
    }
    void binary(image& out, index count) {
        if (at_ == bytes_.size() || !std::isspace(static_cast<unsigned char>(bytes_[at_])))
            wrong("one blank before the values", at_);
        ++at_;
        const std::size_t size = most_ > 255 ? 2 : 1;
        if ((bytes_.size() - at_) / size < static_cast<std::size_t>(count)) short_of(count);
        const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(bytes_[at])); };
        for (index i = 0; i < count; ++i, at_ += size) {
            const unsigned value = size == 2 ? byte(at_) << 8 | byte(at_ + 1) : byte(at_);
            if (value > most_) wrong(fmt::format("a value up to {}, got {}", most_, value), at_);
            out.values.push_back(intensity(value, most_));
        }
    }
    // The next number, after blanks and comments.
    index number(const char* what, index largest) {
        for (; at_ < bytes_.size(); ++at_) {
            if (bytes_[at_] == '#') {
                at_ = std::min(bytes_.find_first_of("\n\r", at_), bytes_.size() - 1);
            } else if (!std::isspace(static_cast<unsigned char>(bytes_[at_]))) {
                break;
            }
        }
        const std::size_t start = at_;
        index value = 0;
        for (; at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9' && value <= largest; ++at_)
            value = 10 * value + (bytes_[at_] - '0');
        if (at_ == start || value > largest) wrong(fmt::format("{}, a number up to {}", what, largest), start);
        return value;
    }
    [[noreturn]] void short_of(index count) {
        fail(errc::parse, fmt::format("{}: truncated: {} values are needed from byte {} on, but the file ends at {}",
                                      name_, count, at_, bytes_.size()));
    }
    [[noreturn]] void wrong(const std::string& expected, std::size_t at) {
        fail(errc::parse, fmt::format("{}: byte {}: expected {}", name_, at, expected));
    }

    std::string_view bytes_;
    const std::string& name_;
    std::size_t at_ = 0;
    unsigned most_ = 255;
};

}  // namespace

image decode_netpbm(std::string_view bytes, const std::string& name, index most_pixels) {
    return netpbm_parser(bytes, name).run(most_pixels);
}

}  // namespace mercer::detail
