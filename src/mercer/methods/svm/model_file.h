// Files of fitted machines, in this library's own format (methods/model_file.h) or in LIBSVM's.
#pragma once

#include <string>
#include <string_view>

#include "mercer/methods/model_file.h"
#include "mercer/methods/svm/svm.h"

namespace mercer {

// This format or LIBSVM's, by the first bytes. `zero_based`: see libsvm_model.h; in this format columns are only moved
// by it.
svm_model parse_any_model(std::string_view bytes, const std::string& name, bool zero_based = false);
bool begins_any_model(std::string_view text);  // whether it may be the beginning of such a file
svm_model load_any_model(const std::string& path, bool zero_based = false);

}  // namespace mercer
