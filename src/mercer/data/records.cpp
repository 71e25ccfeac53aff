#include "mercer/data/records.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/all_kinds.h"
#include "mercer/data/dataset.h"

namespace mercer {

records::records(std::vector<field> fields) {
    std::set<std::string> names;
    for (const field& each : fields) {
        if (!names.insert(each.name).second)
            fail(errc::invalid_argument, fmt::format("records: the field '{}' occurs twice", each.name));
        if (each.values.size() != fields.front().values.size())
            fail(errc::invalid_argument,
                 fmt::format("records: field '{}' has {} values, '{}' has {}", fields.front().name,
                             fields.front().values.size(), each.name, each.values.size()));
    }
    fields_ = std::make_shared<const std::vector<field>>(std::move(fields));
}

index records::size() const { return fields().empty() ? 0 : fields().front().values.size(); }

const std::vector<records::field>& records::fields() const {
    static const std::vector<field> none;
    return fields_ ? *fields_ : none;
}

const dataset& records::of(std::string_view wanted) const {
    std::vector<std::string> names;
    for (const field& each : fields()) {
        if (each.name == wanted) return each.values;
        names.push_back(each.name);
    }
    fail(errc::data, fmt::format("there is no field '{}': the records have the fields {}", wanted, join(names, ", ")));
}

records records::gather(const row_set& which) const {
    std::vector<field> chosen;
    for (const field& each : fields()) chosen.push_back({each.name, mercer::gather(each.values, which)});
    return records(std::move(chosen));
}

records records::followed_by(const records& other) const {
    if (fields().empty()) return other;
    if (other.fields().empty()) return *this;
    if (fields().size() != other.fields().size())
        fail(errc::data,
             fmt::format("records of {} and of {} fields cannot be joined", fields().size(), other.fields().size()));
    std::vector<field> both;
    for (const field& each : fields()) both.push_back({each.name, concatenate(each.values, other.of(each.name))});
    return records(std::move(both));
}

std::partial_ordering records::compare(index i, const records& other, index j) const {
    if (const auto sizes = fields().size() <=> other.fields().size(); sizes != 0) return sizes;
    for (std::size_t k = 0; k < fields().size(); ++k) {
        const field &a = fields()[k], &b = other.fields()[k];
        if (const auto names = a.name <=> b.name; names != 0) return names;
        if (const auto values = compare_objects(a.values, i, b.values, j); values != 0) return values;
    }
    return std::partial_ordering::equivalent;
}

namespace {

std::string object_text(const dataset& x, index i) {
    return std::visit(
        [&](const auto& some) -> std::string {
            if constexpr (requires { some.row(i); }) {
                return join(std::span(some.row(i), static_cast<std::size_t>(some.dims())), " ");
            } else if constexpr (requires { some.cols(i); }) {
                std::string out;
                for (std::size_t k = 0; k < some.cols(i).size(); ++k)
                    out += fmt::format("{}{}:{}", k ? " " : "", some.cols(i)[k], some.values(i)[k]);
                return out;
            } else {
                return some.text(i);
            }
        },
        x.items());
}

void write_text(byte_writer& to, std::string_view text) {
    to.write_numbers(std::vector<index>{static_cast<index>(text.size())});
    to.write_numbers(std::span<const char>(text));
}
std::string read_text(byte_reader& from) { return std::string(from.read_text(from.read_numbers<index>(1)[0])); }

// Vectors of a field are written as rows of double, dense or sparse as they are stored.
void write_field(byte_writer& to, const dataset& x) {
    if (const auto* some = x.as<objects>()) {
        write_text(to, name(some->kind()));
        return some->write(to);
    }
    if (!x.is_sparse()) {
        const dense<double> rows = as_dense<double>(x);
        write_text(to, "dense");
        to.write_numbers(std::vector<index>{rows.dims()});
        for (index i = 0; i < rows.size(); ++i)
            to.write_numbers(std::span(rows.row(i), static_cast<std::size_t>(rows.dims())));
        return;
    }
    write_text(to, "sparse");
    std::visit(
        [&](const auto& some) {
            if constexpr (requires { some.cols(0); }) {
                std::vector<index> about{some.dims()};
                for (index i = 0; i < some.size(); ++i) about.push_back(static_cast<index>(some.cols(i).size()));
                to.write_numbers(about);
                for (index i = 0; i < some.size(); ++i) to.write_numbers(some.cols(i));
                for (index i = 0; i < some.size(); ++i)
                    to.write_numbers(std::vector<double>(some.values(i).begin(), some.values(i).end()));
            }
        },
        x.items());
}

dataset read_field(byte_reader& from, index count) {
    constexpr index max_numbers = index{1} << 48;
    const std::string kind = read_text(from);
    if (kind == "dense") {
        const index dims = from.read_numbers<index>(1)[0];
        if (dims < 0 || (dims > 0 && count > max_numbers / dims))
            fail(errc::parse, fmt::format("a field of {} coordinates", dims));
        const auto values = from.read_numbers<double>(count * dims);
        matrix<double> rows(count, dims);
        std::copy(values.begin(), values.end(), rows.data());
        return dense<double>(std::move(rows));
    }
    if (kind == "sparse") {
        const index dims = from.read_numbers<index>(1)[0];
        auto start = from.read_offsets(count);
        auto cols = from.read_numbers<std::int32_t>(start.back());
        auto values = from.read_numbers<double>(start.back());
        return sparse<double>(std::move(start), std::move(cols), std::move(values), dims);
    }
    return read_objects(kind, from, count);
}

}  // namespace

std::string records::text(index i) const {
    std::string out;
    for (const field& each : fields())
        out += fmt::format("{}{}={}", out.empty() ? "" : "; ", each.name, object_text(each.values, i));
    return out;
}

void records::write(byte_writer& to) const {
    to.write_numbers(std::vector<index>{static_cast<index>(fields().size())});
    for (const field& each : fields()) {
        write_text(to, each.name);
        write_field(to, each.values);
    }
}

records records::read(byte_reader& from, index count) {
    std::vector<field> fields;
    for (index left = from.read_numbers<index>(1)[0]; left > 0; --left) {
        std::string name = read_text(from);
        fields.push_back({std::move(name), read_field(from, count)});
    }
    return records(std::move(fields));
}

}  // namespace mercer
