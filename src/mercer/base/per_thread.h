// Memory that a thread keeps from one call of a function to the next.
#pragma once

#include <memory>

namespace mercer {
namespace detail {

struct thread_object {
    thread_object* next = nullptr;
    virtual ~thread_object() = default;
};

// Destroys the object when the calling thread ends; objects of the main thread live as long as the process. Throws
// std::bad_alloc.
void destroy_at_thread_end(std::unique_ptr<thread_object> object);

}  // namespace detail

// The object of the calling thread for one place in the code. The type of an empty lambda identifies the place:
//     auto& memory = per_thread<buffer<double>>([] {});
// A thread_local variable with a destructor would have the same effect, but glibc ends the process if it has no memory
// to register the destructor. per_thread throws std::bad_alloc.
template <class T, class Place>
T& per_thread(Place /*here*/) {
    static thread_local T* object = nullptr;
    struct kept final : detail::thread_object {
        T value{};
        ~kept() override { object = nullptr; }
    };
    if (!object) {
        auto made = std::make_unique<kept>();
        T* const value = &made->value;
        detail::destroy_at_thread_end(std::move(made));
        object = value;
    }
    return *object;
}

}  // namespace mercer
