#include "contracts/paths.h"

namespace mercer::testing_support {

std::string data_file(const std::string& name) { return MERCER_DATA_DIR "/" + name; }
std::string tests_file(const std::string& name) { return MERCER_TEST_DIR "/" + name; }

}  // namespace mercer::testing_support
