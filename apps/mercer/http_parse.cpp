#include "http_parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

namespace mercer::cli {

namespace http = boost::beast::http;

http_answer error_answer(int status, const std::string& message) {
    // The JSON value is a single string: the destructor of a JSON list or object allocates, so that a lack of memory
    // would end the process.
    const std::string said = nlohmann::json(message).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return {status, "{\"error\":" + said + "}\n"};
}

namespace {

// Converts from Boost's own string_view, which is a different class in newer versions.
template <class View>
std::string_view standard(const View& text) {
    return {text.data(), text.size()};
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    return out;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Returns the value up to a semicolon, in lower case.
std::string without_parameters(std::string_view value) { return lower(trimmed(value.substr(0, value.find(';')))); }

// Returns true if a list such as "br;q=1.0, gzip;q=0.8" accepts gzip.
bool accepts_gzip(std::string_view list) {
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        const std::string item = lower(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
        const std::string coding = without_parameters(item);
        if (coding != "gzip" && coding != "x-gzip") continue;
        const auto quality = item.find("q=");
        return quality == std::string::npos || item.find_first_of("123456789", quality) != std::string::npos;
    }
    return false;
}

int hexadecimal(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Decodes %xx. Returns false if a % is not followed by two hexadecimal digits.
bool decode(std::string_view text, bool plus_is_blank, std::string& out) {
    out.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            const int high = i + 2 < text.size() ? hexadecimal(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hexadecimal(text[i + 2]) : -1;
            if (high < 0 || low < 0) return false;
            out += static_cast<char>(16 * high + low);
            i += 2;
        } else {
            out += plus_is_blank && text[i] == '+' ? ' ' : text[i];
        }
    }
    return true;
}

// Short parameters take far more memory in a map than as text.
constexpr int max_parameters = 64;

bool read_target(std::string_view target, http_request& to) {
    // A client of a proxy may send the whole URL (RFC 9112, section 3.2.2).
    for (const std::string_view scheme : {"http://", "https://"})
        if (lower(target.substr(0, scheme.size())) == scheme) {
            target.remove_prefix(scheme.size());
            target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
            if (target.empty()) target = "/";
        }
    target = target.substr(0, target.find('#'));
    const auto question = std::min(target.find('?'), target.size());
    if (!decode(target.substr(0, question), false, to.path)) return false;
    std::string_view query = target.substr(std::min(question + 1, target.size()));
    int parameters = 0;
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const std::string_view pair = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        if (pair.empty()) continue;
        if (++parameters > max_parameters) return false;
        const auto equals = std::min(pair.find('='), pair.size());
        std::string name, value;
        if (!decode(pair.substr(0, equals), true, name)) return false;
        if (!decode(pair.substr(std::min(equals + 1, pair.size())), true, value)) return false;
        to.query[name] = value;
    }
    return true;
}

}  // namespace

void set_limits(http_parser& parser, const http_limits& limits) {
    parser.header_limit(static_cast<std::uint32_t>(http_limits::head));
    parser.body_limit(limits.body);
}

std::optional<http_answer> check_head(const http_parser& parser) {
    const auto& head = parser.get();
    const auto count = [&](http::field name) {
        return std::distance(head.equal_range(name).first, head.equal_range(name).second);
    };
    const auto lengths = count(http::field::content_length), codings = count(http::field::transfer_encoding);
    const std::string_view length = standard(head[http::field::content_length]);
    if (lengths > 1) return error_answer(400, "the request has more than one Content-Length");
    if (lengths == 1 && (length.empty() || length.find_first_not_of("0123456789") != std::string_view::npos))
        return error_answer(400, fmt::format("Content-Length: expected a number of bytes, got '{}'", length));
    if (codings > 0) {
        if (lengths > 0) return error_answer(400, "the request has both Content-Length and Transfer-Encoding");
        if (head.version() < 11) return error_answer(400, "Transfer-Encoding is not part of HTTP/1.0");
        const std::string_view coding = standard(head[http::field::transfer_encoding]);
        if (codings > 1 || lower(coding) != "chunked")
            return error_answer(501, fmt::format("Transfer-Encoding: expected 'chunked', got '{}'", coding));
    }
    if (count(http::field::host) > 1) return error_answer(400, "the request has more than one Host");
    if (count(http::field::content_type) > 1) return error_answer(400, "the request has more than one Content-Type");
    if (head.method() == http::verb::unknown)
        return error_answer(501, fmt::format("the HTTP method '{}' is not supported", standard(head.method_string())));
    const auto expectations = head.version() < 11 ? 0 : count(http::field::expect);  // ignored in HTTP/1.0
    if (expectations > 1) return error_answer(417, "the request has more than one Expect");
    if (expectations > 0 && lower(standard(head[http::field::expect])) != "100-continue")
        return error_answer(
            417, fmt::format("Expect: expected 100-continue, got '{}'", standard(head[http::field::expect])));
    if (count(http::field::content_encoding) > 1)
        return error_answer(415, "the request has more than one Content-Encoding");
    const std::string encoding = lower(standard(head[http::field::content_encoding]));
    if (!encoding.empty() && encoding != "identity" && encoding != "gzip" && encoding != "x-gzip" &&
        encoding != "deflate")
        return error_answer(415, fmt::format("Content-Encoding: expected gzip or deflate, got '{}'", encoding));
    const std::string type = without_parameters(standard(head[http::field::content_type]));
    if (type.starts_with("multipart/"))
        return error_answer(415, fmt::format("Content-Type: expected application/json or text/csv, got '{}'", type));
    return {};
}

std::optional<http_answer> answer_to_error(const boost::beast::error_code& fault, const http_limits& limits) {
    if (fault == http::error::end_of_stream) return {};
    if (fault == http::error::body_limit)
        return error_answer(413,
                            fmt::format("the request has more than {} bytes: send fewer rows at once", limits.body));
    if (fault == http::error::header_limit || fault == http::error::buffer_overflow)
        return error_answer(431, fmt::format("the header fields have more than {} bytes", http_limits::head));
    if (fault == http::error::partial_message) return error_answer(400, "the request is incomplete");
    if (fault.category() == http::make_error_code(http::error::bad_method).category())
        return error_answer(400, fmt::format("not an HTTP request: {}", fault.message()));
    return {};
}

std::optional<http_request> parse_head(const http_parser& parser) {
    const auto& from = parser.get();
    http_request to;
    if (!read_target(standard(from.target()), to)) return {};
    to.method = standard(from.method_string());
    to.type = without_parameters(standard(from[http::field::content_type]));
    to.accept = lower(standard(from[http::field::accept]));
    to.encoding = lower(standard(from[http::field::content_encoding]));
    to.takes_gzip = accepts_gzip(standard(from[http::field::accept_encoding]));
    return to;
}

std::size_t memory_of_body(std::size_t declared, std::size_t received) {
    // Each received byte counts 16 times: the body, its copy for the parser, the parser's index, the rows and one copy
    // of the rows.
    constexpr std::size_t per_byte = 16, fixed = 65536;
    return fixed + declared + per_byte * received;
}

}  // namespace mercer::cli
