#include "blas_threads.h"

#include <cstdlib>

#include "mercer/base/processors.h"
#include "mercer/dense/lapack.h"

// OpenBLAS calls this function of its own before main() to read its environment variable; the definition in a program
// replaces the one in the library. (Setting the environment variable in the program would be too late.)
extern "C" int openblas_num_threads_env() {
    const char* const requested = std::getenv("OPENBLAS_NUM_THREADS");
    return requested && std::atoi(requested) > 0 ? std::atoi(requested) : 1;
}

namespace mercer::cli {
namespace {

// Memory may run out between the check for memory of blas_turn and OpenBLAS's own call, and OpenBLAS then tries for
// ever. So the program has the first buffer made before main(), while there is memory.
[[maybe_unused]] const bool has_first_buffer = (blas::make_first_buffer(), true);

// Returns the number of threads that OpenBLAS would have started.
int default_blas_threads() {
    for (const char* name : {"GOTO_NUM_THREADS", "OMP_NUM_THREADS"})
        if (const char* text = std::getenv(name); text && std::atoi(text) > 0) return std::atoi(text);
    return usable_processors();
}

}  // namespace

void start_blas_threads_lazily() {
    if (!std::getenv("OPENBLAS_NUM_THREADS")) blas::allow_threads(default_blas_threads());
}

}  // namespace mercer::cli
