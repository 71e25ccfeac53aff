// Uses the store at random as the solver does: every row that it reports as valid must equal the matrix, and rows in
// use must not move.
#include "mercer/solvers/smo/row_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace mercer::smo {
namespace {

class user {
public:
    user(index n, index budget_rows, double cycles_per_element, const row_cache_thresholds& limits, std::uint64_t seed)
        : n_(n),
          stride_((n + 15) / 16 * 16),
          most_(std::min(n, budget_rows)),
          store_(n, static_cast<std::size_t>(budget_rows * stride_) * sizeof(float), cycles_per_element, limits),
          random_(seed),
          perm_(static_cast<std::size_t>(n)) {
        std::iota(perm_.begin(), perm_.end(), 0);
    }

    // Requests the rows of a working set, each up to `to` positions.
    void round(index rows, index to) {
        std::vector<index> chosen, slots;
        std::sample(perm_.begin(), perm_.end(), std::back_inserter(chosen), rows, random_);
        std::shuffle(chosen.begin(), chosen.end(), random_);
        for (const index original : chosen) {
            index valid = -1;
            const index slot = store_.fetch(original, valid);
            slots.push_back(slot);
            ASSERT_GE(valid, 0);
            ASSERT_LE(valid, n_);
            if (slot < 0) continue;
            ASSERT_LT(slot, most_);
            for (index i = valid; i < to; ++i) *store_.at(slot, i) = element(original, perm_[i]);
            store_.set_valid(original, to);
        }
        std::vector<index> taken;
        for (std::size_t r = 0; r < chosen.size(); ++r) {
            if (slots[r] < 0) continue;
            taken.push_back(slots[r]);
            index valid = -1;
            ASSERT_EQ(store_.find(chosen[r], valid), slots[r])
                << "a row fetched in this round was given up for another";
            ASSERT_GE(valid, to);
            check(chosen[r], slots[r], valid);
        }
        std::sort(taken.begin(), taken.end());
        ASSERT_TRUE(std::adjacent_find(taken.begin(), taken.end()) == taken.end()) << "two rows in one place";
        most_at_once_ = std::max(most_at_once_, static_cast<index>(taken.size()));
    }

    void reorder() {
        const index count = between(1, n_), same = between(0, count);
        std::vector<index> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin() + same, order.end(), random_);
        const std::vector<index> before = perm_;
        for (index i = 0; i < count; ++i) perm_[i] = before[order[i]];
        store_.reorder(order, perm_, same);
        for (index i = 0; i < n_; ++i) ASSERT_EQ(store_.position(perm_[i]), i);
    }

    void release() {
        store_.release();
        ASSERT_EQ(store_.bytes(), 0u);
        ASSERT_EQ(rows_there(), 0);
    }

    // Every stored row is correct and has its own memory.
    index rows_there() {
        std::vector<char> taken(static_cast<std::size_t>(most_), 0);
        index there = 0;
        for (index original = 0; original < n_; ++original) {
            index valid = -1;
            const index slot = store_.find(original, valid);
            if (slot < 0) continue;
            ++there;
            EXPECT_LT(slot, most_);
            EXPECT_FALSE(taken[slot]++);
            check(original, slot, valid);
        }
        EXPECT_LE(store_.bytes(), static_cast<std::size_t>(most_ * stride_) * sizeof(float));
        return there;
    }

    index between(index low, index high) { return std::uniform_int_distribution<index>(low, high)(random_); }
    index most_at_once() const { return most_at_once_; }

private:
    static float element(index i, index j) { return static_cast<float>((i * 2654435761 + j * 40503) % 16777213); }
    void check(index original, index slot, index valid) {
        for (index i = 0; i < valid; ++i)
            ASSERT_EQ(*store_.at(slot, i), element(original, perm_[i])) << "row " << original << ", position " << i;
    }

    index n_, stride_, most_;
    row_store store_;
    std::mt19937_64 random_;
    std::vector<index> perm_;
    index most_at_once_ = 0;
};

TEST(row_store, random_use) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        const auto between = [&](index low, index high) {
            return std::uniform_int_distribution<index>(low, high)(random);
        };
        const index sizes[] = {
            1, 2, 15, 16, 17, 100, 300, row_store::panel - 1, row_store::panel + 1, 2 * row_store::panel + 17};
        const index n = sizes[between(0, 9)];
        row_cache_thresholds limits;
        limits.frequent_requests = static_cast<int>(between(1, 4));
        limits.max_miss_ratio = between(0, 2);
        limits.near_bytes = static_cast<std::size_t>(between(0, n * n));
        limits.small_bytes = between(0, 2) == 0 ? limits.small_bytes : 0;
        limits.max_spare = static_cast<std::size_t>(between(0, 2 * 4 * n * n));
        user u(n, between(0, n + 3), between(0, 1) ? 1.0 : 100.0, limits, seed);
        const index rounds = n > 500 ? 25 : 100;
        for (index r = 0; r < rounds && !::testing::Test::HasFailure(); ++r) {
            u.round(u.between(0, std::min<index>(n, 200)), u.between(0, n));
            if (u.between(0, 3) == 0) u.reorder();
            if (u.between(0, 40) == 0) u.release();
            if (u.between(0, 9) == 0) u.rows_there();
        }
        if (::testing::Test::HasFailure()) return;
    }
}

// Cheap rows, with the thresholds of the solver, as many and requested as often as the store allows before it grows: 32
// MB are 873 rows of 9,600.
TEST(row_store, grows_where_cheap_rows_are_wanted_again_and_again) {
    const index n = 9600;
    user u(n, n, 1.0, {}, 1);
    for (int r = 0; r < 400; ++r) u.round(row_store::max_in_use, 20);
    EXPECT_EQ(u.rows_there(), n);
    EXPECT_EQ(u.most_at_once(), row_store::max_in_use);
}

// With little memory, a row keeps its place for as long as a working set may use it, and is then evicted.
TEST(row_store, gives_up_the_rows_not_in_use) {
    const index n = 5000;
    for (const double cost : {1.0, 100.0}) {
        user u(n, 600, cost, {}, 2);
        for (int r = 0; r < 60; ++r) {
            u.round(row_store::max_in_use, 8);
            if (r % 7 == 0) u.reorder();
        }
        EXPECT_EQ(u.rows_there(), 600);
    }
}

}  // namespace
}  // namespace mercer::smo
