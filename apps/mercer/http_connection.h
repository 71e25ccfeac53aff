// One connection of the server: reads a request, passes it to the handler, sends the answer, and waits for the next
// request.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>  // included before Asio of Boost 1.74, which needs it but does not include it

#include "http_parse.h"

namespace mercer::cli {

class http_connection;

// State shared by all connections.
struct http_service {
    http_service(const http_limits& limits, std::function<http_answer(http_request&)> handler);

    // Closes the connection that has waited longest for its next request. Returns false if no connection is waiting.
    bool close_longest_idle();
    void close_all_idle();
    void limit_reading_time();  // called when the server stops: incomplete requests get at most 3 s more
    int open();

    http_limits limits;
    std::function<http_answer(http_request&)> handler;
    memory_budget memory;
    boost::asio::io_context connections, work;  // `connections` is run by one thread, `work` by the worker threads
    // called in the thread of `connections` after a connection has ended, or has become idle while `full` is set
    std::function<void()> on_connection_freed;
    bool stopping = false;  // used in the thread of `connections` only
    bool full = false;      // used in the same thread: a client waits until a connection ends or becomes idle

private:
    friend class http_connection;
    std::mutex lock_;  // a connection may end in a worker thread
    int open_ = 0;
    std::list<http_connection*> idle_;  // ordered by the time since when they are idle, the longest first
    std::list<http_connection*> all_;
};

class http_connection : public std::enable_shared_from_this<http_connection> {
public:
    http_connection(http_service& service, boost::asio::ip::tcp::socket socket);
    ~http_connection();
    http_connection(const http_connection&) = delete;
    http_connection& operator=(const http_connection&) = delete;

    void await_request();
    void close();

private:
    enum class stage { idle, reading, working, answering, lingering };
    using clock = std::chrono::steady_clock;
    using response = boost::beast::http::response<boost::beast::http::string_body>;

    friend struct http_service;
    void begin_request();
    void leave_idle();
    void limit_reading_time();
    void expire_at(clock::time_point until);
    void expired();
    void read_head();
    void take_head();
    void read_body();
    void continue_after_expect();
    void refuse(const boost::beast::error_code& fault);
    void begin_work();
    void work();
    void send(http_answer made, bool keep);
    void sent(const boost::beast::error_code& fault);
    void linger();

    http_service& service_;
    boost::asio::ip::tcp::socket socket_;
    boost::asio::steady_timer timer_;
    boost::beast::flat_buffer buffer_;
    stage stage_ = stage::idle;
    bool skipped_line_ = false;      // an empty line before the request has been skipped
    bool keep_alive_ = false;        // the request asks to keep the connection open
    bool timed_out_ = false;         // the time limit of the request has passed
    std::size_t dropped_bytes_ = 0;  // bytes read and dropped after the last answer
    std::optional<std::list<http_connection*>::iterator> idle_position_;  // position in the list of idle connections
    std::list<http_connection*>::iterator all_position_;

    std::optional<http_parser> parser_;
    memory_budget::share memory_;
    clock::time_point until_{};
    http_request request_;
    http_answer answer_;
    // Keeps the thread of `connections` running while a worker processes the request.
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_guard_;
    std::optional<response> response_;
    std::optional<boost::beast::http::response_serializer<boost::beast::http::string_body>> serializer_;
};

}  // namespace mercer::cli
