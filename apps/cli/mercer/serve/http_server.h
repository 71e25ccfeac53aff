// HTTP on one address: requests come whole, within their limits, and one function answers them, from many threads at
// once.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace mercer::cli {

struct http_request {
    std::string method, path, type, accept, body;  // type: Content-Type without its parameters
    std::map<std::string, std::string> query;
    std::chrono::steady_clock::time_point until;  // it has to be answered by then
};

struct http_answer {
    int status = 200;
    std::string body, type = "application/json";
    std::string allow{};  // with 405: the methods there are
};

struct http_limits {
    std::size_t body = std::size_t{16} << 20;  // bytes, unpacked
    double seconds = 30;                       // for a request and what it asks for; as many again to send the answer
    int clients = 64;                          // connections at once; more of them wait
};

class http_server {
public:
    http_server(const http_limits& limits, std::function<http_answer(const http_request&)> handler);
    ~http_server();
    // Port 0: any that is free. The port; fails with errc::io where it cannot be had.
    int bind(const std::string& host, int port);
    // Until stop(): then requests that have begun are answered, and nothing else.
    void run();
    void stop();

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace mercer::cli
