
#include "mercer/gram/make_gram.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "mercer/base/per_thread.h"
#include "mercer/base/threads.h"
#include "mercer/data/vectors.h"

namespace mercer {
namespace detail {
namespace {

// Returns true if a plan only uses sums over coordinates, so that their order and number do not matter. `seen`: the
// plans of kernel parts that were checked already, since plans share them.
bool sums_over_coordinates(const plan& code, std::set<const plan*>& seen) {
    if (!seen.insert(&code).second) return true;
    const auto as_they_are = [](const embedding& f) { return !f.apply || f.key == "non_negative"; };
    return std::ranges::all_of(code.embeddings, as_they_are) &&
           std::ranges::none_of(code.statistics,
                                [](const plan_statistic& s) { return s.statistic == pair_statistic::user; }) &&
           std::ranges::all_of(code.code, [&](const instruction& step) {
               return !step.weight && (!step.self || sums_over_coordinates(*step.self, seen));
           });
}

}  // namespace

std::pair<dataset, dataset> drop_empty_columns(const kernel& k, dataset x, dataset z) {
    const bool same = z.size() == 0;
    if (!mostly_empty_columns(x) && !mostly_empty_columns(z)) return {std::move(x), std::move(z)};
    const auto code = k.compile();
    std::set<const plan*> seen;
    if (!x.is_sparse() || !(same || z.is_sparse()) || !sums_over_coordinates(*code, seen))
        return {std::move(x), std::move(z)};
    std::vector<std::int32_t> columns = used_columns(x);
    if (!same) {
        std::vector<std::int32_t> both;
        std::ranges::set_union(columns, used_columns(z), std::back_inserter(both));
        columns = std::move(both);
    }
    return {compact_columns(x, columns), same ? std::move(z) : compact_columns(z, columns)};
}

}  // namespace detail

template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, evaluator_memory memory) {
    return std::make_unique<cpu_kernel_gram<T>>(k, std::move(x), memory);
}

template <class T>
std::unique_ptr<kernel_gram<T>> make_gram(const kernel& k, dataset x, dataset z, evaluator_memory memory) {
    return std::make_unique<cpu_kernel_gram<T>>(k, std::move(x), std::move(z), memory);
}

template std::unique_ptr<kernel_gram<float>> make_gram(const kernel&, dataset, evaluator_memory);
template std::unique_ptr<kernel_gram<double>> make_gram(const kernel&, dataset, evaluator_memory);
template std::unique_ptr<kernel_gram<float>> make_gram(const kernel&, dataset, dataset, evaluator_memory);
template std::unique_ptr<kernel_gram<double>> make_gram(const kernel&, dataset, dataset, evaluator_memory);

namespace {

// K(i, j) = k(xᵢ, zⱼ), the transpose of an evaluator of k(zⱼ, xᵢ).
class transposed_gram final : public gram<double> {
public:
    transposed_gram(std::shared_ptr<const evaluator<double>> rows, evaluator<double> k)
        : kept_(std::move(rows)), k_(std::move(k)) {}
    index rows() const override { return k_.cols(); }
    index cols() const override { return k_.rows(); }
    void block(const row_set& rows, const row_set& cols, row_pointers<double> out) const override {
        constexpr index at_once = 128;
        parallel_chunks(cols.size(), at_once, [&](index first, index end) {
            auto& memory = per_thread<buffer<double>>([] {});
            buffer<double> own = std::move(memory);
            const matrix_view<double> tile(own.at_least(at_once * rows.size()), end - first, rows.size());
            k_.block(cols.slice(first, end - first), rows, tile);
            for (index i = 0; i < rows.size(); ++i)
                for (index j = first; j < end; ++j) out[i][j] = tile(j - first, i);
            memory = std::move(own);
        });
    }
    double cycles_per_element() const override { return k_.cycles_per_element(); }

private:
    std::shared_ptr<const evaluator<double>> kept_;
    evaluator<double> k_;
};

}  // namespace

struct prepared_support::shared_state {
    std::mutex lock;
    bool tried = false;
    std::shared_ptr<const evaluator<double>> rows;  // null: z cannot be prepared without x
};

void prepared_support::enable() const {
    if (!made_) made_ = std::make_shared<shared_state>();
}

std::unique_ptr<gram<double>> prepared_support::gram_of(const kernel& k, const dataset& x, const dataset& z,
                                                        evaluator_memory memory) const {
    std::shared_ptr<const evaluator<double>> rows;
    if (made_ && z.kind() == object_kind::vectors && x.kind() == object_kind::vectors && !mostly_empty_columns(x)) {
        const std::lock_guard guard(made_->lock);
        if (!made_->tried && !mostly_empty_columns(z))
            made_->rows = std::make_shared<const evaluator<double>>(k, z, evaluator_memory(0, 0, memory.low_accuracy));
        made_->tried = true;
        rows = made_->rows;
    }
    if (rows)
        if (auto found = rows->with_columns(x)) return std::make_unique<transposed_gram>(rows, std::move(*found));
    return make_gram<double>(k, x, z, memory);
}

}  // namespace mercer
