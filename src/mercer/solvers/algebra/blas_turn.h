// What calls of BLAS and LAPACK share: they take turns, small ones keep to the caller's thread, and a matrix is checked
// first.
#pragma once

#include <mutex>

#include "mercer/base/matrix.h"
#include "mercer/base/stop.h"

namespace mercer::blas {

// The size as LAPACK counts; fails unless A is square, finite, and small enough for its 32-bit sizes.
int checked_square(const matrix<double>& a, const char* owner);

std::mutex& gate();

// Small work is done by the caller's thread alone: for milliseconds after a call OpenBLAS's threads look for the next
// without rest, and take the processors from whatever follows.
class threads_for {
public:
    explicit threads_for(double work);  // operations; one on numbers that are read only once counts for ten
    ~threads_for();
    threads_for(const threads_for&) = delete;
    threads_for& operator=(const threads_for&) = delete;

private:
    int before_;
};

template <class... Parameters, class... Arguments>
void in_turn(double work, void (*routine)(Parameters...), Arguments... arguments) {
    stop_point();
    const std::lock_guard<std::mutex> guard(gate());
    const threads_for limited(work);
    routine(arguments...);
}

}  // namespace mercer::blas
