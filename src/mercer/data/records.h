// n records: the same named fields in each, every field of a kind of its own.
#pragma once

#include "mercer/data/dataset.h"
#include "mercer/data/object_kind.h"

namespace mercer {

class records {
public:
    static constexpr domain where{"records"};
    static constexpr const char* default_kernel = "";  // the sum of the fields' own ones (model/fit.h)
    struct field {
        std::string name;
        dataset values;
    };

    records() = default;
    // As many values in each field, and each name once; fails otherwise.
    explicit records(std::vector<field> fields);

    index size() const;
    const std::vector<field>& fields() const;
    const dataset& of(std::string_view name) const;  // fails with the names there are

    records gather(const selection& which) const;
    records followed_by(const records& other) const;  // with the same fields; fails otherwise
    std::partial_ordering compare(index i, const records& other, index j) const;
    std::string text(index i) const;
    void write(object_sink& to) const;
    static records read(object_source& from, index count);

private:
    std::shared_ptr<const std::vector<field>> fields_;
};

}  // namespace mercer
