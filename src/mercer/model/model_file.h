// Model files.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "mercer/io/read.h"
#include "mercer/model/model.h"

namespace mercer::api {

// Any model file of the library, and LIBSVM's text.
model parse(std::string_view bytes, const std::string& name);
model load(const std::string& path);

// The estimator alone, and the name of its method: from a model file of an estimator, or LIBSVM's text.
std::pair<fitted_ptr, std::string> parse_fitted(std::string_view bytes, const std::string& name);

// How to read a file so that it matches the data of the fit: label, numbers of classes, dictionary, columns.
read_options read_like(const model& m);

}  // namespace mercer::api
