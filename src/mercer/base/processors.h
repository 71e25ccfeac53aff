// The number of processors that this process may use.
#pragma once

namespace mercer {

// The number of processors of the machine that are online.
int online_processors();
// The number of processors in the affinity mask of the process (set by taskset or a batch system), but at most the
// quota of its control groups, rounded up. At least 1.
int usable_processors();

}  // namespace mercer
