// n time series of numbers or of vectors. Their lengths may differ.
#pragma once

#include "mercer/data/object_kind.h"

namespace mercer {

// One time series: size() vectors of `dims` numbers, in order of time.
struct one_series {
    std::vector<double> values{};  // `dims` numbers for each time
    index dims = 1;                // 1 for an empty series

    index size() const { return static_cast<index>(values.size()) / dims; }
    const double* at(index time) const { return values.data() + time * dims; }
    friend std::partial_ordering operator<=>(const one_series&, const one_series&) = default;
};

class series : public item_list<series, one_series> {
public:
    static constexpr object_kind kind{"series"};
    static constexpr const char* default_kernel = "global_alignment()";

    series() = default;
    // Throws errc::data if a number is not finite, and errc::invalid_argument if the number of values is not a multiple
    // of dims. -0 becomes 0.
    explicit series(std::vector<one_series> items);

    std::string text(index i) const;
    void write(byte_writer& to) const;
    static series read(byte_reader& from, index count);
};

}  // namespace mercer
