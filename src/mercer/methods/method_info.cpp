#include "mercer/methods/method_info.h"

#include <algorithm>

namespace mercer {

const char* name(method_family family) noexcept {
    switch (family) {
        case method_family::classification: return "classification";
        case method_family::regression: return "regression";
        case method_family::outliers: return "outliers";
        case method_family::clustering: return "clustering";
        case method_family::components: return "components";
        case method_family::density: return "density";
    }
    return "";
}

bool option_requirement::is_met_by(const std::string& value) const {
    return values.empty() ? !value.empty() : std::ranges::find(values, value) != values.end();
}

}  // namespace mercer
