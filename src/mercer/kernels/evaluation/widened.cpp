#include "mercer/kernels/evaluation/vector_operand.h"

namespace mercer {

dataset widened(const dataset& vectors, index dims) {
    return std::visit(
        [&](const auto& some) -> dataset {
            if constexpr (requires { some.cols(0); }) {
                std::vector<index> start{0};
                std::vector<std::int32_t> col;
                std::vector<typename decltype(some.values(0))::value_type> val;
                for (index i = 0; i < some.size(); ++i) {
                    col.insert(col.end(), some.cols(i).begin(), some.cols(i).end());
                    val.insert(val.end(), some.values(i).begin(), some.values(i).end());
                    start.push_back(static_cast<index>(col.size()));
                }
                return std::decay_t<decltype(some)>(std::move(start), std::move(col), std::move(val), dims);
            }
            return some;
        },
        vectors.items());
}

}  // namespace mercer
