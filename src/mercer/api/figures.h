// Named figures of a fit, in the order in which a person reads them: what front ends print, write as JSON and keep in model files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace mercer::api {

using figure_value = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

class figures {
public:
    // Any whole number is an int64, any text a string: nothing is narrowed on the way.
    template <class T>
    void add(std::string name, T value) {
        if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>)
            all_.emplace_back(std::move(name), figure_value(value));
        else if constexpr (std::is_integral_v<T>)
            all_.emplace_back(std::move(name), figure_value(static_cast<std::int64_t>(value)));
        else if constexpr (std::is_convertible_v<T, std::string_view>)
            all_.emplace_back(std::move(name), figure_value(std::string(std::string_view(value))));
        else
            all_.emplace_back(std::move(name), figure_value(std::move(value)));
    }
    const figure_value* find(std::string_view name) const;
    double number(std::string_view name) const;  // one that is there and a number; else fails with the names there are
    const std::vector<std::pair<std::string, figure_value>>& all() const { return all_; }
    bool empty() const { return all_.empty(); }

    // For people: a name and its value on each line.
    std::string text() const;
    // One object; numbers that JSON cannot hold are the texts "inf", "-inf" and "nan".
    std::string json() const;
    static figures from_json(std::string_view text);  // fails with errc::parse

private:
    std::vector<std::pair<std::string, figure_value>> all_;
};

// One value for people: "0.0123", "12 numbers from 1 to 0.1".
std::string text(const figure_value& value);

}  // namespace mercer::api
