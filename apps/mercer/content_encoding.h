// gzip and deflate, as HTTP uses them.
#pragma once

#include <functional>
#include <string>

namespace mercer::cli {

bool can_unpack();  // whether zlib was built in

// Unpacks a whole body. `allowed` is asked before the result grows to a number of bytes, and may throw. Fails with
// errc::parse where the bytes are damaged, end too soon or go on behind the end.
std::string unpacked(const std::string& packed, const std::function<void(std::size_t)>& allowed);

std::string packed_gzip(const std::string& text);

}  // namespace mercer::cli
