// Rows distributed over several ranks (threads here): results are bit-identical to one rank with all rows.
#include "contracts/thread_group.h"
#include "mercer/data/all_kinds.h"
#include "mercer/data/dataset.h"
#include "mercer/data/vectors.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/methods/nystroem/nystroem_logistic.h"
#include "mercer/methods/nystroem/nystroem_ridge.h"
#include "mercer/methods/nystroem/nystroem_svc.h"
#include "mercer/methods/nystroem/training_rows.h"
#include "methods/regression/regression_support.h"

namespace mercer::shared_rows_testing {
namespace {

using namespace regression_testing;
using mercer::testing::run_as_ranks;

// Positions at which the rows are divided: ranks without rows, parts of a leaf, whole leaves, and other numbers.
const std::vector<std::vector<index>> cuts{
    {0, 2000}, {0, 1000, 2000}, {0, 0, 768, 1000, 2000}, {0, 1, 2, 3, 2000, 2000}, {0, 500, 500, 600, 650, 1999, 2000}};

template <class T>
std::vector<T> some(const std::vector<T>& from, index first, index end) {
    return {from.begin() + first, from.begin() + end};
}

struct task {
    dataset x;
    matrix<double> y;
    std::vector<double> weight{};
};

// Calls use(rows, y, weight) in every rank, each with its share of the rows.
template <class Use>
void shared(const kernel& k, const task& all, const std::vector<index>& cut, Use use) {
    run_as_ranks(static_cast<int>(cut.size()) - 1, [&](const communicator& group) {
        const auto r = static_cast<std::size_t>(group.rank());
        const index first = cut[r], count = cut[r + 1] - first;
        const shared_examples mine =
            distribute_rows(group, part(all.x, first, count), all.y.view().block(first, 0, count, all.y.cols()),
                            all.weight.empty() ? all.weight : some(all.weight, first, first + count));
        EXPECT_EQ(mine.size, all.x.size());
        EXPECT_TRUE(mine.local_size() == 0 || mine.first % chunk_rows(mine.size) == 0);
        EXPECT_EQ(mine.y.rows(), mine.local_size());
        use(shared_rows(k, mine), mine.y.view(), mine.weight);
    });
}

nystroem_options with(index centres) {
    nystroem_options o;
    o.n_centres = centres, o.tol = 1e-8;
    return o;
}

dataset as_float(const dataset& x) {
    matrix<float> out(x.size(), x.dims());
    for (index i = 0; i < x.size(); ++i)
        for (index j = 0; j < x.dims(); ++j) out(i, j) = static_cast<float>(x.as<dense<double>>()->row(i)[j]);
    return dense<float>(std::move(out));
}
dataset as_sparse(const dataset& x) {
    std::vector<index> start{0};
    std::vector<std::int32_t> col;
    std::vector<double> val;
    for (index i = 0; i < x.size(); ++i) {
        for (index j = 0; j < x.dims(); ++j)
            if ((i + j) % 3)
                col.push_back(static_cast<std::int32_t>(j)), val.push_back(x.as<dense<double>>()->row(i)[j]);
        start.push_back(std::ssize(col));
    }
    return sparse<double>(std::move(start), std::move(col), std::move(val), x.dims());
}

TEST(shared_rows, have_the_bits_of_one_process_for_vectors_of_every_form) {
    const sample s = wave(2000, 3, 21);
    const dataset x = dense_data(s.x);
    for (const dataset& form : {x, as_float(x), as_sparse(x)}) {
        const task all{form, targets(s.y, 2)};
        const auto want = model_bytes(fit_nystroem_ridge(make_rows(gaussian{0.2}, form), all.y.view(), with(30)));
        for (const auto& cut : cuts)
            shared(gaussian{0.2}, all, cut, [&](const training_rows& rows, matrix_view<const double> y, const auto&) {
                EXPECT_EQ(model_bytes(fit_nystroem_ridge(rows, y, with(30))), want) << cut.size();
            });
    }
}

TEST(shared_rows, have_the_bits_of_one_process_for_strings) {
    const sample s = wave(700, 1, 22);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < 700; ++i)
        words.push_back(std::string(1 + i % 7, static_cast<char>('a' + i % 5)) + "abc");
    const task all{strings(words), targets(s.y, 1)};
    const kernel k = kernel::parse("spectrum(k=2)");
    const auto want = model_bytes(fit_nystroem_ridge(make_rows(k, all.x), all.y.view(), with(10)));
    for (const std::vector<index>& cut : std::vector<std::vector<index>>{{0, 10, 700}, {0, 350, 351, 700}})
        shared(k, all, cut, [&](const training_rows& rows, matrix_view<const double> y, const auto&) {
            EXPECT_EQ(model_bytes(fit_nystroem_ridge(rows, y, with(10))), want);
        });
}

// Weights below 1 with a rank without rows; weights of zero, in one rank only such; classes that occur in one rank
// only.
TEST(shared_rows, have_the_bits_of_one_process_with_weights_and_classes) {
    const sample s = wave(2000, 2, 23);
    task all{dense_data(s.x), targets(s.y, 1)};
    std::vector<double> labels;
    for (std::size_t i = 0; i < 2000; ++i) labels.push_back(i < 40 ? 2.0 : s.y[i] > 0 ? 1.0 : 0.0);
    for (index i = 0; i < 2000; ++i)
        all.weight.push_back(i >= 500 && i < 650 ? 0.0 : i % 5 == 0 ? 0.0 : 0.1 + 0.01 * static_cast<double>(i % 7));
    task classes{all.x, targets(labels, 1), all.weight};
    const auto told = [](std::vector<double> weight) {
        nystroem_options o = with(25);
        o.sample_weight = std::move(weight), o.fit_intercept = true;
        return o;
    };
    const kernel k = gaussian{0.3};
    const auto x = make_rows(k, all.x);
    const auto ridge = model_bytes(fit_nystroem_ridge(x, all.y.view(), told(all.weight)));
    const auto logistic = model_bytes(fit_nystroem_logistic(x, labels, told(all.weight)));
    const auto svc = model_bytes(fit_nystroem_svc(x, labels, told(all.weight)));
    for (const auto& cut : cuts) {
        shared(k, all, cut, [&](const training_rows& rows, matrix_view<const double> y, const auto& weight) {
            EXPECT_EQ(model_bytes(fit_nystroem_ridge(rows, y, told(weight))), ridge);
        });
        shared(k, classes, cut, [&](const training_rows& rows, matrix_view<const double> y, const auto& weight) {
            const std::span<const double> label(y.data, static_cast<std::size_t>(y.rows));
            EXPECT_EQ(model_bytes(fit_nystroem_logistic(rows, label, told(weight))), logistic);
            EXPECT_EQ(model_bytes(fit_nystroem_svc(rows, label, told(weight))), svc);
        });
    }
}

TEST(shared_rows, weights_of_some_processes_are_ones_of_the_others) {
    const sample s = wave(900, 2, 24);
    const task all{dense_data(s.x), targets(s.y, 1)};
    nystroem_options o = with(20);
    for (index i = 0; i < 900; ++i) o.sample_weight.push_back(i < 450 ? 1.0 : 0.5);
    const auto want = model_bytes(fit_nystroem_ridge(make_rows(gaussian{0.3}, all.x), all.y.view(), o));
    run_as_ranks(2, [&](const communicator& group) {
        const index first = 450 * group.rank();
        const shared_examples mine =
            distribute_rows(group, part(all.x, first, 450), all.y.view().block(first, 0, 450, 1),
                            group.rank() == 0 ? std::vector<double>() : std::vector<double>(450, 0.5));
        nystroem_options own = with(20);
        own.sample_weight = mine.weight;
        EXPECT_EQ(model_bytes(fit_nystroem_ridge(shared_rows(gaussian{0.3}, mine), mine.y.view(), own)), want);
    });
}

TEST(shared_rows, all_fail_where_their_rows_do_not_fit_together) {
    const dataset wide(dense<double>(matrix<double>(5, 3))), narrow(dense<double>(matrix<double>(5, 2)));
    const matrix<double> y(5, 1), two(5, 2);
    std::atomic<int> failed = 0;
    const auto with_parts = [&](const dataset& second, const matrix<double>& targets, const std::string& said) {
        failed = 0;
        run_as_ranks(3, [&](const communicator& group) {
            const bool odd = group.rank() == 2;
            regression_testing::expect_error(errc::data, said, [&] {
                distribute_rows(group, odd ? second : wide, odd ? targets.view() : y.view(), {});
            });
            ++failed;
        });
        EXPECT_EQ(failed, 3);
    };
    with_parts(narrow, y,
               "process 0 has dense vectors of 3 features in double, but process 2 has dense vectors of 2 features");
    with_parts(as_float(wide), y, "in double, but process 2 has dense vectors of 3 features in float");
    with_parts(strings(std::vector<std::string>(5, "a")), y, "process 2 has strings");
    with_parts(wide, two, "process 0 has 1 targets per row, but process 2 has 2: all processes must have");
}

// One rank that cancels is enough, and all ranks return the same model.
TEST(shared_rows, a_fit_ends_where_one_process_wants_it_to) {
    const sample s = wave(900, 2, 25);
    const task all{dense_data(s.x), targets(s.y, 1)};
    std::vector<std::string> got(3);
    run_as_ranks(3, [&](const communicator& group) {
        const index first = 300 * group.rank();
        const shared_examples mine =
            distribute_rows(group, part(all.x, first, 300), all.y.view().block(first, 0, 300, 1), {});
        nystroem_options o = with(20);
        o.tol = 1e-14;
        o.progress = [&](const fit_progress& now) { return group.rank() != 1 || now.done < 3; };
        const auto model = fit_nystroem_ridge(shared_rows(gaussian{0.3}, mine), mine.y.view(), o);
        EXPECT_EQ(model.status, fit_status::cancelled);
        EXPECT_LE(model.passes, 4);
        got[static_cast<std::size_t>(group.rank())] = model_bytes(model);
    });
    EXPECT_EQ(got[0], got[1]);
    EXPECT_EQ(got[0], got[2]);
}

// Each function is within its gap of the unique minimiser: α‖f - f*‖² <= gap with α = 1 and k(x, x) = 1.
TEST(shared_rows, matrices_may_be_factored_together) {
    const sample s = wave(900, 2, 28);
    const task all{dense_data(s.x), targets(s.y, 1)};
    nystroem_options o = with(60);
    o.tol = 1e-13;
    const kernel k = gaussian{0.3};
    const auto alone = fit_nystroem_ridge(make_rows(k, all.x), all.y.view(), o);
    o.factors = factor_choice::distributed;
    EXPECT_EQ(model_bytes(fit_nystroem_ridge(make_rows(k, all.x), all.y.view(), o)), model_bytes(alone));
    const matrix<double> want = decide(alone, all.x);
    std::vector<std::string> got(3);
    for (const bool intercept : {false, true}) {
        o.fit_intercept = intercept;
        run_as_ranks(3, [&](const communicator& group) {
            const index first = 300 * group.rank();
            const shared_examples mine =
                distribute_rows(group, part(all.x, first, 300), all.y.view().block(first, 0, 300, 1), {});
            const auto model = fit_nystroem_ridge(shared_rows(k, mine), mine.y.view(), o);
            EXPECT_EQ(model.status, fit_status::converged);
            got[static_cast<std::size_t>(group.rank())] = model_bytes(model);
            if (intercept) return;
            const matrix<double> f = decide(model, all.x);
            const double bound = std::sqrt(alone.gap) + std::sqrt(model.gap) + 1e-9;
            for (index i = 0; i < 900; ++i) EXPECT_NEAR(f(i, 0), want(i, 0), bound);
        });
        EXPECT_EQ(got[0], got[1]);
        EXPECT_EQ(got[0], got[2]);
    }
}

TEST(shared_rows, the_variance_is_that_of_one_process) {
    const sample s = wave(2000, 3, 26);
    const dataset x = dense_data(s.x);
    std::vector<double> weight;
    for (index i = 0; i < 2000; ++i) weight.push_back(i % 4 == 0 ? 0.0 : 1.0);
    for (const dataset& form : {x, as_float(x), as_sparse(x)})
        for (const auto& cut : cuts)
            run_as_ranks(static_cast<int>(cut.size()) - 1, [&](const communicator& group) {
                const auto r = static_cast<std::size_t>(group.rank());
                const index first = cut[r], count = cut[r + 1] - first;
                const dataset mine = part(form, first, count);
                EXPECT_EQ(entry_variance(mine, {}, &group), entry_variance(form));
                EXPECT_EQ(entry_variance(mine, some(weight, first, first + count), &group),
                          entry_variance(form, weight));
            });
}

TEST(shared_rows, a_part_of_the_rows_is_what_gather_copies) {
    const dataset x = dense_data(wave(50, 3, 27).x);
    for (const dataset& form : {x, as_float(x), as_sparse(x), dataset(strings({"a", "b", "c", "dd", "e"}))})
        for (const auto& [first, count] : std::vector<std::pair<index, index>>{{0, 5}, {2, 3}, {1, 1}})
            EXPECT_EQ(pack_dataset(part(form, first, count)), pack_dataset(gather(form, row_set(first, count))));
    EXPECT_EQ(part(x, 50, 0).size(), 0);
    regression_testing::expect_error(errc::invalid_argument,
                                     "objects 49 to 50 do not all exist: there are 50 objects, counted from 0",
                                     [&] { part(x, 49, 2); });
}

}  // namespace
}  // namespace mercer::shared_rows_testing
