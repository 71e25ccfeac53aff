#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/threads.h"
#include "mercer/data/all_kinds.h"
#include "mercer/io/read.h"
#include "mercer/methods/svm/calibrated_fit.h"
#include "mercer/methods/svm/libsvm_model.h"
#include "mercer/methods/svm/svm_model.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;
using ::testing::HasSubstr;

void expect_same(const svm_model& a, const svm_model& b) {
    EXPECT_EQ(a.task, b.task);
    EXPECT_EQ(a.scheme, b.scheme);
    EXPECT_EQ(a.kernel_text, b.kernel_text);
    EXPECT_EQ(a.classes, b.classes);
    EXPECT_EQ(a.class_names, b.class_names);
    EXPECT_EQ(a.support_rows, b.support_rows);
    EXPECT_EQ(a.class_support, b.class_support);
    EXPECT_EQ(a.offset, b.offset);
    EXPECT_EQ(a.training_size, b.training_size);
    EXPECT_EQ(a.dims, b.dims);
    EXPECT_EQ(a.C, b.C);
    EXPECT_EQ(a.support.items().index(), b.support.items().index());
    expect_same_numbers(a.coef, b.coef);
    ASSERT_EQ(a.reports.size(), b.reports.size());
    for (std::size_t p = 0; p < a.reports.size(); ++p) {
        EXPECT_EQ(a.reports[p].status, b.reports[p].status);
        EXPECT_EQ(a.reports[p].gap, b.reports[p].gap);
        EXPECT_EQ(a.reports[p].objective, b.reports[p].objective);
        EXPECT_EQ(a.reports[p].steps, b.reports[p].steps);
        EXPECT_EQ(a.reports[p].offset_low, b.reports[p].offset_low);
        EXPECT_EQ(a.reports[p].margin_vectors, b.reports[p].margin_vectors);
    }
}

svm_model iris_model() {
    table data = sample("iris.svm");
    svm_model model = fit_svm(gaussian{0.25}, data.x, data.y, {});
    model.class_names = {"setosa", "versicolor", "virginica \"ü\"\n"};
    EXPECT_EQ(calibrate(model, gaussian{0.25}, data.x, data.y, {}).unfinished, 0);
    return model;
}

TEST(model_file, vectors_of_all_kinds) {
    const table data = sample("iris.svm");
    const dataset kinds[] = {data.x, as_dense<double>(data.x), as_dense<float>(data.x)};
    for (const dataset& x : kinds)
        for (const auto task : {svm_task::c_svc, svm_task::one_class, svm_task::nu_svr})
            for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
                svm_options options;
                options.task = task;
                options.classes = scheme;
                options.C = 3;
                const svm_model model =
                    fit_svm(kernel::parse("0.5*rbf(gamma=0.25) + poly(degree=2, gamma=0.01)"), x, data.y, options);
                const svm_model back = parse_model<svm_model>(model_bytes(model), "m");
                expect_same(model, back);
                expect_same_numbers(decide(model, x), decide(back, x));
                EXPECT_EQ(model_bytes(back), model_bytes(model));
            }
}

TEST(model_file, strings_and_sets) {
    const table words = read_table(data_file("promoters.tsv"));
    const svm_model model = fit_svm(kernel::parse("spectrum(k=3)"), words.x, words.y, {});
    const svm_model back = parse_model<svm_model>(model_bytes(model), "m");
    expect_same(model, back);
    expect_same_numbers(decide(model, words.x), decide(back, words.x));

    std::vector<std::vector<std::int64_t>> items;
    std::vector<double> y;
    for (std::int64_t i = 0; i < 40; ++i) items.push_back({i % 7, i % 5 + 100, i % 2 + 1000}), y.push_back(i % 2);
    const dataset bags = sets(items);
    const svm_model about_sets = fit_svm(kernel::parse("jaccard()"), bags, y, {});
    const svm_model back_sets = parse_model<svm_model>(model_bytes(about_sets), "m");
    expect_same_numbers(decide(about_sets, bags), decide(back_sets, bags));
}

TEST(model_file, precomputed_probabilities_and_infinities) {
    const table data = sample("heart_scale.svm");
    matrix<double> K(data.x.size(), data.x.size());
    evaluator<double>(gaussian{30}, data.x).fill(K.view());
    svm_options options;
    options.C = std::numeric_limits<double>::infinity();
    svm_model model = fit_svm_precomputed(K.view(), data.y, options);
    model.probability = calibration{.kind = calibration::method::isotonic,
                                    .A = {},
                                    .B = {},
                                    .knots = {{-1, 0, 2}},
                                    .values = {{0, 0.25, 1}},
                                    .sigma = 0};
    const svm_model back = parse_model<svm_model>(model_bytes(model), "m");
    expect_same(model, back);
    EXPECT_EQ(back.probability->knots, model.probability->knots);
    EXPECT_EQ(back.probability->values, model.probability->values);
    EXPECT_FALSE(back.k);
    const svm_model iris = iris_model(), iris_back = parse_model<svm_model>(model_bytes(iris), "m");
    EXPECT_EQ(iris_back.probability->A, iris.probability->A);
    EXPECT_EQ(iris_back.class_names, iris.class_names);
}

TEST(model_file, same_bytes_with_one_thread_and_with_two) {
    table data = read_table(data_file("abalone.svm.xz"));
    std::string bytes[2];
    for (int t = 0; t < 2; ++t) {
        const thread_limit limit(t + 1);
        svm_options options;
        options.task = svm_task::epsilon_svr;
        bytes[t] = model_bytes(fit_svm(gaussian{1}, data.x, data.y, options));
    }
    EXPECT_TRUE(bytes[0] == bytes[1]);
}

TEST(model_file, saved_loaded_and_told_apart) {
    const scratch_folder folder;
    const svm_model model = iris_model();
    save_model(model, folder.path("own"));
    save_libsvm_model(model, folder.path("libsvm"));
    EXPECT_EQ(folder.files(), 2u);
    expect_same(load_model<svm_model>(folder.path("own")), model);
    expect_same_numbers(load_any_model(folder.path("own")).coef, model.coef);
    expect_same_numbers(load_any_model(folder.path("libsvm")).coef, model.coef);
    const svm_model moved = load_any_model(folder.path("own"), true);
    EXPECT_EQ(entries<double>(moved.support)[0].column, entries<double>(model.support)[0].column + 1);
    EXPECT_THAT(failure([&] { load_model<svm_model>(folder.path("libsvm")); }),
                HasSubstr("not a model file of this method"));
    EXPECT_THAT(failure([&] { load_model<svm_model>(folder.path("none")); }), HasSubstr("No such file"));
}

TEST(model_file, every_cut_and_every_flipped_byte_is_noticed) {
    const table data = sample("iris.svm");
    const std::string bytes = model_bytes(fit_svm(linear{}, data.x, data.y, {}));
    for (std::size_t size = 0; size < bytes.size(); size += 7)
        ASSERT_NE(failure([&] { parse_model<svm_model>(bytes.substr(0, size), "m"); }), "no error") << size;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        ASSERT_NE(failure([&] { parse_model<svm_model>(damaged, "m"); }), "no error") << at;
    }
    EXPECT_THAT(failure([&] { parse_model<svm_model>(bytes.substr(0, bytes.size() - 1), "m"); }),
                HasSubstr("is truncated"));
    EXPECT_THAT(failure([&] { parse_model<svm_model>(bytes + "x", "m"); }),
                HasSubstr("the model file is damaged: 1 bytes follow the end of the model"));
    std::string damaged = bytes;
    damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 64);
    EXPECT_THAT(failure([&] { parse_model<svm_model>(damaged, "m"); }), HasSubstr("damaged: its checksum"));
    svm_model unnamed = fit_svm(linear{}, data.x, data.y, {});
    unnamed.classes[1] = std::nan("");
    EXPECT_THAT(failure([&] { parse_model<svm_model>(model_bytes(unnamed), "m"); }),
                HasSubstr("a class label must be finite, got nan"));
    std::string newer = bytes;
    newer.replace(0, std::string("mercer-svm-model 2").size(), "mercer-svm-model 4");
    EXPECT_THAT(failure([&] { parse_model<svm_model>(newer, "m"); }),
                HasSubstr("the model file has version 4, but this mercer reads versions up to 3: use a newer mercer"));
}

}  // namespace
}  // namespace mercer
