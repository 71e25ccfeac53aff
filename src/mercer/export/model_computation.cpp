#include "mercer/export/model_computation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/methods/clustering/kernel_kmeans.h"
#include "mercer/methods/clustering/kernel_kmedoids.h"
#include "mercer/methods/components/kernel_fisher.h"
#include "mercer/methods/components/kernel_pca.h"
#include "mercer/methods/neighbours/kernel_density.h"
#include "mercer/methods/neighbours/knn.h"
#include "mercer/methods/neighbours/nearest_class.h"
#include "mercer/methods/nystroem/nystroem_features.h"
#include "mercer/methods/nystroem/nystroem_kmeans.h"
#include "mercer/methods/nystroem/nystroem_logistic.h"
#include "mercer/methods/nystroem/nystroem_ridge.h"
#include "mercer/methods/nystroem/nystroem_svc.h"
#include "mercer/methods/regression/kernel_logistic.h"
#include "mercer/methods/regression/representer.h"
#include "mercer/methods/regression/ridge.h"
#include "mercer/methods/svm/svm_model.h"

namespace mercer::api {
namespace {

using rule = model_computation::rule;
using probability_form = model_computation::probability;

// Fills in the computation from the model of each method.
class computation_builder {
public:
    computation_builder(const model& m, const std::string& form) : m_(m), form_(form) {
        out.method = m.method_name();
        out.gives = m.prediction_kind();
        out.dims = m.dims();
        out.feature_names = m.feature_names();
    }
    model_computation out;

    void build(const svm_model& s) {
        points(s.k.get(), s.support, s.dims);
        out.coef = matrix<double>(s.coef.cols(), s.problems());
        for_each_coefficient(s, [&](index v, index problem, double coef) { out.coef(v, problem) = coef; });
        out.offset = s.offset;
        if (s.task == svm_task::one_class) return sign({1, -1}, 0);
        if (!s.is_classifier()) return;
        if (s.classes.size() == 2) {
            sign(s.classes, 0);
            if (s.probability && s.probability->kind == calibration::method::sigmoid) {
                out.probability_form = probability_form::platt;
                out.slope = s.probability->A.at(0), out.intercept = s.probability->B.at(0);
            }
        } else {
            out.labels = s.classes;
            out.decision = s.pairs().is_one_vs_rest() ? rule::largest : rule::votes;
        }
    }
    void build(const ridge_model& r) {
        out.dims = r.dims();
        out.coef = r.coef;
        out.offset = r.intercept;
    }
    void build(const kernel_ridge_model& r) { expansion(r.f); }
    void build(const kernel_logistic_model& l) {
        expansion(l.f);
        if (l.classes.size() == 2) {
            sign(l.classes, 1);
            out.probability_form = probability_form::logistic;
        } else {
            largest(l.classes);
            out.probability_form = probability_form::softmax;
        }
    }
    void build(const representer_model& r) {
        expansion(r.f);
        if (r.loss_function.has_labels()) {
            sign({-1, 1}, 1);
            out.zero_is_positive = true;
        } else if (r.loss_function.kind == loss_kind::poisson) {
            out.decision = rule::exponential;
        }
    }
    void build(const nystroem_ridge_model& r) { expansion(r.f); }
    void build(const nystroem_logistic_model& l) {
        classes(l);
        out.probability_form = l.classes.size() == 2 ? probability_form::logistic : probability_form::softmax;
    }
    void build(const nystroem_svc_model& s) { classes(s); }
    void build(const nystroem_pca_model& p) { expansion(p.projection); }
    void build(const nystroem_features_model& m) { expansion(m.map); }
    void build(const kernel_pca_model& p) { expansion(p.projection); }
    void build(const kernel_density_model& d) {
        expansion(d.mean);
        if (d.normalised) out.decision = rule::logarithm, out.scale = d.log_scale;
    }
    // The class c that minimises ‖f - m_c‖² maximises fᵀm_c - ½‖m_c‖².
    void build(const kernel_fisher_model& f) {
        expansion(f.directions);
        const index classes = f.class_means.rows(), directions = f.directions.functions();
        matrix<double> coef(out.coef.rows(), classes);
        std::vector<double> offset(static_cast<std::size_t>(classes));
        for (index c = 0; c < classes; ++c)
            for (index j = 0; j < directions; ++j) {
                const double mean = f.class_means(c, j);
                for (index s = 0; s < coef.rows(); ++s) coef(s, c) += out.coef(s, j) * mean;
                offset[static_cast<std::size_t>(c)] += mean * (out.offset[static_cast<std::size_t>(j)] - mean / 2);
            }
        out.coef = std::move(coef);
        out.offset = std::move(offset);
        largest(f.classes);
    }
    void build(const nearest_centroid_model& n) { nearest(n.dense_means(), n.norms, n.classes); }
    void build(const kmeans_model& n) { nearest(n.means, n.norms, numbered_labels(n.norms.size())); }
    void build(const nearest_medoid_model& n) { nearest(n.k.get(), n.medoids, n.self, n.classes); }
    void build(const kmedoids_model& n) { nearest(n.k.get(), n.objects, n.self, numbered_labels(n.medoids.size())); }
    void build(const knn_model& n) {
        points(n.k.get(), n.x, n.x.dims());
        out.decision = rule::neighbours;
        out.labels = n.classes;
        out.neighbours = n.options.n_neighbors;
        out.weighted_by_distance = n.options.weights == knn_weights::distance;
        out.self = n.self;
        out.weight = n.options.sample_weight;
        const bool classes = n.options.task == knn_task::classification;
        out.targets = matrix<double>(n.size(), classes ? static_cast<index>(n.classes.size()) : 1);
        for (index s = 0; s < n.size(); ++s) {
            const double y = n.y[static_cast<std::size_t>(s)];
            out.targets(s, classes ? static_cast<index>(y) : 0) = classes ? 1 : y;
        }
    }

private:
    void points(const kernel* k, const dataset& x, index dims) {
        if (!k)
            fail(errc::unsupported, fmt::format("the model was fitted on a precomputed kernel matrix and contains "
                                                "neither the kernel nor the examples, so it cannot be written as {}",
                                                form_));
        out.dims = std::max(out.dims, dims);
        out.k = k->shared();
        out.kernel_text = k->text();
        out.points = dense_rows(x, out.dims, form_);
    }
    void expansion(const kernel_expansion& f) {
        points(f.k.get(), f.x, f.x.dims());
        out.coef = f.coef;
        out.offset = f.offset;
        out.offset.resize(static_cast<std::size_t>(f.functions()));
    }
    void classes(const nystroem_fit& f) {
        expansion(f.f);
        if (f.classes.size() == 2)
            sign(f.classes, 1);
        else
            largest(f.classes);
    }
    void sign(std::vector<double> labels, std::size_t positive) {
        out.labels = std::move(labels);
        out.decision = rule::sign;
        out.positive = positive;
    }
    void largest(std::vector<double> labels) {
        out.labels = std::move(labels);
        out.decision = rule::largest;
    }
    void nearest(const kernel_expansion& means, const std::vector<double>& norms, std::vector<double> labels) {
        expansion(means);
        for (std::size_t c = 0; c < norms.size(); ++c) out.offset[c] -= norms[c] / 2;
        largest(std::move(labels));
    }
    void nearest(const kernel* k, const dataset& medoids, const std::vector<double>& self, std::vector<double> labels) {
        points(k, medoids, medoids.dims());
        out.coef = matrix<double>(out.points.rows(), out.points.rows());
        out.offset.resize(self.size());
        for (index c = 0; c < out.points.rows(); ++c) out.coef(c, c) = 1;
        for (std::size_t c = 0; c < self.size(); ++c) out.offset[c] = -self[c] / 2;
        largest(std::move(labels));
    }
    static std::vector<double> numbered_labels(std::size_t count) {
        std::vector<double> out;
        for (std::size_t c = 0; c < count; ++c) out.push_back(static_cast<double>(c));
        return out;
    }

    const model& m_;
    const std::string& form_;
};

template <class... Models>
bool build_any(computation_builder& to, const estimator& from) {
    const auto look = [&]<class Model>(Model*) {
        const auto* as = dynamic_cast<const estimator_of<Model>*>(&from);
        if (as) to.build(as->model());
        return as != nullptr;
    };
    return (look(static_cast<Models*>(nullptr)) || ...);
}

void set_scaling(model_computation& out, const scaling& by) {
    const scaling_options& how = by.options();
    for (const auto& [first, second] : by.columns()) {
        if (how.method == scaling_method::standardise) {
            out.shift.push_back(how.with_mean ? first : 0);
            out.factor.push_back(second > 0 ? 1 / second : 1);
            out.base.push_back(0);
        } else {
            const bool constant = first == second;
            out.shift.push_back(constant ? 0 : first);
            out.factor.push_back(constant ? 0 : (how.upper - how.lower) / (second - first));
            out.base.push_back(constant ? 0 : how.lower);
        }
    }
}

// Replaces a linear kernel by the weights of the coordinates: w(a, j) = Σₛ coef(s, j)·xₛₐ.
void replace_linear_kernel(model_computation& c) {
    if (!c.k || c.kernel_text != "linear()" || c.decision == rule::neighbours) return;
    matrix<double> w(c.dims, c.functions());
    for (index s = 0; s < c.points.rows(); ++s)
        for (index a = 0; a < c.dims; ++a)
            for (index j = 0; j < w.cols(); ++j) w(a, j) += c.coef(s, j) * c.points(s, a);
    c.coef = std::move(w);
    c.points = {};
    c.k = nullptr;
}

void require_finite_numbers(const model_computation& c, const std::string& form) {
    const auto finite = [](const matrix<double>& m) {
        return std::all_of(m.data(), m.data() + m.rows() * m.cols(), [](double v) { return std::isfinite(v); });
    };
    if (!finite(c.coef) || !finite(c.points) ||
        !std::ranges::all_of(c.offset, [](double b) { return std::isfinite(b); }))
        fail(errc::data, fmt::format("the model contains numbers that are not finite, so it cannot be written as {}: "
                                     "fit it again (`mercer describe` shows how the fit ended)",
                                     form));
}

}  // namespace

std::vector<std::string> model_computation::label_texts() const {
    std::vector<std::string> out;
    for (const double label : labels) {
        const bool named = label >= 0 && label < static_cast<double>(names.size()) && label == std::floor(label);
        out.push_back(named ? names[static_cast<std::size_t>(label)] : number_text(label));
    }
    return out;
}

bool model_computation::has_whole_labels() const {
    return std::ranges::all_of(labels, [](double l) { return l == std::floor(l) && std::abs(l) < 9e15; });
}

matrix<double> dense_rows(const dataset& x, index dims, const std::string& form) {
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported,
             fmt::format("the model was fitted on {}, and {} supports vectors only", name(x.kind()), form));
    constexpr index most = index(1) << 27;
    if (x.size() > 0 && dims > most / x.size())
        fail(errc::unsupported,
             fmt::format(
                 "{} contains all features of the model's {} examples, and {} features each are too many to write",
                 form, x.size(), dims));
    matrix<double> out(x.size(), dims);
    const dense<double> rows = as_dense<double>(x);
    for (index i = 0; i < x.size(); ++i) std::copy_n(rows.row(i), std::min(dims, x.dims()), out.row(i));
    return out;
}

void require_vectors(const model& m, const std::string& form) {
    if (m.text())
        fail(errc::unsupported,
             fmt::format("the model turns texts into vectors of their words ({}), which {} cannot express",
                         m.spec().text, form));
    if (m.kind() == object_kind::vectors || m.kind() == object_kind::any) return;
    const std::string& kernel = m.kernel_text();
    fail(errc::unsupported, fmt::format("the model was fitted on {}{}, and {} supports vectors only", name(m.kind()),
                                        kernel.empty() ? "" : fmt::format(", with the kernel {}", kernel), form));
}

model_computation make_computation(const model& m, const std::string& form) {
    require_vectors(m, form);
    computation_builder to(m, form);
    const bool known =
        build_any<svm_model, ridge_model, kernel_ridge_model, kernel_logistic_model, representer_model,
                  kernel_pca_model, kernel_density_model, kernel_fisher_model, nearest_centroid_model, kmeans_model,
                  nearest_medoid_model, kmedoids_model, knn_model, nystroem_ridge_model, nystroem_logistic_model,
                  nystroem_svc_model, nystroem_pca_model, nystroem_features_model, nystroem_kmeans_model>(to,
                                                                                                          m.inner());
    if (!known) fail(errc::unsupported, fmt::format("{} cannot be written as {}", m.method_name(), form));
    model_computation& out = to.out;
    if (out.dims == 0)
        fail(errc::unsupported,
             fmt::format("the vectors of the model have no features, and {} needs at least one", form));
    if (!out.labels.empty()) out.names = m.class_names();
    if (const scaling* by = m.scale()) set_scaling(out, *by);
    replace_linear_kernel(out);
    if (out.k && out.points.rows() == 0) {  // without support vectors f is the constant offset
        out.k = nullptr;
        out.coef = matrix<double>(out.dims, out.functions());
    }
    require_finite_numbers(out, form);
    return std::move(out);
}

}  // namespace mercer::api
