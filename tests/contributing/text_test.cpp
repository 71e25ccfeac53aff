// Checks that the examples in CONTRIBUTING.md equal the files that are compiled and tested here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "contracts/paths.h"

namespace mercer::testing_support {
namespace {

std::string text_of(const std::string& name) {
    std::ifstream in(tests_file(name));
    EXPECT_TRUE(in) << name;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(contributing, shows_the_files_of_its_example) {
    const std::string page = text_of("../CONTRIBUTING.md");
    for (const char* name :
         {"contributing/mercer/kernels/vectors/inverse_multiquadric.h", "contributing/inverse_multiquadric_test.cpp"})
        EXPECT_THAT(page, ::testing::HasSubstr("```cpp\n" + text_of(name) + "```\n"))
            << "copy tests/" << name << " to CONTRIBUTING.md";
    // The same text indented by three blanks, as in a list.
    std::string indented = "```cpp\n" + text_of("contributing/kernel_median_file.h") + "```\n", shown;
    for (std::size_t at = 0, end; at < indented.size(); at = end) {
        end = indented.find('\n', at) + 1;
        shown += (end - at > 1 ? "   " : "") + indented.substr(at, end - at);
    }
    EXPECT_THAT(page, ::testing::HasSubstr(shown)) << "copy tests/contributing/kernel_median_file.h to CONTRIBUTING.md";
}

}  // namespace
}  // namespace mercer::testing_support
