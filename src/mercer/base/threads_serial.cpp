// Implements base/threads.h and the budgets and arrays of base/memory.h for one thread without an operating system (a
// web page).
#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/memory.h"
#include "mercer/base/threads.h"

namespace mercer {

int threads() { return 1; }
void require_thread_count(std::int64_t count, const char* what) {
    if (count < 1 || count > max_threads)
        fail(errc::invalid_argument, std::string(what) + " must satisfy 1 <= threads <= " +
                                         std::to_string(max_threads) + ", got " + std::to_string(count));
}
void set_threads(int count) { require_thread_count(count); }
thread_limit::thread_limit(int count) : before_(count) {
    if (count != 0) require_thread_count(count);
}
thread_limit::~thread_limit() = default;

void detail::run_parallel(index count, loop_body body, void* context) {
    for (index item = 0; item < count; ++item) {
        throw_if_cancelled();
        body(context, item, 0);
    }
}

std::size_t physical_memory() { return std::size_t{1} << 30; }  // the memory of a web page
std::size_t default_memory_budget() { return physical_memory() / 4; }

reserved_memory::reserved_memory(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    data_ = std::calloc(bytes, 1);
    if (!data_) throw std::bad_alloc();
}
reserved_memory::~reserved_memory() { std::free(data_); }

}  // namespace mercer
