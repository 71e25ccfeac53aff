// From Beast's parser to a request: what RFC 9112 and RFC 9110 ask for beyond the grammar that Beast checks.
#pragma once

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "http_message.h"

namespace mercer::cli {

using http_parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

// Sets the limits of a parser that has read nothing yet.
void set_limits(http_parser& parser, const http_limits& limits);

// Why a request must not be read any further once its head is there; empty: it may be. Two lengths, a length that is no
// number, an unknown transfer coding and the like leave it open where the request ends, so the connection has to be
// closed after the refusal.
std::optional<http_answer> refusal_of_head(const http_parser& parser);

// The answer to bytes that Beast refuses. Empty: the connection has ended or failed, so nobody reads an answer.
std::optional<http_answer> refusal_of(const boost::beast::error_code& fault, const http_limits& limits);

// Empty: the target is no path with a query, or holds a % that is not followed by two hexadecimal digits.
std::optional<http_request> request_of(http_parser& parser);

// Reserves memory for `declared` bytes of a body of which `received` bytes are there.
bool reserve_body(memory_budget::share& memory, std::size_t declared, std::size_t received);

}  // namespace mercer::cli
