// Approximations for many examples as methods: nystroem_ridge, nystroem_logistic, nystroem_svc, nystroem_pca, nystroem,
// random_features.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <type_traits>

#include "mercer/base/communicator.h"
#include "mercer/base/threads.h"
#include "mercer/methods/method.h"
#include "mercer/methods/nystroem/centres_told.h"
#include "mercer/methods/nystroem/methods.h"
#include "mercer/methods/nystroem/nystroem.h"
#include "mercer/methods/nystroem/nystroem_features.h"
#include "mercer/methods/random_features/random_features.h"

namespace mercer::api {

centre_choice centre_choice_named(std::string_view name) {
    for (const auto each :
         {centre_choice::rpcholesky, centre_choice::uniform, centre_choice::kmeans_plus_plus, centre_choice::given})
        if (name == mercer::name(each)) return each;
    return centre_choice::mixed;
}

std::vector<index> row_numbers(const std::vector<double>& given) {
    std::vector<index> out;
    for (const double each : given) {
        if (each != std::floor(each) || each > 0x1p53)
            fail(errc::invalid_argument, fmt::format("centre_rows: row numbers are whole, got {}", each));
        out.push_back(static_cast<index>(each));
    }
    return out;
}

namespace {

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
        if (!m.gaps.empty()) {
            std::vector<std::string> ends;
            for (index c = 0; c < m.f.functions(); ++c) ends.emplace_back(name(m.output_status(c)));
            out.add({{"output_status", ends},
                     {"output_gaps", m.gaps},
                     {"output_objectives", m.objectives},
                     {"output_residuals", m.residuals}});
        }
        if (m.change_when_doubled >= 0) out.add("change_when_doubled", m.change_when_doubled);
        out.add("training_size", m.f.training_size);
        return out;
    }
    std::string trouble() const override {
        const std::string out = trouble_of(this->m_.status, "max_iter, or take a larger tol", this->m_.gap);
        if (out.empty() || this->m_.unsolved.empty()) return out;
        std::vector<index> unsolved;
        for (const index each : this->m_.unsolved) unsolved.push_back(each + 1);
        return fmt::format("target{} {}: {}", unsolved.size() > 1 ? "s" : "", fmt::join(unsolved, ", "), out);
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

fitted_ptr make_nystroem_ridge(const nystroem_ridge& m, const fit_call& t, const kernel_rows& x) {
    return t.made<nystroem_ridge_fitted>(fit_nystroem_ridge(x, t.y, nystroem_told(m, t)));
}
fitted_ptr make_nystroem_logistic(const nystroem_logistic& m, const fit_call& t, const kernel_rows& x) {
    return t.made<nystroem_logistic_fitted>(fit_nystroem_logistic(x, t.targets(), nystroem_told(m, t)));
}
fitted_ptr make_nystroem_svc(const nystroem_svc& m, const fit_call& t, const kernel_rows& x) {
    return t.made<nystroem_svc_fitted>(fit_nystroem_svc(x, t.targets(), nystroem_told(m, t)));
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

fitted_ptr make_nystroem_pca(const nystroem_pca& m, const fit_call& t, const kernel_rows& x) {
    return t.made<nystroem_pca_fitted>(fit_nystroem_pca(x, m.n_components, nystroem_told(m, t)));
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

fitted_ptr make_nystroem_features(const nystroem& m, const fit_call& t, const kernel_rows& x) {
    return t.made<nystroem_features_fitted>(fit_nystroem_features(x, nystroem_told(m, t)));
}

class random_features_fitted final : public fitted_as<random_features_model> {
public:
    using fitted_as::fitted_as;
    columns transform(const examples& x) const override {
        return {mercer::transform(m_, x.objects()), numbered("feature", m_.features)};
    }
    figures about() const override { return {{"n_components", m_.features}}; }
    part_value part(std::string_view name) const override {
        if (name == "frequencies" && m_.kind != random_feature_kind::sketch) return m_.written_out();
        if (name == "places" && m_.kind == random_feature_kind::sketch)
            return std::vector<std::int64_t>(m_.sketch.places.begin(), m_.sketch.places.end());
        return fitted_as::part(name);
    }
};

fitted_ptr make_random_features(const random_features& m, const fit_call& t) {
    auto o = t.common<random_features_options>(m);
    o.n_components = m.n_components;
    o.frequencies = m.frequencies == "structured"    ? frequency_choice::structured
                    : m.frequencies == "independent" ? frequency_choice::independent
                                                     : frequency_choice::orthogonal;
    return t.made<random_features_fitted>(fit_random_features(*t.k, t.x.objects(), o));
}

// The entry of a method that asks nothing of its examples but passes over them.
template <described_method Method, class Fitted, fitted_ptr (*Make)(const Method&, const fit_call&, const kernel_rows&)>
method entry_by_passes() {
    method out = entry<Method, Fitted>(+[](const Method& m, const fit_call& t) {
        return t.from([&](const auto&... from) { return Make(m, t, rows_of(from...)); });
    });
    out.fit_rows = [](const fit_call& t, const kernel_rows& x) { return Make(value_of<Method>(t.options), t, x); };
    return out;
}

}  // namespace

std::vector<method> approximate_methods() {
    std::vector<method> out{entry_by_passes<nystroem_ridge, nystroem_ridge_fitted, make_nystroem_ridge>(),
                            entry_by_passes<nystroem_logistic, nystroem_logistic_fitted, make_nystroem_logistic>(),
                            entry_by_passes<nystroem_svc, nystroem_svc_fitted, make_nystroem_svc>(),
                            entry_by_passes<nystroem_pca, nystroem_pca_fitted, make_nystroem_pca>(),
                            entry_by_passes<nystroem, nystroem_features_fitted, make_nystroem_features>(),
                            entry<random_features, random_features_fitted>(make_random_features)};
    for (method& each : cell_methods()) out.push_back(std::move(each));
    return out;
}

}  // namespace mercer::api
