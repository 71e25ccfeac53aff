#include "mercer/methods/svm/libsvm_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mercer/kernels/vectors/laplacian.h"
#include "mercer/kernels/vectors/polynomial.h"
#include "mercer/kernels/vectors/sigmoid.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

svm_model fitted(const std::string& file, svm_task task, const kernel& k) {
    const table data = sample(file);
    svm_options options;
    options.task = task;
    options.nu = 0.3;
    return fit_svm(k, data.x, data.y, options);
}

TEST(libsvm_model, reads_back_what_it_wrote) {
    const table data = sample("iris.svm");
    for (const auto task :
         {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr})
        for (const kernel& k :
             {kernel(linear{}), kernel(polynomial{2, 0.1, 1}), kernel(gaussian{0.3}), kernel(sigmoid{0.01, -0.5})}) {
            svm_model model;
            try {
                model = fitted("iris.svm", task, k);
            } catch (const error& caught) {
                ASSERT_EQ(caught.code(), errc::infeasible);  // the sigmoid may have no margin
                continue;
            }
            const std::string text = libsvm_model_text(model);
            const svm_model back = parse_libsvm_model(text, "m");
            EXPECT_EQ(back.task, model.task);
            EXPECT_EQ(back.kernel_text, model.kernel_text);
            EXPECT_EQ(back.classes, model.classes);
            EXPECT_EQ(back.class_support, model.class_support);
            EXPECT_EQ(back.offset, model.offset);
            expect_same_numbers(back.coef, model.coef);
            expect_same_numbers(decide(back, data.x, arithmetic::exact), decide(model, data.x, arithmetic::exact));
            EXPECT_EQ(libsvm_model_text(back), text);
        }
}

TEST(libsvm_model, exact_values_survive) {
    // values that 8 digits cannot hold
    const dataset x = dense<double>(plain_matrix({{1.0 / 3, 1e-7 / 3}, {-2.0 / 7, 123456789.125}}));
    const svm_model model = fit_svm(linear{}, x, std::vector<double>{1, 2}, {});
    const svm_model back = parse_libsvm_model(libsvm_model_text(model), "m");
    EXPECT_EQ(entries<double>(back.support),
              (std::vector<entry>{{0, 0, 1.0 / 3}, {0, 1, 1e-7 / 3}, {1, 0, -2.0 / 7}, {1, 1, 123456789.125}}));
}

const char* const small =
    "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho -0.25\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 "
    "3:2 \n-1 2:0.5 \n";

TEST(libsvm_model, by_hand) {
    const svm_model model = parse_libsvm_model(small, "m");
    EXPECT_EQ(model.offset, (std::vector<double>{0.25}));
    EXPECT_EQ(model.classes, (std::vector<double>{1, -1}));
    EXPECT_EQ(model.dims, 3);
    const dataset x = sparse<double>({0, 1}, {1}, {0.5}, 3);
    const matrix<double> f = decide(model, x, arithmetic::exact);
    EXPECT_NEAR(f(0, 0), std::exp(-0.5 * (1 + 4 + 0.25)) - 1 + 0.25, 1e-12);
    EXPECT_EQ(libsvm_model_text(model), small);
}

TEST(libsvm_model, any_order_of_the_header) {
    const svm_model model = parse_libsvm_model(
        "nr_sv 1 1\r\nlabel 1 -1\r\nrho -0.25\ntotal_sv 2\n\nnr_class 2\ngamma 0.5\nkernel_type rbf\nsvm_type "
        "c_svc\nSV\n1 1:1 3:2\n-1 2:0.5",
        "m");
    EXPECT_EQ(libsvm_model_text(model), small);
}

TEST(libsvm_model, precomputed_keeps_serial_numbers) {
    const svm_model model = parse_libsvm_model(
        "svm_type epsilon_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho 0\nSV\n1 0:7 \n-0.5 0:3 \n", "m");
    EXPECT_EQ(model.support_rows, (std::vector<index>{6, 2}));
    EXPECT_EQ(model.training_size, 7);
    EXPECT_FALSE(model.k);
    matrix<double> K(1, 7);
    K(0, 6) = 10, K(0, 2) = 4;
    EXPECT_EQ(decide_precomputed(model, K.view())(0, 0), 8);
    EXPECT_THAT(libsvm_model_text(model), HasSubstr("SV\n1 0:7 \n-0.5 0:3 \n"));
}

TEST(libsvm_model, index_zero_needs_zero_based) {
    const std::string text = "svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 0:7 2:1 \n";
    EXPECT_THAT(failure([&] { parse_libsvm_model(text, "m"); }), HasSubstr("m:7:3"));
    const svm_model model = parse_libsvm_model(text, "m", true);
    EXPECT_EQ(entries<double>(model.support), (std::vector<entry>{{0, 0, 7}, {0, 2, 1}}));
    EXPECT_EQ(libsvm_model_text(model, true), text);
}

TEST(libsvm_model, probabilities) {
    std::string text = small;
    text.replace(text.find("nr_sv"), 0, "probA -2\nprobB 0.5\n");
    const svm_model model = parse_libsvm_model(text, "m");
    EXPECT_EQ(model.probability->A, (std::vector<double>{-2}));
    EXPECT_EQ(model.probability->B, (std::vector<double>{0.5}));
    EXPECT_EQ(libsvm_model_text(model), text);
}

TEST(libsvm_model, faults_are_named) {
    const auto changed = [](const std::string& from, const std::string& to) {
        std::string text = small;
        text.replace(text.find(from), from.size(), to);
        return failure([&] { parse_libsvm_model(text, "m"); });
    };
    EXPECT_THAT(changed("svm_type c_svc", "svm_type d_svc"),
                HasSubstr("m:1:10: expected a known svm_type, got 'd_svc'"));
    EXPECT_THAT(changed("rbf", "foo"), HasSubstr("m:2:13"));
    EXPECT_THAT(changed("gamma", "gemma"), HasSubstr("unknown text in model file: ['gemma']"));
    EXPECT_THAT(changed("gamma 0.5", "gamma x"), HasSubstr("m:3:7: expected a number"));
    EXPECT_THAT(changed("gamma 0.5", "gamma -0.5"), HasSubstr("gamma"));
    EXPECT_THAT(changed("rho -0.25", "rho"), HasSubstr("expected 1 number after the keyword 'rho', got 0"));
    EXPECT_THAT(changed("nr_sv 1 1", "nr_sv 1 2"), HasSubstr("must add up to total_sv = 2, got 3"));
    EXPECT_THAT(changed("-1 2:0.5", ""),
                HasSubstr("expected 2 support vectors (total_sv), got 1: the file is cut short"));
    EXPECT_THAT(changed("SV\n", ""), HasSubstr("unknown text"));
    EXPECT_THAT(changed("label 1 -1\n", ""), HasSubstr("expected a line label"));
    EXPECT_THAT(changed("3:2", "1:2"), HasSubstr("m:10:7: expected an index > 1"));
    EXPECT_THAT(changed("3:2", "3:"), HasSubstr("a number as the value"));
    EXPECT_THAT(changed("-1 2:0.5", "2:0.5"), HasSubstr("m:11:1: expected a number as the coefficient"));
    EXPECT_THAT(changed("nr_class 2", "nr_class 1e9"), HasSubstr("rho"));
    EXPECT_THAT(failure([] { parse_libsvm_model("", "m"); }), HasSubstr("expected a line SV"));
}

TEST(libsvm_model, refuses_what_the_format_lacks) {
    EXPECT_THAT(failure([] { libsvm_model_text(fitted("iris.svm", svm_task::c_svc, laplacian{0.5})); }),
                HasSubstr("the kernel laplacian"));
    const table data = sample("iris.svm");
    svm_options options;
    options.classes = multiclass::one_vs_rest;
    const svm_model rest = fit_svm(gaussian{1}, data.x, data.y, options);
    EXPECT_THAT(failure([&] { libsvm_model_text(rest); }), HasSubstr("one-versus-rest"));
}

TEST(libsvm_model, kernels_that_are_none) {
    // LIBSVM accepts these kernels; so does Mercer, checked with the formula
    const dataset x = dense<double>(plain_matrix({{0.5, -2}})), z = dense<double>(plain_matrix({{3, 0.25}}));
    using kind = libsvm_kernel::kind;
    EXPECT_NEAR((pair_value(*libsvm_kernel{kind::polynomial, 3, 0.7, -2.5}.make(), x, z)), std::pow(0.7 * 1.0 - 2.5, 3),
                1e-12);
    const auto value = [&](const libsvm_kernel& k) { return pair_value(*k.make(), x, z); };
    EXPECT_EQ(value({kind::polynomial, 0, 0.7, -2.5}), 1);
    EXPECT_EQ(value({kind::polynomial, 2, 0, 3}), 9);
    EXPECT_EQ(value({kind::rbf, 3, 0, 0}), 1);
    EXPECT_EQ((libsvm_kernel{kind::precomputed, 3, 0, 0}.make()), nullptr);
    const auto back = libsvm_kernel::from_kernel(*libsvm_kernel{kind::polynomial, 3, 0.7, -2.5}.make());
    EXPECT_EQ(back->coef0, -2.5);
}

}  // namespace
}  // namespace mercer
