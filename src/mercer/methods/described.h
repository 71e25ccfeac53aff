// From the description of a method (methods/method_info.h) to what front ends need of it: the table of its options, its
// value from texts and back, and its entry in the registry.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/method.h"

namespace mercer::api {

// The options of a value as a table, its own numbers as the defaults.
class option_lister {
public:
    std::vector<option_info> options;

    void number(const char* name, double value, range r, const char* about, option_needs needs = {}) {
        add({name, option_kind::number, number_text(value), about, r.low, r.high, r.low_open, r.high_open},
            std::move(needs));
    }
    void whole(const char* name, index value, double low, const char* about, option_needs needs = {}) {
        add({name, option_kind::whole, std::to_string(value), about, low}, std::move(needs));
    }
    void flag(const char* name, bool value, const char* about, option_needs needs = {}) {
        add({name, option_kind::flag, value ? "true" : "false", about}, std::move(needs));
    }
    void choice(const char* name, const std::string& value, std::vector<std::string> choices, const char* about,
                option_needs needs = {}) {
        option_info made{name, option_kind::choice, value, about};
        made.choices = std::move(choices);
        add(std::move(made), std::move(needs));
    }
    void numbers(const char* name, const std::vector<double>& value, range r, const char* about,
                 option_needs needs = {}) {
        add({name, option_kind::numbers, text_of(value), about, r.low, r.high, r.low_open, r.high_open},
            std::move(needs));
    }

    // Of the option before: a name that it had.
    void formerly(const char* name, std::vector<std::pair<std::string, std::string>> values) {
        options.back().formerly.push_back({name, std::move(values)});
    }

private:
    void add(option_info made, option_needs needs) {
        made.needs = std::move(needs);
        options.push_back(std::move(made));
    }
};

// Values of options into the value that has them.
class option_reader {
public:
    explicit option_reader(const option_values& from) : from_(from) {}
    void number(const char* name, double& value, range, const char*, const option_needs& = {}) {
        value = from_.number(name);
    }
    void whole(const char* name, index& value, double, const char*, const option_needs& = {}) {
        value = from_.whole(name);
    }
    void flag(const char* name, bool& value, const char*, const option_needs& = {}) { value = from_.flag(name); }
    void choice(const char* name, std::string& value, const std::vector<std::string>&, const char*,
                const option_needs& = {}) {
        value = from_.choice(name);
    }
    void numbers(const char* name, std::vector<double>& value, range, const char*, const option_needs& = {}) {
        value = from_.numbers(name);
    }
    void formerly(const char*, const std::vector<std::pair<std::string, std::string>>&) {}

private:
    const option_values& from_;
};

template <class Method>
concept described_method = requires(Method m, option_lister v) {
    { Method::facts() } -> std::same_as<method_facts>;
    m.options(v);
};

template <described_method Method>
std::vector<option_info> options_of(Method m = {}) {
    option_lister list;
    m.options(list);
    return std::move(list.options);
}

// Those that differ from the defaults.
template <described_method Method>
settings settings_of(const Method& m) {
    settings out;
    const std::vector<option_info> mine = options_of(m), usual = options_of<Method>();
    for (std::size_t i = 0; i < mine.size(); ++i)
        if (mine[i].initial != usual[i].initial) out.emplace_back(mine[i].name, mine[i].initial);
    return out;
}

template <described_method Method>
Method value_of(const option_values& from) {
    Method out;
    option_reader read(from);
    out.options(read);
    return out;
}

// The entry of the registry: fit is given the value; Fitted, an adapter of a model (fitted_as), is what files of this
// method become.
template <described_method Method, class Fitted>
method entry(fitted_ptr (*fit)(const Method&, const fit_call&)) {
    return {Method::facts(),
            options_of<Method>(),
            [fit](const fit_call& t) { return fit(value_of<Method>(t.options), t); },
            {},
            [](std::string_view bytes, const std::string& file) -> fitted_ptr {
                return std::make_shared<const Fitted>(parse_model<typename Fitted::model_type>(bytes, file));
            }};
}

}  // namespace mercer::api
