#include "mercer/kernels/features/feature_map.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/threads.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/monomial_expansion.h"

namespace mercer {
namespace {

// The text of a product of atoms: "x1^2*x3", or "" for the empty product.
std::string monomial_text(const int* first, const int* last, const std::vector<expansion_builder::atom>& atoms) {
    std::string out;
    while (first != last) {
        const int* end = first;
        while (end != last && *end == *first) ++end;
        if (!out.empty()) out += '*';
        out += atoms[static_cast<std::size_t>(*first)].name;
        if (end - first > 1) out += fmt::format("^{}", end - first);
        first = end;
    }
    return out;
}

// The text of √w: "2", "sqrt2", "sqrt(0.1)", or "" for w = 1.
std::string root_text(double w) {
    const double root = std::sqrt(w);
    if (w == 1) return "";
    if (root == std::floor(root) && root * root == w) return number_text(root);
    const bool whole = w == std::floor(w) && w < 1e15;
    return whole ? fmt::format("sqrt{}", w) : fmt::format("sqrt({})", w);
}

}  // namespace

feature_map::feature_map(const kernel& k, index dims, index limit, double max_steps) : dims_(dims) {
    if (k.kind() != object_kind::vectors && k.kind() != object_kind::any)
        fail(errc::unsupported,
             fmt::format("feature_map: expected a kernel on vectors, got {} on {}", k.text(), mercer::name(k.kind())));
    auto build = std::make_shared<expansion_builder>(dims, limit, max_steps);
    const expansion all = k.node().expand(*build);
    start_.push_back(0);
    for (const auto& [what, weight] : all.terms) {
        if (!(weight > 0) || !std::isfinite(weight)) {
            const std::string text = monomial_text(what.data(), what.data() + what.size(), build->atoms());
            fail(errc::not_psd,
                 fmt::format("feature_map: {} gives the feature {} the weight {}, which must be finite and > 0",
                             k.text(), text.empty() ? "the constant" : text, weight));
        }
        weight_.push_back(weight);
        root_.push_back(std::sqrt(weight));
        factors_.insert(factors_.end(), what.begin(), what.end());
        start_.push_back(factors_.size());
    }
    atoms_ = std::move(build);
}

std::string feature_map::name(index feature) const {
    if (feature < 0 || feature >= size())
        fail(errc::invalid_argument,
             fmt::format("feature_map: must satisfy 0 <= feature < {}, got {}", size(), feature));
    const auto t = static_cast<std::size_t>(feature);
    const std::string root = root_text(weight_[t]),
                      what =
                          monomial_text(factors_.data() + start_[t], factors_.data() + start_[t + 1], atoms_->atoms());
    if (what.empty()) return root.empty() ? "1" : root;
    return root.empty() ? what : fmt::format("{}*{}", root, what);
}

std::vector<std::string> feature_map::names() const {
    std::vector<std::string> all;
    for (index t = 0; t < size(); ++t) all.push_back(name(t));
    return all;
}

dense<double> feature_map::apply(const dataset& x) const {
    if (x.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("feature_map: expected vectors, got {}", mercer::name(x.kind())));
    if (x.dims() != dims_)
        fail(errc::invalid_argument,
             fmt::format("feature_map: the map is for vectors of {} features, but the data have {}", dims_, x.dims()));
    require_finite(x);
    const index n = x.size();
    // Computes every source for all data: vectors, or one number for each object.
    std::vector<dense<double>> vectors;
    for (const auto& source : atoms_->sources()) {
        if (source.h) {
            const std::vector<double> h = source.h(x);
            matrix<double> column(n, 1);
            std::copy(h.begin(), h.end(), column.data());
            vectors.emplace_back(std::move(column));
        } else {
            vectors.push_back(as_dense<double>(source.phi.apply ? source.phi.apply(x, nullptr).first : x));
        }
    }
    for (const auto& atom : atoms_->atoms())
        if (n > 0 && atom.coordinate >= vectors[static_cast<std::size_t>(atom.from)].dims())
            fail(errc::data, fmt::format("feature_map: the map has the feature {}, but the vectors computed from these "
                                         "data have only {} features",
                                         atom.name, vectors[static_cast<std::size_t>(atom.from)].dims()));
    matrix<double> out(n, size());
    parallel_for(n, [&](index i) {
        const auto& atoms = atoms_->atoms();
        std::vector<double> value(atoms.size());
        for (std::size_t a = 0; a < atoms.size(); ++a)
            value[a] = vectors[static_cast<std::size_t>(atoms[a].from)].row(i)[atoms[a].coordinate];
        for (std::size_t t = 0; t < root_.size(); ++t) {
            double product = root_[t];
            for (std::size_t f = start_[t]; f < start_[t + 1]; ++f)
                product *= value[static_cast<std::size_t>(factors_[f])];
            out(i, static_cast<index>(t)) = product;
        }
    });
    return dense<double>(std::move(out));
}

truncated_gaussian_map::truncated_gaussian_map(double gamma, index terms) : gamma_(gamma), terms_(terms) {
    require(gamma > 0 && std::isfinite(gamma), "truncated_gaussian_map", "gamma > 0", gamma);
    require(terms >= 1, "truncated_gaussian_map", "terms >= 1", static_cast<double>(terms));
}

truncated_gaussian_map truncated_gaussian_map::within(double gamma, double radius, double tolerance) {
    require(tolerance > 0, "truncated_gaussian_map", "tolerance > 0", tolerance);
    index enough = 1;
    while (truncated_gaussian_map(gamma, enough).error_bound(radius) > tolerance) {
        enough *= 2;
        require(enough <= 1'000'000, "truncated_gaussian_map", "terms <= 1e6", static_cast<double>(enough));
    }
    index few = enough / 2;  // too few terms, or 0
    while (enough - few > 1) {
        const index middle = few + (enough - few) / 2;
        (truncated_gaussian_map(gamma, middle).error_bound(radius) > tolerance ? few : enough) = middle;
    }
    return {gamma, enough};
}

double truncated_gaussian_map::error_bound(double radius) const {
    require(radius >= 0 && std::isfinite(radius), "truncated_gaussian_map", "radius >= 0", radius);
    const double t = 2 * gamma_ * radius * radius;
    const auto m = static_cast<double>(terms_);
    if (t == 0) return 0;
    if (m + 1 <= t) return 1;
    // Sums the omitted terms from e^(-t) t^m/m! on, each the one before times t/(k+1) < 1, until a geometric series
    // bounds the remainder.
    double term = std::exp(m * std::log(t) - t - std::lgamma(m + 1)), sum = 0, rest = 0;
    for (double k = m; term > 0; ++k) {
        sum += term;
        term *= t / (k + 1);
        rest = term / (1 - t / (k + 2));
        if (rest <= 1e-9 * sum) break;
    }
    // The additions cover rounding errors, mainly of the logarithms, and underflow.
    return std::min(1.0, (sum + rest) * (1 + 1e-8) + std::numeric_limits<double>::min());
}

dense<double> truncated_gaussian_map::apply(const dataset& x) const {
    if (x.kind() != object_kind::vectors || x.dims() != 1)
        fail(errc::invalid_argument,
             fmt::format("truncated_gaussian_map: the data must be vectors of 1 feature, got {} of {}",
                         mercer::name(x.kind()), x.dims()));
    require_finite(x);
    const dense<double> from = as_dense<double>(x);
    matrix<double> out(from.size(), terms_);
    for (index i = 0; i < from.size(); ++i) {
        const double value = from.row(i)[0];
        // Computed from logarithms, because e^(-γx²) underflows for smaller |x| than the features.
        double log_feature = -gamma_ * value * value;
        for (index k = 0; k < terms_; ++k) {
            if (k > 0) log_feature += std::log(std::abs(value)) + 0.5 * std::log(2 * gamma_ / static_cast<double>(k));
            out(i, k) = (value < 0 && k % 2 ? -1 : 1) * std::exp(log_feature);
        }
    }
    return dense<double>(std::move(out));
}

}  // namespace mercer
