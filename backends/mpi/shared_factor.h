// RᵀR = A of a matrix that all processes have, by ScaLAPACK's Cholesky decomposition of blocks dealt out in turn over a
// grid of processes (pdpotrf; Choi, Dongarra, Ostrouchov, Petitet, Walker, Whaley 1996).
#pragma once

#include <mpi.h>

#include <cstddef>

namespace mercer {

// Whether it was found when this was built, and a process's blocks are few enough for its 32-bit sizes.
bool can_share_factor(int processes, std::size_t n);
// Of A the upper half is read, row after row, and R takes its place. False, at all processes, where a pivot is not
// positive: then A is as it was. The bits depend on the number of processes.
bool shared_factor(MPI_Comm all, double* upper, std::size_t n);

}  // namespace mercer
