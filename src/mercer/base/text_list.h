// A list of texts as an alternative of a std::variant whose copy may run out of memory.
//
// libstdc++ 12 takes std::vector<std::string> and std::string for types that never leave a variant without a value.
// A variant of such types alone is destroyed as if it had one after its copy constructor has thrown, and the program
// ends with SIGSEGV. One alternative of a type that the library does not know prevents that.
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
