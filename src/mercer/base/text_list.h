// A list of texts as an alternative of a std::variant that may run out of memory when it is copied.
//
// libstdc++ 12 assumes that a variant of std::vector<std::string>, std::string and the like never becomes valueless.
// When the copy constructor of such a variant has thrown, the variant is destroyed as if it had a value, and the
// program ends with SIGSEGV. One alternative of a type that the library does not know prevents that.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mercer {

struct text_list : std::vector<std::string> {
    using std::vector<std::string>::vector;
    text_list(std::vector<std::string> texts) : std::vector<std::string>(std::move(texts)) {}
};

}  // namespace mercer
