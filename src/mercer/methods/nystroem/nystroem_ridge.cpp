#include "mercer/methods/nystroem/nystroem_ridge.h"

#include "mercer/methods/archive.h"
#include "mercer/methods/nystroem/row_losses.h"
#include "mercer/solvers/newton/loss.h"

namespace mercer {

nystroem_ridge_model fit_nystroem_ridge(const training_rows& x, matrix_view<const double> y,
                                        const nystroem_options& o) {
    constexpr const char* owner = "nystroem_ridge";
    detail::check_nystroem_options(o, o.alpha, "alpha", owner);
    detail::check_own_targets(x, y, owner);
    const std::vector<double> weight = local_weights(x, o, owner);
    column_losses losses(loss::squared(), y, weight, x.first());
    nystroem_ridge_model out{detail::fit_losses(x, losses, y, weight, o.alpha, o, owner)};
    out.objective *= 2, out.gap *= 2;  // the problem is stated without the factor ½ of the losses
    for (auto* each : {&out.objectives, &out.gaps})
        for (double& value : *each) value *= 2;
    return out;
}

template <>
struct file_form<nystroem_ridge_model> {
    static constexpr std::string_view format = "mercer-nystroem-ridge-model";
    static constexpr int version = 3;  // version 2 has no objectives, gaps and residuals of the single targets
    static void parts(auto& a, auto& m) {
        detail::archive_fit(a, m);
        if (a.version() < 3) return;
        const index targets = a.count("targets", std::ssize(m.gaps), 1 << 24);
        a.check(targets == 0 || targets == m.f.functions(), "figures of {} targets, but {} outputs", targets,
                m.f.functions());
        a.list(m.objectives, targets);
        a.list(m.gaps, targets);
        a.list(m.residuals, targets);
        a.list("unsolved", m.unsolved, targets);
        a.check_range(m.unsolved, 0, targets, "the number of a target");
    }
};
template struct model_file<nystroem_ridge_model>;

namespace api {
namespace {

class nystroem_ridge_estimator final : public nystroem_estimator<nystroem_ridge_model> {
public:
    using nystroem_estimator::nystroem_estimator;
    target_kind prediction_kind() const override { return target_kind::values; }
    std::vector<double> predict(const examples& x) const override { return first_column(decide(x)); }
};

estimator_ptr make_nystroem_ridge(const nystroem_ridge& m, const fit_call& t, const training_rows& x) {
    return t.made<nystroem_ridge_estimator>(fit_nystroem_ridge(x, t.y, to_nystroem_options(m, t)));
}

}  // namespace

method nystroem_ridge_method() {
    return entry_by_passes<nystroem_ridge, nystroem_ridge_estimator, make_nystroem_ridge>();
}

}  // namespace api

}  // namespace mercer
