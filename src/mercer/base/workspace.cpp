#include "mercer/base/workspace.h"

#include <limits>
#include <utility>

namespace mercer {
namespace {
thread_local workspace_limit* limit_here = nullptr;
}  // namespace

workspace_limit::workspace_limit(std::function<void(std::size_t)> reserve)
    : reserve_(std::move(reserve)), scope_(this) {}
workspace_limit::~workspace_limit() = default;
workspace_limit* workspace_limit::current() { return limit_here; }

void workspace_limit::take(std::size_t bytes) {
    const std::lock_guard own(lock_);
    const std::size_t wanted = bytes > std::numeric_limits<std::size_t>::max() - used_
                                   ? std::numeric_limits<std::size_t>::max()
                                   : used_ + bytes;
    if (wanted > largest_) {
        reserve_(wanted - largest_);
        largest_ = wanted;
    }
    used_ = wanted;
}

void workspace_limit::give_back(std::size_t bytes) {
    const std::lock_guard own(lock_);
    used_ -= bytes;
}

workspace_limit::scope::scope(workspace_limit* other) : before_(std::exchange(limit_here, other)) {}
workspace_limit::scope::~scope() { limit_here = before_; }

void reserve_workspace(std::size_t bytes) {
    if (workspace_limit* limit = workspace_limit::current()) limit->take(bytes);
}

}  // namespace mercer
