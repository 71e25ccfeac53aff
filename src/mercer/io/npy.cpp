#include "mercer/io/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/file.h"
#include "mercer/base/text.h"
#include "mercer/io/file_contents.h"
#include "mercer/io/read.h"

namespace mercer {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied from little-endian files as they are");

constexpr std::string_view magic{"\x93NUMPY", 6};

// Parses the header, a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class header_parser {
public:
    header_parser(std::string_view text, std::size_t offset, const std::string& name)
        : text_(text), offset_(offset), name_(name) {}

    npy_array run() {
        npy_array result;
        bool type = false;
        bool order = false;
        bool shape = false;
        take('{');
        while (!try_take('}')) {
            const std::string_view key = word();
            take(':');
            if (key == "descr" && !type) {
                type = true;
                if (peek() == '[') fail_expecting("a plain number type (records are not supported)");
                result.type = word();
            } else if (key == "fortran_order" && !order) {
                order = true;
                result.fortran = boolean();
            } else if (key == "shape" && !shape) {
                shape = true;
                result.shape = tuple();
            } else {
                fail_expecting("each of the keys 'descr', 'fortran_order' and 'shape' once");
            }
            if (!try_take(',') && peek() != '}') fail_expecting("',' or '}'");
        }
        if (peek() != 0) fail_expecting("the end of the header");
        if (!type || !order || !shape) fail_expecting("the keys 'descr', 'fortran_order' and 'shape'");
        return result;
    }

private:
    // Skips blanks and returns the next character without reading it; 0 at the end.
    char peek() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool try_take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void take(char c) {
        if (!try_take(c)) fail_expecting(fmt::format("'{}'", c));
    }
    std::string_view word() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail_expecting("a quoted word");
        const auto end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) fail_expecting("a closing quote");
        const std::string_view result = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return result;
    }
    bool boolean() {
        peek();
        for (const bool value : {false, true}) {
            const std::string_view text = value ? "True" : "False";
            if (!text_.substr(at_).starts_with(text)) continue;
            at_ += text.size();
            return value;
        }
        fail_expecting("True or False");
    }
    std::vector<std::uint64_t> tuple() {
        std::vector<std::uint64_t> result;
        take('(');
        while (!try_take(')')) {
            peek();
            std::uint64_t value = 0;
            const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
            if (parsed.ec != std::errc{}) fail_expecting("a size below 2^64");
            at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
            result.push_back(value);
            if (!try_take(',') && peek() != ')') fail_expecting("',' or ')'");
        }
        return result;
    }
    [[noreturn]] void fail_expecting(const std::string& expected) {
        const std::string_view rest = text_.substr(std::min(at_, text_.size()), 20);
        fail(errc::parse, fmt::format("{}: byte {}: bad .npy header: expected {}, got {}", name_, offset_ + at_,
                                      expected, rest.empty() ? "its end" : detail::quoted(rest)));
    }

    std::string_view text_;
    std::size_t offset_;
    const std::string& name_;
    std::size_t at_ = 0;
};

template <class To>
struct job {
    std::string_view data;
    index rows;
    index cols;
    bool fortran;
    const std::string& name;
};

template <class From, class To>
dataset convert(const job<To>& from) {
    matrix<To> rows(from.rows, from.cols);
    const index row_step = from.fortran ? 1 : from.cols;
    const index col_step = from.fortran ? from.rows : 1;
    for (index i = 0; i < from.rows; ++i)
        for (index j = 0; j < from.cols; ++j) {
            From value;  // the bytes of the file may be unaligned
            std::memcpy(&value, from.data.data() + static_cast<std::size_t>(i * row_step + j * col_step) * sizeof(From),
                        sizeof(From));
            const To number = static_cast<To>(value);
            if (!std::isfinite(number)) [[unlikely]]
                fail(errc::data, fmt::format("{}: row {}, column {}: expected a finite number, got {}", from.name,
                                             i + 1, j + 1, static_cast<double>(value)));
            rows(i, j) = number;
        }
    return dense<To>(std::move(rows));
}

template <class To>
using converter = dataset (*)(const job<To>&);

struct number_type {
    const char* name;
    std::size_t bytes;
    converter<double> to_double;
    converter<float> to_float;
};

template <class From>
constexpr number_type type_of(const char* name) {
    return {name, sizeof(From), &convert<From, double>, &convert<From, float>};
}

// NumPy writes the byte order of one-byte types as |. A bool (b1) is one byte, 0 or 1.
const number_type types[] = {
    type_of<double>("f8"),        type_of<float>("f4"),         type_of<std::int8_t>("i1"),
    type_of<std::int16_t>("i2"),  type_of<std::int32_t>("i4"),  type_of<std::int64_t>("i8"),
    type_of<std::uint8_t>("u1"),  type_of<std::uint16_t>("u2"), type_of<std::uint32_t>("u4"),
    type_of<std::uint64_t>("u8"), type_of<std::uint8_t>("b1"),
};

number_type find_type(const std::string& type, const std::string& name) {
    const char order = type.empty() ? '\0' : type[0];
    if (order == '>')
        fail(errc::unsupported,
             fmt::format("{}: numbers of type '{}' are big-endian, which is not supported", name, type));
    if (order == '<' || order == '|' || order == '=')
        for (const number_type& one : types)
            if (type.substr(1) == one.name && (order != '|' || one.bytes == 1)) return one;
    fail(errc::unsupported, fmt::format("{}: numbers must have type f4, f8, i1 ... i8, u1 ... u8 or bool, got {}", name,
                                        detail::quoted(type)));
}

// Returns true if the product of the sizes is `elements`, computed by divisions, which cannot overflow.
bool is_product(const std::vector<std::uint64_t>& shape, std::uint64_t elements) {
    if (std::ranges::find(shape, 0U) != shape.end()) return elements == 0;
    for (const std::uint64_t side : shape) {
        if (elements == 0 || elements % side != 0) return false;
        elements /= side;
    }
    return elements == 1;
}

}  // namespace

namespace {

// Parses the header; `data` of the result are all bytes after it.
npy_array parse_header(std::string_view bytes, const std::string& name) {
    if (!bytes.starts_with(magic))
        fail(errc::parse, fmt::format("{}: byte 0: expected the first bytes of an .npy file, got {}", name,
                                      detail::quoted(bytes.substr(0, 6))));
    const int version = bytes.size() > 7 ? static_cast<unsigned char>(bytes[6]) : 0;
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    const std::size_t header_at = 8 + length_bytes;
    if (bytes.size() < header_at)
        fail(errc::parse,
             fmt::format("{}: truncated .npy file: it ends at byte {} inside the header", name, bytes.size()));
    if (version < 1 || version > 3)
        fail(errc::unsupported, fmt::format("{}: byte 6: .npy versions 1 to 3 are supported, got {}", name, version));
    std::size_t header_size = 0;
    std::memcpy(&header_size, bytes.data() + 8, length_bytes);
    if (header_size > bytes.size() - header_at)
        fail(errc::parse,
             fmt::format("{}: truncated .npy file: the header has {} bytes, but the file ends after {} of them", name,
                         header_size, bytes.size() - header_at));
    npy_array out = header_parser(bytes.substr(header_at, header_size), header_at, name).run();
    out.data = bytes.substr(header_at + header_size);
    out.type = find_type(out.type, name).name;
    return out;
}

}  // namespace

npy_array open_npy(std::string_view bytes, const std::string& name) {
    npy_array out = parse_header(bytes, name);
    const number_type type = find_type("<" + out.type, name);
    if (out.data.size() % type.bytes != 0 || !is_product(out.shape, out.data.size() / type.bytes))
        fail(errc::parse, fmt::format("{}: the header announces {} numbers of {} bytes, but {} bytes follow it", name,
                                      join(out.shape, " x "), type.bytes, out.data.size()));
    return out;
}

dataset npy_rows(const npy_array& from, bool single, const std::string& name) {
    if (from.fortran && from.shape.size() > 2)
        fail(errc::unsupported, fmt::format("{}: an array of {} dimensions must be in C order, got Fortran order", name,
                                            from.shape.size()));
    std::uint64_t cols = 1;
    for (std::size_t i = 1; i < from.shape.size(); ++i) cols *= from.shape[i];
    if (from.shape.empty() || from.shape[0] == 0 || cols == 0)
        fail(errc::data, fmt::format("{}: expected at least one row and one column, got {} x {}", name,
                                     from.shape.empty() ? 0 : from.shape[0], cols));
    const auto n = static_cast<index>(from.shape[0]), d = static_cast<index>(cols);
    const number_type type = find_type("<" + from.type, name);
    return single ? type.to_float({from.data, n, d, from.fortran, name})
                  : type.to_double({from.data, n, d, from.fortran, name});
}

table parse_npy(std::string_view bytes, const std::string& name, precision numbers) {
    const npy_array array = open_npy(bytes, name);
    if (array.shape.empty() || array.shape.size() > 2)
        fail(errc::unsupported,
             fmt::format("{}: expected an array of 1 or 2 dimensions, got {}{}", name, array.shape.size(),
                         array.shape.size() > 2 ? "; for images name the file as images:FILE" : ""));
    table result;
    result.x =
        npy_rows(array, numbers == precision::f32 || (numbers == precision::natural && array.type == "f4"), name);
    return result;
}

table read_npy(const std::string& path, precision numbers) {
    const file_contents file = read_file(path);
    return parse_untruncated(file, [&] { return parse_npy(file.bytes(), file.name(), numbers); });
}

namespace {

// Returns a header of version 1, C order. `shape` is the list of sizes, separated by commas.
std::string format_header(const std::string& type, const std::string& shape) {
    std::string header = fmt::format("{{'descr': '<{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
    // The format requires blanks that align the data to a multiple of 64 bytes, and a line end after them.
    const std::size_t prefix = magic.size() + 4;
    header.append(63 - (prefix + header.size()) % 64, ' ');
    header += '\n';
    std::string out(magic);
    out += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    out += header;
    return out;
}

// Implements file_format::cut_to_rows: the result has a new header with the number of rows.
bool cut_to_first_rows(std::string& text, index rows, const read_options&) {
    constexpr std::uint64_t longest = std::uint64_t{1} << 62;
    std::uint64_t bytes = 0;
    npy_array from;
    try {
        from = parse_header(text, "the first rows");
        if (from.fortran || from.shape.empty() || from.shape[0] < static_cast<std::uint64_t>(rows)) return false;
        bytes = find_type("<" + from.type, "the first rows").bytes * static_cast<std::uint64_t>(rows);
    } catch (const error&) {
        return false;  // the reader of the whole file reports the error
    }
    for (std::size_t i = 1; i < from.shape.size(); ++i) {
        if (from.shape[i] > longest / bytes) return false;
        bytes *= from.shape[i];
        if (bytes == 0) return false;
    }
    if (from.data.size() < bytes) return false;
    from.shape[0] = static_cast<std::uint64_t>(rows);
    text = format_header(from.type, join(from.shape, ", ") + (from.shape.size() == 1 ? "," : "")) +
           std::string(from.data.substr(0, bytes));
    return true;
}

}  // namespace

template <class T>
std::string npy_header(index rows, index cols) {
    return format_header(fmt::format("f{}", sizeof(T)), fmt::format("{}, {}", rows, cols));
}

template <class T>
std::string format_npy(const dense<T>& rows) {
    std::string out = npy_header<T>(rows.size(), rows.dims());
    const std::size_t row_bytes = static_cast<std::size_t>(rows.dims()) * sizeof(T);
    out.reserve(out.size() + static_cast<std::size_t>(rows.size()) * row_bytes);
    for (index i = 0; i < rows.size(); ++i) out.append(reinterpret_cast<const char*>(rows.row(i)), row_bytes);
    return out;
}

template <class T>
void write_npy(const std::string& path, const dense<T>& rows) {
    write_atomically(path, format_npy(rows));
}

template std::string npy_header<double>(index, index);
template std::string npy_header<float>(index, index);
template std::string format_npy(const dense<double>&);
template std::string format_npy(const dense<float>&);
template void write_npy(const std::string&, const dense<double>&);
template void write_npy(const std::string&, const dense<float>&);

const file_format& npy_format() {
    static const file_format about{"npy",
                                   {".npy"},
                                   [](const file_beginning& file) { return file.bytes.starts_with("\x93NUMPY"); },
                                   [](const file_contents& file, const read_options& options) {
                                       return parse_npy(file.bytes(), file.name(), options.numbers);
                                   },
                                   nullptr,
                                   nullptr,
                                   cut_to_first_rows};
    return about;
}

}  // namespace mercer
