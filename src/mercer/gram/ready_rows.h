// k(xᵢ, zⱼ) for a few new objects x at a time and the same z again and again, as a model asks that is served: what is
// made of z (norms, thresholds, a centre) is made at the first call and kept.
//
//     ready_rows ready;
//     ready.keep();
//     const auto K = ready.gram_of(k, x, z, memory);   // as make_gram<double>(k, x, z, memory), and the same bits
//
// Many times as large as a request, z is not packed for the tile loops: it is streamed against the few x, and the
// answer is turned round. A copy of it keeps nothing.
#pragma once

#include <memory>

#include "mercer/gram/make_gram.h"

namespace mercer {

class ready_rows {
public:
    ready_rows() = default;
    ready_rows(const ready_rows&) noexcept {}
    ready_rows& operator=(const ready_rows& other) noexcept {
        if (this != &other) made_.reset();
        return *this;
    }

    void keep() const;
    bool kept() const { return made_ != nullptr; }
    // z and the kernel are those of the first call.
    std::unique_ptr<gram<double>> gram_of(const kernel& k, const dataset& x, const dataset& z,
                                          evaluator_memory memory) const;

private:
    struct once;
    mutable std::shared_ptr<once> made_;  // null: nothing is kept
};

}  // namespace mercer
