#include "mercer/kernels/kernel_info.h"

#include <fmt/format.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

void arguments::set(const std::string& name, argument value) {
    if (has(name)) fail(errc::invalid_argument, fmt::format("{}: parameter '{}' is given twice", owner_, name));
    given_.emplace_back(name, std::move(value));
}

const argument* arguments::find(const std::string& name) const {
    for (const auto& [key, value] : given_)
        if (key == name) return &value;
    return nullptr;
}

double arguments::number(const std::string& name, std::optional<double> initial) const {
    const argument* value = find(name);
    if (!value) {
        if (initial) return *initial;
        fail(errc::invalid_argument, fmt::format("{}: parameter '{}' must be given", owner_, name));
    }
    if (const double* number = std::get_if<double>(value)) return *number;
    fail(errc::invalid_argument, fmt::format("{}: parameter '{}' must be a number, got a list", owner_, name));
}

int arguments::whole(const std::string& name, std::optional<int> initial) const {
    const double value = number(name, initial ? std::optional<double>(*initial) : std::nullopt);
    if (value != std::floor(value))
        fail(errc::invalid_argument,
             fmt::format("{}: parameter '{}' must be a whole number, got {}", owner_, name, value));
    require(std::abs(value) <= 1e9, owner_, fmt::format("|{}| <= 1e9", name), value);
    return static_cast<int>(value);
}

std::vector<double> arguments::list(const std::string& name) const {
    const argument* value = find(name);
    if (!value) fail(errc::invalid_argument, fmt::format("{}: parameter '{}' must be given", owner_, name));
    if (const auto* list = std::get_if<std::vector<double>>(value)) return *list;
    if (const double* number = std::get_if<double>(value)) return {*number};
    fail(errc::invalid_argument,
         fmt::format("{}: parameter '{}' must be a list of numbers, got a list of lists", owner_, name));
}

std::vector<std::vector<double>> arguments::table(const std::string& name) const {
    const argument* value = find(name);
    if (!value) fail(errc::invalid_argument, fmt::format("{}: parameter '{}' must be given", owner_, name));
    if (const auto* table = std::get_if<number_table>(value)) return *table;
    return {list(name)};
}

void require(bool ok, const std::string& owner, const std::string& condition, double value) {
    if (!ok)
        fail(errc::invalid_argument, fmt::format("{}: must satisfy {}{}, got {}", owner, condition,
                                                 std::isfinite(value) ? "" : " and be finite", number_text(value)));
}

std::string number_text(double value) { return fmt::format("{}", value); }

std::string call_text(const kernel_info& info, const std::vector<argument>& values) {
    std::string out = info.name + "(";
    for (std::size_t i = 0; i < values.size(); ++i) {
        out += (i ? ", " : "") + info.parameters[i].name + "=";
        if (const double* number = std::get_if<double>(&values[i])) out += number_text(*number);
        if (const auto* list = std::get_if<std::vector<double>>(&values[i]))
            out += fmt::format("[{}]", join(*list, ", "));
        if (const auto* table = std::get_if<number_table>(&values[i])) {
            out += "[";
            for (std::size_t r = 0; r < table->size(); ++r)
                out += fmt::format("{}[{}]", r ? ", " : "", join((*table)[r], ", "));
            out += "]";
        }
    }
    return out + ")";
}

}  // namespace mercer
