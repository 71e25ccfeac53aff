#include "mercer/kernels/vector_rows.h"

namespace mercer {

void read_row(const dataset& vectors, index i, coordinate_range part, double* out) {
    std::visit(
        [&](const auto& some) {
            if constexpr (requires { some.row(i); }) {
                std::copy_n(some.row(i) + part.first, part.count, out);
            } else if constexpr (requires { some.cols(i); }) {
                std::fill_n(out, part.count, 0.0);
                entries_within(some, i, part, [&](index k, auto value) { out[k] = value; });
            }
        },
        vectors.items());
}
void read_row(const dataset& vectors, index i, double* out) { read_row(vectors, i, {0, vectors.dims()}, out); }

}  // namespace mercer
