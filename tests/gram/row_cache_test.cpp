#include "mercer/gram/row_cache.h"

#include <thread>

#include "contracts/errors.h"
#include "gram/random_gram.h"
#include "mercer/gram/gram_views.h"

namespace mercer::testing {
namespace {

// A matrix that counts the requested rows and can fail on demand.
template <class T>
class counted final : public gram<T> {
public:
    explicit counted(matrix<T> k) : k_(std::move(k)) {}
    index rows() const override { return k_.rows(); }
    index cols() const override { return k_.cols(); }
    void block(const row_set& r, const row_set& c, row_pointers<T> out) const override {
        for (index i = 0; i < r.size(); ++i) {
            asked.push_back(r[i]);
            for (index j = 0; j < c.size(); ++j) out[i][j] = broken ? T(-1) : k_(r[i], c[j]);
        }
        if (broken) fail(errc::data, "broken");
    }
    mutable std::vector<index> asked;
    bool broken = false;

private:
    matrix<T> k_;
};

TEST(row_cache, gives_up_the_least_recently_used) {
    const counted<double> k(random_matrix<double>(10, 10));
    const row_cache<double> cache(k, 3 * 10 * sizeof(double));
    std::vector<double> out(10);
    const auto ask = [&](index row) { cache.row(row, out.data()); };
    for (const index row : {0, 1, 2}) ask(row);
    EXPECT_EQ(cache.misses(), 3);
    EXPECT_EQ(cache.bytes(), 3 * 10 * sizeof(double));
    ask(0);  // the order is now 0 2 1
    EXPECT_EQ(cache.hits(), 1);
    ask(3);  // evicts 1
    EXPECT_EQ(cache.bytes(), 3 * 10 * sizeof(double));
    k.asked.clear();
    for (const index row : {0, 2, 3}) ask(row);
    EXPECT_TRUE(k.asked.empty());
    ask(1);  // was evicted; evicts 0, the oldest of 0 2 3
    EXPECT_EQ(k.asked, (std::vector<index>{1}));
    k.asked.clear();
    for (const index row : {2, 3, 1}) ask(row);
    EXPECT_TRUE(k.asked.empty());
    ask(0);
    EXPECT_EQ(k.asked, (std::vector<index>{0}));
    EXPECT_EQ(cache.hits(), 7);
    EXPECT_EQ(cache.misses(), 6);
}

TEST(row_cache, computes_missing_rows_of_a_block_once) {
    const matrix<double> values = random_matrix<double>(10, 10);
    const counted<double> k(values);
    const row_cache<double> cache(k, 4 * 10 * sizeof(double));
    const std::vector<index> rows{5, 2, 5, 9, 2}, cols{0, 9};
    matrix<double> out(5, 2);
    cache.block(std::span<const index>(rows), std::span<const index>(cols), out.view());
    EXPECT_EQ(k.asked, (std::vector<index>{5, 2, 9}));
    EXPECT_EQ(cache.misses(), 3);
    EXPECT_EQ(cache.hits(), 2);
    for (index i = 0; i < 5; ++i)
        for (index j = 0; j < 2; ++j) EXPECT_EQ(out(i, j), values(rows[i], cols[j]));
    // A block with more rows than the cache can store.
    matrix<double> all(10, 10);
    cache.fill(all.view());
    EXPECT_TRUE(same_bits(all, values));
    EXPECT_LE(cache.bytes(), 4 * 10 * sizeof(double));
}

TEST(row_cache, keeps_nothing_of_a_block_that_failed) {
    const matrix<double> values = random_matrix<double>(6, 6);
    counted<double> k(values);
    const row_cache<double> cache(k, 4 * 6 * sizeof(double));
    std::vector<double> out(6);
    cache.row(1, out.data());
    k.broken = true;
    EXPECT_THROW(cache.row(2, out.data()), error);
    matrix<double> all(6, 6);
    EXPECT_THROW(cache.fill(all.view()), error);
    k.broken = false;
    cache.fill(all.view());
    EXPECT_TRUE(same_bits(all, values));
    for (index i = 0; i < 6; ++i) {
        cache.row(i, out.data());
        for (index j = 0; j < 6; ++j) ASSERT_EQ(out[j], values(i, j));
    }
}

TEST(row_cache, serves_several_threads) {
    const matrix<double> values = random_matrix<double>(50, 50);
    const precomputed<double> k(values);
    const row_cache<double> cache(k, 7 * 50 * sizeof(double));
    std::vector<std::thread> workers;
    std::atomic<int> wrong = 0;
    for (unsigned w = 0; w < 3; ++w)
        workers.emplace_back([&, w] {
            std::mt19937 random(w);
            std::vector<double> out(50);
            for (int i = 0; i < 300; ++i) {
                const auto row = static_cast<index>(random() % 50);
                cache.row(row, out.data());
                for (index j = 0; j < 50; ++j) wrong += out[j] != values(row, j);
                (void)cache.hits();
            }
        });
    for (auto& each : workers) each.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(cache.hits() + cache.misses(), 900);
}

}  // namespace
}  // namespace mercer::testing
