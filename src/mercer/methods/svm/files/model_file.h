// Files of fitted models in this library's own format: everything that a model holds except how long fitting took, so
// that the same fit gives the same bytes. One line of text (format, version, sizes, checksum), one line of JSON (names
// and counts), then numbers as they are in memory, 64-bit little-endian.
#pragma once

#include <string>
#include <string_view>

#include "mercer/methods/svm/svm.h"

namespace mercer {

// Support objects may be vectors (dense or sparse, float or double), strings or sets.
std::string model_bytes(const svm_model& model);
void save_model(const svm_model& model, const std::string& path);  // atomic

// Fails with errc::parse for files that are cut short, damaged, of a newer version or not a model.
svm_model parse_model(std::string_view bytes, const std::string& name);
svm_model load_model(const std::string& path);

// This format or LIBSVM's, by the first bytes. `zero_based`: see libsvm_model.h; in this format columns are only moved
// by it.
svm_model parse_any_model(std::string_view bytes, const std::string& name, bool zero_based = false);
svm_model load_any_model(const std::string& path, bool zero_based = false);

}  // namespace mercer
