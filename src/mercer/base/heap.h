// The heap of a program that is about to work on much data.
#pragma once

namespace mercer {

// Memory is taken in large pages and kept until the end, for everything that is allocated from here on: asking for
// pages one by one, handing them back and asking again was a sixth of the time of a short training run. For programs,
// not for a library: it changes the allocator of the process. Does nothing where the system or its allocator is another
// one than Linux's and glibc's.
void prepare_heap();

// Memory of a megabyte and more that is freed goes back to the system at once: for programs that work within a budget,
// batch by batch. glibc keeps what comes and goes, and batches that are read would be taken twice.
void return_freed_memory();

}  // namespace mercer
