#include "mercer/gram/ready_rows.h"

#include <mutex>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/data/vectors.h"

namespace mercer {
namespace {

// K(i, j) = k(xᵢ, zⱼ) from k(zⱼ, xᵢ).
class turned final : public gram<double> {
public:
    turned(std::shared_ptr<const evaluator<double>> rows, evaluator<double> k)
        : kept_(std::move(rows)), k_(std::move(k)) {}
    index rows() const override { return k_.cols(); }
    index cols() const override { return k_.rows(); }
    void block(const selection& rows, const selection& cols, block_rows<double> out) const override {
        constexpr index at_once = 128;
        parallel_runs(cols.size(), at_once, [&](index first, index end) {
            auto& memory = per_thread<buffer<double>>([] {});
            buffer<double> own = std::move(memory);
            const matrix_view<double> tile(own.at_least(at_once * rows.size()), end - first, rows.size());
            k_.block(cols.slice(first, end - first), rows, tile);
            for (index i = 0; i < rows.size(); ++i)
                for (index j = first; j < end; ++j) out[i][j] = tile(j - first, i);
            memory = std::move(own);
        });
    }
    double element_cost() const override { return k_.element_cost(); }

private:
    std::shared_ptr<const evaluator<double>> kept_;
    evaluator<double> k_;
};

}  // namespace

struct ready_rows::once {
    std::mutex lock;
    bool tried = false;
    std::shared_ptr<const evaluator<double>> rows;  // null: they cannot be made ready alone
};

void ready_rows::keep() const {
    if (!made_) made_ = std::make_shared<once>();
}

std::unique_ptr<gram<double>> ready_rows::gram_of(const kernel& k, const dataset& x, const dataset& z,
                                                  evaluator_memory memory) const {
    std::shared_ptr<const evaluator<double>> rows;
    if (made_ && z.kind() == domain::vectors && x.kind() == domain::vectors && !mostly_empty_columns(x)) {
        const std::lock_guard guard(made_->lock);
        if (!made_->tried && !mostly_empty_columns(z))
            made_->rows = std::make_shared<const evaluator<double>>(k, z, evaluator_memory(0, 0, memory.rough));
        made_->tried = true;
        rows = made_->rows;
    }
    if (rows)
        if (auto found = rows->against(x)) return std::make_unique<turned>(rows, std::move(*found));
    return make_gram<double>(k, x, z, memory);
}

}  // namespace mercer
