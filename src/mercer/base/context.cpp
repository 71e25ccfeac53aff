#include "mercer/base/context.h"

#include <utility>

namespace mercer {
namespace {
constexpr std::chrono::milliseconds poll_interval{50};
thread_local cancellation_scope* scope_here = nullptr;
}  // namespace

cancellation_scope::cancellation_scope(std::function<bool()> should_stop)
    : should_stop_(std::move(should_stop)), outer_(scope_here) {
    scope_here = this;
}
cancellation_scope::~cancellation_scope() { scope_here = outer_; }
cancellation_scope* cancellation_scope::current() { return scope_here; }

bool cancellation_scope::poll() {
    if (is_cancelled()) return true;
    if (std::this_thread::get_id() != owner_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_poll_ < poll_interval) return false;
    const bool yes = should_stop_();
    last_poll_ = std::chrono::steady_clock::now();
    if (yes) cancelled_.store(true, std::memory_order_relaxed);
    return yes;
}

void throw_if_cancelled() {
    for (cancellation_scope* scope = scope_here; scope; scope = scope->outer_)
        if (scope->poll()) fail(errc::cancelled, "stopped by the caller");
}

cancellation_override::cancellation_override(cancellation_scope* other) : before_(scope_here) { scope_here = other; }
cancellation_override::~cancellation_override() { scope_here = before_; }

}  // namespace mercer
