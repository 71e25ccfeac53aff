// Cross-validation: every example is decided by a model that has not seen it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mercer/data/folds.h"
#include "mercer/methods/svm/inner_fits.h"
#include "mercer/methods/svm/svm.h"

namespace mercer {

// A kernel matrix in float and in double for several fits: kernel values are computed once where `memory_bytes` can
// hold them all.
class shared_gram {
public:
    shared_gram(const kernel& k, const dataset& x, std::size_t memory_bytes);
    explicit shared_gram(matrix_view<const double> K);
    const gram<float>& fast() const { return *fast_; }
    const gram<double>& exact() const { return *exact_; }
    index size() const { return exact_->rows(); }
    std::size_t bytes() const { return bytes_; }

private:
    std::unique_ptr<gram<double>> exact_;
    std::unique_ptr<gram<float>> computed_, fast_;
    std::size_t bytes_ = 0;
};

// Calls visit(model, training examples, held-out examples, decisions of the latter) for each part. support_rows of a
// model count among its training examples. Sample weights follow their examples; the plan need not have all of them. A
// fit whose training part has only one class is visited with a model that has that class, no problems and a decision
// matrix without columns.
using fold_visit = std::function<void(svm_model& model, std::span<const index> training,
                                      std::span<const index> held_out, const matrix<double>& decisions)>;
// How the fits ended is the result.
[[nodiscard]] inner_fits cross_decide(const shared_gram& K, std::span<const double> y, const svm_options& options,
                                      const fold_plan& plan, const fold_visit& visit);

// The prediction for every example by the model that has not seen it.
struct cross_predictions {
    std::vector<double> values;
    inner_fits fits;
};
cross_predictions cross_predict(const shared_gram& K, std::span<const double> y, const svm_options& options,
                                const fold_plan& plan);

}  // namespace mercer
