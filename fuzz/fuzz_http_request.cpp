// Fuzz target: arbitrary bytes on a connection. Every request must be refused, or end at the position that a direct
// reading of its head gives.
#include <boost/asio/buffer.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "mercer/base/error.h"
#include "mercer/content_encoding.h"
#include "mercer/http_parse.h"

namespace {

using namespace mercer::cli;
using boost::beast::error_code;
namespace http = boost::beast::http;

void check(const http_answer& answer) {
    if (answer.status < 400 || answer.status > 599 || !nlohmann::json::parse(answer.body).contains("error"))
        std::abort();
}

// Passes to the parser all bytes that it accepts, and returns their number.
std::size_t put(http_parser& parser, std::string_view bytes, error_code& fault) {
    std::size_t taken = 0;
    while (!parser.is_done() && taken < bytes.size()) {
        const std::size_t now = parser.put(boost::asio::buffer(bytes.data() + taken, bytes.size() - taken), fault);
        taken += now;
        if (fault || (now == 0 && !parser.is_header_done())) break;
        if (parser.is_header_done() && now == 0 && !parser.is_done()) break;
        if (!parser.eager() && parser.is_header_done()) break;
    }
    return taken;
}

// Returns the number of bytes of the next request; 0 if it is refused or incomplete.
std::size_t request(std::string_view bytes, const http_limits& limits) {
    http_parser parser;
    set_limits(parser, limits);
    error_code fault;
    std::size_t taken = put(parser, bytes, fault);
    const auto refuse = [&] {
        if (fault == http::error::need_more) return std::size_t{0};
        if (const auto answer = answer_to_error(fault, limits)) check(*answer);
        return std::size_t{0};
    };
    if (fault || !parser.is_header_done()) return refuse();
    if (const auto answer = check_head(parser)) return check(*answer), 0;
    const auto made = parse_head(parser);
    const std::size_t head = bytes.find("\r\n\r\n") + 4;
    const bool chunked = parser.chunked();
    const std::size_t length = parser.content_length() ? static_cast<std::size_t>(*parser.content_length()) : 0;
    parser.eager(true);
    taken += put(parser, bytes.substr(taken), fault);
    if (fault || !parser.is_done()) return refuse();
    if (!chunked && taken != head + length) std::abort();
    if (parser.get().body().size() > limits.body) std::abort();
    memory_budget budget(100000);
    memory_budget::share share(budget);
    if (share.grow_to(memory_of_body(length, parser.get().body().size())) && share.bytes() > budget.total())
        std::abort();
    if (made && !made->encoding.empty() && made->encoding != "identity") try {
            const std::string text = decompress(parser.get().body(), [](std::size_t size) {
                if (size > 100000) mercer::fail(mercer::errc::memory, "too large");
            });
            if (text.size() > 100000) std::abort();
        } catch (const mercer::error&) {
        }
    return taken;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    http_limits limits;
    limits.body = 4096;
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    while (!rest.empty()) {
        const std::size_t taken = request(rest, limits);
        if (taken == 0) break;
        rest.remove_prefix(taken);
    }
    return 0;
}
