// What calls of BLAS and LAPACK share: they take turns, small ones keep to the caller's thread, and a matrix is checked
// first.
#pragma once

#include <mutex>

#include "mercer/base/context.h"
#include "mercer/base/matrix_view.h"
#include "mercer/base/threads.h"

namespace mercer::blas {

// The size as LAPACK counts; fails unless A is square, finite, and small enough for its 32-bit sizes.
int checked_square(const matrix<double>& a, const char* owner);

std::mutex& gate();

// Big calls may have this many threads of OpenBLAS's own, from now on: for programs that have it start with one.
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

// Small work is done by the caller's thread alone: for milliseconds after a call OpenBLAS's threads look for the next
// without rest, and take the processors from whatever follows.
class threads_for {
public:
    explicit threads_for(double work);  // operations; one on numbers that are read only once counts for ten
    ~threads_for();
    threads_for(const threads_for&) = delete;
    threads_for& operator=(const threads_for&) = delete;

private:
    int before_;  // threads of OpenBLAS, to be set again; 0: as they are
};

// While it lives this thread waits for nobody: whoever let it in holds the gate.
class let_in {
public:
    let_in() : before_(here()) { here() = true; }
    ~let_in() { here() = before_; }
    let_in(const let_in&) = delete;
    let_in& operator=(const let_in&) = delete;
    static bool& here();  // is this thread?

private:
    bool before_;
};

// body(item) for item = 0 … count-1, one thread each for the calls in them: for many decompositions of matrices too
// small to be worth several threads.
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

template <class... Parameters, class... Arguments>
void in_turn(double work, void (*routine)(Parameters...), Arguments... arguments) {
    stop_point();
    if (let_in::here()) return routine(arguments...);
    const std::lock_guard<std::mutex> guard(gate());
    const threads_for limited(work);
    routine(arguments...);
}

}  // namespace mercer::blas
