#include "http_server.h"

#include <fmt/format.h>

#include "mercer/base/error.h"

#ifdef MERCER_HAVE_HTTPLIB

#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

namespace mercer::cli {
namespace {

using clock = std::chrono::steady_clock;

// Is it readable (writable) before the time is over?
bool ready(int file, short what, clock::time_point until) {
    for (;;) {
        // Up, or a request would be given up before it is late, and called a bad one.
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
        if (left <= 0) return false;
        pollfd asked{file, what, 0};
        const int found = ::poll(&asked, 1, static_cast<int>(std::min<long long>(left, 1 << 30)));
        if (found > 0) return true;
        if (found < 0 && errno != EINTR) return false;
    }
}

// A connection with a time for each whole request: a client that sends a byte now and then gets no more of it.
class connection final : public httplib::Stream {
public:
    connection(int file, double seconds) : file_(file), seconds_(seconds) {}
    ~connection() override {
        ::shutdown(file_, SHUT_RDWR);
        ::close(file_);
    }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    // Waits for a request to begin. False where none does, or `stop` becomes readable.
    bool begin(int stop, int idle_seconds) {
        if (first_ < last_) return restart(), true;
        pollfd asked[2] = {{file_, POLLIN, 0}, {stop, POLLIN, 0}};
        const int found = ::poll(asked, 2, 1000 * idle_seconds);
        if (found <= 0 || asked[1].revents != 0) return false;
        restart();
        return true;
    }
    clock::time_point until() const { return until_; }

    bool is_readable() const override { return first_ < last_ || ready(file_, POLLIN, until_); }
    bool is_writable() const override { return ready(file_, POLLOUT, answering_ ? answered_ : until_); }
    ssize_t read(char* to, std::size_t size) override {
        if (first_ == last_) {
            if (size >= sizeof ahead_) return is_readable() ? ::recv(file_, to, size, 0) : -1;
            const ssize_t count = is_readable() ? ::recv(file_, ahead_, sizeof ahead_, 0) : -1;
            if (count <= 0) return count;
            first_ = 0, last_ = static_cast<std::size_t>(count);
        }
        const std::size_t taken = std::min(size, last_ - first_);
        std::memcpy(to, ahead_ + first_, taken);
        first_ += taken;
        return static_cast<ssize_t>(taken);
    }
    ssize_t write(const char* from, std::size_t size) override {
        if (!answering_) answering_ = true, answered_ = clock::now() + allowance();
        return is_writable() ? ::send(file_, from, size, MSG_NOSIGNAL) : -1;
    }
    void get_remote_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
    void get_local_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
    socket_t socket() const override { return file_; }

private:
    std::chrono::milliseconds allowance() const {
        return std::chrono::milliseconds(static_cast<long long>(1000 * seconds_));
    }
    void restart() { until_ = clock::now() + allowance(), answering_ = false; }

    int file_;
    double seconds_;
    clock::time_point until_{}, answered_{};  // of the request, and of its answer
    bool answering_ = false;
    char ahead_[4096];  // the library asks for headers byte by byte
    std::size_t first_ = 0, last_ = 0;
};

// Of the request that this thread is at.
thread_local clock::time_point request_until;
thread_local bool close_after;

std::string message(const std::string& what) { return nlohmann::json{{"error", what}}.dump() + "\n"; }

class server final : public httplib::Server {
public:
    explicit server(double seconds) : seconds_(seconds), stop_(::eventfd(0, EFD_CLOEXEC)) {}
    ~server() override { ::close(stop_); }
    void end() {
        const std::uint64_t one = 1;
        (void)!::write(stop_, &one, sizeof one);
        stop();
    }

private:
    bool process_and_close_socket(socket_t file) override {
        connection to(file, seconds_);
        for (std::size_t left = keep_alive_max_count_; left > 0; --left) {
            if (!to.begin(stop_, static_cast<int>(keep_alive_timeout_sec_))) return true;
            request_until = to.until();
            close_after = false;
            bool closed = false;
            if (!process_request(to, left == 1, closed, nullptr)) return false;
            if (closed || close_after) return true;
        }
        return true;
    }
    double seconds_;
    int stop_;  // readable once the server is to end
};

}  // namespace

struct http_server::state {
    state(const http_limits& limits, std::function<http_answer(const http_request&)> handler)
        : limits(limits), handler(std::move(handler)), http(limits.seconds) {}

    void answer(const httplib::Request& from, const httplib::ContentReader* content, httplib::Response& to) const {
        http_request asked{
            from.method, from.path,    from.get_header_value("Content-Type"), from.get_header_value("Accept"), {},
            {},          request_until};
        asked.type.erase(std::min(asked.type.find_first_of("; "), asked.type.size()));
        for (const auto& [name, value] : from.params) asked.query[name] = value;
        bool too_large = false;
        const bool whole = !content || (*content)([&](const char* bytes, std::size_t size) {
            too_large = size > limits.body - asked.body.size();
            if (!too_large) asked.body.append(bytes, size);
            return !too_large;
        });
        if (!whole) {  // what is still to come would be taken for the next request
            close_after = true;
            const bool late = clock::now() >= request_until;
            to.status = too_large || to.status == 413 ? 413 : late ? 408 : 400;
            return explain(to);
        }
        const http_answer made = handler(asked);
        to.status = made.status;
        to.set_content(made.body, made.type);
        if (!made.allow.empty()) to.set_header("Allow", made.allow);
    }

    // What the library refuses by itself comes without a word.
    void explain(httplib::Response& to) const {
        if (!to.body.empty()) return;
        if (to.status == 400 && clock::now() >= request_until) to.status = 408;  // headers that did not end in time
        const std::string what =
            to.status == 413   ? fmt::format("the request has more than {} bytes: send fewer rows at once", limits.body)
            : to.status == 408 ? fmt::format("the request did not come within {} s", limits.seconds)
            : to.status == 414 ? "the address is too long"
            : to.status == 400 ? "this is no HTTP request, or its end is missing"
                               : fmt::format("cannot be answered: HTTP status {}", to.status);
        to.set_content(message(what), "application/json");
    }

    http_limits limits;
    std::function<http_answer(const http_request&)> handler;
    server http;
};

http_server::http_server(const http_limits& limits, std::function<http_answer(const http_request&)> handler)
    : state_(std::make_unique<state>(limits, std::move(handler))) {
    state& s = *state_;
    const auto plain = [&s](const httplib::Request& from, httplib::Response& to) { s.answer(from, nullptr, to); };
    const auto with_body = [&s](const httplib::Request& from, httplib::Response& to,
                                const httplib::ContentReader& content) { s.answer(from, &content, to); };
    s.http.Get(".*", plain).Options(".*", plain);
    s.http.Post(".*", with_body).Put(".*", with_body).Patch(".*", with_body).Delete(".*", with_body);
    s.http.set_error_handler([&s](const httplib::Request&, httplib::Response& to) { s.explain(to); });
    s.http.set_payload_max_length(limits.body);
    s.http.set_tcp_nodelay(true);
    // Not SO_REUSEPORT, the library's default: a second server on the same port has to hear that it is taken.
    s.http.set_socket_options([](socket_t file) {
        const int yes = 1;
        ::setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    s.http.new_task_queue = [clients = limits.clients] {
        return new httplib::ThreadPool(static_cast<std::size_t>(clients));
    };
}

http_server::~http_server() = default;

int http_server::bind(const std::string& host, int port) {
    errno = 0;
    const int got = port == 0 ? state_->http.bind_to_any_port(host) : state_->http.bind_to_port(host, port) ? port : -1;
    if (got <= 0)
        fail(errc::io, fmt::format("cannot listen at {}:{}: {}", host, port,
                                   errno ? std::strerror(errno) : "there is no such address here"));
    return got;
}

void http_server::run() {
    if (!state_->http.listen_after_bind()) fail(errc::io, "cannot accept connections any more");
}

void http_server::stop() { state_->http.end(); }

}  // namespace mercer::cli

#else  // without the library of HTTP

namespace mercer::cli {

struct http_server::state {};

// NOLINTNEXTLINE(performance-unnecessary-value-param): kept where there is a server
http_server::http_server(const http_limits&, std::function<http_answer(const http_request&)>) {
    fail(errc::unsupported,
         "this mercer was built without cpp-httplib: install libcpp-httplib-dev (tools/setup does) and build again");
}
http_server::~http_server() = default;
int http_server::bind(const std::string&, int) { return 0; }
void http_server::run() {}
void http_server::stop() {}

}  // namespace mercer::cli

#endif
