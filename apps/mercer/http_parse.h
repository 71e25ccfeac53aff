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

// The request without its body. Empty: the target is no path with a query, has more than 64 parameters, or holds a %
// that is not followed by two hexadecimal digits. Call it as soon as the head is there: the parser adds the trailer
// fields behind a body to those of the head.
std::optional<http_request> request_of(const http_parser& parser);

// Bytes of memory for a body of `declared` bytes of which `received` bytes are there, and for the rows made of them.
std::size_t memory_of_body(std::size_t declared, std::size_t received);

}  // namespace mercer::cli
