// What an evaluator consists of. Internal to evaluator*.cpp.
#pragma once

#include "mercer/kernels/evaluation/deep_statistics.h"
#include "mercer/kernels/evaluation/tile_runner.h"

namespace mercer {

template <class T>
struct evaluator<T>::state {
    state(std::shared_ptr<const plan> code, dataset x, const dataset* z, const evaluator_memory& memory)
        : bound(std::move(code), std::move(x), z, memory),
          stripes(bound, memory.packed_bytes),
          deep(bound, stripes),
          tiles(bound) {}
    state(const state& ready, const dataset& z)
        : bound(ready.bound, z), stripes(bound, 0), deep(bound, stripes), tiles(bound) {}

    evaluation::bound_plan<T> bound;
    evaluation::column_stripes<T> stripes;
    evaluation::deep_statistics<T> deep;
    evaluation::tile_runner<T> tiles;
};

}  // namespace mercer
