// Random objects for tests, and the data sets made of them.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/data/kinds/all_kinds.h"

namespace mercer::testing {

// One object of whichever domain: the part a kernel looks at is filled.
struct object {
    std::vector<double> vector;
    std::string string;
    std::vector<std::int64_t> set;  // sorted, without repeats
    one_series times{};
};
using objects = std::vector<object>;

using generator = std::mt19937_64;

inline double uniform(generator& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}
inline index below(generator& random, index end) { return std::uniform_int_distribution<index>(0, end - 1)(random); }

struct vector_style {
    index dims = 5;
    double density = 1;  // probability that a coordinate is not zero
    bool non_negative = false;
    double offset = 0;
    bool single = true;  // coordinates are numbers of float, so that a data set of float holds the same vectors
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

// Words over few letters, some shorter than any k, one empty.
inline objects random_strings(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i)
        for (index length = below(random, 20); length > 0; --length) made[i].string += "abc"[below(random, 3)];
    return made;
}

// Sets over few items, one empty.
inline objects random_sets(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i)
        for (std::int64_t item = -4; item < 5; ++item)
            if (below(random, 2)) made[i].set.push_back(item);
    return made;
}

// Series of one number a time, one empty.
inline objects random_series(generator& random, index count) {
    objects made(static_cast<std::size_t>(count));
    for (std::size_t i = 1; i < made.size(); ++i)
        for (index length = below(random, 7); length > 0; --length)
            made[i].times.values.push_back(static_cast<double>(below(random, 9)) / 4 - 1);
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

inline dataset series_of(const objects& some) {
    std::vector<one_series> all;
    for (const auto& one : some) all.push_back(one.times);
    return series(std::move(all));
}

}  // namespace mercer::testing
