// Kernels on the fields of records.
#include <gtest/gtest.h>

#include "contracts/errors.h"
#include "contracts/kernel_contract.h"
#include "mercer/data/all_kinds.h"
#include "mercer/model/fit.h"
#include "mercer/model/model_file.h"

namespace mercer {
namespace {

using testing::block_of;
using testing::expect_error;

struct some_records {
    testing::generator random{3};
    testing::objects numbers = testing::random_vectors(random, 30, {.dims = 2}),
                     words = testing::random_strings(random, 30);
    dataset x = testing::vectors_of<double>(numbers, testing::storage::dense), s = testing::strings_of(words);
    dataset all = records({{"place", x}, {"a title", s}});
};

TEST(field, is_the_kernel_of_that_field) {
    const some_records r;
    const kernel sum = kernel::parse("field(place, rbf(gamma=2)) + 0.25*field(\"a title\", normalize(spectrum(k=2)))");
    EXPECT_EQ(sum.text(), "field(place, rbf(gamma=2)) + 0.25*field(\"a title\", normalize(spectrum(k=2)))");
    EXPECT_EQ(kernel::parse(sum.text()).text(), sum.text());
    EXPECT_EQ(sum.kind(), records::kind);
    EXPECT_TRUE(sum.proof().valid);
    const matrix<double> got = block_of(evaluator<double>(sum, r.all)),
                         place = block_of(evaluator<double>(kernel::parse("rbf(gamma=2)"), r.x)),
                         title = block_of(evaluator<double>(kernel::parse("normalize(spectrum(k=2))"), r.s));
    for (index i = 0; i < 30; ++i)
        for (index j = 0; j < 30; ++j) EXPECT_DOUBLE_EQ(got(i, j), place(i, j) + 0.25 * title(i, j));
}

TEST(field, the_product_of_two_fields_against_other_records) {
    const some_records r;
    const dataset head = gather(r.all, row_set(0, 10)), tail = gather(r.all, row_set(10, 20));
    const kernel both = kernel::parse("field(place, linear()) * field(\"a title\", spectrum(k=1))");
    const matrix<double> got = block_of(evaluator<double>(both, head, tail)),
                         whole = block_of(evaluator<double>(both, r.all));
    for (index i = 0; i < 10; ++i)
        for (index j = 0; j < 20; ++j) EXPECT_DOUBLE_EQ(got(i, j), whole(i, 10 + j));
}

TEST(field, what_does_not_fit) {
    const some_records r;
    expect_error(errc::data, "there is no field 'colour': the records have the fields place, a title",
                 [&] { evaluator<double>(kernel::parse("field(colour, linear())"), r.all); });
    EXPECT_ANY_THROW(evaluator<double>(kernel::parse("field(place, spectrum())"), r.all));
    expect_error(errc::parse, "is a kernel on records", [&] { kernel::parse("field(x, linear()) + linear()"); });
    EXPECT_ANY_THROW(kernel::parse("field(\"open, linear())"));
    EXPECT_ANY_THROW(kernel::parse("field(x)"));
}

TEST(field, names_that_need_quotes_come_back) {
    for (const std::string who : {"a b", "3", "", "a\"b", "a\\b", "\xc3\xa9", "x"}) {
        const kernel k = field(who, kernel::parse("linear()"));
        EXPECT_EQ(kernel::parse(k.text()).node().form().function_name, who) << k.text();
    }
}

TEST(field, a_model_of_records_comes_back_and_predicts_the_same) {
    const some_records r;
    table data{r.all, {}, {"no", "yes"}, {}};
    for (index i = 0; i < 30; ++i) data.y.push_back(r.numbers[static_cast<std::size_t>(i)].vector[0] > 0);
    const api::model m = api::fit({"svc", "", "", {}}, data, {});
    EXPECT_EQ(m.spec().kernel.find("field(place, normalize(rbf("), 0u) << m.spec().kernel;
    const api::model again = api::parse(m.bytes(), "test");
    EXPECT_EQ(again.bytes(), m.bytes());
    EXPECT_EQ(again.kind(), records::kind);
    EXPECT_EQ(api::read_options_for(again).records.kinds.at("a title"), "strings");
}

}  // namespace
}  // namespace mercer
