// Calls of BLAS and LAPACK libraries: one thread calls at a time, small calls use only the calling thread, and matrices
// are checked first.
#pragma once

#include <mutex>

#include "mercer/base/context.h"
#include "mercer/base/matrix_view.h"
#include "mercer/base/threads.h"

namespace mercer::blas {

// The number of rows of A as LAPACK's integer type. Throws errc::invalid_argument unless A is square, errc::data unless
// it is finite, and errc::memory if it has more than 32000 rows (LAPACK's 32-bit workspace sizes).
int checked_square(const matrix<double>& a, const char* owner);

// Held by the thread that calls the BLAS library.
std::mutex& blas_mutex();

// From now on large calls may use `count` of OpenBLAS's own threads: for programs that start OpenBLAS with one thread.
void allow_threads(int count);

// The number of threads, at most `wanted`, that can call OpenBLAS at once. Every thread in OpenBLAS works in a buffer
// of up to 128 MB of address space, and OpenBLAS tries for ever to map a buffer that the system refuses. So this
// function makes the buffers first, at least the first one, and fails with errc::memory where there is no memory for
// it. With limits of memory (ulimit -v, ulimit -d) the buffers of all callers are made. The caller holds blas_mutex().
int count_possible_callers(int wanted);

// Fails with errc::memory unless OpenBLAS has a buffer: for routines of other libraries that call BLAS.
void require_buffer();

// Makes the first buffer while there is memory, where no limit of memory is set: for programs, before main(). Does
// nothing where there is no memory for it; the first call of BLAS says so.
void make_first_buffer();

// Sets the number of OpenBLAS's own threads for a call while it lives. Small calls use the calling thread alone: for
// milliseconds after a call the threads of OpenBLAS spin and keep the processors from other work.
class blas_threads {
public:
    explicit blas_threads(double work);  // operations; an operation on a number that is read only once counts ten times
    ~blas_threads();
    blas_threads(const blas_threads&) = delete;
    blas_threads& operator=(const blas_threads&) = delete;

private:
    int before_;  // number of threads that the destructor sets again; 0: it was not changed
};

// While it lives, this thread calls the BLAS library without taking blas_mutex(), which another thread holds for it.
class blas_access {
public:
    blas_access() : before_(blas_access::allowed()) { blas_access::allowed() = true; }
    ~blas_access() { blas_access::allowed() = before_; }
    blas_access(const blas_access&) = delete;
    blas_access& operator=(const blas_access&) = delete;
    static bool& allowed();  // true if a blas_access of this thread lives

private:
    bool before_;
};

// Calls body(item) for item = 0 … count-1 in parallel; every BLAS call in an item uses one thread. For many
// decompositions of matrices that are too small for several threads.
template <class Body>
void parallel_calls(index count, Body&& body) {
    std::unique_lock<std::mutex> guard(blas_mutex(), std::defer_lock);
    if (!blas_access::allowed()) guard.lock();
    const blas_threads limited(0);
    const thread_limit callers(count_possible_callers(threads()));
    parallel_for(count, [&](index item) {
        const blas_access in;
        body(item);
    });
}

// Calls a routine of the BLAS library when no other thread calls it, unless a blas_access allows the call. `work` is as
// for blas_threads.
template <class... Parameters, class... Arguments>
void locked_call(double work, void (*routine)(Parameters...), Arguments... arguments) {
    throw_if_cancelled();
    if (blas_access::allowed()) return routine(arguments...);
    const std::lock_guard<std::mutex> guard(blas_mutex());
    const blas_threads limited(work);
    routine(arguments...);
}

}  // namespace mercer::blas
