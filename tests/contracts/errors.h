// Expectations about errors: the code, and words that the message must contain.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "mercer/base/error.h"

namespace mercer::testing {

template <class Body>
error thrown_by(Body&& body) {
    try {
        body();
    } catch (const error& thrown) {
        return thrown;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {errc::unsupported, "nothing was thrown"};
}

template <class Body>
void expect_error(errc code, const std::string& part, Body&& body) {
    const error thrown = thrown_by(body);
    EXPECT_EQ(name(thrown.code()), std::string(name(code))) << thrown.what();
    EXPECT_NE(std::string(thrown.what()).find(part), std::string::npos)
        << "\"" << thrown.what() << "\" lacks \"" << part << "\"";
}

}  // namespace mercer::testing
