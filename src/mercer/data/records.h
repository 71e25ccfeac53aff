// n records with the same named fields. A field holds objects of one kind; different fields may hold different kinds.
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/data/object_kind.h"

namespace mercer {

class records {
public:
    static constexpr object_kind kind{"records"};
    static constexpr const char* default_kernel = "";  // the sum of the default kernels of the fields (model/fit.h)
    struct field {
        std::string name;
        dataset values;
    };

    records() = default;
    // Throws errc::invalid_argument unless all fields have the same number of values and different names.
    explicit records(std::vector<field> fields);

    index size() const;
    const std::vector<field>& fields() const;
    const dataset& of(std::string_view name) const;  // throws errc::data, with the existing names, if there is none

    records gather(const row_set& which) const;
    records followed_by(const records& other) const;  // throws errc::data unless the fields are the same
    std::partial_ordering compare(index i, const records& other, index j) const;
    std::string text(index i) const;
    void write(byte_writer& to) const;
    static records read(byte_reader& from, index count);

private:
    std::shared_ptr<const std::vector<field>> fields_;
};

}  // namespace mercer
