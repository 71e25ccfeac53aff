// Embeddings of series as dense vectors: the same features for every coordinate of their values, computed in parallel.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "mercer/data/series.h"
#include "mercer/kernels/embedding.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {

// fill(values of one coordinate, row) sets the `per` features of this coordinate, which are 0 before the call; write(f)
// is the name of feature f. Throws errc::data, naming the kernel `owner`, if two series that are not empty have values
// of different dimensions.
template <class Fill, class Write>
named_embedding series_features(const std::string& owner, std::string key, index per, Fill fill, Write write) {
    return {key, [owner, per, fill, write](const dataset& x, const dataset* z) {
                const series &left = objects_of<series>(x, owner), &right = objects_of<series>(z ? *z : x, owner);
                index dims = 0;
                for (const series* some : {&left, &right})
                    for (index i = 0; i < some->size(); ++i) {
                        const one_series& one = (*some)[i];
                        if (one.values.empty() || one.dims == dims) continue;
                        if (dims > 0)
                            fail(errc::data,
                                 fmt::format("{}: series must have the same number of values per time, got {} and {}",
                                             owner, dims, one.dims));
                        dims = one.dims;
                    }
                dims = std::max<index>(dims, 1);
                const auto all = [&](const series& some) -> dataset {
                    matrix<double> rows(some.size(), dims * per);
                    std::fill_n(rows.data(), rows.rows() * rows.cols(), 0.0);
                    parallel_for(some.size(), [&](index i) {
                        std::vector<double> values(static_cast<std::size_t>(some[i].size()));
                        for (index d = 0; d < some[i].dims && !values.empty(); ++d) {
                            for (index t = 0; t < some[i].size(); ++t)
                                values[static_cast<std::size_t>(t)] = some[i].at(t)[d];
                            fill(std::as_const(values), rows.row(i) + d * per);
                        }
                    });
                    return dense<double>(std::move(rows));
                };
                named_rows out;
                out.x = all(left);
                if (z) out.z = all(right);
                out.name = [per, dims, write](index c, const known_names&) {
                    return dims == 1 ? write(c) : fmt::format("{} of coordinate {}", write(c % per), c / per);
                };
                return out;
            }};
}

}  // namespace mercer
