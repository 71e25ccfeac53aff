// The description of a fit: a method by its name, its kernel in text form, and its options. Specs are read from JSON
// and are stored in model files.
//
// Example:
//
//     const api::spec s = api::parse_spec(R"json({"method": "svc", "kernel": "rbf(gamma=0.5)", "C": 10})json");
//     assert(s.method == "svc" && s.options[0].first == "C" && s.options[0].second == "10");
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method.h"

namespace mercer::api {

// A method, its kernel, the preprocessing and the options; see the file comment.
struct spec {
    std::string method;
    std::string kernel;  // text form; empty: default_kernel() for the kind of object
    std::string scale;   // scaling of the columns of vectors: "", "standard" or "minmax"
    settings options;    // option → value as text, such as {"C", "10"}; other options have their defaults
    std::shared_ptr<const mercer::kernel>
        parsed_kernel{};  // the parsed kernel, if the caller has it; null: `kernel` is parsed
    // representation of strings as vectors: "tfidf", "counts(ngram=2)", … (text_features.h); "": none
    std::string text{};
};
// Parses {"method": "svc", "kernel": "...", "scale": "standard", "text": "...", "C": 10, ...}; every other member is an
// option of the method. Throws errc::parse.
spec parse_spec(std::string_view json);
// The JSON from which parse_spec() makes the same spec.
std::string to_json(const spec& s);

}  // namespace mercer::api
