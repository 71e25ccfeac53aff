// How many processors this process may use.
#pragma once

namespace mercer {

// The processors of the machine that are online.
int online_processors();
// Those that the process may run on (its affinity, as set by taskset or a batch system), and no more than the quota of
// its control groups, rounded up. At least 1.
int usable_processors();

}  // namespace mercer
