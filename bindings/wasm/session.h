// Requests from the page and replies to it. A request is a JSON object and an array of numbers; a reply is a JSON
// object and arrays, so that large results are not converted to text. The data and the model of earlier requests stay
// in a session.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/model/fit.h"
#include "mercer/model/spec.h"

namespace mercer::page {

using json = nlohmann::ordered_json;

// A reply: `body` contains a member "arrays" that maps a name to [type, first byte, number of elements].
class reply {
public:
    json body = json::object();

    template <class T, class Numbers>
    void array(const std::string& name, const Numbers& numbers) {
        while (bytes_.size() % sizeof(double)) bytes_.push_back(0);
        const std::size_t first = bytes_.size(), count = std::size(numbers);
        bytes_.resize(first + count * sizeof(T));
        std::size_t at = first;
        for (const auto& each : numbers) {
            const T value = static_cast<T>(each);
            std::memcpy(bytes_.data() + at, &value, sizeof(T));
            at += sizeof(T);
        }
        body["arrays"][name] = {type_name<T>(), first, count};
    }
    template <class T>
    void array(const std::string& name, const matrix<double>& m) {
        array<T>(name, std::span(m.data(), static_cast<std::size_t>(m.rows() * m.cols())));
    }
    const std::vector<char>& bytes() const { return bytes_; }

private:
    template <class T>
    static const char* type_name() {
        if constexpr (std::is_same_v<T, float>) return "f32";
        if constexpr (std::is_same_v<T, double>) return "f64";
        if constexpr (std::is_same_v<T, std::uint8_t>) return "u8";
        return "i32";
    }
    std::vector<char> bytes_;
};

// Data and model kept between calls. A request may name its session, so that loading strings does not replace the
// points on the plane.
struct session {
    table data;
    std::map<std::string, std::string> words;  // words of graphs and records, for which the library stores hashes
    std::optional<api::model> model;
};

struct request {
    json body;
    std::span<const double> numbers;
    std::string_view bytes;  // content of a file

    std::string text(const char* name, const std::string& otherwise = {}) const {
        return body.contains(name) ? body[name].get<std::string>() : otherwise;
    }
    double number(const char* name, double otherwise) const {
        return body.contains(name) ? body[name].get<double>() : otherwise;
    }
    bool flag(const char* name) const { return body.contains(name) && body[name].get<bool>(); }
    api::spec spec() const { return api::parse_spec(body.at("spec").dump()); }
    api::fit_control control() const {
        api::fit_control out;
        out.seconds = number("seconds", 10);
        return out;
    }
};

using operation = std::function<void(session&, const request&, reply&)>;
// The operations that each source file defines, by name.
std::map<std::string, operation> description_operations();
std::map<std::string, operation> data_operations();
std::map<std::string, operation> fit_operations();
std::map<std::string, operation> matrix_operations();
std::map<std::string, operation> solver_operations();
std::map<std::string, operation> object_operations();

// Returns a JSON number, or one of the texts "inf", "-inf" and "nan".
json number_json(double value);
json figures_json(const api::summary& from);
// Throws if there are fewer than `least` objects.
void require_data(const session& s, index least);
kernel kernel_of(const session& s, const request& r);

}  // namespace mercer::page
