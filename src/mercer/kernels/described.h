// Objects as sparse vectors whose coordinates have names of 64 bits, computed in several threads: for descriptions that
// cost more than looking their names up (word_counts.h is for the others).
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mercer/base/workspace.h"
#include "mercer/kernels/named_feature.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {

// The coordinates of an object that are not zero, each name once.
using description = std::vector<std::pair<std::uint64_t, double>>;

template <class Kind, class Describe>
sparse<double> describe_all(const Kind& some, const Describe& describe,
                            std::unordered_map<std::uint64_t, std::int32_t>& column) {
    std::vector<description> made(static_cast<std::size_t>(some.size()));
    // Memory of a coordinate in the description, in the row, and of its name in the table of names.
    constexpr std::size_t per_coordinate = 100;
    parallel_for(some.size(), [&](index i) {
        description& here = made[static_cast<std::size_t>(i)];
        here = describe(some[i], i);
        reserve_workspace(per_coordinate * here.size());
    });
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    std::vector<std::pair<std::int32_t, double>> here;
    for (description& each : made) {
        here.clear();
        for (const auto& [name, value] : each)
            here.emplace_back(column.try_emplace(name, static_cast<std::int32_t>(column.size())).first->second, value);
        description().swap(each);
        std::ranges::sort(here, {}, &std::pair<std::int32_t, double>::first);
        for (const auto& [c, value] : here) {
            col.push_back(c);
            val.push_back(value);
        }
        start.push_back(static_cast<index>(col.size()));
    }
    return {std::move(start), std::move(col), std::move(val), static_cast<index>(column.size())};
}

struct name_as_number {
    std::string operator()(std::uint64_t name) const { return std::to_string(name); }
};

// describe(object, its place) gives a description, write(name) the text of a name.
template <class Kind, class Describe, class Write = name_as_number>
named_feature described(std::string key, Describe describe, Write write = {}) {
    return {key, [key, describe, write](const dataset& x, const dataset* z) {
                std::unordered_map<std::uint64_t, std::int32_t> column;
                named_rows out;
                out.x = describe_all(objects_of<Kind>(x, key), describe, column);
                if (z) out.z = describe_all(objects_of<Kind>(*z, key), describe, column);
                std::vector<std::uint64_t> names(column.size());
                for (const auto& [name, c] : column) names[static_cast<std::size_t>(c)] = name;
                out.name = [names = std::move(names), write](index c, const known_names&) {
                    return write(names[static_cast<std::size_t>(c)]);
                };
                return out;
            }};
}

}  // namespace mercer
