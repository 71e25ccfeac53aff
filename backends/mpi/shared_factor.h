// The Cholesky factor RᵀR = A of a matrix that every rank holds, by ScaLAPACK: its blocks are distributed cyclically
// over a grid of ranks (pdpotrf; Choi, Dongarra, Ostrouchov, Petitet, Walker, Whaley 1996).
#pragma once

#include <mpi.h>

#include <cstddef>

namespace mercer {

// Returns true if ScaLAPACK was found at build time and the blocks of a rank are few enough for its 32-bit sizes.
bool can_distribute_factor(int processes, std::size_t n);
// Reads the upper half of A, stored by rows, and overwrites it with R. Returns false, on all ranks, if a pivot is not
// positive; A is then unchanged. Rounding depends on the number of ranks.
bool factor_distributed(MPI_Comm all, double* upper, std::size_t n);

}  // namespace mercer
