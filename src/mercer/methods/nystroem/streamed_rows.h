// Examples in files larger than memory, as training_rows: every pass reads the files again, and the next batch is read
// while one batch is processed. Results are bit-identical to those of the same examples in memory.
#pragma once

#include <functional>
#include <string>

#include "mercer/io/row_batches.h"
#include "mercer/methods/nystroem/training_rows.h"

namespace mercer {

// Calls use(first, batch) for all batches in order; the next batch is read while `use` runs.
void for_each_batch(row_batches& from, const std::function<void(index first, const table& batch)>& use);

// Results of a first pass over the files: y of the rows of this process; all other members are those of all processes.
struct streamed_targets {
    index size = 0, own = 0, dims = 0;
    object_kind kind = object_kind::any;
    double row_bytes = 0;  // bytes per row of vectors, in the batch with the largest rows
    std::vector<double> y;
    std::vector<std::string> class_names, feature_names;
};
streamed_targets read_targets(row_batches& from);

class streamed_rows final : public training_rows {
public:
    // `prepare` is applied to the examples of every batch, for example scaling.
    streamed_rows(const kernel& k, row_batches& from, const streamed_targets& seen,
                  std::function<dataset(const dataset&)> prepare)
        : k_(std::make_shared<const kernel>(k)),
          from_(from),
          size_(seen.size),
          own_(seen.own),
          dims_(seen.dims),
          row_bytes_(seen.row_bytes),
          prepare_(std::move(prepare)) {}
    index size() const override { return size_; }
    const communicator* processes() const override { return from_.processes(); }
    index first() const override { return from_.first(); }
    index local_size() const override { return own_; }
    index dims() const override { return dims_; }
    double bytes_of_row() const override { return row_bytes_; }
    dataset gather(std::span<const index> which) const override;
    std::vector<double> self() const override;
    owned<gram<double>> square_gram(const dataset& objects, std::span<const index> which) const override;
    owned<gram<double>> cross_gram(const dataset& left, std::span<const index> rows, const dataset& right,
                                   std::span<const index> cols) const override;
    owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                       std::size_t budget) const override;
    owned<gram_batches<float>> float_passes(const dataset& centres, std::size_t budget, double pairs) const override;
    std::shared_ptr<const kernel> kernel_if_known() const override { return k_; }

    // Number of rows of a batch: whole chunks of a pass, enough of them for all threads.
    static constexpr index batch_rows = 12288;
    static_assert(batch_rows % chunk_rows(index{1} << 40) == 0);

private:
    std::shared_ptr<const kernel> k_;
    row_batches& from_;
    index size_, own_, dims_;
    double row_bytes_;
    std::function<dataset(const dataset&)> prepare_;
};

}  // namespace mercer
