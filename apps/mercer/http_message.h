// The request that the server passes to its handler, the answer that the handler returns, and the limits of both.
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
    // Bytes of memory that a request may use for each byte of the largest allowed body.
    static constexpr std::size_t memory_per_body_byte = 32;

    std::size_t body = std::size_t{16} << 20;  // largest body in bytes, after decompression
    // time limit for reading and answering a request; sending the answer may take the same time again
    double seconds = 30;
    int clients = 1024;      // largest number of open connections; further clients wait
    std::size_t memory = 0;  // bytes for all requests together; 0: chosen by served_model

    // Returns the largest number of bytes that one request may use.
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
    bool takes_gzip = false;                        // the client accepts gzip (Accept-Encoding)
    std::chrono::steady_clock::time_point until{};  // time at which the answer has to be ready
    memory_budget::share memory{};
};

struct http_answer {
    int status = 200;
    std::string body{}, type = "application/json";
    std::string allow{};     // for status 405: the methods that the path supports
    std::string encoding{};  // Content-Encoding; empty if the body is not compressed
};

// Returns an answer with this status and the body {"error": message}.
http_answer error_answer(int status, const std::string& message);

}  // namespace mercer::cli
