// The list of kernels, from which names and loops are made.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "contracts/errors.h"
#include "contracts/paths.h"
#include "mercer/kernels/expression/all_kernels.h"
#include "mercer/kernels/expression/listed_kernels.h"

namespace mercer::testing {
namespace {

TEST(list_of_kernels, has_every_kernel_of_the_folder) {
    const std::string sign = "\n    static kernel_info info()";  // not in an example of a comment
    std::size_t written = 0;
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(testing_support::tests_file("../src/mercer/kernels"))) {
        if (file.path().extension() != ".h") continue;
        std::ostringstream text;
        text << std::ifstream(file.path()).rdbuf();
        const std::string all = text.str();
        for (std::size_t at = all.find(sign); at != std::string::npos; at = all.find(sign, at + 1)) ++written;
    }
    EXPECT_EQ(kernel_registry().size(), written) << "a kernel is missing in listed_kernels of all_kernels.h";
}

TEST(list_of_kernels, begins_with_the_map_that_a_call_without_a_formula_means) {
    EXPECT_EQ(formula_call_of(linear{}).place, formula_call{}.place);
}

struct unlisted {
    template <class R>
    R operator()(R t) const {
        return t;
    }
};

TEST(list_of_kernels, is_named_where_a_formula_is_not_in_it) {
    expect_error(errc::invalid_argument, "all_kernels.h", [] { formula_call_of(unlisted{}); });
}

}  // namespace
}  // namespace mercer::testing
