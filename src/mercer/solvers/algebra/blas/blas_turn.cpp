#include "mercer/solvers/algebra/blas/blas_turn.h"

#include <fmt/format.h>
#include <pthread.h>

#include "mercer/base/error.h"
#include "mercer/solvers/algebra/dense_algebra.h"

extern "C" {
// Other makers' BLAS have none of these two.
__attribute__((weak)) int openblas_get_num_threads(void);
__attribute__((weak)) void openblas_set_num_threads(int count);
}

namespace mercer::blas {

// OpenBLAS's threads serve one caller well; several callers make them wait for each other, 8 of them 60 times as long
// as one after the other.
std::mutex& gate() {
    static std::mutex* current = nullptr;
    static const bool made = [] {
        // A child of fork() starts with an open one, whatever other threads of its parent were at.
        pthread_atfork(nullptr, nullptr, [] { current = new std::mutex; });
        current = new std::mutex;
        return true;
    }();
    (void)made;
    return *current;
}

bool& let_in::here() {
    thread_local bool in = false;
    return in;
}

// dstedc's workspace of 1 + 4n + n² numbers must be counted by a 32-bit integer.
constexpr index largest_n = 32000;

int checked_square(const matrix<double>& a, const char* owner) {
    if (a.rows() != a.cols())
        fail(errc::invalid_argument,
             fmt::format("{}: the matrix must be square, got {} × {}", owner, a.rows(), a.cols()));
    if (a.rows() > largest_n)
        fail(errc::memory, fmt::format("{}: must satisfy n <= {}, got n = {}", owner, largest_n, a.rows()));
    require_finite(a.view(), owner);
    return static_cast<int>(a.rows());
}

constexpr double small_work = 1e8;

threads_for::threads_for(double work)
    : before_(work < small_work && openblas_get_num_threads && openblas_set_num_threads ? openblas_get_num_threads()
                                                                                        : 1) {
    if (before_ > 1) openblas_set_num_threads(1);
}

threads_for::~threads_for() {
    if (before_ > 1) openblas_set_num_threads(before_);
}

}  // namespace mercer::blas
