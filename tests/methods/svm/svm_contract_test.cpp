// Runs the contract on every task, kernel and kind of data, and on sizes around the thresholds of the solver.
#include "mercer/data/all_kinds.h"
#include "methods/svm/svm_support.h"

namespace mercer::svm_testing {
namespace {

const sample& data(std::string_view which) {
    static std::map<std::string, sample> all;
    const std::string file(which);
    auto [at, fresh] = all.try_emplace(file);
    if (fresh) at->second = file == "heart_scale.svm" ? load(file) : standardised(load(file));
    return at->second;
}

struct machine {
    svm_task task;
    double C, nu, tol;
};
void PrintTo(const machine& m, std::ostream* out) {
    *out << name(m.task) << " C=" << m.C << " nu=" << m.nu << " tol=" << m.tol;
}

svm_options options_of(const machine& m) {
    svm_options o = options_for(m.task, m.C, m.tol);
    o.nu = m.nu;
    return o;
}

class classifiers : public ::testing::TestWithParam<std::tuple<const char*, machine>> {};

TEST_P(classifiers, meet_the_contract_with_every_vector_kernel) {
    const auto& [file, m] = GetParam();
    const sample& s = data(file);
    const double gamma = 1.0 / static_cast<double>(s.x[0].size());
    for (const formula& k : {rbf(gamma), poly(3, gamma, 1), linear_kernel(), composite(gamma), normalised_poly(gamma),
                             laplacian_kernel(gamma / 2)})
        fit_and_check(k, s, options_of(m));
}

INSTANTIATE_TEST_SUITE_P(
    real_data, classifiers,
    ::testing::Combine(::testing::Values("iris.svm", "wine.svm", "sonar.svm", "heart_scale.svm", "breast-cancer.svm"),
                       ::testing::Values(machine{svm_task::c_svc, 1, 0, 1e-3}, machine{svm_task::c_svc, 10, 0, 1e-5},
                                         machine{svm_task::nu_svc, 1, 0.1, 1e-4},
                                         machine{svm_task::nu_svc, 1, 0.4, 1e-3},
                                         machine{svm_task::one_class, 1, 0.1, 1e-3},
                                         machine{svm_task::one_class, 1, 0.5, 1e-4})));

class regressions : public ::testing::TestWithParam<std::tuple<const char*, machine>> {};

TEST_P(regressions, meet_the_contract_with_every_vector_kernel) {
    const auto& [file, m] = GetParam();
    sample s = data(file);
    if (s.size() > 1000) s = every(s, 5);
    const double gamma = 1.0 / static_cast<double>(s.x[0].size());
    for (const formula& k :
         {rbf(gamma), linear_kernel(), composite(gamma), normalised_poly(gamma), laplacian_kernel(gamma)})
        fit_and_check(k, s, options_of(m));
}

INSTANTIATE_TEST_SUITE_P(real_data, regressions,
                         ::testing::Combine(::testing::Values("housing.svm", "abalone.svm.xz"),
                                            ::testing::Values(machine{svm_task::epsilon_svr, 1, 0, 1e-3},
                                                              machine{svm_task::epsilon_svr, 10, 0, 1e-4},
                                                              machine{svm_task::nu_svr, 1, 0.5, 1e-3},
                                                              machine{svm_task::nu_svr, 5, 0.1, 1e-3})));

TEST(svm_contract, digits_in_ten_classes_both_ways) {
    const sample s = every(load("digits.svm.xz"), 3);
    for (const auto scheme : {multiclass::one_vs_one, multiclass::one_vs_rest}) {
        svm_options o = options_for(svm_task::c_svc, 5);
        o.classes = scheme;
        const svm_model model = fit_and_check(rbf(0.001), s, o);
        ASSERT_EQ(model.problems(), scheme == multiclass::one_vs_one ? 45 : 10);
        // The labels follow from the decisions: majority vote, or the largest decision.
        const matrix<double> f = decide(model, dense_data(s.x));
        const std::vector<double> labels = predict(model, dense_data(s.x));
        index wrong = 0;
        for (index i = 0; i < s.size(); ++i) {
            std::vector<double> score(10, 0.0);
            for (index a = 0, p = 0; a < 10; ++a) {
                if (scheme == multiclass::one_vs_rest) score[static_cast<std::size_t>(a)] = f(i, a);
                for (index b = a + 1; b < 10 && scheme == multiclass::one_vs_one; ++b, ++p)
                    ++score[static_cast<std::size_t>(f(i, p) > 0 ? a : b)];
            }
            const auto best = std::max_element(score.begin(), score.end()) - score.begin();
            ASSERT_EQ(labels[static_cast<std::size_t>(i)], static_cast<double>(best));
            wrong += labels[static_cast<std::size_t>(i)] != s.y[static_cast<std::size_t>(i)];
        }
        EXPECT_LE(wrong, 3);
    }
}

TEST(svm_contract, sparse_and_float_storage) {
    for (const char* file : {"heart_scale.svm", "breast-cancer.svm"}) {
        const sample& s = data(file);
        const formula k = rbf(0.1);
        const matrix<double> K = gram_matrix(s.x, k);
        const svm_options o = options_for(svm_task::c_svc, 2);
        const statement question{o, s.y, K.view()};
        const kernel parsed = kernel::parse(k.text);
        svm_contract::check_svm(fit_svm(parsed, sparse_data(s.x), s.y, o), question);
        // float32 input: the model of the rounded points
        std::vector<point> rounded = s.x;
        for (auto& x : rounded)
            for (double& v : x) v = static_cast<float>(v);
        const matrix<double> K32 = gram_matrix(rounded, k);
        const statement question32{o, s.y, K32.view()};
        svm_contract::check_svm(fit_svm(parsed, dense_data<float>(s.x), s.y, o), question32);
        svm_contract::check_svm(fit_svm(parsed, sparse_data<float>(s.x), s.y, o), question32);
    }
}

TEST(svm_contract, precomputed_kernels) {
    for (const auto task :
         {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class, svm_task::epsilon_svr, svm_task::nu_svr}) {
        const sample& s = data("sonar.svm");
        const matrix<double> K = gram_matrix(s.x, rbf(0.02));
        const svm_options o = options_for(task, 3);
        const svm_model model = fit_svm_precomputed(K.view(), s.y, o);
        const statement question{o, s.y, K.view()};
        svm_contract::check_svm(model, question);
        svm_contract::check_decisions(model, question, decide_precomputed(model, K.view()));
        // kernel columns of the support vectors only
        matrix<double> some(s.size(), static_cast<index>(model.support_rows.size()));
        for (index i = 0; i < some.rows(); ++i)
            for (index j = 0; j < some.cols(); ++j) some(i, j) = K(i, model.support_rows[static_cast<std::size_t>(j)]);
        svm_contract::check_decisions(model, question, decide_precomputed(model, some.view()));
        EXPECT_THROW(decide(model, dense_data(s.x)), error);
        EXPECT_THROW(decide_precomputed(model, K.view().block(0, 0, 5, 7)), error);
    }
}

TEST(svm_contract, strings) {
    const table t = read_table(data_file("promoters.tsv"));
    const auto& items = *t.x.as<strings>();
    for (const std::size_t k : {2, 4}) {
        matrix<double> K =
            gram_matrix(items.size(), [&](index i, index j) { return spectrum_value(items[i], items[j], k); });
        for (const bool normalise : {false, true}) {
            if (normalise) {
                const matrix<double> raw = K;
                K = gram_matrix(items.size(),
                                [&](index i, index j) { return raw(i, j) / std::sqrt(raw(i, i) * raw(j, j)); });
            }
            const std::string text = "spectrum(k=" + std::to_string(k) + ")";
            for (const auto task : {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class}) {
                const svm_options o = options_for(task, 1, 1e-4);
                const svm_model model =
                    fit_svm(kernel::parse(normalise ? "normalize(" + text + ")" : text), t.x, t.y, o);
                const statement question{o, t.y, K.view()};
                svm_contract::check_svm(model, question);
                svm_contract::check_decisions(model, question, decide(model, t.x));
            }
        }
    }
}

TEST(svm_contract, sets) {
    const table t = read_table(data_file("mushrooms.sets.xz"));
    std::vector<index> rows;
    std::vector<double> y;
    for (index i = 0; i < t.x.size(); i += 6) rows.push_back(i), y.push_back(t.y[static_cast<std::size_t>(i)]);
    const dataset x = gather(t.x, std::span<const index>(rows));
    const auto& items = *x.as<sets>();
    const matrix<double> common =
        gram_matrix(items.size(), [&](index i, index j) { return common_items(items[i], items[j]); });
    const matrix<double> jaccard = gram_matrix(
        items.size(), [&](index i, index j) { return common(i, j) / (common(i, i) + common(j, j) - common(i, j)); });
    for (const auto* K : {&common, &jaccard}) {
        const svm_options o = options_for(svm_task::c_svc, 1);
        const svm_model model = fit_svm(kernel::parse(K == &common ? "set_intersection()" : "jaccard()"), x, y, o);
        const statement question{o, y, K->view()};
        svm_contract::check_svm(model, question);
        svm_contract::check_decisions(model, question, decide(model, x));
    }
}

// Sizes around the solver's thresholds: a SIMD vector, a working set (512), the largest problem solved without working
// sets (1400); with and without shrinking, with stored rows and without.
class sizes : public ::testing::TestWithParam<index> {};

TEST_P(sizes, classification) {
    const index n = GetParam();
    const sample s = clouds(n, 2, 1.5, 0.02, 5);
    const formula k = rbf(0.5);
    const matrix<double> K = gram_matrix(s.x, k);
    for (const bool shrinking : {true, false})
        for (const std::size_t memory : {std::size_t{0}, std::size_t{64} << 20}) {
            SCOPED_TRACE(memory);
            svm_options o = options_for(svm_task::c_svc, 10);
            o.shrinking = shrinking;
            o.memory_bytes = memory;
            const svm_model model = fit(k, s, o);
            svm_contract::check_svm(model, {o, s.y, K.view()});
        }
}

TEST_P(sizes, one_class_and_nu) {
    const index n = GetParam();
    const sample s = clouds(n, 2, 1.5, 0, 6);
    const matrix<double> K = gram_matrix(s.x, rbf(1));
    for (const auto task : {svm_task::one_class, svm_task::nu_svc})
        for (const std::size_t memory : {std::size_t{0}, std::size_t{64} << 20}) {
            svm_options o = options_for(task);
            o.nu = 0.6;  // the classes overlap: a small nu has no margin
            o.shrinking = memory > 0;
            o.memory_bytes = memory;
            svm_contract::check_svm(fit(rbf(1), s, o), {o, s.y, K.view()});
        }
}

INSTANTIATE_TEST_SUITE_P(limits, sizes, ::testing::Values(2, 3, 4, 15, 16, 17, 511, 512, 513, 1399, 1400, 1401, 3000));

class regression_sizes : public ::testing::TestWithParam<index> {};

TEST_P(regression_sizes, both_regressions) {
    const sample s = wave(GetParam(), 1, 8);
    const matrix<double> K = gram_matrix(s.x, rbf(1));
    for (const auto task : {svm_task::epsilon_svr, svm_task::nu_svr})
        for (const std::size_t memory : {std::size_t{0}, std::size_t{64} << 20}) {
            svm_options o = options_for(task, 2);
            o.shrinking = memory > 0;
            o.memory_bytes = memory;
            svm_contract::check_svm(fit(rbf(1), s, o), {o, s.y, K.view()});
        }
}

INSTANTIATE_TEST_SUITE_P(limits, regression_sizes, ::testing::Values(2, 3, 256, 257, 699, 700, 701, 1500));

TEST(svm_contract, weights_of_classes_and_samples) {
    const sample& s = data("heart_scale.svm");
    std::mt19937_64 random(3);
    std::uniform_int_distribution<int> weight(0, 4);
    for (const auto task : {svm_task::c_svc, svm_task::nu_svc, svm_task::one_class}) {
        svm_options o = options_for(task, 2);
        if (task != svm_task::one_class) o.class_weight = {{-1, 0.5}, {1, 1.75}, {77, 9}};
        for (index i = 0; i < s.size(); ++i) o.sample_weight.push_back(0.5 * weight(random));
        o.nu = 0.15;
        fit_and_check(rbf(0.1), s, o);
    }
    const sample& h = data("housing.svm");
    for (const auto task : {svm_task::epsilon_svr, svm_task::nu_svr}) {
        svm_options o = options_for(task, 2);
        for (index i = 0; i < h.size(); ++i) o.sample_weight.push_back(0.5 * weight(random));
        fit_and_check(rbf(0.05), h, o);
    }
}

TEST(svm_contract, the_offset_without_margin_vectors_is_the_middle) {
    // With C this small all multipliers sit at C: any b that keeps all points inside the margin is optimal.
    const sample s = clouds(40, 2, 1, 0, 12);
    const svm_model model = fit_and_check(rbf(0.5), s, options_for(svm_task::c_svc, 1e-3));
    ASSERT_EQ(model.reports[0].margin_vectors, 0);
    EXPECT_LT(model.reports[0].offset_low, model.reports[0].offset_high);
}

}  // namespace
}  // namespace mercer::svm_testing
