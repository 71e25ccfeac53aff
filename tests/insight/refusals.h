// What a test of a report says about a call that must fail: its code and a part of its message.
#pragma once

#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {

template <class Body>
void expect_error(errc code, const std::string& part, Body&& body) {
    const std::string said = failure(body);
    EXPECT_TRUE(said.starts_with(std::string(name(code)) + ": ")) << said;
    EXPECT_NE(said.find(part), std::string::npos) << "\"" << said << "\" lacks \"" << part << "\"";
}

}  // namespace mercer::svm_testing
