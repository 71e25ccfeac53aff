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

namespace mercer::cli {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::beast::error_code;

namespace {

// The system's own bound (net.core.somaxconn) is usually smaller.
constexpr int longest_queue = 4096;
constexpr std::chrono::milliseconds before_retry{20};

// Files that this process may have open: as many as connections, where the system allows it.
void allow_open_files(int connections) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const rlim_t wanted = static_cast<rlim_t>(connections) + 64;
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = std::min(wanted, limit.rlim_max);
    (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

// Runs until nothing is left to do. Where memory runs out, what was being done is dropped and the rest goes on.
void run_all(asio::io_context& context, const std::function<void()>& after_fault) {
    for (;;) try {
            context.run();
            return;
        } catch (const std::exception&) {
            std::this_thread::sleep_for(before_retry);
            try {
                after_fault();
            } catch (const std::exception&) {  // the next round tries it again
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
        service.room = [this] { accept(); };
    }
    ~state() {
        busy.reset();
        service.work.stop();
        for (std::thread& each : workers) each.join();
    }

    void start_workers() {
        const int count =
            std::min(service.limits.clients, std::max(8, 2 * static_cast<int>(std::thread::hardware_concurrency())));
        try {
            for (int i = 0; i < count; ++i) workers.emplace_back([this] { run_all(service.work, [] {}); });
        } catch (const std::system_error& wrong) {
            fail(errc::memory, fmt::format("cannot start {} threads: {}", count, wrong.what()));
        }
    }

    void accept() {
        if (accepting || service.stopping) return;
        // An idle connection is closed only once another client is waiting.
        acceptor.async_wait(tcp::acceptor::wait_read, [this](const error_code& wrong) {
            accepting = false;
            if (service.stopping) return;
            if (wrong) return accept_later();
            service.full = service.open() >= service.limits.clients;
            if (service.full) {
                service.close_longest_idle();
                return;  // once a connection has ended or is idle, accept() is called again
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
        if (!fault) acceptor.listen(longest_queue, fault);
        if (!fault) acceptor.non_blocking(true, fault);
    }

    // There are too many open files, or the client has gone again.
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
        service.shorten_reading();
    }

    http_service service;
    tcp::acceptor acceptor;
    asio::steady_timer retry;
    asio::executor_work_guard<asio::io_context::executor_type> busy;  // the workers wait for work
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
        if (fault) fail(errc::io, fmt::format("cannot listen at {}:{}: {}", host, port, fault.message()));
    };
    tcp::resolver resolver(s.service.connections);
    const auto found =
        resolver.resolve(host, std::to_string(port), tcp::resolver::passive | tcp::resolver::numeric_service, fault);
    check();
    for (const auto& each : found) {  // the first address of the host that this machine has
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
