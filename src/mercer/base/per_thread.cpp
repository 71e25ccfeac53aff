#include "mercer/base/per_thread.h"

#include <pthread.h>

#include <new>
#include <utility>

namespace mercer {
namespace {

void destroy_all(void* first) {
    for (auto* each = static_cast<detail::thread_object*>(first); each;) delete std::exchange(each, each->next);
}

// The key of the list of a thread's objects. (One key serves all objects: glibc allocates no memory for the first few
// keys of a process.)
pthread_key_t list_of_thread() {
    static const pthread_key_t key = [] {
        pthread_key_t made{};
        if (pthread_key_create(&made, destroy_all) != 0) throw std::bad_alloc();
        return made;
    }();
    return key;
}

}  // namespace

void detail::destroy_at_thread_end(std::unique_ptr<thread_object> object) {
    const pthread_key_t list = list_of_thread();
    object->next = static_cast<thread_object*>(pthread_getspecific(list));
    if (pthread_setspecific(list, object.get()) != 0) throw std::bad_alloc();
    (void)object.release();
}

}  // namespace mercer
