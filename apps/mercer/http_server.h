// HTTP on one address: requests arrive whole and within their limits, and one function answers them.
//
// One thread reads and writes all connections; it also answers requests without a body, which are cheap. Requests with
// a body are answered by worker threads.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http_message.h"

namespace mercer::cli {

class http_server {
public:
    // `handler` is called from several threads at once.
    http_server(const http_limits& limits, std::function<http_answer(http_request&)> handler);
    ~http_server();
    // Listens and starts the workers; fails with errc::io or errc::memory where either is not possible. Port 0: any
    // that is free. Returns the port.
    int bind(const std::string& host, int port);
    // Serves until stop(): then the requests that have begun are answered, and no others.
    void run();
    void stop();  // from any thread

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace mercer::cli
