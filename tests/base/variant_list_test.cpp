#include "mercer/base/variant_list.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <variant>

#include "mercer/export/onnx_graph.h"
#include "mercer/kernels/kernel.h"
#include "mercer/methods/estimator.h"

namespace mercer {
namespace {

struct fails_to_copy {
    fails_to_copy() = default;
    fails_to_copy(const fails_to_copy&) { throw std::runtime_error("no copy"); }
    fails_to_copy& operator=(const fails_to_copy&) = default;
};

// Without variant_list, UBSan reports that libstdc++ 12 destroys a value that does not exist.
TEST(variant_list, keeps_a_variant_intact_whose_copy_fails) {
    using value = std::variant<double, std::vector<fails_to_copy>, variant_list<std::vector<fails_to_copy>>>;
    value first{std::vector<fails_to_copy>(1)}, second{variant_list<std::vector<fails_to_copy>>(1)};
    std::get<2>(second)[0].resize(1);
    for (const value* from : {&first, &second}) {
        EXPECT_THROW(value{*from}, std::runtime_error);
        value to = 1.5;
        EXPECT_THROW(to = *from, std::runtime_error);
        EXPECT_EQ(std::get<double>(to), 1.5);
    }
}

#if _GLIBCXX_RELEASE == 12

template <class>
constexpr bool is_never_without_value = false;
template <class... Alternatives>
constexpr bool is_never_without_value<std::variant<Alternatives...>> =
    std::__detail::__variant::__never_valueless<Alternatives...>();

// A variant of the library's own lists alone has the fault.
static_assert(is_never_without_value<std::variant<double, std::vector<double>, std::vector<std::vector<double>>>>);

static_assert(!is_never_without_value<argument>);
static_assert(!is_never_without_value<api::summary_value>);
static_assert(!is_never_without_value<api::part_value>);
static_assert(!is_never_without_value<api::onnx_graph::attribute_value>);
static_assert(!is_never_without_value<dataset::storage>);

#endif

}  // namespace
}  // namespace mercer
