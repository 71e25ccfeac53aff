// OpenBLAS starts its threads when it is loaded, before main(): one more for each processor, with 128 MB of address
// space each, also for `mercer --version`. Where there is no room for them (ulimit -v) they try for ever and the
// program does not end. So the program has OpenBLAS start alone, and lets the first big call start the threads.
#pragma once

namespace mercer::cli {

// To be called once, by main(). OPENBLAS_NUM_THREADS is left to mean what it means.
void allow_late_blas_threads();

}  // namespace mercer::cli
