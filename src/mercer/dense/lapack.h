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
std::mutex& gate();

// From now on large calls may use `count` of OpenBLAS's own threads: for programs that start OpenBLAS with one thread.
void allow_threads(int count);

// The number of threads, at most `wanted`, that can call OpenBLAS at once. Every thread in OpenBLAS works in a buffer
// of up to 128 MB of address space, and OpenBLAS tries for ever to map a buffer that the system refuses. So this
// function makes the buffers first, at least the first one, and fails with errc::memory where there is no memory for
// it. With limits of memory (ulimit -v, ulimit -d) the buffers of all callers are made. The caller holds the gate.
int callers_with_buffers(int wanted);

// Fails with errc::memory unless OpenBLAS has a buffer: for routines of other libraries that call BLAS.
void require_buffer();

// Makes the first buffer while there is memory, where no limit of memory is set: for programs, before main(). Does
// nothing where there is no memory for it; the first call of BLAS says so.
void make_first_buffer();

// Sets the number of OpenBLAS's own threads for a call while it lives. Small calls use the calling thread alone: for
// milliseconds after a call the threads of OpenBLAS spin and keep the processors from other work.
class threads_for {
public:
    explicit threads_for(double work);  // operations; an operation on a number that is read only once counts ten times
    ~threads_for();
    threads_for(const threads_for&) = delete;
    threads_for& operator=(const threads_for&) = delete;

private:
    int before_;  // number of threads that the destructor sets again; 0: it was not changed
};

// While it lives, this thread calls the BLAS library without taking the gate, which another thread holds for it.
class let_in {
public:
    let_in() : before_(here()) { here() = true; }
    ~let_in() { here() = before_; }
    let_in(const let_in&) = delete;
    let_in& operator=(const let_in&) = delete;
    static bool& here();  // true if a let_in of this thread lives

private:
    bool before_;
};

// Calls body(item) for item = 0 … count-1 in parallel; every BLAS call in an item uses one thread. For many
// decompositions of matrices that are too small for several threads.
template <class Body>
void side_by_side(index count, Body&& body) {
    std::unique_lock<std::mutex> guard(gate(), std::defer_lock);
    if (!let_in::here()) guard.lock();
    const threads_for limited(0);
    const thread_limit callers(callers_with_buffers(threads()));
    parallel_for(count, [&](index item) {
        const let_in in;
        body(item);
    });
}

// Calls a routine of the BLAS library when no other thread calls it, unless a let_in allows the call. `work` is as for
// threads_for.
template <class... Parameters, class... Arguments>
void in_turn(double work, void (*routine)(Parameters...), Arguments... arguments) {
    stop_point();
    if (let_in::here()) return routine(arguments...);
    const std::lock_guard<std::mutex> guard(gate());
    const threads_for limited(work);
    routine(arguments...);
}

}  // namespace mercer::blas
