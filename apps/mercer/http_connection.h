// One connection of the server: reads a request, has it answered, sends the answer, and begins again.
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
#include <utility>  // before Asio of Boost 1.74, which forgets it

#include "http_parse.h"

namespace mercer::cli {

class http_connection;

// What all connections share.
struct http_service {
    http_service(const http_limits& limits, std::function<http_answer(http_request&)> handler);

    // Closes the connection that has waited longest for its next request. False where none is waiting.
    bool close_longest_idle();
    void close_all_idle();
    void shorten_reading();  // while the server stops: requests that are not complete get at most 3 s more
    int open();

    http_limits limits;
    std::function<http_answer(http_request&)> handler;
    memory_budget memory;
    boost::asio::io_context connections, work;  // run by one thread, and by the workers
    std::function<void()> room;                 // called in the thread of the connections when one has ended
    bool stopping = false;                      // of the thread of the connections
    bool full = false;                          // of the same thread: a client waits until a connection ends

private:
    friend class http_connection;
    std::mutex lock_;  // a connection may end in the thread of a worker
    int open_ = 0;
    std::list<http_connection*> idle_;  // the longest idle first
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
    void shorten_reading();
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
    bool ignored_line_ = false;                                   // an empty line before the request
    bool keep_ = false;                                           // the head asks to keep the connection
    bool late_ = false;                                           // the time of the request is over
    std::size_t dropped_ = 0;                                     // bytes read after the last answer
    std::optional<std::list<http_connection*>::iterator> place_;  // among the idle ones
    std::list<http_connection*>::iterator among_all_;

    std::optional<http_parser> parser_;
    memory_budget::share memory_;
    clock::time_point until_{};
    http_request request_;
    http_answer answer_;
    // The thread of the connections must not end while a worker has the request.
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> held_;
    std::optional<response> response_;
    std::optional<boost::beast::http::response_serializer<boost::beast::http::string_body>> serializer_;
};

}  // namespace mercer::cli
