// Text on a terminal: names and labels of data may hold control characters, with which a terminal can be told to move
// its cursor, rename its window or answer as if somebody had typed. Files and pipes get the text as it is.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "mercer/base/text/without_controls.h"

namespace mercer::programs {

using mercer::without_controls;

// The text as it is to be written to one of the standard streams.
inline std::string text_for(std::FILE* stream, std::string_view text) {
    return ::isatty(::fileno(stream)) != 0 ? without_controls(text) : std::string(text);
}

}  // namespace mercer::programs
