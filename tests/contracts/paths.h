// Paths of the files that tests read. Only paths.cpp depends on the location of the checkout, so that the objects of
// all other tests are the same in every checkout.
#pragma once

#include <string>

namespace mercer::testing_support {

std::string data_file(const std::string& name);   // file in data/
std::string tests_file(const std::string& name);  // file in tests/

}  // namespace mercer::testing_support
