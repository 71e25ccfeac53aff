#include "mercer/meta/cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "contracts/errors.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/vectors/gaussian.h"
#include "mercer/model/fit.h"
#include "mercer/model/model_file.h"

namespace mercer::api {
namespace {

using mercer::testing::expect_error;

// Points of a square with a wave over it.
table square(index n, int seed, index classes = 0) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::uniform_real_distribution<double> uniform(-3, 3);
    matrix<double> x(n, 2);
    table out;
    for (index i = 0; i < n; ++i) {
        x(i, 0) = uniform(random), x(i, 1) = uniform(random);
        const double f = std::sin(2 * x(i, 0)) + std::cos(2 * x(i, 1));
        out.y.push_back(classes == 0 ? f : classes == 2 ? (f > 0 ? 1 : -1) : std::floor((f + 2) / 4 * 2.999));
    }
    out.x = dense<double>(std::move(x));
    return out;
}

const char* const rbf = "rbf(gamma=0.5)";

double share_of_errors(const std::vector<double>& a, const std::vector<double>& b) {
    double wrong = 0;
    for (std::size_t i = 0; i < a.size(); ++i) wrong += a[i] != b[i];
    return wrong / static_cast<double>(a.size());
}

TEST(cells, one_cell_is_the_machine_itself) {
    const table t = square(200, 1), c = square(200, 2, 2), more = square(200, 3, 3), fresh = square(100, 4);
    EXPECT_EQ(fit({"cells_ridge", rbf, "", {{"alpha", "0.1"}}}, t).predict(fresh.x),
              fit({"kernel_ridge", rbf, "", {{"alpha", "0.1"}}}, t).predict(fresh.x));
    EXPECT_EQ(fit({"cells_svr", rbf, "", {{"epsilon", "0.05"}}}, t).predict(fresh.x),
              fit({"svr", rbf, "", {{"epsilon", "0.05"}}}, t).predict(fresh.x));
    for (const table* each : {&c, &more}) {
        EXPECT_EQ(fit({"cells_svc", rbf, "", {{"C", "10"}}}, *each).predict(fresh.x),
                  fit({"svc", rbf, "", {{"C", "10"}}}, *each).predict(fresh.x));
        const model cells = fit({"cells_logistic", rbf, "", {}}, *each),
                    whole = fit({"kernel_logistic", rbf, "", {}}, *each);
        const matrix<double> p = cells.inner().probabilities(fresh.x), q = whole.inner().probabilities(fresh.x);
        for (index i = 0; i < p.rows(); ++i)
            for (index j = 0; j < p.cols(); ++j) EXPECT_EQ(p(i, j), q(i, j));
    }
}

TEST(cells, many_cells_answer_about_as_well_as_one_machine) {
    const table t = square(3000, 5), c = square(3000, 6, 2), more = square(3000, 7, 3), fresh = square(1000, 8);
    const settings small{{"size", "300"}};
    const auto told = [&](settings s) {
        s.insert(s.end(), small.begin(), small.end());
        return s;
    };
    const model ridge = fit({"cells_ridge", rbf, "", told({{"alpha", "0.001"}})}, t);
    EXPECT_GE(ridge.fit_summary().number("cells"), 5);
    EXPECT_LE(ridge.fit_summary().number("largest_cell"), 1200);
    const std::vector<double> got = ridge.predict(fresh.x);
    double square_error = 0;
    for (std::size_t i = 0; i < got.size(); ++i) square_error += std::pow(got[i] - fresh.y[i], 2) / 1000;
    EXPECT_LT(square_error, 1e-3);
    EXPECT_LT(
        share_of_errors(fit({"cells_svc", rbf, "", told({{"C", "100"}})}, c).predict(fresh.x), square(1000, 8, 2).y),
        0.03);
    EXPECT_LT(
        share_of_errors(fit({"cells_svc", rbf, "", told({{"C", "100"}})}, more).predict(fresh.x), square(1000, 8, 3).y),
        0.05);
    const model logistic = fit({"cells_logistic", rbf, "", told({{"C", "100"}})}, more);
    EXPECT_LT(share_of_errors(logistic.predict(fresh.x), square(1000, 8, 3).y), 0.05);
    const matrix<double> p = logistic.inner().probabilities(fresh.x);
    for (index i = 0; i < p.rows(); ++i) EXPECT_NEAR(std::accumulate(p.row(i), p.row(i) + p.cols(), 0.0), 1, 1e-12);
    const model back = parse(logistic.bytes(), "again");
    EXPECT_EQ(back.predict(fresh.x), logistic.predict(fresh.x));
    EXPECT_EQ(back.bytes(), logistic.bytes());
}

// Along a line through all cells f changes by no more than its slope allows; without overlap it jumps at borders.
TEST(cells, with_overlap_answers_do_not_jump) {
    const table t = square(2000, 9);
    matrix<double> line(6001, 2);
    for (index i = 0; i < line.rows(); ++i) line(i, 0) = -3 + 1e-3 * static_cast<double>(i), line(i, 1) = 0.4;
    const auto largest_step = [&](const char* overlap) {
        const model m = fit({"cells_ridge", rbf, "", {{"alpha", "30"}, {"size", "150"}, {"overlap", overlap}}}, t);
        const std::vector<double> f = m.predict(dense<double>(line.view()));
        double out = 0;
        for (std::size_t i = 1; i < f.size(); ++i) out = std::max(out, std::abs(f[i] - f[i - 1]));
        return out;
    };
    EXPECT_GT(largest_step("0"), 0.05);
    EXPECT_LT(largest_step("0.2"), 0.02);
}

// Cells that overlap may contain different classes; their combined prediction is as good as that of one cell.
TEST(cells, of_many_classes_overlap_without_loss) {
    constexpr index points = 78, classes = 26, n = 1200;
    std::mt19937 random(4);
    std::uniform_real_distribution<double> anywhere(0, 10);
    std::normal_distribution<double> noise(0, 0.5);
    matrix<double> centre(points, 3);
    for (index i = 0; i < 3 * points; ++i) centre.data()[i] = anywhere(random);
    const auto drawn = [&] {
        matrix<double> x(n, 3);
        table out;
        for (index i = 0; i < n; ++i) {
            const auto from = static_cast<index>(random() % points);
            for (index j = 0; j < 3; ++j) x(i, j) = centre(from, j) + noise(random);
            out.y.push_back(static_cast<double>(from % classes));
        }
        out.x = dense<double>(std::move(x));
        return out;
    };
    const table learned = drawn(), fresh = drawn();
    const auto errors = [&](const char* overlap) {
        const model m =
            fit({"cells_svc", "rbf(gamma=0.05)", "", {{"C", "10"}, {"size", "200"}, {"overlap", overlap}}}, learned);
        const matrix<double> shares = m.inner().scores(fresh.x);
        for (index i = 0; i < n; ++i)
            EXPECT_NEAR(std::accumulate(shares.row(i), shares.row(i) + classes, 0.0), 1, 1e-12);
        return share_of_errors(m.predict(fresh.x), fresh.y);
    };
    const double alone = errors("0");
    EXPECT_LT(alone, 0.35);
    EXPECT_LT(errors("0.5"), alone + 0.03);
    EXPECT_LT(errors("1"), alone + 0.05);
}

TEST(cells, shares_add_up_and_members_are_near) {
    const table t = square(1000, 10);
    cell_division cells = divide_into_cells(gaussian{0.5}, t.x, 100, 0.2, 3);
    const auto members = cell_members(cells, t.x);
    const auto shares = cells.shares(t.x);
    std::vector<int> seen(1000);
    for (const auto& cell : members) {
        EXPECT_TRUE(std::ranges::is_sorted(cell));
        for (const index i : cell) ++seen[static_cast<std::size_t>(i)];
    }
    for (std::size_t i = 0; i < 1000; ++i) {
        EXPECT_GE(seen[i], 1);
        double sum = 0;
        for (const auto& each : shares[i]) sum += each.weight;
        EXPECT_NEAR(sum, 1, 1e-14);
    }
}

// In 5 dimensions most cells are neighbours of each other, and a cell does not contain the examples of all its
// neighbours.
TEST(cells, answer_only_for_regions_from_which_they_have_learned) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    matrix<double> x(600, 5);
    for (index i = 0; i < 600 * 5; ++i) x.data()[i] = normal(random);
    const dataset data = dense<double>(std::move(x));
    cell_division cells = divide_into_cells(gaussian{0.2}, data, 60, 0.5, 3);
    const auto members = cell_members(cells, data);
    ASSERT_EQ(cells.reach.size(), members.size());
    EXPECT_LT(std::ranges::min(cells.reach), 0.5);
    const auto shares = cells.shares(data);
    for (index i = 0; i < 600; ++i)
        for (const auto& each : shares[static_cast<std::size_t>(i)])
            if (each.weight > 1e-12) {
                EXPECT_TRUE(std::ranges::binary_search(members[static_cast<std::size_t>(each.cell)], i))
                    << "example " << i << " in cell " << each.cell;
            }
}

TEST(cells, have_the_same_bits_for_any_number_of_threads) {
    const table t = square(1500, 11, 3);
    const spec s{"cells_svc", rbf, "", {{"size", "200"}}};
    const std::string want = fit(s, t).bytes();
    for (const int threads : {1, 3, 8}) {
        const thread_limit limit(threads);
        EXPECT_EQ(fit(s, t).bytes(), want);
    }
}

TEST(cells, ordinary_trouble) {
    table t = square(60, 12, 2);
    expect_error(errc::invalid_argument, "size", [&] { fit({"cells_svc", rbf, "", {{"size", "0"}}}, t); });
    expect_error(errc::invalid_argument, "overlap", [&] { fit({"cells_svc", rbf, "", {{"overlap", "2"}}}, t); });
    // Copies of one point, which cannot be divided; a cell for every few examples; one class only.
    table same = t;
    same.x = gather(t.x, std::span<const index>(std::vector<index>(60, 0)));
    EXPECT_EQ(fit({"cells_svc", rbf, "", {{"size", "5"}}}, same).fit_summary().number("cells"), 1);
    EXPECT_EQ(fit({"cells_svc", rbf, "", {{"size", "1"}}}, t).predict(t.x).size(), 60u);
    for (double& y : t.y) y = 1;
    expect_error(errc::data, "two classes", [&] { fit({"cells_svc", rbf, "", {}}, t); });
}

TEST(cells, tuned_machines_choose_their_own_numbers) {
    const table t = square(600, 13), fresh = square(300, 14);
    const auto error_of = [&](settings told) {
        told.insert(told.end(), {{"size", "200"}, {"alpha", "100"}});
        const std::vector<double> f = fit({"cells_ridge", "rbf(gamma=0.001)", "", told}, t).predict(fresh.x);
        double out = 0;
        for (std::size_t i = 0; i < f.size(); ++i) out += std::pow(f[i] - fresh.y[i], 2) / 300;
        return out;
    };
    EXPECT_LT(error_of({{"tune", "true"}}), 0.1 * error_of({}));
}

}  // namespace
}  // namespace mercer::api
