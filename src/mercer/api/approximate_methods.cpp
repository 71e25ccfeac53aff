// Approximations for many examples as methods: nystroem_ridge, nystroem_logistic, nystroem_svc, nystroem_pca, nystroem,
// random_features.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <type_traits>

#include "mercer/api/cell_methods.h"
#include "mercer/api/described.h"
#include "mercer/base/parallel.h"
#include "mercer/base/processes/process_group.h"
#include "mercer/methods/approximate/methods.h"
#include "mercer/methods/approximate/nystroem.h"
#include "mercer/methods/approximate/nystroem_features.h"
#include "mercer/methods/approximate/random_features.h"

namespace mercer::api {
namespace {

centre_choice named_choice(const std::string& name) {
    if (name == "uniform") return centre_choice::uniform;
    if (name == "kmeans++") return centre_choice::kmeans_plus_plus;
    if (name == "given") return centre_choice::given;
    if (name == "rpcholesky") return centre_choice::rpcholesky;
    return centre_choice::mixed;
}

nystroem_options nystroem_told(const auto& m, const fit_call& t) {
    auto o = t.common<nystroem_options>(m);
    o.n_centres = m.n_centres;
    o.centres = named_choice(m.centres);
    if constexpr (requires { m.accuracy; }) {
        if (m.accuracy > 0 && m.n_centres != std::decay_t<decltype(m)>{}.n_centres)
            fail(errc::invalid_argument, "n_centres has no effect beside accuracy: leave one of them out");
        o.accuracy = m.accuracy, o.doubling = m.doubling, o.seconds = t.control.seconds;
    }
    if constexpr (requires { m.loss; }) o.hinge = m.loss == "hinge";
    for (const double each : m.centre_rows) {
        if (each != std::floor(each) || each > 0x1p53)
            fail(errc::invalid_argument, fmt::format("centre_rows: row numbers are whole, got {}", each));
        o.centre_rows.push_back(static_cast<index>(each));
    }
    return o;
}

// How the fit ended, and how approximate it is.
template <class Model>
class nystroem_fitted : public fitted_as<Model> {
public:
    using fitted_as<Model>::fitted_as;
    matrix<double> decide(const examples& x) const override {
        return x.visit([&](const auto& some) { return mercer::decide(this->m_, some); });
    }
    figures about() const override {
        const Model& m = this->m_;
        figures out{{"status", name(m.status)}, {"gap", m.gap},
                    {"objective", m.objective}, {"residual", m.residual},
                    {"passes", m.passes},       {"rounds", m.rounds},
                    {"n_centres", m.f.size()},  {"out_of_reach", m.out_of_reach}};
        if (m.change_when_doubled >= 0) out.add("change_when_doubled", m.change_when_doubled);
        out.add("training_size", m.f.training_size);
        return out;
    }
    std::string trouble() const override {
        return trouble_of(this->m_.status, "max_iter, or take a larger tol", this->m_.gap);
    }
    part_value part(std::string_view name) const override {
        if (name == "trace") return this->m_.trace;
        if (name == "centre_rows") return std::vector<std::int64_t>(this->m_.f.rows.begin(), this->m_.f.rows.end());
        return fitted_as<Model>::part(name);
    }
};

class nystroem_ridge_fitted final : public nystroem_fitted<nystroem_ridge_model> {
public:
    using nystroem_fitted::nystroem_fitted;
    answer gives() const override { return answer::values; }
    std::vector<double> predict(const examples& x) const override { return first_column(decide(x)); }
};

template <class Model>
class nystroem_classes_fitted : public nystroem_fitted<Model> {
public:
    using nystroem_fitted<Model>::nystroem_fitted;
    answer gives() const override { return answer::classes; }
    std::vector<double> predict(const examples& x) const override {
        return classes_of(this->m_, this->decide(x).view());
    }
};

class nystroem_logistic_fitted final : public nystroem_classes_fitted<nystroem_logistic_model> {
public:
    using nystroem_classes_fitted::nystroem_classes_fitted;
    matrix<double> probabilities(const examples& x) const override {
        return mercer::probabilities(m_, decide(x).view());
    }
    columns details(const examples& x) const override { return {probabilities(x), label_names("p", m_.classes)}; }
    explained predict_with_details(const examples& x) const override {
        const matrix<double> f = decide(x);
        return {classes_of(m_, f.view()), {mercer::probabilities(m_, f.view()), label_names("p", m_.classes)}};
    }
};

class nystroem_svc_fitted final : public nystroem_classes_fitted<nystroem_svc_model> {
public:
    using nystroem_classes_fitted::nystroem_classes_fitted;
    columns details(const examples& x) const override {
        if (m_.classes.size() == 2) return {decide(x), {"decision"}};
        return {decide(x), label_names("decision", m_.classes)};
    }
    explained predict_with_details(const examples& x) const override {
        matrix<double> f = decide(x);
        std::vector<double> found = classes_of(m_, f.view());
        const auto names =
            m_.classes.size() == 2 ? std::vector<std::string>{"decision"} : label_names("decision", m_.classes);
        return {std::move(found), {std::move(f), names}};
    }
};

fitted_ptr make_nystroem_ridge(const nystroem_ridge& m, const fit_call& t) {
    const nystroem_options o = nystroem_told(m, t);
    return t.made<nystroem_ridge_fitted>(
        t.from([&](const auto&... from) { return fit_nystroem_ridge(rows_of(from...), t.y, o); }));
}
fitted_ptr make_nystroem_logistic(const nystroem_logistic& m, const fit_call& t) {
    const nystroem_options o = nystroem_told(m, t);
    return t.made<nystroem_logistic_fitted>(
        t.from([&](const auto&... from) { return fit_nystroem_logistic(rows_of(from...), t.targets(), o); }));
}
fitted_ptr make_nystroem_svc(const nystroem_svc& m, const fit_call& t) {
    const nystroem_options o = nystroem_told(m, t);
    return t.made<nystroem_svc_fitted>(
        t.from([&](const auto&... from) { return fit_nystroem_svc(rows_of(from...), t.targets(), o); }));
}

class nystroem_pca_fitted final : public fitted_as<nystroem_pca_model> {
public:
    using fitted_as::fitted_as;
    columns transform(const examples& x) const override {
        return {x.visit([&](const auto& some) { return m_.projection.values(some); }),
                numbered("component", m_.projection.functions())};
    }
    figures about() const override {
        return {{"status", name(m_.status)},
                {"components", m_.projection.functions()},
                {"eigenvalues", m_.eigenvalues},
                {"explained_variance", m_.explained_variance},
                {"explained_variance_ratio", m_.explained_variance_ratio},
                {"total_variance", m_.total_variance},
                {"passes", m_.passes},
                {"n_centres", m_.projection.size()},
                {"out_of_reach", m_.out_of_reach},
                {"training_size", m_.projection.training_size}};
    }
    std::string trouble() const override { return trouble_of(m_.status, "max_iter, or take a larger tol"); }
};

fitted_ptr make_nystroem_pca(const nystroem_pca& m, const fit_call& t) {
    const nystroem_options o = nystroem_told(m, t);
    return t.made<nystroem_pca_fitted>(
        t.from([&](const auto&... from) { return fit_nystroem_pca(rows_of(from...), m.n_components, o); }));
}

class nystroem_features_fitted final : public fitted_as<nystroem_features_model> {
public:
    using fitted_as::fitted_as;
    std::string kernel_text() const override { return m_.map.kernel_text(); }
    columns transform(const examples& x) const override {
        return {x.visit([&](const auto& some) { return m_.map.values(some); }),
                numbered("feature", m_.map.functions())};
    }
    figures about() const override {
        return {
            {"n_centres", m_.map.size()}, {"out_of_reach", m_.out_of_reach}, {"training_size", m_.map.training_size}};
    }
    part_value part(std::string_view name) const override {
        if (name == "coef") return m_.map.coef;
        if (name == "objects") return m_.map.x;
        if (name == "centre_rows") return std::vector<std::int64_t>(m_.map.rows.begin(), m_.map.rows.end());
        return fitted_as::part(name);
    }
};

fitted_ptr make_nystroem_features(const nystroem& m, const fit_call& t) {
    const nystroem_options o = nystroem_told(m, t);
    return t.made<nystroem_features_fitted>(
        t.from([&](const auto&... from) { return fit_nystroem_features(rows_of(from...), o); }));
}

class random_features_fitted final : public fitted_as<random_features_model> {
public:
    using fitted_as::fitted_as;
    columns transform(const examples& x) const override {
        return {mercer::transform(m_, x.objects()), numbered("feature", m_.features)};
    }
    figures about() const override { return {{"n_components", m_.features}}; }
    part_value part(std::string_view name) const override {
        if (name == "frequencies") return m_.frequencies;
        return fitted_as::part(name);
    }
};

fitted_ptr make_random_features(const random_features& m, const fit_call& t) {
    auto o = t.common<random_features_options>(m);
    o.n_components = m.n_components;
    o.orthogonal = m.orthogonal;
    return t.made<random_features_fitted>(fit_random_features(*t.k, t.x.objects(), o));
}

}  // namespace

bool takes_passes(const method& m) {
    return m.name == "nystroem_ridge" || m.name == "nystroem_logistic" || m.name == "nystroem_svc";
}

fitted_ptr fit_passes(const method& m, const option_values& options, const passes_task& task,
                      const fit_control& control) {
    std::optional<thread_limit> limit;
    if (control.threads > 0) limit.emplace(control.threads);
    fit_watch watch(control);
    const fit_call t{
        {matrix_view<const double>(), task.y, nullptr, task.sample_weight, task.class_weight}, options, control, watch};
    const auto made = [&]<class Fitted>(std::type_identity<Fitted>, auto model) {
        // The clock of one process stops all of them, and all say so.
        model.status = watch.ended(model.status);
        if (!everywhere(task.x.processes(), model.status != fit_status::time_limit))
            model.status = fit_status::time_limit;
        return t.made<Fitted>(std::move(model));
    };
    if (m.name == "nystroem_ridge")
        return made(std::type_identity<nystroem_ridge_fitted>(),
                    fit_nystroem_ridge(task.x, t.y, nystroem_told(value_of<nystroem_ridge>(options), t)));
    if (m.name == "nystroem_logistic")
        return made(std::type_identity<nystroem_logistic_fitted>(),
                    fit_nystroem_logistic(task.x, t.targets(), nystroem_told(value_of<nystroem_logistic>(options), t)));
    if (m.name == "nystroem_svc")
        return made(std::type_identity<nystroem_svc_fitted>(),
                    fit_nystroem_svc(task.x, t.targets(), nystroem_told(value_of<nystroem_svc>(options), t)));
    fail(errc::unsupported, fmt::format("{} needs its examples in memory: nystroem_ridge, nystroem_logistic and "
                                        "nystroem_svc read them batch by batch",
                                        m.name));
}

std::vector<method> approximate_methods() {
    std::vector<method> out{entry<nystroem_ridge, nystroem_ridge_fitted>(make_nystroem_ridge),
                            entry<nystroem_logistic, nystroem_logistic_fitted>(make_nystroem_logistic),
                            entry<nystroem_svc, nystroem_svc_fitted>(make_nystroem_svc),
                            entry<nystroem_pca, nystroem_pca_fitted>(make_nystroem_pca),
                            entry<nystroem, nystroem_features_fitted>(make_nystroem_features),
                            entry<random_features, random_features_fitted>(make_random_features)};
    for (method& each : cell_methods()) out.push_back(std::move(each));
    return out;
}

}  // namespace mercer::api
