#include "mercer/methods/nystroem/nystroem_svc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/data/vectors.h"
#include "mercer/methods/archive.h"
#include "mercer/methods/fit_checks.h"
#include "mercer/methods/fit_control.h"
#include "mercer/methods/nystroem/row_losses.h"
#include "mercer/solvers/linear_svm/coordinate_descent.h"
#include "mercer/solvers/newton/loss.h"

namespace mercer {
namespace {

// Returns φ of all rows. The triangular systems are solved in chunks that begin at batch boundaries, so that the result
// is bit-identical for any batches.
dataset features_of(const gram_batches<double>& k, const nystroem_basis& basis, std::size_t memory, const char* owner) {
    constexpr index chunk = 768;
    const double bytes = 8.0 * static_cast<double>(k.rows()) * static_cast<double>(k.cols());
    if (bytes > static_cast<double>(memory))
        fail(errc::memory,
             fmt::format("{}: the features of {} examples take {}, but the memory limit is {}: raise the memory limit, "
                         "take fewer centres, or loss=squared_hinge, which stores no features",
                         owner, k.rows(), format_bytes(bytes), format_bytes(static_cast<double>(memory))));
    matrix<double> phi(k.rows(), k.cols());
    k.each([&](index first, const gram<double>& rows) {
        for (index from = 0; from < rows.rows(); from += chunk) {
            const index count = std::min(chunk, rows.rows() - from);
            const matrix_view<double> part(phi.row(first + from), count, k.cols());
            rows.block(row_set(from, count), row_set(0, k.cols()), part);
            basis.to_gradient(part);
        }
    });
    return dense<double>(std::move(phi));
}

struct machine {
    descent_result found;
    std::vector<double> trace;  // gap after each epoch, relative to the objective
};

machine descend(const linear_operand& x, const std::vector<double>& sign, const std::vector<double>& price,
                const nystroem_options& o, std::mutex& telling) {
    machine out;
    bool enough = false;
    coordinate_descent_options how;
    how.tol = 1e-12, how.max_epochs = o.max_iter, how.seed = o.seed + 1, how.evaluate_objectives = true;
    how.progress = [&](const descent_progress& at) {
        const double gap = at.primal - at.dual;
        out.trace.push_back(at.primal > 0 ? gap / at.primal : 0);
        enough = gap <= o.tol * at.primal;
        const std::lock_guard guard(telling);
        return !enough && (!o.progress || o.progress({"passes", at.epoch, 0, gap / o.C}));
    };
    out.found = solve_dual_coordinate_descent({x, sign, price}, how);
    if (enough) out.found.status = fit_status::converged;
    return out;
}

nystroem_fit fit_hinge_on_features(const training_rows& x, std::span<const index> place, index classes,
                                   std::span<const double> weight, const nystroem_options& o, const char* owner,
                                   matrix<double>* on_sample) {
    if (x.processes())
        fail(errc::unsupported,
             fmt::format("{}: loss=hinge runs in one process: take loss=squared_hinge, or start it without mpirun",
                         owner));
    if (!o.checkpoint.path.empty())
        fail(errc::unsupported,
             fmt::format("{}: loss=hinge does not support checkpoints: take loss=squared_hinge", owner));
    nystroem_problem posed = make_nystroem_problem(x, o, weight, owner, false, [&](index centres, index, index) {
        // The basis, the features, and the sign, the penalty and the multiplier of each row for each class.
        const auto m = static_cast<double>(centres), n = static_cast<double>(x.size());
        return 16 * m * m + 8 * n * (m + 3 * static_cast<double>(classes));
    });
    const nystroem_basis basis = make_independent_basis(x, posed, o);
    const index m = basis.size(), functions = classes == 2 ? 1 : classes;
    const double constant = o.fit_intercept ? std::sqrt(basis.max_diagonal()) : 0;
    const dataset phi = features_of(*x.passes(posed.centres, posed.centre_rows, 0), basis, o.memory(), owner);
    const std::vector<index> there = positive_indices(weight);
    const auto rows = make_linear_operand(phi, there, constant);
    std::vector<double> price;
    for (const index i : there) price.push_back(o.C * weight[static_cast<std::size_t>(i)]);

    std::vector<machine> machines(static_cast<std::size_t>(functions));
    std::mutex telling;
    parallel_for(functions, [&](index c) {
        std::vector<double> sign;
        for (const index i : there)
            sign.push_back(place[static_cast<std::size_t>(i)] == (functions == 1 ? 1 : c) ? 1.0 : -1.0);
        machines[static_cast<std::size_t>(c)] = descend(*rows, sign, price, o, telling);
    });

    nystroem_fit out;
    out.lambda = 1 / o.C;
    matrix<double> gamma(functions, m);
    for (index c = 0; c < functions; ++c) {
        machine& each = machines[static_cast<std::size_t>(c)];
        const descent_result& r = each.found;
        std::copy_n(r.w.data(), m, gamma.row(c));
        out.f.offset.push_back(o.fit_intercept ? constant * r.w.back() : 0.0);
        out.objective += r.primal / o.C, out.gap += (r.primal - r.dual) / o.C;
        out.passes += r.epochs, out.rounds = std::max<index>(out.rounds, r.epochs);
        if (r.status != fit_status::converged) out.status = r.status;
        if (each.trace.size() > out.trace.size()) out.trace = std::move(each.trace);
    }
    out.residual = out.objective > 0 ? out.gap / out.objective : 0;
    basis.to_coefficients(gamma.view());
    out.f.coef = matrix<double>(m, functions);
    for (index c = 0; c < functions; ++c)
        for (index j = 0; j < m; ++j) out.f.coef(j, c) = gamma(c, j);
    out.f.k = x.kernel_if_known(), out.f.x = std::move(posed.centres), out.f.rows = std::move(posed.centre_rows);
    out.f.training_size = x.size();
    out.unexplained = unexplained_trace(basis, *posed.sample_gram, posed.sample_diagonal);
    if (on_sample) *on_sample = out.f.values(*posed.sample_gram);
    return out;
}

}  // namespace

nystroem_svc_model fit_nystroem_svc(const training_rows& x, std::span<const double> y, const nystroem_options& o) {
    constexpr const char* owner = "nystroem_svc";
    detail::check_nystroem_options(o, 1 / o.C, "C", owner);
    const detail::nystroem_labels l = detail::labels_of(x, y, o, owner);
    nystroem_svc_model out;
    if (o.hinge) {
        out = {detail::fit_with_doubling(x, o, [&](const nystroem_options& how, matrix<double>* f) {
            return fit_hinge_on_features(x, l.place, std::ssize(l.classes), l.weight, how, owner, f);
        })};
    } else {
        column_losses losses(loss::squared_hinge(), l.place, std::ssize(l.classes), l.weight, x.first());
        out = {detail::fit_losses(x, losses, detail::as_column(y), l.weight, 1 / o.C, o, owner)};
    }
    out.classes = l.classes;
    return out;
}

template <>
struct file_form<nystroem_svc_model> {
    static constexpr std::string_view format = "mercer-nystroem-svc-model";
    static constexpr int version = 2;
    static void parts(auto& a, auto& m) { detail::archive_classifier(a, m); }
};
template struct model_file<nystroem_svc_model>;

namespace api {
namespace {

class nystroem_svc_estimator final : public nystroem_classes_estimator<nystroem_svc_model> {
public:
    using nystroem_classes_estimator::nystroem_classes_estimator;
    columns details(const examples& x) const override {
        if (m_.classes.size() == 2) return {decide(x), {"decision"}};
        return {decide(x), label_names("decision", m_.classes)};
    }
    detailed_predictions predict_with_details(const examples& x) const override {
        matrix<double> f = decide(x);
        std::vector<double> found = predict_classes(m_, f.view());
        const auto names =
            m_.classes.size() == 2 ? std::vector<std::string>{"decision"} : label_names("decision", m_.classes);
        return {std::move(found), {std::move(f), names}};
    }
};

estimator_ptr make_nystroem_svc(const nystroem_svc& m, const fit_call& t, const training_rows& x) {
    return t.made<nystroem_svc_estimator>(fit_nystroem_svc(x, t.targets(), to_nystroem_options(m, t)));
}

}  // namespace

method nystroem_svc_method() { return entry_by_passes<nystroem_svc, nystroem_svc_estimator, make_nystroem_svc>(); }

}  // namespace api

}  // namespace mercer
