// OpenBLAS starts its threads when it is loaded, before main(): one additional thread for each processor, each with 128
// MB of address space, even for `mercer --version`. Where the address space is too small for these threads (ulimit -v),
// OpenBLAS retries forever and the program does not end. The program therefore makes OpenBLAS start with one thread,
// and the first large call starts the others.
#pragma once

namespace mercer::cli {

// Called once, by main(). Does nothing if OPENBLAS_NUM_THREADS is set: the variable keeps its meaning.
void start_blas_threads_lazily();

}  // namespace mercer::cli
