#include "mercer/methods/nystroem/thinned_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/communicator.h"
#include "mercer/base/row_bits.h"
#include "mercer/base/threads.h"

namespace mercer {

void thinned_rows::draw(const row_losses& losses, double theta, std::uint64_t seed, index all_rows,
                        const process_group* group) {
    constexpr double hardly_fewer = 0.7, hardly_any = 500;
    times_.clear(), share_ = 1, first_ = losses.first();
    if (!(theta > 0)) return;
    times_.resize(static_cast<std::size_t>(losses.rows()));
    const auto functions = static_cast<double>(losses.functions());
    double taken = 0;
    for (int tries = 0; tries < 8 && taken < hardly_any && theta >= std::numeric_limits<double>::min(); ++tries) {
        if (tries > 0) theta /= 16;
        parallel_runs(losses.rows(), 4096, [&](index from, index end) {
            for (index i = from; i < end; ++i) {
                const std::uint64_t bits = row_bits(seed, static_cast<std::uint64_t>(first_ + i));
                const double trace = functions * losses.mean_curvature(first_ + i),
                             chance = std::ldexp(static_cast<double>(bits >> 11), -53);
                times_[static_cast<std::size_t>(i)] =
                    !(trace > chance * theta) ? 0.0F : static_cast<float>(std::max(1.0, theta / trace));
            }
        });
        taken = static_cast<double>(std::ranges::count_if(times_, [](float each) { return each > 0; }));
        if (group) group->add(&taken, 1);
    }
    share_ = taken / static_cast<double>(std::max<index>(all_rows, 1));
    if (share_ > hardly_fewer) times_ = {}, share_ = 1;
}

}  // namespace mercer
