// Kernel matrices that scikit-learn computed: tests/oracles/make_kernels.py.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "contracts/paths.h"
#include "mercer/kernels/evaluation/evaluator.h"

namespace mercer {
namespace {

dense<double> rows_of(const nlohmann::json& rows) {
    matrix<double> all(static_cast<index>(rows.size()), static_cast<index>(rows.at(0).size()));
    for (index i = 0; i < all.rows(); ++i)
        for (index j = 0; j < all.cols(); ++j)
            all(i, j) = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)).get<double>();
    return dense<double>(std::move(all));
}

TEST(oracle, agrees_with_scikit_learn) {
    std::ifstream file(mercer::testing_support::tests_file("oracles/kernels.json"));
    ASSERT_TRUE(file) << "tests/oracles/kernels.json is missing";
    const nlohmann::json cases = nlohmann::json::parse(file);
    ASSERT_GE(cases.size(), 16u);
    for (const auto& each : cases) {
        const auto text = each.at("text").get<std::string>();
        const dense<double> x = rows_of(each.at("x")), z = rows_of(each.at("z")), want = rows_of(each.at("k"));
        const evaluator<double> e(kernel::parse(text), x, z);
        matrix<double> got(x.size(), z.size());
        e.block(row_set(0, x.size()), row_set(0, z.size()), got.view());
        for (index i = 0; i < got.rows(); ++i)
            for (index j = 0; j < got.cols(); ++j)
                EXPECT_NEAR(got(i, j), want.row(i)[j], 1e-10 * std::max(1.0, std::abs(want.row(i)[j])))
                    << text << " (" << i << ", " << j << ")";
    }
}

}  // namespace
}  // namespace mercer
