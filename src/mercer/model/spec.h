// The description of a fit: a method by its name, its kernel in text form, and its options. Specs are read from JSON
// and are stored in model files.
//
//     spec s = parse_spec(R"({"method": "svc", "kernel": "rbf(gamma=0.5)", "scale": "standard", "C": 10})");
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method.h"

namespace mercer::api {

struct spec {
    std::string method;
    std::string kernel;  // text form; empty: default_kernel() for the kind of object
    std::string scale;   // scaling of the columns of vectors: "", "standard" or "minmax"
    settings options;
    std::shared_ptr<const mercer::kernel>
        parsed_kernel{};  // the parsed kernel, if the caller has it; null: `kernel` is parsed
    // representation of strings as vectors: "tfidf", "counts(ngram=2)", … (text_features.h); "": none
    std::string text{};
};
// Parses {"method": "svc", "kernel": "...", "scale": "standard", "text": "...", "C": 10, ...}; every other member is an
// option of the method. Throws an error with errc::parse.
spec parse_spec(std::string_view json);
std::string to_json(const spec& s);

}  // namespace mercer::api
