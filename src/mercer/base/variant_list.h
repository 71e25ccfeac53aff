// A std::vector as an alternative of a std::variant whose copy may run out of memory.
//
// libstdc++ 12 counts std::vector and std::string among the types that never leave a variant without a value. A variant
// of such types and of trivially copyable ones alone is destroyed as if it had a value after its copy constructor has
// thrown, and the program ends with SIGSEGV. One alternative of a type that the library does not know prevents that.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace mercer {

template <class T>
struct variant_list : std::vector<T> {
    using std::vector<T>::vector;
    variant_list(std::vector<T> items) : std::vector<T>(std::move(items)) {}
};

using text_list = variant_list<std::string>;

}  // namespace mercer
