// Random objects for tests, and data sets made from them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mercer/data/all_kinds.h"
#include "mercer/data/dataset.h"

namespace mercer::testing {

// One object of any domain: the member that the kernel reads is filled.
struct object {
    std::vector<double> vector;
    std::string string;
    std::vector<std::int64_t> set;         // sorted, without duplicates
    graph_parts graph{};                   // an edge may occur twice or in both directions
    std::vector<counted_item> multiset{};  // each item once
    point_cloud cloud{};
    one_series times{};
    image picture{};
    tree branches{};
};
using objects = std::vector<object>;

using generator = std::mt19937_64;

inline double uniform(generator& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}
inline index below(generator& random, index end) { return std::uniform_int_distribution<index>(0, end - 1)(random); }

struct vector_style {
    index dims = 5;
    double density = 1;  // probability that a coordinate is nonzero
    bool non_negative = false;
    double offset = 0;
    bool single = true;  // coordinates are representable in float, so that a data set of float holds the same vectors
};

inline objects random_vectors(generator& random, index count, const vector_style& style) {
    objects made(static_cast<std::size_t>(count));
    std::normal_distribution<double> normal(0, 0.7);
    for (auto& one : made)
        for (index a = 0; a < style.dims; ++a) {
            double value = uniform(random, 0, 1) < style.density ? normal(random) + style.offset : 0;
            if (style.non_negative) value = std::abs(value);
            one.vector.push_back(style.single ? static_cast<double>(static_cast<float>(value)) : value);
        }
    return made;
}

// Words over few letters with blanks; some are shorter than any k, one is empty.
inline objects random_strings(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i)
        for (index length = below(random, 20); length > 0; --length) made[i].string += "abc "[below(random, 4)];
    return made;
}

// Sets of few different items; one is empty.
inline objects random_sets(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i)
        for (std::int64_t item = -4; item < 5; ++item)
            if (below(random, 2)) made[i].set.push_back(item);
    return made;
}

// Small graphs with few labels, loops, and edges that occur twice or in both directions with different labels; all
// nodes have two attributes. The first graph is empty, the second has one node, the third has no edges; one in four is
// directed.
inline objects random_graphs(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i) {
        graph_parts& g = made[i].graph;
        g.nodes = i == 1 ? 1 : 1 + below(random, 6);
        g.directed = below(random, 4) == 0;
        g.attributes = 2;
        const index labels = 1 + below(random, 3), edge_labels = 1 + below(random, 2);
        for (index v = 0; v < g.nodes; ++v) {
            g.labels.push_back(below(random, labels));
            for (int a = 0; a < 2; ++a) g.values.push_back(uniform(random, -2, 2));
        }
        for (index e = i == 2 ? 0 : below(random, 2 * g.nodes); e > 0; --e)
            g.edges.push_back({static_cast<std::int32_t>(below(random, g.nodes)),
                               static_cast<std::int32_t>(below(random, g.nodes)), below(random, edge_labels)});
    }
    return made;
}

// Multisets of few different items, some with large counts; one is empty.
inline objects random_multisets(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i)
        for (std::int64_t item = -3; item < 4; ++item)
            if (below(random, 2)) made[i].multiset.push_back({item, below(random, 8) ? 1 + below(random, 5) : 1000});
    return made;
}

// Points in space of few elements, no two at the same position; one set is empty and one has a single point.
inline objects random_clouds(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i)
        for (index size = i == 1 ? 1 : 1 + below(random, 6); size > 0; --size) {
            constexpr std::int32_t elements[] = {0, 1, 6, 8};
            made[i].cloud.elements.push_back(elements[below(random, 4)]);
            for (int a = 0; a < 3; ++a) made[i].cloud.coordinates.push_back(uniform(random, -1.5, 1.5));
        }
    return made;
}

// Series of one number per time; one is empty.
inline objects random_series(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i)
        for (index length = below(random, 7); length > 0; --length)
            made[i].times.values.push_back(static_cast<double>(below(random, 9)) / 4 - 1);
    return made;
}

// Small colour images of one size with few different values; the first has one colour only.
inline objects random_images(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < made.size(); ++i) {
        made[i].picture = {5, 4, 3, std::vector<float>(60, 0.5F)};
        if (i == 0) continue;
        for (float& value : made[i].picture.values) value = static_cast<float>(below(random, 9)) / 8;
    }
    return made;
}

// Small trees with few labels; the first is empty, the second is a leaf.
inline objects random_trees(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i) {
        tree& one = made[i].branches;
        std::vector<std::size_t> open;  // nodes that may still get children
        for (index left = i == 1 ? 1 : 1 + below(random, 9); left > 0; --left) {
            if (one.nodes.size() > 1)
                for (index up = below(random, static_cast<index>(open.size())); up > 0; --up) open.pop_back();
            for (const std::size_t above : open) ++one.nodes[above].size;
            open.push_back(one.nodes.size());
            one.nodes.push_back({std::string(1, "ABc"[below(random, 3)]), 1});
        }
    }
    return made;
}

enum class storage { dense, sparse };

template <class T>
dataset vectors_of(const objects& some, storage how) {
    const auto n = static_cast<index>(some.size());
    const index dims = some.empty() ? 0 : static_cast<index>(some[0].vector.size());
    if (how == storage::dense) {
        matrix<T> rows(n, dims);
        for (index i = 0; i < n; ++i)
            for (index a = 0; a < dims; ++a) rows(i, a) = static_cast<T>(some[i].vector[a]);
        return dense<T>(std::move(rows));
    }
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<T> val;
    for (const auto& one : some) {
        for (index a = 0; a < dims; ++a)
            if (one.vector[a] != 0) {
                col.push_back(static_cast<std::int32_t>(a));
                val.push_back(static_cast<T>(one.vector[a]));
            }
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<T>(std::move(start), std::move(col), std::move(val), dims);
}

inline dataset strings_of(const objects& some) {
    std::vector<std::string> all;
    for (const auto& one : some) all.push_back(one.string);
    return strings(std::move(all));
}

inline dataset sets_of(const objects& some) {
    std::vector<std::vector<std::int64_t>> all;
    for (const auto& one : some) all.push_back(one.set);
    return sets(std::move(all));
}

inline dataset graphs_of(const objects& some) {
    std::vector<graph> all;
    for (const auto& one : some) all.emplace_back(one.graph);
    return graphs(std::move(all));
}

inline dataset multisets_of(const objects& some) {
    std::vector<std::vector<counted_item>> all;
    for (const auto& one : some) all.push_back(one.multiset);
    return multisets(std::move(all));
}

inline dataset points_of(const objects& some) {
    std::vector<point_cloud> all;
    for (const auto& one : some) all.push_back(one.cloud);
    return points(std::move(all));
}

inline dataset series_of(const objects& some) {
    std::vector<one_series> all;
    for (const auto& one : some) all.push_back(one.times);
    return series(std::move(all));
}

inline dataset images_of(const objects& some) {
    std::vector<image> all;
    for (const auto& one : some) all.push_back(one.picture);
    return images(std::move(all));
}

inline dataset trees_of(const objects& some) {
    std::vector<tree> all;
    for (const auto& one : some) all.push_back(one.branches);
    return trees(std::move(all));
}

}  // namespace mercer::testing
