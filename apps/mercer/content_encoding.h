// Compression and decompression of HTTP bodies: gzip and deflate.
#pragma once

#include <functional>
#include <string>

namespace mercer::cli {

bool can_decompress();  // true if the program was built with zlib

// Decompresses a whole body. Calls `allowed` with the new size in bytes before the result grows; `allowed` may throw.
// Fails with errc::parse if the bytes are damaged, end too early or continue after the end of the compressed stream.
std::string decompress(const std::string& packed, const std::function<void(std::size_t)>& allowed);

std::string compress_gzip(const std::string& text);

}  // namespace mercer::cli
