#include "http_server.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

#include "http_connection.h"
#include "mercer/base/error.h"
#include "mercer/base/processors.h"

namespace mercer::cli {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::beast::error_code;

namespace {

// The limit of the system (net.core.somaxconn) is usually smaller.
constexpr int max_queue = 4096;
constexpr std::chrono::milliseconds before_retry{20};

// Raises the limit of open files of this process so that it suffices for the connections, as far as the system allows.
void allow_open_files(int connections) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const rlim_t wanted = static_cast<rlim_t>(connections) + 64;
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// Runs the context until it has no work left. An exception, such as a lack of memory, drops the current operation and
// the others continue.
void run_all(asio::io_context& context, const std::function<void()>& after_fault) {
    for (;;) try {
            context.run();
            return;
        } catch (const std::exception&) {
            std::this_thread::sleep_for(before_retry);
            try {
                after_fault();
            } catch (const std::exception&) {  // the next iteration tries again
            }
        }
}

}  // namespace

struct http_server::state {
    state(const http_limits& limits, std::function<http_answer(http_request&)> handler)
        : service(limits, std::move(handler)),
          acceptor(service.connections),
          retry(service.connections),
          busy(service.work.get_executor()) {
        service.on_connection_freed = [this] { accept(); };
    }
    ~state() {
        busy.reset();
        service.work.stop();
        for (std::thread& each : workers) each.join();
    }

    void start_workers() {
        const int count = std::min(service.limits.clients, std::max(8, 2 * usable_processors()));
        try {
            for (int i = 0; i < count; ++i) workers.emplace_back([this] { run_all(service.work, [] {}); });
        } catch (const std::system_error& wrong) {
            // pthread_create() returns EAGAIN for a lack of memory, too.
            fail(errc::memory, fmt::format("cannot start {} threads: out of memory, or the limit on the number of "
                                           "processes (ulimit -u) is reached ({})",
                                           count, wrong.what()));
        }
    }

    void accept() {
        if (accepting || service.stopping) return;
        // An idle connection is closed only when another client is waiting.
        acceptor.async_wait(tcp::acceptor::wait_read, [this](const error_code& wrong) {
            accepting = false;
            if (service.stopping) return;
            if (wrong) return accept_later();
            service.full = service.open() >= service.limits.clients;
            if (service.full) {
                service.close_longest_idle();
                return;  // accept() is called again when a connection has ended or become idle
            }
            error_code fault;
            tcp::socket socket = acceptor.accept(fault);
            if (fault == asio::error::would_block || fault == asio::error::try_again) return accept();
            if (fault) return accept_later();
            error_code none;
            socket.set_option(tcp::no_delay(true), none);
            std::make_shared<http_connection>(service, std::move(socket))->await_request();
            accept();
        });
        accepting = true;
    }

    void listen(const tcp::endpoint& at, error_code& fault) {
        error_code none;
        acceptor.close(none);
        acceptor.open(at.protocol(), fault);
        if (!fault) acceptor.set_option(tcp::acceptor::reuse_address(true), fault);
        if (!fault) acceptor.bind(at, fault);
        if (!fault) acceptor.listen(max_queue, fault);
        if (!fault) acceptor.non_blocking(true, fault);
    }

    // Retries after a pause: too many files are open, or the client has disconnected.
    void accept_later() {
        service.close_longest_idle();
        retry.expires_after(before_retry);
        retry.async_wait([this](const error_code&) { accept(); });
    }

    void end() {
        service.stopping = true;
        error_code none;
        acceptor.close(none);
        retry.cancel();
        service.close_all_idle();
        service.limit_reading_time();
    }

    http_service service;
    tcp::acceptor acceptor;
    asio::steady_timer retry;
    // keeps the workers running while there is no work
    asio::executor_work_guard<asio::io_context::executor_type> busy;
    std::vector<std::thread> workers;
    bool accepting = false;
};

http_server::http_server(const http_limits& limits, std::function<http_answer(http_request&)> handler)
    : state_(std::make_unique<state>(limits, std::move(handler))) {}

http_server::~http_server() = default;

int http_server::bind(const std::string& host, int port) {
    state& s = *state_;
    error_code fault;
    const auto check = [&] {
        if (fault == boost::system::errc::not_enough_memory) throw std::bad_alloc();
        if (fault) fail(errc::io, fmt::format("cannot listen at {}:{}: {}", host, port, fault.message()));
    };
    tcp::resolver resolver(s.service.connections);
    const auto found =
        resolver.resolve(host, std::to_string(port), tcp::resolver::passive | tcp::resolver::numeric_service, fault);
    check();
    for (const auto& each : found) {  // binds the first address of the host that belongs to this machine
        s.listen(each.endpoint(), fault);
        if (!fault) break;
    }
    check();
    allow_open_files(s.service.limits.clients);
    s.start_workers();
    s.accept();
    return s.acceptor.local_endpoint().port();
}

void http_server::run() {
    run_all(state_->service.connections, [this] { state_->accept(); });
}

void http_server::stop() {
    asio::post(state_->service.connections, [this] { state_->end(); });
}

}  // namespace mercer::cli
