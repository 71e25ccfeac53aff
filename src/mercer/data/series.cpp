#include "mercer/data/series.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {
namespace {

std::vector<one_series> checked(std::vector<one_series> items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        one_series& one = items[i];
        if (one.values.empty()) one.dims = 1;
        if (one.dims < 1 || static_cast<index>(one.values.size()) % one.dims != 0)
            fail(errc::invalid_argument, fmt::format("series {}: {} numbers cannot be split into vectors of {} numbers",
                                                     i, one.values.size(), one.dims));
        for (std::size_t v = 0; v < one.values.size(); ++v) {
            if (!std::isfinite(one.values[v]))
                fail(errc::data, fmt::format("series {}: numbers must be finite, got {} at time {}", i, one.values[v],
                                             static_cast<index>(v) / one.dims));
            one.values[v] += 0.0;
        }
    }
    return items;
}

}  // namespace

series::series(std::vector<one_series> items) : item_list(checked(std::move(items))) {}

// "(1 2 3)" for numbers, "(1,2 3,4)" for vectors.
std::string series::text(index i) const {
    const one_series& one = (*this)[i];
    std::string out = "(";
    for (index time = 0; time < one.size(); ++time)
        out += fmt::format("{}{}", time ? " " : "",
                           join(std::span(one.at(time), static_cast<std::size_t>(one.dims)), ","));
    return out + ")";
}

void series::write(byte_writer& to) const {
    std::vector<index> lengths, dims;
    for (index i = 0; i < size(); ++i) {
        lengths.push_back(static_cast<index>((*this)[i].values.size()));
        dims.push_back((*this)[i].dims);
    }
    to.write_numbers(lengths);
    to.write_numbers(dims);
    for (index i = 0; i < size(); ++i) to.write_numbers((*this)[i].values);
}

series series::read(byte_reader& from, index count) {
    const auto start = from.read_offsets(count);
    const auto dims = from.read_numbers<index>(count);
    std::vector<one_series> items;
    for (std::size_t i = 0; i + 1 < start.size(); ++i)
        items.push_back({from.read_numbers<double>(start[i + 1] - start[i]), dims[i]});
    return series(std::move(items));
}

}  // namespace mercer
