#include "mercer/methods/nystroem/nystroem_logistic.h"

#include "mercer/methods/archive.h"
#include "mercer/methods/nystroem/row_losses.h"
#include "mercer/methods/regression/kernel_logistic.h"
#include "mercer/solvers/newton/loss.h"

namespace mercer {

nystroem_logistic_model fit_nystroem_logistic(const training_rows& x, std::span<const double> y,
                                              const nystroem_options& o) {
    constexpr const char* owner = "nystroem_logistic";
    detail::check_nystroem_options(o, 1 / o.C, "C", owner);
    const detail::nystroem_labels l = detail::labels_of(x, y, o, owner);
    const auto classes = static_cast<index>(l.classes.size());
    nystroem_logistic_model out;
    if (classes == 2) {
        column_losses losses(loss::logistic(), l.place, classes, l.weight, x.first());
        out = {detail::fit_losses(x, losses, detail::as_column(y), l.weight, 1 / o.C, o, owner)};
    } else {
        softmax_losses losses(l.place, classes, l.weight, x.first());
        out = {detail::fit_losses(x, losses, detail::as_column(y), l.weight, 1 / o.C, o, owner)};
    }
    out.classes = l.classes;
    return out;
}

matrix<double> probabilities(const nystroem_logistic_model& model, matrix_view<const double> f) {
    kernel_logistic_model same;  // kernel_logistic converts the same functions to probabilities
    same.classes = model.classes;
    same.f.coef = matrix<double>(0, f.cols);
    return probabilities(same, f);
}

template <>
struct file_form<nystroem_logistic_model> {
    static constexpr std::string_view format = "mercer-nystroem-logistic-model";
    static constexpr int version = 2;
    static void parts(auto& a, auto& m) { detail::archive_classifier(a, m); }
};
template struct model_file<nystroem_logistic_model>;

namespace api {
namespace {

class nystroem_logistic_estimator final : public nystroem_classes_estimator<nystroem_logistic_model> {
public:
    using nystroem_classes_estimator::nystroem_classes_estimator;
    matrix<double> probabilities(const examples& x) const override {
        return mercer::probabilities(m_, decide(x).view());
    }
    columns details(const examples& x) const override { return {probabilities(x), label_names("p", m_.classes)}; }
    detailed_predictions predict_with_details(const examples& x) const override {
        const matrix<double> f = decide(x);
        return {predict_classes(m_, f.view()), {mercer::probabilities(m_, f.view()), label_names("p", m_.classes)}};
    }
};

estimator_ptr make_nystroem_logistic(const nystroem_logistic& m, const fit_call& t, const training_rows& x) {
    return t.made<nystroem_logistic_estimator>(fit_nystroem_logistic(x, t.targets(), to_nystroem_options(m, t)));
}

}  // namespace

method nystroem_logistic_method() {
    return entry_by_passes<nystroem_logistic, nystroem_logistic_estimator, make_nystroem_logistic>();
}

}  // namespace api

}  // namespace mercer
