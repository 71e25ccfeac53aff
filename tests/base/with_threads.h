// Sets the number of threads of loops during its lifetime, independent of the number of processors.
#pragma once

#include "mercer/base/threads.h"

namespace mercer::testing_support {

class with_threads {
public:
    explicit with_threads(int count) : before_(threads()) { set_threads(count); }
    ~with_threads() { set_threads(before_); }

private:
    int before_;
};

}  // namespace mercer::testing_support
