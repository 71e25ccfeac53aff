#include "mercer/base/workspace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/with_threads.h"
#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/data/point_clouds.h"
#include "mercer/data/strings.h"
#include "mercer/data/trees.h"
#include "mercer/io/tsv.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/kernel.h"

namespace mercer {
namespace {

using testing_support::with_threads;

TEST(workspace, the_limit_hears_of_the_largest_sum) {
    std::vector<std::size_t> more;
    {
        workspace_limit limit([&](std::size_t bytes) { more.push_back(bytes); });
        { const workspace first(100), second(50); }
        workspace again(120);
        again.grow_to(110);
        again.grow_to(160);
        reserve_workspace(40);
    }
    EXPECT_EQ(more, (std::vector<std::size_t>{100, 50, 10, 40}));
    const workspace unlimited(std::size_t{1} << 60);
    EXPECT_EQ(more.size(), 4U);
}

TEST(workspace, a_refused_workspace_takes_nothing) {
    std::size_t left = 100;
    workspace_limit limit([&](std::size_t bytes) {
        if (bytes > left) fail(errc::memory, "too much");
        left -= bytes;
    });
    EXPECT_THROW(workspace(101), error);
    workspace one(60);
    EXPECT_THROW(one.grow_to(std::size_t(-1)), error);
    EXPECT_THROW(reserve_workspace(std::size_t(-1)), error);
    one.grow_to(100);
    EXPECT_EQ(left, 0U);
}

TEST(workspace, workers_of_a_loop_share_the_limit) {
    for (const int team : {1, 4}) {
        const with_threads some(team);
        std::size_t sum = 0;
        workspace_limit limit([&](std::size_t bytes) { sum += bytes; });
        parallel_for(1000, [](index) { reserve_workspace(3); });
        EXPECT_EQ(sum, 3000U);
    }
}

std::size_t bytes_of(const std::string& kernel_text, const dataset& x) {
    std::size_t sum = 0;
    workspace_limit limit([&](std::size_t bytes) { sum += bytes; });
    matrix<double> values(x.size(), x.size());
    evaluator<double>(kernel::parse(kernel_text), x, x).fill(values.view());
    return sum;
}

TEST(workspace, kernels_reserve_more_than_their_objects_hold) {
    const dataset texts = strings({std::string(300, 'A') + "C", "ACGT"});
    for (const char* each : {"subsequences(k=3)", "all_substrings", "local_alignment"})
        EXPECT_GT(bytes_of(each, texts), 300U * 20) << each;
    std::string deep = "a";
    for (int i = 0; i < 300; ++i) deep = "(S " + deep + ")";
    const dataset parsed = trees({parse_tree(deep, "", deep)});
    EXPECT_GT(bytes_of("subtrees", parsed), 300U * 300 * 2);
    EXPECT_GT(bytes_of("subset_trees", parsed), 300U * 300 * 8);
    point_cloud line;
    for (int i = 0; i < 100; ++i) {
        line.coordinates.insert(line.coordinates.end(), {0.01 * i, 0.0, 0.0});
        line.elements.push_back(1);
    }
    const dataset molecule = points({line});
    EXPECT_GT(bytes_of("coulomb", molecule), 100U * 100 * 20);
    EXPECT_GT(bytes_of("pair_distances", molecule), 100U * 100 * 4);
}

}  // namespace
}  // namespace mercer
