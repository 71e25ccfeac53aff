// Named figures of a fit, in the order in which a person reads them: what front ends print, write as JSON and keep in
// model files.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/base/variant_list.h"

namespace mercer::api {

using figure_value =
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>, text_list>;

// Any whole number is an int64, any text a string: nothing is narrowed on the way.
template <class T>
figure_value as_figure(T value) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return static_cast<std::int64_t>(value);
    else if constexpr (std::is_convertible_v<T, std::string_view>)
        return std::string(std::string_view(value));
    else
        return value;
}

class figures {
public:
    struct entry {
        std::string name;
        figure_value value;
        template <class T>
        entry(std::string name_, T value_) : name(std::move(name_)), value(as_figure(std::move(value_))) {}
    };
    figures() = default;
    figures(std::initializer_list<entry> all) {
        for (const entry& each : all) all_.emplace_back(each.name, each.value);
    }
    template <class T>
    void add(std::string name, T value) {
        all_.emplace_back(std::move(name), as_figure(std::move(value)));
    }
    void add(const figures& more) { all_.insert(all_.end(), more.all_.begin(), more.all_.end()); }
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
