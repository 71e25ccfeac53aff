// Converts the output of Beast's parser to a request and checks what RFC 9112 and RFC 9110 require beyond the grammar
// that Beast checks.
#pragma once

#include <boost/beast/core/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "http_message.h"

namespace mercer::cli {

using http_parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

// Sets the limits of a parser that has not read anything yet.
void set_limits(http_parser& parser, const http_limits& limits);

// Checks the head of a request. Returns the refusal if the body must not be read, nothing otherwise. Two lengths, a
// length that is not a number or an unknown transfer coding leave the end of the request undefined, so the caller has
// to close the connection after a refusal.
std::optional<http_answer> check_head(const http_parser& parser);

// Returns the answer to bytes that Beast rejects. Returns nothing if the connection has ended or failed, since nobody
// would read the answer.
std::optional<http_answer> answer_to_error(const boost::beast::error_code& fault, const http_limits& limits);

// Returns the request without its body. Returns nothing if the target is not a path with an optional query, has more
// than 64 parameters, or contains a % that is not followed by two hexadecimal digits. Must be called as soon as the
// head has been read: the parser later adds the trailer fields after the body to the fields of the head.
std::optional<http_request> parse_head(const http_parser& parser);

// Returns the bytes of memory needed for a body of `declared` bytes, of which `received` have arrived, and for the rows
// made from it.
std::size_t memory_of_body(std::size_t declared, std::size_t received);

}  // namespace mercer::cli
