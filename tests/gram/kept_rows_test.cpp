#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>

#include "mercer/gram/row_cache.h"

namespace mercer {
namespace {

// Entries i + j/1000. The first call is slow, as if memory had to be allocated.
class slow_at_first final : public gram<double> {
public:
    index rows() const override { return 2000; }
    index cols() const override { return 3; }
    void block(const row_set& rows, const row_set& cols, row_pointers<double> out) const override {
        if (std::exchange(last_, rows[0]) != rows[0]) std::this_thread::sleep_for(std::chrono::milliseconds(12));
        for (index i = 0; i < rows.size(); ++i)
            for (index j = 0; j < cols.size(); ++j)
                out[i][j] = static_cast<double>(rows[i]) + static_cast<double>(cols[j]) / 1000;
    }

private:
    mutable index last_ = -1;
};

TEST(kept_rows, are_no_more_than_patience_allows) {
    const slow_at_first K;
    const stored_rows<double> all(K, 1 << 20, false), some(K, 1 << 20, false, 4);
    EXPECT_TRUE(all.stores_all_rows());
    EXPECT_GT(some.stored_count(), 0);
    EXPECT_LT(some.stored_count(), 2000);
    for (const auto* each : {&all, &some}) {
        matrix<double> out(2000, 3);
        each->block(row_set(0, 2000), row_set(0, 3), out.view());
        for (index i = 0; i < 2000; ++i)
            for (index j = 0; j < 3; ++j) ASSERT_EQ(out(i, j), static_cast<double>(i) + static_cast<double>(j) / 1000);
    }
}

}  // namespace
}  // namespace mercer
