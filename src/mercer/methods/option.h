// Options of methods by name: what there is, what it may be, and the values given. Help texts, checks and error
// messages come from one description of each option.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mercer/base/matrix_view.h"
#include "mercer/methods/method_info.h"

namespace mercer::api {

enum class option_kind { number, whole, flag, choice, numbers };

struct option_info {
    std::string name;
    option_kind kind = option_kind::number;
    std::string initial;  // the default as text
    std::string about;
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool low_open = false, high_open = false;  // the ends themselves are not allowed
    std::vector<std::string> choices{};
    std::vector<option_need> needs{};       // without which it would be ignored
    std::vector<former_option> formerly{};  // names that are still understood

    std::string condition() const;  // "0 < C <= inf", "uniform or distance"
};

using settings = std::vector<std::pair<std::string, std::string>>;  // name → value, as text

// The values of all options of one method, checked when they are made.
class option_values {
public:
    // Fails with errc::invalid_argument, listing the options there are, for a name that is not one of them, twice the
    // same name, a value out of range, or an option that would be ignored beside the others. '-' and '_' in names mean
    // the same. An option's former name with one of its values is taken for what it is called now.
    option_values(const std::string& owner, const std::vector<option_info>& options, const settings& given);
    // Of a model file, where all options may be written: those that would be ignored are passed over.
    static option_values stored(const std::string& owner, const std::vector<option_info>& options,
                                const settings& given);

    double number(std::string_view name) const;
    index whole(std::string_view name) const;
    bool flag(std::string_view name) const;
    const std::string& choice(std::string_view name) const;
    std::vector<double> numbers(std::string_view name) const;
    settings all() const;  // those that have an effect, in the order of the table, defaults included

private:
    option_values(const std::string& owner, const std::vector<option_info>& options, const settings& given,
                  bool stored);
    const std::string& text(std::string_view name) const;
    const option_need* unmet(const option_info& o) const;
    settings values_;
    std::vector<std::string> ignored_;
};

// Numbers as the text of an option: "0.5,2".
std::string text_of(std::span<const double> numbers);
// "name=value"; fails with errc::parse when there is no '='.
std::pair<std::string, std::string> parse_setting(std::string_view text);
// svc for SVC, kernel_pca for kernel-pca
std::string plain_name(std::string_view name);

}  // namespace mercer::api
