// Examples in the memories of several processes, as kernel_rows: those of rank 0 come first, then those of rank 1, and
// so on, and the bits are those of one process that has them all.
//
// A pass adds up leaves of rows (methods/nystroem/gram_pass.h), and a leaf belongs to one process. So each process
// works on its rows from the last leaf that begins at or before them: the few rows of that leaf which others have are
// sent to it, and it gives away its own behind the last whole leaf. All other rows stay where they lie.
#pragma once

#include <vector>

#include "mercer/methods/nystroem/training_rows.h"

namespace mercer {

struct shared_examples {
    const process_group* group = nullptr;
    index size = 0, first = 0;   // of all processes; and the number of the first row of this one
    dataset border, rest;        // its rows: those of the leaf that others have begun, if any, and the others
    matrix<double> y;            // their targets
    std::vector<double> weight;  // and weights; none where no process has any

    index own() const { return border.size() + rest.size(); }
};

// Called by all processes, each with its rows, none of them being an answer too; weights where it has some. Vectors are
// borrowed. Fails, at all of them, where their objects or targets do not fit together.
shared_examples deal_at_leaves(const process_group& group, const dataset& x, matrix_view<const double> y,
                               const std::vector<double>& weight);

// The examples are borrowed.
class shared_rows final : public kernel_rows {
public:
    shared_rows(const kernel& k, const shared_examples& all) : k_(std::make_shared<const kernel>(k)), all_(all) {}
    index size() const override { return all_.size; }
    const process_group* processes() const override { return all_.group; }
    index first() const override { return all_.first; }
    index own() const override { return all_.own(); }
    index dims() const override;
    std::vector<double> self() const override;
    dataset gather(std::span<const index> which) const override;
    owned<gram<double>> among(const dataset& objects, std::span<const index> which) const override;
    owned<gram<double>> between(const dataset& left, std::span<const index> rows, const dataset& right,
                                std::span<const index> cols) const override;
    owned<gram_batches<double>> passes(const dataset& centres, std::span<const index> which,
                                       std::size_t budget) const override;
    owned<gram_batches<float>> rough_passes(const dataset& centres, std::size_t budget, double pairs) const override;
    std::shared_ptr<const kernel> known_kernel() const override { return k_; }

private:
    std::shared_ptr<const kernel> k_;
    const shared_examples& all_;
};

}  // namespace mercer
