#include "mercer/kernels/monomial_expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {
namespace {

double binomial(double n, int k) {
    double result = 1;
    for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
    return result;
}

// The number of atoms in all terms together.
double atoms_in(const expansion& e) {
    double count = 0;
    for (const auto& [what, weight] : e.terms) count += static_cast<double>(what.size());
    return count;
}

}  // namespace

expansion expansion::constant(double c) {
    expansion made;
    if (c != 0) made.terms[{}] = c;
    return made;
}

expansion operator*(double c, expansion e) {
    if (c == 0) return {};
    for (auto& [what, weight] : e.terms) weight *= c;
    return e;
}

expansion_builder::expansion_builder(index dims, index limit, double max_steps)
    : dims_(dims), limit_(limit), steps_left_(max_steps), sources_{{}} {
    if (dims < 0) fail(errc::invalid_argument, fmt::format("feature_map: must satisfy dims >= 0, got {}", dims));
    for (index a = 0; a < dims; ++a) coordinates_.push_back(atom_number(0, a, fmt::format("x{}", a + 1)));
}

void expansion_builder::require_term_limit(double terms) const {
    if (terms > static_cast<double>(limit_))
        fail(errc::memory,
             fmt::format("feature_map: the number of features must satisfy size <= {}, got {:.15g} or more", limit_,
                         terms));
}

void expansion_builder::require_work(double products, double atoms) {
    steps_left_ -= 1 + products + atoms / 16;
    if (!(steps_left_ >= 0))
        fail(errc::memory,
             "feature_map: the expansion into features takes too many steps: take lower powers, or no feature map");
}

expansion expansion_builder::add(expansion a, const expansion& b) const {
    for (const auto& [what, weight] : b.terms)
        if ((a.terms[what] += weight) == 0) a.terms.erase(what);
    require_term_limit(static_cast<double>(a.terms.size()));
    return a;
}

expansion expansion_builder::multiply(const expansion& a, const expansion& b) {
    const auto terms_of = [](const expansion& e) { return static_cast<double>(e.terms.size()); };
    require_work(terms_of(a) * terms_of(b), terms_of(a) * atoms_in(b) + terms_of(b) * atoms_in(a));
    expansion made;
    monomial what;
    for (const auto& [left, left_weight] : a.terms)
        for (const auto& [right, right_weight] : b.terms) {
            what.resize(left.size() + right.size());
            std::merge(left.begin(), left.end(), right.begin(), right.end(), what.begin());
            made.terms[what] += left_weight * right_weight;
            require_term_limit(static_cast<double>(made.terms.size()));
        }
    std::erase_if(made.terms, [](const auto& term) { return term.second == 0; });
    return made;
}

expansion expansion_builder::multinomial(double gamma, double r, int degree) {
    // (γ Σ uₐ + r)^D = Σ_m C(D, m) r^(D-m) γ^m Σ_{|e|=m} m!/∏eₐ! ∏ uₐ^eₐ with uₐ = xₐzₐ. The multinomial coefficient is
    // computed as a product of binomial coefficients.
    const auto d = static_cast<int>(coordinates_.size());
    const double terms = d == 0  ? 1
                         : r > 0 ? binomial(static_cast<double>(d) + degree, std::min(d, degree))
                                 : binomial(static_cast<double>(d) - 1 + degree, std::min(d - 1, degree));
    require_term_limit(terms);
    require_work(terms, terms * degree);
    expansion made;
    monomial what;
    const auto spread = [&](const auto& self, int from, int left, double weight) -> void {
        if (left == 0) {
            monomial sorted = what;
            std::sort(sorted.begin(), sorted.end());
            made.terms[std::move(sorted)] += weight;
            return;
        }
        // The next coordinate with a positive power gets e of the remaining `left` factors, the last coordinate all of
        // them. The recursion skips coordinates with power 0, so its depth is at most min(degree, coordinates); either
        // number may be a million.
        for (int c = from; c < d; ++c)
            for (int e = c + 1 == d ? left : 1; e <= left; ++e) {
                what.insert(what.end(), static_cast<std::size_t>(e), coordinates_[static_cast<std::size_t>(c)]);
                self(self, c + 1, left - e, weight * binomial(left, e));
                what.resize(what.size() - static_cast<std::size_t>(e));
            }
    };
    for (int m = r > 0 ? 0 : degree; m <= degree; ++m)
        spread(spread, 0, m, binomial(degree, m) * std::pow(r, degree - m) * std::pow(gamma, m));
    std::erase_if(made.terms, [](const auto& term) { return term.second == 0; });
    return made;
}

expansion expansion_builder::subsets() {
    require_term_limit(std::pow(2.0, static_cast<double>(coordinates_.size())));
    expansion made = expansion::constant(1);
    for (const int each : coordinates_) {
        expansion one = expansion::constant(1);
        one.terms[{each}] = 1;
        made = multiply(made, one);
    }
    return made;
}

expansion expansion_builder::factor(const std::string& key, const std::string& name, object_function h) {
    source wanted{outer_.key + " | " + key, {}, std::move(h)};
    if (const embedding phi = outer_; phi.apply)
        wanted.h = [phi, own = wanted.h](const dataset& x) { return own(phi.apply(x, nullptr).first); };
    const int number = atom_number(source_number(std::move(wanted)), 0, name);
    expansion made;
    made.terms[{number}] = 1;
    return made;
}

int expansion_builder::source_number(source wanted) {
    for (std::size_t i = 0; i < sources_.size(); ++i)
        if (sources_[i].key == wanted.key) return static_cast<int>(i);
    sources_.push_back(std::move(wanted));
    return static_cast<int>(sources_.size()) - 1;
}

int expansion_builder::atom_number(int from, index coordinate, std::string name) {
    // All atoms of a source are created together and have consecutive numbers.
    for (std::size_t i = 0; i < atoms_.size(); ++i)
        if (atoms_[i].from == from) {
            const std::size_t at = i + static_cast<std::size_t>(coordinate);
            if (at < atoms_.size()) return static_cast<int>(at);
            break;
        }
    atoms_.push_back({from, coordinate, std::move(name)});
    return static_cast<int>(atoms_.size()) - 1;
}

expansion_builder::pull_back_scope::pull_back_scope(expansion_builder& build, const embedding& phi,
                                                    const std::string& name)
    : build_(build), outer_before_(build.outer_), coordinates_before_(build.coordinates_) {
    const embedding composed = compose(build.outer_, phi);
    // Applies φ to one zero vector to learn the number of coordinates of φ(x).
    const dataset image = composed.apply(dataset(dense<double>(matrix<double>(1, build.dims_))), nullptr).first;
    if (image.kind() != object_kind::vectors)
        fail(errc::unsupported, fmt::format("feature_map: expected a map to vectors, got {}, which maps to {}", name,
                                            mercer::name(image.kind())));
    const int from = build.source_number({composed.key, composed, {}});
    std::vector<int> here;
    for (index a = 0; a < image.dims(); ++a)
        here.push_back(build.atom_number(from, a, fmt::format("{}[{}]", name, a + 1)));
    build.outer_ = composed;
    build.coordinates_ = std::move(here);
}

expansion_builder::pull_back_scope::pull_back_scope(expansion_builder& build, const embedding& phi,
                                                    const std::vector<index>& columns)
    : build_(build), outer_before_(build.outer_), coordinates_before_(build.coordinates_) {
    std::vector<int> here;
    for (const index c : columns) {
        if (c < 0 || c >= static_cast<index>(build.coordinates_.size()))
            fail(errc::invalid_argument, fmt::format("feature_map: columns must satisfy 0 <= column < {}, got {}",
                                                     build.coordinates_.size(), c));
        here.push_back(build.coordinates_[static_cast<std::size_t>(c)]);
    }
    build.outer_ = compose(build.outer_, phi);
    build.coordinates_ = std::move(here);
}

expansion_builder::pull_back_scope::~pull_back_scope() {
    build_.outer_ = std::move(outer_before_);
    build_.coordinates_ = std::move(coordinates_before_);
}

}  // namespace mercer
