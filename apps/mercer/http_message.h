// What the server hands to the function that answers, what that function returns, and the limits of both.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <map>
#include <string>

#include "memory_budget.h"

namespace mercer::cli {

struct http_limits {
    static constexpr std::size_t head = 32768;  // bytes of the request line and the header fields
    // A request may use this many bytes of memory for each byte of the largest body.
    static constexpr std::size_t memory_per_body_byte = 32;

    std::size_t body = std::size_t{16} << 20;  // bytes, unpacked
    double seconds = 30;                       // for a request and its answer; as many again to send the answer
    int clients = 1024;                        // open connections; more of them wait
    std::size_t memory = 0;                    // bytes of all requests together

    // Bytes of one request.
    std::size_t request_memory() const {
        constexpr std::size_t most = std::numeric_limits<std::size_t>::max() / memory_per_body_byte;
        const std::size_t bytes = body > most ? memory : memory_per_body_byte * body + (std::size_t{1} << 20);
        return memory > 0 && memory < bytes ? memory : bytes;
    }
};

struct http_request {
    std::string method, path, type, accept, body;  // type: Content-Type without its parameters, in lower case
    std::string encoding{};                        // Content-Encoding, in lower case
    std::map<std::string, std::string> query{};
    bool takes_gzip = false;                        // as Accept-Encoding says
    std::chrono::steady_clock::time_point until{};  // the answer has to be ready by then
    memory_budget::share memory{};
};

struct http_answer {
    int status = 200;
    std::string body{}, type = "application/json";
    std::string allow{};     // with 405: the methods that the path has
    std::string encoding{};  // Content-Encoding; empty: none
};

// {"error": message} with a status.
http_answer refused(int status, const std::string& message);

}  // namespace mercer::cli
