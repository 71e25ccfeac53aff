// Reads model files. A model file contains the spec, the names of classes and features, the scaling, the text features,
// the summary of the fit, and the file of the estimator unchanged. The file of an estimator alone and LIBSVM's text
// format are also accepted; they are recognised by their first line.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "mercer/io/read.h"
#include "mercer/model/model.h"

namespace mercer::api {

// Parses a model file of the library, or LIBSVM's text. `name` is used in error messages. Throws errc::parse.
model parse(std::string_view bytes, const std::string& name);
// Reads a model file. Throws errc::io if it cannot be read and errc::parse if it is not a model.
model load(const std::string& path);

// Parses the file of an estimator alone, or LIBSVM's text. Returns the estimator and the name of its method.
std::pair<estimator_ptr, std::string> parse_estimator(std::string_view bytes, const std::string& name);

// The options that read a file like the training data: target column, classes, column encoder, dictionary and number of
// columns.
read_options read_options_for(const model& m);

}  // namespace mercer::api
