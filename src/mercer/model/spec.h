// What is to be fitted: a method by its name, its kernel and its options, as the JSON of a spec.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "mercer/kernels/kernel.h"
#include "mercer/methods/method.h"

namespace mercer::api {

struct spec {
    std::string method;
    std::string kernel;  // text form; empty: the default for the kind of object
    std::string scale;   // "", "standard" or "minmax": of the columns of vectors
    settings options;
    std::shared_ptr<const mercer::kernel> ready{};  // the kernel itself, where the caller has it: not parsed again
    std::string text{};  // "", or what strings are turned into: "tfidf", "counts(ngram=2)", … (text_features.h)
};
// {"method": "svc", "kernel": "...", "scale": "standard", "C": 10, ...}: every other member is an option. Fails with
// errc::parse.
spec parse_spec(std::string_view json);
std::string to_json(const spec& s);

}  // namespace mercer::api
