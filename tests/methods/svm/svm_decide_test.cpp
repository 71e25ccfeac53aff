#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "mercer/data/strings.h"
#include "mercer/gram/make_gram.h"
#include "mercer/io/read.h"
#include "mercer/methods/svm/svm_model.h"
#include "methods/model_support.h"

namespace mercer {
namespace {

using namespace testing_support;

TEST(svm_decide, exact_is_the_sum_of_the_definition) {
    const table data = sample("wine.svm");
    const svm_model model = fit_svm(gaussian{1e-3}, data.x, data.y, {});
    const matrix<double> exact = decide(model, data.x, arithmetic::exact),
                         fast = decide(model, data.x, arithmetic::fast);
    const auto x = as_dense<double>(data.x);
    const auto s = as_dense<double>(model.support);
    const index k = static_cast<index>(model.classes.size());
    std::vector<index> first{0};
    for (const index count : model.class_support) first.push_back(first.back() + count);
    for (index i = 0; i < x.size(); ++i) {
        index problem = 0;
        for (index a = 0; a < k; ++a)
            for (index b = a + 1; b < k; ++b, ++problem) {
                double f = model.offset[static_cast<std::size_t>(problem)], size = std::abs(f);
                const auto add = [&](index c, index m) {
                    for (index v = first[static_cast<std::size_t>(c)]; v < first[static_cast<std::size_t>(c) + 1];
                         ++v) {
                        double distance = 0;
                        for (index j = 0; j < x.dims(); ++j)
                            distance += (x.row(i)[j] - s.row(v)[j]) * (x.row(i)[j] - s.row(v)[j]);
                        f += model.coef(m, v) * std::exp(-1e-3 * distance);
                        size += std::abs(model.coef(m, v));
                    }
                };
                add(a, b - 1);
                add(b, a);
                ASSERT_NEAR(exact(i, problem), f, 1e-9 * size);
                ASSERT_NEAR(fast(i, problem), f, 1e-3 * size);  // coordinates of 1e3: squared distances of 1e6 in float
            }
    }
}

TEST(svm_decide, classes_are_those_of_exact_arithmetic) {
    // Coordinates far from zero in sparse storage make float kernel values poor, so that some fast decisions have the
    // wrong sign.
    const table data = sample("sonar.svm");
    matrix<double> moved(data.x.size(), data.x.dims() + 1);
    const auto x = as_dense<double>(data.x);
    for (index i = 0; i < moved.rows(); ++i) {
        std::copy_n(x.row(i), x.dims(), moved.row(i));
        moved(i, x.dims()) = i % 2 ? 40 : -40;
    }
    const dataset far = dense<double>(std::move(moved));
    for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
        svm_options options;
        options.classes = scheme;
        options.C = 100;
        std::vector<double> y = data.y;
        for (std::size_t i = 0; i < y.size(); i += 3) y[i] = 5;
        const svm_model model = fit_svm(gaussian{0.3}, far, y, options);
        EXPECT_EQ(predict(model, far), predict(model, decide(model, far, arithmetic::exact).view()));
    }
}

dense<double> normal_rows(index n, index d, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    matrix<double> rows(n, d);
    for (index i = 0; i < n * d; ++i) rows.data()[i] = normal(random);
    return dense<double>(std::move(rows));
}

// Rows as near to the border of two classes as double allows, up to `off`: by bisection of the definition.
matrix<double> rows_at_the_border(const svm_model& model, const std::function<long double(const double*)>& f, index n,
                                  std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const index d = model.dims;
    matrix<double> out(n, d);
    for (index i = 0; i < n;) {
        std::vector<double> low(static_cast<std::size_t>(d)), high(low), middle(low);
        for (index j = 0; j < d; ++j) low[j] = normal(random), high[j] = normal(random);
        if (f(low.data()) > 0) std::swap(low, high);
        if (f(low.data()) > 0 || f(high.data()) <= 0) continue;
        for (int step = 0; step < 50; ++step) {
            for (index j = 0; j < d; ++j) middle[j] = (low[j] + high[j]) / 2;
            (f(middle.data()) > 0 ? high : low) = middle;
        }
        const double off = std::pow(10.0, -9 + 2.5 * static_cast<double>(i % 8) / 7);
        for (index j = 0; j < d; ++j) out(i, j) = high[j] + off * normal(random);
        ++i;
    }
    return out;
}

// A few rows that float could misclassify among many distant rows, which give no information on float's error.
TEST(svm_decide, the_class_of_a_row_depends_on_the_row_alone) {
    constexpr double gamma = 0.3;
    const dense<double> rows = normal_rows(300, 4, 1);
    const dataset x = rows;
    std::vector<double> y(300);
    for (index i = 0; i < 300; ++i) y[i] = rows.row(i)[0] + rows.row(i)[1] * rows.row(i)[1] > 1 ? 1 : 2;
    for (const svm_task task : {svm_task::c_svc, svm_task::one_class}) {
        svm_options options;
        options.task = task, options.nu = 0.2;
        const svm_model model = fit_svm(gaussian{gamma}, x, y, options);
        const dense<double> support = as_dense<double>(model.support);
        const auto f = [&](const double* z) {
            long double sum = model.offset[0];
            for (index s = 0; s < support.size(); ++s) {
                long double square = 0;
                for (index j = 0; j < 4; ++j)
                    square += (static_cast<long double>(z[j]) - support.row(s)[j]) * (z[j] - support.row(s)[j]);
                sum += model.coef(0, s) * std::exp(-gamma * square);
            }
            return sum;
        };
        const double above = task == svm_task::c_svc ? model.classes[0] : 1,
                     below = task == svm_task::c_svc ? model.classes[1] : -1;
        matrix<double> z = rows_at_the_border(model, f, 1600, 2);
        for (const index near : {1600, 16}) {
            for (index i = near; i < 1600; ++i) std::fill_n(z.row((i * 7) % 1600), 4, 1e3);
            const dataset all = dense<double>(z);
            const std::vector<double> found = predict(model, all);
            for (index i = 0; i < 1600; ++i) {
                const long double truth = f(z.row(i));
                if (std::abs(truth) > 1e-12L) {
                    ASSERT_EQ(found[i], truth > 0 ? above : below) << i << ", " << near;
                }
            }
            for (const index count : {1, 40, 700})
                for (index first = 0; first + count <= (count == 1 ? 100 : 1600); first += count) {
                    const std::vector<double> some = predict(model, gather(all, row_set(first, count)));
                    for (index i = 0; i < count; ++i)
                        ASSERT_EQ(some[i], found[first + i]) << first + i << ", " << count;
                }
        }
    }
}

// Bit-identical, because a sum in another order could change a class on the border.
TEST(svm_decide, linear_decisions_do_not_depend_on_the_other_rows) {
    for (const index classes : {2, 3, 6}) {
        const dataset x = normal_rows(301, 30, 4);
        std::vector<double> y(301);
        for (index i = 0; i < 301; ++i) y[i] = static_cast<double>(i % classes);
        const svm_model model = fit_svm(linear{}, x, y, {});
        const matrix<double> all = decide(model, x);
        for (const index count : {1, 4, 40, 299})
            for (index first = 0; first + count <= 301; first += count) {
                const matrix<double> some = decide(model, gather(x, row_set(first, count)));
                for (index i = 0; i < count; ++i)
                    for (index p = 0; p < all.cols(); ++p)
                        ASSERT_EQ(some(i, p), all(first + i, p)) << first << ", " << i;
            }
    }
}

// Many strings are decided by their substrings, in batches, and few by pairs.
TEST(svm_decide, strings_in_any_number_have_the_same_classes) {
    std::mt19937 random(1);
    const auto drawn = [&](index n) {
        std::vector<std::string> out;
        for (index i = 0; i < n; ++i) {
            std::string each;
            for (int c = 0; c < 30; ++c) each += "ACGT"[random() % 4];
            if (i % 2) each.replace(10, 6, "GATTAC");
            out.push_back(std::move(each));
        }
        return out;
    };
    const dataset x = strings(drawn(120)), z = strings(drawn(12000));
    std::vector<double> y(120);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = i % 2 ? 1 : -1;
    for (const char* text : {"spectrum(k=4)", "weighted_degree(d=5)", "normalize(blended_spectrum(k=3))"}) {
        const svm_model model = fit_svm(kernel::parse(text), x, y, {});
        const std::vector<double> found = predict(model, z);
        EXPECT_EQ(found, predict(model, decide(model, z, arithmetic::exact).view())) << text;
        for (index first = 0; first < 12000; first += 3000) {
            const std::vector<double> some = predict(model, gather(z, row_set(first, 100)));
            for (index i = 0; i < 100; ++i) ASSERT_EQ(some[i], found[first + i]) << text << first + i;
        }
    }
}

// The offset makes the decision of one string 0 up to rounding, which differs between the two ways to compute it.
TEST(svm_decide, exact_decisions_of_strings_have_the_class_of_the_string_alone) {
    std::mt19937_64 random(6);
    const auto drawn = [&](index n) {
        std::vector<std::string> out(static_cast<std::size_t>(n));
        for (std::string& each : out)
            for (std::uint64_t c = 8 + random() % 12; c > 0; --c) each += "ACGT"[random() % 4];
        return out;
    };
    const dataset x = strings(drawn(200)), z = strings(drawn(6000));
    std::vector<double> y(200);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = i % 2 ? 1 : -1;
    svm_options options;
    options.C = 0.01;
    svm_model model = fit_svm(kernel::parse("normalize(spectrum(k=2))"), x, y, options);
    const double offset = model.offset[0];
    for (index i = 0; i < 12; ++i) {
        const dataset alone = gather(z, row_set(i, 1));
        model.offset[0] = offset;
        model.offset[0] -= decide(model, alone, arithmetic::exact)(0, 0);
        const matrix<double> all = decide(model, z, arithmetic::exact);
        EXPECT_EQ(all(i, 0) > 0, decide(model, alone, arithmetic::exact)(0, 0) > 0) << i;
        EXPECT_EQ(predict(model, z), predict(model, all.view())) << i;
    }
}

sparse<double> without_zeros(const matrix<double>& x) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    for (index i = 0; i < x.rows(); ++i) {
        for (index j = 0; j < x.cols(); ++j)
            if (x(i, j) != 0) col.push_back(static_cast<std::int32_t>(j)), val.push_back(x(i, j));
        start.push_back(static_cast<index>(col.size()));
    }
    return sparse<double>(std::move(start), std::move(col), std::move(val), x.cols());
}

// f = Σ coef·xᵀs + b, whatever the storage, the number of rows and the number of classes.
TEST(svm_decide, linear_is_the_sum_of_the_definition) {
    for (const index dims : {1, 7, 40})
        for (const index classes : {2, 3, 6}) {
            std::mt19937_64 random(static_cast<std::uint64_t>(dims * 10 + classes));
            std::normal_distribution<double> normal;
            matrix<double> x(203, dims);
            std::vector<double> y(203);
            for (index i = 0; i < x.rows(); ++i) {
                y[static_cast<std::size_t>(i)] = static_cast<double>(i % classes);
                for (index j = 0; j < dims; ++j)
                    x(i, j) =
                        (i + j) % 3 == 0 ? 0.0 : static_cast<float>(normal(random) + (i % classes == j % classes));
            }
            matrix<float> narrow(x.rows(), dims);
            std::copy_n(x.data(), x.rows() * dims, narrow.data());
            const dataset wide = dense<double>(x);
            for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
                svm_options options;
                options.classes = scheme;
                const svm_model model = fit_svm(linear{}, wide, y, options);
                const matrix<double> w = linear_weights(model);
                const auto check = [&](const dataset& z) {
                    const matrix<double> f = decide(model, z);
                    for (index i = 0; i < z.size(); ++i)
                        for (index p = 0; p < f.cols(); ++p) {
                            long double sum = model.offset[static_cast<std::size_t>(p)], size = std::abs(sum);
                            for (index j = 0; j < dims; ++j)
                                sum += w(p, j) * static_cast<long double>(x(i, j)), size += std::abs(w(p, j) * x(i, j));
                            ASSERT_NEAR(f(i, p), static_cast<double>(sum), 1e-14 * static_cast<double>(size));
                        }
                    EXPECT_EQ(predict(model, z), predict(model, f.view()));
                };
                check(wide);
                check(dense<float>(narrow));
                check(without_zeros(x));
                EXPECT_EQ(predict(model, gather(wide, row_set(0, 1)))[0], predict(model, wide)[0]);
            }
        }
}

// Sparse objects may lack columns of the model and may have additional columns.
TEST(svm_decide, linear_with_other_columns) {
    const table data = sample("heart_scale.svm");
    const svm_model model = fit_svm(linear{}, data.x, data.y, {});
    const sparse<double> z({0, 1, 3}, {0, 2, 40}, {1.0, 2.0, 5.0}, 41);
    const matrix<double> f = decide(model, z), w = linear_weights(model);
    EXPECT_NEAR(f(0, 0), model.offset[0] + w(0, 0), 1e-12);
    EXPECT_NEAR(f(1, 0), model.offset[0] + 2 * w(0, 2), 1e-12);
}

TEST(svm_decide, from_a_gram_matrix) {
    const table data = sample("heart_scale.svm");
    const kernel k = gaussian{0.1};
    const svm_model model = fit_svm(k, data.x, data.y, {});
    const cpu_kernel_gram<float> K(k, data.x);
    const std::vector<index> rows{5, 0, 269, 100};
    const matrix<double> got = decide(model, K, std::span<const index>(rows), model.support_rows),
                         all = decide(model, data.x);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(got(static_cast<index>(i), 0), all(rows[i], 0), 1e-5);
}

}  // namespace
}  // namespace mercer
