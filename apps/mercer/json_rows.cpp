#include "json_rows.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <string_view>
#include <unordered_map>

#include "mercer/base/context.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/io/csv.h"

namespace mercer::cli {
namespace {

namespace ondemand = simdjson::ondemand;

std::string shown(std::string_view text) {
    constexpr std::size_t longest = 60;
    return text.size() <= longest ? std::string(text) : std::string(text.substr(0, longest)) + "...";
}

constexpr std::size_t value_steps = 64;  // steps of a cancellation_check per value or row

// Fails if lists and objects are nested deeper than max_json_depth. All later code relies on this limit.
void require_bounded_depth(std::string_view text) {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > max_json_depth)
                fail(errc::parse, fmt::format("JSON: byte {}: lists and objects must be nested at most {} levels deep",
                                              i + 1, max_json_depth));
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
}

// A JSON document that can be iterated several times, from its beginning each time.
class json_document {
public:
    json_document(const std::string& padded, std::size_t size) : padded_(padded), size_(size) {}

    // Calls each(number, value) for every row, counted from 0, and checks the rest of the document.
    template <class Each>
    void rows(Each each) {
        checked([&] {
            std::size_t count = 0;
            const auto all = [&](ondemand::array list) {
                for (ondemand::value row : list) {
                    watch_.count(value_steps);
                    each(count++, row);
                }
            };
            switch (open()) {
                case ondemand::json_type::array: all(document_.get_array()); break;
                case ondemand::json_type::object: {
                    bool found = false;
                    for (auto field : document_.get_object()) {
                        const std::string_view key = field.unescaped_key();
                        if (key != "rows" || found)
                            fail(errc::data, fmt::format("expected a list of rows, or an object with the one key "
                                                         "'rows', got the key '{}'{}",
                                                         shown(key), key == "rows" ? " twice" : ""));
                        found = true;
                        all(list_in(field.value()));
                    }
                    if (!found) fail_without_list();
                    break;
                }
                default: fail_without_list();
            }
            if (count == 0) fail(errc::data, "expected at least one row, got an empty list");
            if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS)
                fail(errc::parse, "JSON: expected the end of the text after the list, got more text");
        });
    }

    // Returns true if the first row is an object. Reports no error if there are no rows or no list: rows() does so.
    bool has_object_rows() {
        bool object = false;
        checked([&] {
            for (ondemand::value row : list_of_rows()) {
                object = row.type() == ondemand::json_type::object;
                break;
            }
        });
        return object;
    }
    std::size_t count() {
        std::size_t rows = 0;
        checked([&] {
            ondemand::array list = list_of_rows();
            rows = list.count_elements();
        });
        return rows;
    }

private:
    ondemand::json_type open() {
        opened_ = false;
        document_ = parser_.iterate(padded_.data(), size_, padded_.size());
        opened_ = true;
        return document_.type();
    }
    ondemand::array list_of_rows() {
        const ondemand::json_type type = open();
        if (type == ondemand::json_type::array) return document_.get_array();
        if (type != ondemand::json_type::object) fail_without_list();
        for (auto field : document_.get_object())
            if (std::string_view(field.unescaped_key()) == "rows") return list_in(field.value());
        fail_without_list();
    }
    static ondemand::array list_in(ondemand::value value) {
        if (value.type() != ondemand::json_type::array) fail_without_list();
        return value.get_array();
    }
    [[noreturn]] static void fail_without_list() {
        fail(errc::data, "expected a list of rows, or {\"rows\": [...]}: a single row is a list of one");
    }

    // Converts simdjson's exceptions to mercer::error.
    template <class Step>
    void checked(Step step) {
        try {
            step();
        } catch (const simdjson::simdjson_error& wrong) {
            if (wrong.error() == simdjson::MEMALLOC) throw std::bad_alloc();
            fail(errc::parse, fmt::format("JSON: parse error{}: {}", place_of_fault(), wrong.what()));
        }
    }
    std::string place_of_fault() {
        const char* at = nullptr;
        if (!opened_ || document_.current_location().get(at) != simdjson::SUCCESS) return {};
        if (at < padded_.data() || at > padded_.data() + size_) return {};
        const std::string_view before(padded_.data(), static_cast<std::size_t>(at - padded_.data()));
        const auto line = before.rfind('\n');
        return fmt::format(" at line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
                           before.size() - (line == std::string_view::npos ? 0 : line + 1) + 1);
    }

    const std::string& padded_;
    std::size_t size_;
    ondemand::parser parser_;
    ondemand::document document_;
    bool opened_ = false;
    cancellation_check watch_;
};

const char* kind_of(ondemand::json_type type) { return type == ondemand::json_type::array ? "a list" : "an object"; }

std::string_view raw(ondemand::value value) { return detail::trimmed(simdjson::to_json_string(value).value()); }

// The text of a row for an error message, shortened.
std::string shown_row(ondemand::value row) { return shown(raw(row)); }

// The position of a value, for an error message.
struct place {
    std::size_t row;
    const row_shape& shape;
    std::size_t column;
    std::string text() const {
        return fmt::format("row {}, column {}", row + 1,
                           shape.names.empty() ? std::to_string(column + 1) : "'" + shape.names[column] + "'");
    }
};

[[noreturn]] void fail_structured(const std::string& where, ondemand::json_type type) {
    fail(errc::data, fmt::format("{}: expected a number or a text, got {}", where, kind_of(type)));
}

double number_of(ondemand::value value, const place& at) {
    const ondemand::json_type type = value.type();
    switch (type) {
        case ondemand::json_type::number: {
            // simdjson 3.0 reads 0.0300000000002900109005733902562 as 8e-13, so simdjson only validates the number and
            // parse_number reads it.
            const std::string_view token = detail::trimmed(value.raw_json_token());
            (void)value.get_double().value();
            double number = 0;
            if (const detail::number_error fault = detail::parse_number(token, number);
                fault != detail::number_error::none)
                fail(errc::data,
                     fmt::format("{}: expected {}, got {}", at.text(), detail::expected_text(fault), token));
            return number;
        }
        case ondemand::json_type::string: {
            const std::string_view text = value.get_string();
            if (detail::is_missing(text)) fail(errc::data, fmt::format("{}: missing value '{}'", at.text(), text));
            double number = 0;
            const detail::number_error fault = detail::parse_number(detail::trimmed(text), number);
            if (fault != detail::number_error::none)
                fail(errc::data,
                     fmt::format("{}: expected {}, got '{}'", at.text(), detail::expected_text(fault), shown(text)));
            return number;
        }
        case ondemand::json_type::null:
            (void)value.is_null().value();
            fail(errc::data, fmt::format("{}: missing value (null)", at.text()));
        case ondemand::json_type::boolean:
            fail(errc::data,
                 fmt::format("{}: expected a number, got '{}'", at.text(), value.get_bool() ? "true" : "false"));
        default: fail_structured(at.text(), type);
    }
}

// Appends a value as a CSV field.
void append_field(ondemand::value value, const std::string& where, std::string& out) {
    const ondemand::json_type type = value.type();
    switch (type) {
        case ondemand::json_type::number: {
            const std::string_view token = detail::trimmed(value.raw_json_token());
            (void)value.get_double().value();  // throws if the token is not a number
            out += token;
            break;
        }
        case ondemand::json_type::string: out += format_csv_field(value.get_string()); break;
        case ondemand::json_type::null: (void)value.is_null().value(); break;
        case ondemand::json_type::boolean: out += value.get_bool() ? "true" : "false"; break;
        default: fail_structured(where, type);
    }
}

// Maps the members of an object to the columns of the model.
class columns_by_name {
public:
    explicit columns_by_name(const row_shape& shape) : shape_(shape), seen_(shape.names.size(), 0) {
        if (shape.names.size() != shape.width)
            fail(errc::data, "the columns of the model have no names: send each row as a list");
        for (std::size_t c = 0; c < shape.names.size(); ++c)
            if (!at_.emplace(shape.names[c], c).second)
                fail(errc::data, fmt::format("two columns of the model have the same name '{}', so rows cannot be "
                                             "objects: send each row as a list",
                                             shape.names[c]));
    }
    // Calls put(column, value) for every column of the model and other(name, value) for every member that is not a
    // column. Fails if a column is missing or occurs twice.
    template <class Put, class Other>
    void read(std::size_t row, ondemand::object from, Put put, Other other) {
        std::size_t next = 0, found = 0;
        ++round_;
        for (auto field : from) {
            watch_.count(value_steps);
            const std::string_view key = field.unescaped_key();
            std::size_t c = next;
            if (c >= shape_.names.size() || shape_.names[c] != key) {
                const auto known = at_.find(key);
                c = known == at_.end() ? shape_.names.size() : known->second;
            }
            if (c == shape_.names.size()) {
                const std::string name(key);
                other(name, field.value());
                continue;
            }
            if (seen_[c] == round_)
                fail(errc::data, fmt::format("row {}: the column '{}' occurs twice", row + 1, shape_.names[c]));
            seen_[c] = round_;
            ++found, next = c + 1;
            put(c, field.value());
        }
        if (found == shape_.names.size()) return;
        for (std::size_t c = 0; c < seen_.size(); ++c)
            if (seen_[c] != round_)
                fail(errc::data, fmt::format("row {}: the column '{}' is missing (write null for a missing value)",
                                             row + 1, shape_.names[c]));
    }

private:
    const row_shape& shape_;
    std::unordered_map<std::string_view, std::size_t> at_;
    std::vector<std::size_t> seen_;  // for each column the number of the last row that contained it, from 1
    std::size_t round_ = 0;
    cancellation_check watch_;
};

// Calls put(column, value) for the values of a list. Fails if the list does not have one value per column.
template <class Put>
void read_list(std::size_t row, ondemand::value from, const row_shape& shape, cancellation_check& asked, Put put) {
    if (from.type() != ondemand::json_type::array)
        fail(errc::data, fmt::format("row {}: expected a list as in row 1, got {}", row + 1, shown_row(from)));
    std::size_t count = 0;
    for (ondemand::value value : from.get_array()) {
        asked.count(value_steps);
        if (count < shape.width) put(count, value);
        ++count;
    }
    if (count != shape.width)
        fail(errc::data, fmt::format("row {}: expected {}{}, got {}", row + 1,
                                     shape.width == 1 ? "1 value" : fmt::format("{} values", shape.width),
                                     shape.names.empty() ? "" : fmt::format(" ({})", join(shape.names, ", ")), count));
}

ondemand::object object_of(std::size_t row, ondemand::value from) {
    if (from.type() != ondemand::json_type::object)
        fail(errc::data, fmt::format("row {}: expected an object as in row 1, got {}", row + 1, shown_row(from)));
    return from.get_object();
}

}  // namespace

json_rows::json_rows(std::string text) : padded_(std::move(text)), size_(padded_.size()) {
    require_bounded_depth(padded_);
    padded_.append(simdjson::SIMDJSON_PADDING, '\0');
}

bool json_rows::has_object_rows() const { return json_document(padded_, size_).has_object_rows(); }

dense<double> json_rows::numbers(const row_shape& shape) const {
    json_document document(padded_, size_);
    const bool objects = document.has_object_rows();
    // A value takes at least two bytes of text, so this limit keeps the reserved memory in proportion to the text.
    const std::size_t most = size_ / (2 * std::max<std::size_t>(shape.width, 1)) + 1;
    const auto values = std::make_shared<std::vector<double>>();
    values->reserve(std::min(document.count(), most) * shape.width);
    const row_shape none;
    columns_by_name named(objects ? shape : none);
    std::string unused;
    cancellation_check asked;
    std::size_t rows = 0;
    document.rows([&](std::size_t r, ondemand::value row) {
        values->resize(++rows * shape.width);
        double* const to = values->data() + r * shape.width;
        const auto put = [&](std::size_t c, ondemand::value value) { to[c] = number_of(value, {r, shape, c}); };
        if (!objects) return read_list(r, row, shape, asked, put);
        named.read(r, object_of(r, row), put, [&](const std::string& name, ondemand::value value) {
            if (name != shape.target || name.empty())
                fail(errc::data, fmt::format("row {}: the model has no column '{}'", r + 1, shown(name)));
            unused.clear();
            append_field(value, fmt::format("row {}, column '{}'", r + 1, name), unused);
        });
    });
    return {{values->data(), static_cast<index>(rows), static_cast<index>(shape.width)}, values};
}

std::string json_rows::csv(const row_shape& shape, std::set<std::string>& extra) const {
    json_document document(padded_, size_);
    const bool objects = document.has_object_rows();
    std::string out, unused;
    out.reserve(size_);
    const auto line = [&](const std::vector<std::string>& fields) {
        for (std::size_t c = 0; c < fields.size(); ++c) (out += c ? "," : "") += fields[c];
        out += '\n';
    };
    std::vector<std::string> fields;
    for (const std::string& name : shape.names) fields.push_back(format_csv_field(name));
    if (!fields.empty()) line(fields);
    fields.resize(shape.width);
    const row_shape none;
    columns_by_name named(objects ? shape : none);
    cancellation_check asked;
    document.rows([&](std::size_t r, ondemand::value row) {
        const auto put = [&](std::size_t c, ondemand::value value) {
            fields[c].clear();
            append_field(value, place{r, shape, c}.text(), fields[c]);
        };
        if (objects)
            named.read(r, object_of(r, row), put, [&](const std::string& name, ondemand::value value) {
                unused.clear();
                append_field(value, fmt::format("row {}, column '{}'", r + 1, shown(name)), unused);
                if (name != shape.target && extra.size() < max_extra) extra.insert(name);
            });
        else
            read_list(r, row, shape, asked, put);
        line(fields);
    });
    return out;
}

std::string json_rows::libsvm() const {
    std::string out;
    out.reserve(size_);
    std::map<std::int64_t, std::string> entries;
    cancellation_check asked;
    json_document(padded_, size_).rows([&](std::size_t r, ondemand::value row) {
        entries.clear();
        for (auto field : object_of(r, row)) {
            asked.count(value_steps);
            const std::string_view key = field.unescaped_key();
            const std::string name(key);
            std::int64_t position = 0;
            const auto end = name.data() + name.size();
            const auto [stop, fault] = std::from_chars(name.data(), end, position);
            if (fault != std::errc{} || stop != end || position < 1)
                fail(errc::data,
                     fmt::format(
                         "row {}: the columns of the model have no names, so a key must be a position from 1, got '{}'",
                         r + 1, shown(name)));
            const std::string where = fmt::format("row {}, column {}", r + 1, name);
            ondemand::value value = field.value();
            if (value.type() != ondemand::json_type::number)
                fail(errc::data, fmt::format("{}: expected a number, got {}", where, shown(raw(value))));
            std::string text;
            append_field(value, where, text);
            if (!entries.emplace(position, std::move(text)).second)
                fail(errc::data, fmt::format("{}: the key occurs twice", where));
        }
        out += "0";
        for (const auto& [position, value] : entries) out += fmt::format(" {}:{}", position, value);
        out += "\n";
    });
    return out;
}

std::vector<std::string> json_rows::texts(const std::string& column) const {
    std::vector<std::string> out;
    json_document(padded_, size_).rows([&](std::size_t r, ondemand::value row) {
        const auto wrong = [&](std::string_view got) {
            fail(errc::data, fmt::format("row {}: expected a text{}, got {}", r + 1,
                                         column.empty() ? "" : fmt::format(" as '{}'", column), shown(got)));
        };
        const ondemand::json_type type = row.type();
        if (type == ondemand::json_type::string) {
            out.emplace_back(std::string_view(row.get_string()));
        } else if (type == ondemand::json_type::object && !column.empty()) {
            bool found = false;
            for (auto field : row.get_object()) {
                const std::string_view key = field.unescaped_key();
                ondemand::value value = field.value();
                if (key != column) {
                    (void)raw(value);
                } else if (found) {
                    fail(errc::data, fmt::format("row {}: the column '{}' occurs twice", r + 1, column));
                } else if (value.type() != ondemand::json_type::string) {
                    wrong(raw(value));
                } else {
                    out.emplace_back(std::string_view(value.get_string()));
                    found = true;
                }
            }
            if (!found) wrong("an object without this key");
        } else {
            wrong(raw(row));
        }
    });
    return out;
}

std::string json_rows::lines() const {
    std::string out;
    out.reserve(size_ + 1);
    json_document(padded_, size_).rows([&](std::size_t, ondemand::value row) {
        const auto begin = out.size();
        out += raw(row);
        std::replace_if(
            out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), [](char c) { return c == '\n' || c == '\r'; },
            ' ');
        out += '\n';
    });
    return out;
}

}  // namespace mercer::cli
