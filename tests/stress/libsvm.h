// LIBSVM's solution of a problem. It runs in a child process with a time limit, because a hard problem may take hours.
#pragma once

#include <optional>

#include "stress/judge.h"

namespace mercer::stress {

bool has_libsvm();
// Returns true if LIBSVM supports the problem: it has no weights of examples and no one-versus-rest.
bool libsvm_can(const problem& p);
// Returns nothing if LIBSVM did not finish within the time limit.
std::optional<std::vector<machine>> libsvm_answer(const problem& p, unsigned seconds);

}  // namespace mercer::stress
