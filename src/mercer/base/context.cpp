#include "mercer/base/context.h"

#include <utility>

namespace mercer {
namespace {
constexpr std::chrono::milliseconds between{50};
thread_local stop_scope* scope_here = nullptr;
}  // namespace

stop_scope::stop_scope(std::function<bool()> wanted) : wanted_(std::move(wanted)), outer_(scope_here) {
    scope_here = this;
}
stop_scope::~stop_scope() { scope_here = outer_; }
stop_scope* stop_scope::here() { return scope_here; }

bool stop_scope::ask() {
    if (stopped()) return true;
    if (std::this_thread::get_id() != owner_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < between) return false;
    const bool yes = wanted_();
    asked_ = std::chrono::steady_clock::now();
    if (yes) stopped_.store(true, std::memory_order_relaxed);
    return yes;
}

void stop_point() {
    for (stop_scope* scope = scope_here; scope; scope = scope->outer_)
        if (scope->ask()) fail(errc::cancelled, "stopped by the caller");
}

listening_to::listening_to(stop_scope* other) : before_(scope_here) { scope_here = other; }
listening_to::~listening_to() { scope_here = before_; }

}  // namespace mercer
