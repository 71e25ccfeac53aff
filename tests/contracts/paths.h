// Where the files are that tests read. The one source behind it knows the checkout, so that the others compile to the
// same objects everywhere.
#pragma once

#include <string>

namespace mercer::testing_support {

std::string data_file(const std::string& name);   // of data/
std::string tests_file(const std::string& name);  // of tests/

}  // namespace mercer::testing_support
