// Options of methods by name: their descriptions and their values. Help texts, checks and error messages are generated
// from one description of each option.
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

enum class option_kind { number, integer, flag, choice, numbers };

// The description of one option.
struct option_info {
    std::string name;
    option_kind kind = option_kind::number;
    std::string default_value;  // the default as text
    std::string about;
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool low_open = false, high_open = false;  // true: the bound itself is not allowed
    std::vector<std::string> choices{};
    std::vector<option_requirement> needs{};         // the option has an effect only if all of these hold
    std::vector<former_option_name> former_names{};  // former names and values, which are still accepted
    std::vector<std::pair<std::string, std::string>> choice_meanings{};  // choice → its meaning, for some choices

    // The allowed values: "0 < C <= inf", "integer, seed >= 0", "uniform or distance".
    std::string condition() const;
    // The conditions `needs` as text, "only with loss = huber; only without alphas", each name and value between two
    // `quote`; empty if there are none.
    std::string requirements(std::string_view quote = "") const;
};

using settings = std::vector<std::pair<std::string, std::string>>;  // name → value, as text

// The values of all options of one method, checked by the constructor.
class option_values {
public:
    // Checks the settings `given`; options that are not given have their defaults. Throws errc::invalid_argument for an
    // unknown name (the message lists the options), a name given twice, a value out of range, or an option that has no
    // effect with the values of the others. '-' and '_' in names are equivalent. A former name with a former value is
    // replaced by the present ones. `owner` begins the messages.
    option_values(const std::string& owner, const std::vector<option_info>& options, const settings& given);
    // Makes the values from the options in a model file, which may contain options without effect.
    static option_values from_model_file(const std::string& owner, const std::vector<option_info>& options,
                                         const settings& given);

    double number(std::string_view name) const;
    index integer(std::string_view name) const;
    bool flag(std::string_view name) const;
    const std::string& choice(std::string_view name) const;
    std::vector<double> numbers(std::string_view name) const;
    settings all() const;  // the options that have an effect, defaults included, in the order of `options`

private:
    option_values(const std::string& owner, const std::vector<option_info>& options, const settings& given,
                  bool stored);
    const std::string& text(std::string_view name) const;
    const option_requirement* find_unmet(const option_info& o) const;
    settings values_;
    std::vector<std::string> ignored_;
};

// Numbers as the text of an option: "0.5,2".
std::string text_of(std::span<const double> numbers);
// Splits "name=value"; throws errc::parse if there is no '=' or no name.
std::pair<std::string, std::string> parse_setting(std::string_view text);
// The name in lower case, with '_' for '-': "svc" for "SVC", "kernel_pca" for "kernel-pca".
std::string canonical_name(std::string_view name);

}  // namespace mercer::api
