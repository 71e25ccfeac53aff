// LIBSVM's answer to a problem. It runs in a child process with a limit of time, for it may take hours where the
// problem is hard.
#pragma once

#include <optional>

#include "stress/judge.h"

namespace mercer::stress {

bool has_libsvm();
// Whether LIBSVM can be asked this at all: it knows no weights of examples and no one-versus-rest.
bool libsvm_can(const problem& p);
// Empty: not within the time.
std::optional<std::vector<machine>> libsvm_answer(const problem& p, unsigned seconds);

}  // namespace mercer::stress
