// An HTTP server on one address. It passes complete requests, which are within the limits, to one handler function.
//
// One thread reads and writes all connections. It also answers requests without a body, which are cheap. Worker threads
// answer requests with a body.
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
    // Listens at the address and starts the workers. Port 0 chooses a free port. Returns the port. Fails with errc::io
    // if the address cannot be used and with errc::memory if the threads cannot be started.
    int bind(const std::string& host, int port);
    // Serves requests until stop() is called; then answers the requests that have begun and accepts no others.
    void run();
    void stop();  // may be called from any thread

private:
    struct state;
    std::unique_ptr<state> state_;
};

}  // namespace mercer::cli
