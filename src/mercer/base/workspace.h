// A limit on memory that can be much larger than the input: the pixels of a compressed image, the nodes of a graph that
// is given by their number, the workspace of a kernel for one long string or one large molecule.
//
// Code that has to bound such memory creates a `workspace_limit` in its thread. Parallel loops of that thread
// (base/threads.h) use the same limit in their workers. Without a limit, memory is not counted.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>

namespace mercer {

class workspace_limit {
public:
    // `reserve(more)` is called whenever the number of reserved bytes exceeds its maximum so far; `more` is the
    // difference. It throws if the memory is not available. The calls come one at a time, from any thread.
    explicit workspace_limit(std::function<void(std::size_t more)> reserve);
    ~workspace_limit();
    workspace_limit(const workspace_limit&) = delete;
    workspace_limit& operator=(const workspace_limit&) = delete;

    static workspace_limit* current();  // the limit of this thread; nullptr: none
    void take(std::size_t bytes);
    void give_back(std::size_t bytes);

    // While it lives, `other`, which may be the limit of another thread, is the limit of this thread.
    class scope {
    public:
        explicit scope(workspace_limit* other);
        ~scope();
        scope(const scope&) = delete;
        scope& operator=(const scope&) = delete;

    private:
        workspace_limit* before_;
    };

private:
    std::function<void(std::size_t)> reserve_;
    std::mutex lock_;
    std::size_t used_ = 0, largest_ = 0;
    scope scope_;
};

// Reserves bytes in the limit of this thread until the workspace is destroyed.
class workspace {
public:
    explicit workspace(std::size_t bytes = 0) : limit_(workspace_limit::current()) { grow_to(bytes); }
    ~workspace() {
        if (limit_) limit_->give_back(bytes_);
    }
    workspace(const workspace&) = delete;
    workspace& operator=(const workspace&) = delete;

    void grow_to(std::size_t bytes) {
        if (!limit_ || bytes <= bytes_) return;
        limit_->take(bytes - bytes_);
        bytes_ = bytes;
    }

private:
    workspace_limit* limit_;
    std::size_t bytes_ = 0;
};

// Reserves bytes in the limit of this thread until that limit is destroyed.
void reserve_workspace(std::size_t bytes);

}  // namespace mercer
