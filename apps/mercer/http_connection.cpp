#include "http_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <new>
#include <thread>
#include <vector>

#include "content_encoding.h"

namespace mercer::cli {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;

namespace {

constexpr std::size_t largest_buffer = 65536, first_read = 4096;
// largest number of bytes dropped after a refused request, beyond the largest body
constexpr std::size_t max_dropped = std::size_t{1} << 20;
constexpr std::size_t min_compressed_size = 512;  // smallest answer in bytes that is compressed
// Time limits of a kept connection without a request, and for a refused client to read the answer.
constexpr std::chrono::seconds idle_limit{75}, linger_limit{2};
constexpr std::chrono::seconds stop_limit{3};  // time limit for the rest of a request after the server stops

std::chrono::steady_clock::duration seconds(double count) {
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(count));
}

}  // namespace

http_service::http_service(const http_limits& limits, std::function<http_answer(http_request&)> handler)
    : limits(limits), handler(std::move(handler)), memory(limits.memory), connections(1) {}

bool http_service::close_longest_idle() {
    http_connection* longest = nullptr;
    {
        const std::lock_guard own(lock_);
        if (!idle_.empty()) longest = idle_.front();
    }
    if (longest) longest->close();
    return longest != nullptr;
}

void http_service::close_all_idle() {
    while (close_longest_idle()) {
    }
}

void http_service::limit_reading_time() {
    std::vector<std::shared_ptr<http_connection>> open;
    {
        const std::lock_guard own(lock_);
        for (http_connection* each : all_)
            if (auto one = each->weak_from_this().lock()) open.push_back(std::move(one));
    }
    for (const auto& each : open) each->limit_reading_time();
}

int http_service::open() {
    const std::lock_guard own(lock_);
    return open_;
}

http_connection::http_connection(http_service& service, asio::ip::tcp::socket socket)
    : service_(service), socket_(std::move(socket)), timer_(service.connections), buffer_(largest_buffer) {
    const std::lock_guard own(service_.lock_);
    all_position_ = service_.all_.insert(service_.all_.end(), this);
    ++service_.open_;
}

http_connection::~http_connection() {
    leave_idle();
    {
        const std::lock_guard own(service_.lock_);
        --service_.open_;
        service_.all_.erase(all_position_);
    }
    try {
        asio::post(service_.connections, [&service = service_] { service.on_connection_freed(); });
    } catch (const std::bad_alloc&) {  // the next connection that ends calls on_connection_freed()
    }
}

void http_connection::leave_idle() {
    const std::lock_guard own(service_.lock_);
    if (idle_position_) service_.idle_.erase(*idle_position_);
    idle_position_.reset();
}

void http_connection::close() {
    leave_idle();
    timer_.cancel();
    error_code none;
    socket_.close(none);
}

void http_connection::expire_at(clock::time_point until) {
    timer_.expires_at(until);
    timer_.async_wait([self = shared_from_this()](const error_code& fault) {
        if (!fault && self->timer_.expiry() <= clock::now()) self->expired();
    });
}

void http_connection::limit_reading_time() {
    if (stage_ == stage::reading && !timed_out_) expire_at(std::min(until_, clock::now() + stop_limit));
}

void http_connection::expired() {
    if (stage_ == stage::working) return;
    if (stage_ != stage::reading || timed_out_) return close();
    timed_out_ = true;
    error_code none;
    socket_.cancel(none);  // cancels the current read; its handler refuses the request
    // If a read has completed but its handler has not run yet, cancel() had no effect, and the handler may begin
    // another read. The timer ends that read.
    expire_at(clock::now() + linger_limit);
}

void http_connection::await_request() {
    parser_.reset();
    timed_out_ = false;
    skipped_line_ = false;
    begin_request();
}

void http_connection::begin_request() {
    // One empty line before a request is ignored (RFC 9112, section 2.2).
    const auto begins_with = [&](std::string_view line) {
        return std::string_view(static_cast<const char*>(buffer_.data().data()), buffer_.size()).starts_with(line);
    };
    if (!skipped_line_ && begins_with("\r\n")) {
        buffer_.consume(2);
        skipped_line_ = true;
    }
    const bool half_a_line = !skipped_line_ && buffer_.size() == 1 && begins_with("\r");
    if (buffer_.size() > 0 && !half_a_line) return read_head();
    if (service_.stopping) return close();
    if (buffer_.capacity() > 2 * first_read) buffer_.shrink_to_fit();
    stage_ = stage::idle;
    {
        const std::lock_guard own(service_.lock_);
        idle_position_ = service_.idle_.insert(service_.idle_.end(), this);
    }
    if (service_.full) asio::post(service_.connections, [&service = service_] { service.on_connection_freed(); });
    expire_at(clock::now() + idle_limit);
    socket_.async_read_some(buffer_.prepare(first_read),
                            [self = shared_from_this()](const error_code& fault, std::size_t count) {
                                self->leave_idle();
                                if (fault) return self->close();
                                self->buffer_.commit(count);
                                self->begin_request();
                            });
}

void http_connection::read_head() {
    stage_ = stage::reading;
    until_ = clock::now() + seconds(service_.limits.seconds);
    expire_at(until_);
    parser_.emplace();
    set_limits(*parser_, service_.limits);
    memory_ = memory_budget::share(service_.memory);
    http::async_read_header(socket_, buffer_, *parser_,
                            [self = shared_from_this()](const error_code& fault, std::size_t) {
                                if (fault || self->timed_out_) return self->refuse(fault);
                                self->take_head();
                            });
}

void http_connection::take_head() {
    auto& head = parser_->get();
    auto no = check_head(*parser_);
    auto made = parse_head(*parser_);
    const bool expects = head.version() > 10 && head.count(http::field::expect) > 0;
    keep_alive_ = parser_->keep_alive();
    // The parser adds trailer fields to the fields of the head, which they must not change (RFC 9110, section 6.5.1).
    // Short fields also take 16 times the memory of their text.
    static_cast<http::fields&>(head).clear();
    if (no) return send(std::move(*no), false);
    if (!made)
        return send(error_answer(400, "the address of the request is not valid, or has more than 64 parameters"),
                    false);
    request_ = std::move(*made);
    parser_->eager(true);
    if (expects && !parser_->is_done()) return continue_after_expect();
    read_body();
}

void http_connection::continue_after_expect() {
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(socket_, asio::buffer(go_on.data(), go_on.size()),
                      [self = shared_from_this()](const error_code& fault, std::size_t) {
                          if (fault || self->timed_out_) return self->refuse(fault);
                          self->read_body();
                      });
}

void http_connection::read_body() {
    const std::size_t declared = parser_->content_length() ? static_cast<std::size_t>(*parser_->content_length()) : 0;
    const std::size_t received = parser_->get().body().size(), most = service_.limits.request_memory();
    if (memory_of_body(declared, std::max(declared, received)) > most)
        return send(
            error_answer(
                413,
                fmt::format("the rows exceed the memory limit of {} bytes per request: send fewer rows at once", most)),
            false);
    if (!memory_.grow_to(memory_of_body(declared, received)))
        return send(error_answer(503, "all requests together exceed the memory limit of the server: try again later"),
                    false);
    if (parser_->is_done()) return begin_work();
    http::async_read_some(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const error_code& fault, std::size_t) {
                              if (fault || self->timed_out_) return self->refuse(fault);
                              self->read_body();
                          });
}

void http_connection::refuse(const error_code& fault) {
    if (timed_out_ && service_.stopping)
        return send(error_answer(503, "the server stops: the rest of the request did not arrive within 3 s"), false);
    if (timed_out_)
        return send(error_answer(408, fmt::format("the request did not arrive within {} s", service_.limits.seconds)),
                    false);
    auto no = answer_to_error(fault, service_.limits);
    if (!no) return close();
    send(std::move(*no), false);
}

void http_connection::begin_work() {
    timer_.cancel();
    stage_ = stage::working;
    static_cast<http::fields&>(parser_->get()).clear();  // removes the trailer fields
    request_.body = std::move(parser_->get().body());
    request_.until = until_;
    request_.memory = std::move(memory_);
    if (request_.method != "POST" && request_.body.empty()) {
        work();
        return send(std::move(answer_), keep_alive_);
    }
    work_guard_.emplace(service_.connections.get_executor());
    asio::post(service_.work, [self = shared_from_this()] {
        self->work();
        // Retries while memory is short, so that the answer reaches the thread of the connections.
        for (;;) try {
                asio::post(self->service_.connections, [self] {
                    self->work_guard_.reset();
                    self->send(std::move(self->answer_), self->keep_alive_);
                });
                return;
            } catch (const std::bad_alloc&) {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
    });
}

void http_connection::work() {
    answer_ = {};
    try {
        answer_ = service_.handler(request_);
        if (request_.takes_gzip && can_decompress() && answer_.body.size() >= min_compressed_size) {
            answer_.body = compress_gzip(answer_.body);
            answer_.encoding = "gzip";
        }
    } catch (const std::bad_alloc&) {
        answer_.status = 503;
        answer_.body.clear();
    } catch (const std::exception&) {
        answer_.status = 500;
        answer_.body.clear();
    }
    request_.body = {};
}

void http_connection::send(http_answer made, bool keep) {
    keep = keep && !service_.stopping;
    stage_ = stage::answering;
    const bool has_head = parser_->is_header_done();
    const unsigned version = has_head && parser_->get().version() == 10 ? 10 : 11;
    response_.emplace(static_cast<http::status>(made.status), version);
    response_->set(http::field::content_type, made.type);
    if (!made.allow.empty()) response_->set(http::field::allow, made.allow);
    if (!made.encoding.empty()) response_->set(http::field::content_encoding, made.encoding);
    if (made.status == 503) response_->set(http::field::retry_after, "1");
    response_->keep_alive(keep);
    response_->body() = std::move(made.body);
    response_->prepare_payload();
    serializer_.emplace(*response_);
    expire_at(clock::now() + seconds(service_.limits.seconds));
    auto done = [self = shared_from_this()](const error_code& fault, std::size_t) { self->sent(fault); };
    if (has_head && parser_->get().method() == http::verb::head)
        http::async_write_header(socket_, *serializer_, std::move(done));
    else
        http::async_write(socket_, *serializer_, std::move(done));
}

void http_connection::sent(const error_code& fault) {
    const bool keep = !fault && response_->keep_alive();
    const bool whole = parser_->is_done() && buffer_.size() == 0;
    serializer_.reset();
    response_.reset();
    request_ = {};
    memory_ = {};
    if (keep) return await_request();
    if (fault || whole) return close();
    stage_ = stage::lingering;
    error_code none;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, none);
    expire_at(clock::now() + linger_limit);
    linger();
}

// Closing a connection while bytes arrive resets it, and the client may never see the answer (RFC 9112, section 9.6).
// Therefore the connection reads and drops what the client still sends, up to a time limit and a number of bytes.
void http_connection::linger() {
    buffer_.consume(buffer_.size());
    socket_.async_read_some(buffer_.prepare(largest_buffer),
                            [self = shared_from_this()](const error_code& fault, std::size_t count) {
                                self->dropped_bytes_ += count;
                                if (fault || self->dropped_bytes_ > self->service_.limits.body + max_dropped)
                                    return self->close();
                                self->linger();
                            });
}

}  // namespace mercer::cli
