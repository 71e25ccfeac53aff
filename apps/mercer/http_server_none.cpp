// Replaces http_server.cpp in builds without Boost or simdjson.
#include "http_server.h"
#include "mercer/base/error.h"

namespace mercer::cli {

struct http_server::state {};

// NOLINTNEXTLINE(performance-unnecessary-value-param): the same signature as in http_server.cpp
http_server::http_server(const http_limits&, std::function<http_answer(http_request&)>) {
    fail(errc::unsupported,
         "`mercer serve` needs Boost and simdjson, and this mercer was built without them: install libboost-dev and "
         "libsimdjson-dev (tools/setup does) and build again");
}
http_server::~http_server() = default;
int http_server::bind(const std::string&, int) { return 0; }
void http_server::run() {}
void http_server::stop() {}

}  // namespace mercer::cli
