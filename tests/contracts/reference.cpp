#include "contracts/reference.h"

namespace mercer::testing {
namespace {

using settings = std::vector<kernel_case>;

kernel read(const std::string& text) { return kernel::parse(text); }
std::string number(double value) { return std::to_string(value); }

approx power_of(const approx& base, int degree) {
    const long double value = std::pow(base.value, static_cast<long double>(degree));
    return propagate_error(base, value, degree * std::pow(base.value, static_cast<long double>(degree) - 1),
                           (degree + 4) * std::abs(value));
}

approx polynomial_reference(const object& x, const object& z, int degree, double gamma, double coef0) {
    const approx t = dot_of(x, z);
    const approx base{gamma * t.value + coef0,
                      gamma * t.error + std::abs(gamma * t.value) + std::abs(gamma * t.value + coef0)};
    return power_of(base, degree);
}

approx matern_reference(const object& x, const object& z, double nu, double length) {
    approx r = root(squared_distance_of(x, z));
    r = {r.value / length, r.error / length + r.value / length};
    if (nu == 0.5) return decay(r, 1);
    const long double c = nu == 1.5 ? std::sqrt(3.0L) : std::sqrt(5.0L), t = c * r.value;
    const long double factor = nu == 1.5 ? 1 + t : 1 + t + t * t / 3, e = std::exp(-t);
    // |d/dr| of both is at most c·factor·e^(-t)
    return propagate_error(r, factor * e, c * factor * e, (10 + 4 * t) * factor * e);
}

// xᵀAz; the bound contains the rounding error of every term.
approx bilinear_reference(const object& x, const object& z, const std::vector<std::vector<double>>& A) {
    approx sum;
    long double x_size = 0, z_size = 0, a_size = 0;
    for (std::size_t i = 0; i < A.size(); ++i)
        for (std::size_t j = 0; j < A.size(); ++j)
            sum.value += static_cast<long double>(x.vector[i]) * A[i][j] * z.vector[j], a_size += std::abs(A[i][j]);
    for (std::size_t i = 0; i < A.size(); ++i) x_size += std::abs(x.vector[i]), z_size += std::abs(z.vector[i]);
    sum.error = 8 * static_cast<long double>(A.size()) * x_size * z_size * a_size;
    return sum;
}

// (x-z)ᵀ S⁻¹ (x-z) for a 5×5 matrix S that is diagonal except for one pair of coordinates; the inverse is written out.
approx whitened_distance(const object& x, const object& z, const std::vector<double>& variance, double covariance01) {
    std::vector<long double> t;
    for (std::size_t a = 0; a < 5; ++a) t.push_back(static_cast<long double>(x.vector[a]) - z.vector[a]);
    const long double det =
        static_cast<long double>(variance[0]) * variance[1] - static_cast<long double>(covariance01) * covariance01;
    approx sum;
    sum.value = (variance[1] * t[0] * t[0] - 2 * covariance01 * t[0] * t[1] + variance[0] * t[1] * t[1]) / det;
    for (std::size_t a = 2; a < 5; ++a) sum.value += t[a] * t[a] / variance[a];
    long double smallest = det / (variance[0] + variance[1]);
    for (std::size_t a = 2; a < 5; ++a) smallest = std::min<long double>(smallest, variance[a]);
    sum.error = 4 * (dot_of(x, x).error + dot_of(z, z).error) / smallest;
    return x.vector == z.vector ? approx{} : sum;
}

std::size_t common(const object& a, const object& b) {
    std::size_t count = 0;
    for (const auto item : a.set)
        for (const auto other : b.set) count += item == other;
    return count;
}

approx spectrum_reference(const object& s, const object& t, std::size_t k) {
    std::map<std::string, int> counts;
    for (std::size_t i = 0; i + k <= s.string.size(); ++i) ++counts[s.string.substr(i, k)];
    approx sum;
    for (std::size_t j = 0; j + k <= t.string.size(); ++j)
        if (const auto found = counts.find(t.string.substr(j, k)); found != counts.end()) sum.value += found->second;
    return sum;  // integers: no error
}

std::map<std::string, std::function<settings()>>& definitions() {
    static std::map<std::string, std::function<settings()>> all{
        {"linear",
         [] {
             return settings{{read("linear()"), dot_of}};
         }},
        {"constant",
         [] {
             settings made;
             for (const double c : {0.0, 1.0, 0.25})
                 made.push_back({read("constant(c=" + number(c) + ")"), [c](const object&, const object&) {
                                     return approx{c, 0};
                                 }});
             return made;
         }},
        {"poly",
         [] {
             settings made;
             for (const auto& [degree, gamma, coef0] :
                  std::vector<std::tuple<int, double, double>>{{3, 1, 0}, {1, 0.5, 2}, {2, 0.125, 1}, {7, 0.25, 0.5}})
                 made.push_back({read("poly(" + std::to_string(degree) + ", gamma=" + number(gamma) +
                                      ", coef0=" + number(coef0) + ")"),
                                 [=](const object& x, const object& z) {
                                     return polynomial_reference(x, z, degree, gamma, coef0);
                                 }});
             return made;
         }},
        {"rbf",
         [] {
             settings made;
             for (const double gamma : {1.0, 0.0625, 8.0})
                 made.push_back({read("rbf(gamma=" + number(gamma) + ")"), [=](const object& x, const object& z) {
                                     return decay(squared_distance_of(x, z), gamma);
                                 }});
             made.push_back({read("rbf(sigma=2)"), [](const object& x, const object& z) {
                                 return decay(squared_distance_of(x, z), 1 / 8.0L);
                             }});
             return made;
         }},
        {"anisotropic",
         [] {
             const std::vector<double> v{1, 0.5, 2, 4, 0.25};
             return settings{
                 {read("anisotropic([1, 0.5, 2, 4, 0.25])"),
                  [v](const object& x, const object& z) { return decay(whitened_distance(x, z, v, 0), 0.5L); }},
                 {read("anisotropic([[1, 0.5, 0, 0, 0], [0.5, 0.5, 0, 0, 0], [0, 0, 2, 0, 0], [0, 0, 0, 4, 0], [0, 0, "
                       "0, 0, 0.25]])"),
                  [v](const object& x, const object& z) { return decay(whitened_distance(x, z, v, 0.5), 0.5L); }}};
         }},
        {"cosine",
         [] {
             return settings{{read("cosine()"), [](const object& x, const object& z) {
                                  const approx v = dot_of(x, z), xx = dot_of(x, x), zz = dot_of(z, z);
                                  const long double size = std::sqrt(xx.value * zz.value);
                                  return size == 0 ? approx{}
                                                   : approx{v.value / size,
                                                            v.error / size +
                                                                std::abs(v.value) / size *
                                                                    (static_cast<long double>(x.vector.size()) + 8)};
                              }}};
         }},
        {"sigmoid",
         [] {
             settings made;
             for (const auto& [gamma, coef0] : std::vector<std::pair<double, double>>{{1, 0}, {0.1, -0.5}, {-2, 1}})
                 made.push_back({read("sigmoid(" + number(gamma) + ", " + number(coef0) + ")"),
                                 [=](const object& x, const object& z) {
                                     const approx t = dot_of(x, z);
                                     const long double at = gamma * t.value + coef0, value = std::tanh(at);
                                     return propagate_error(
                                         t, value, gamma * (1 - value * value),
                                         (1 - value * value) * (std::abs(gamma * t.value) + std::abs(at)) +
                                             6 * std::abs(value));
                                 }});
             return made;
         }},
        {"all_subsets",
         [] {
             return settings{{read("all_subsets()"), [](const object& x, const object& z) {
                                  approx made{1, 1};
                                  for (std::size_t a = 0; a < x.vector.size(); ++a) {
                                      const long double t = static_cast<long double>(x.vector[a]) * z.vector[a],
                                                        factor = 1 + t;
                                      made = rounded({made.value * factor,
                                                      made.error * std::abs(factor) +
                                                          std::abs(made.value) * (std::abs(t) + std::abs(factor))});
                                  }
                                  return made;
                              }}};
         }},
        {"bilinear",
         [] {
             // Singular, of rank 4: (e0 + e1)(e0 + e1)ᵀ and three variances.
             const std::vector<std::vector<double>> A{
                 {1, 1, 0, 0, 0}, {1, 1, 0, 0, 0}, {0, 0, 2, 0, 0}, {0, 0, 0, 0.5, 0}, {0, 0, 0, 0, 3}};
             return settings{{read("bilinear([[1,1,0,0,0],[1,1,0,0,0],[0,0,2,0,0],[0,0,0,0.5,0],[0,0,0,0,3]])"),
                              [A](const object& x, const object& z) { return bilinear_reference(x, z, A); }}};
         }},
        {"laplacian",
         [] {
             settings made;
             for (const double gamma : {1.0, 0.125})
                 made.push_back({read("laplacian(" + number(gamma) + ")"), [=](const object& x, const object& z) {
                                     return decay(
                                         sum_over(x, z, [](long double a, long double b) { return std::abs(a - b); }),
                                         gamma);
                                 }});
             return made;
         }},
        {"chi2",
         [] {
             settings made;
             for (const double gamma : {1.0, 0.25})
                 made.push_back({read("chi2(" + number(gamma) + ")"),
                                 [=](const object& x, const object& z) {
                                     return decay(sum_over(x, z,
                                                           [](long double a, long double b) {
                                                               return a + b == 0 ? 0 : (a - b) * (a - b) / (a + b);
                                                           }),
                                                  gamma);
                                 },
                                 true});
             return made;
         }},
        {"intersection",
         [] {
             return settings{{read("intersection()"),
                              [](const object& x, const object& z) {
                                  return sum_over(x, z, [](long double a, long double b) { return std::min(a, b); });
                              },
                              true}};
         }},
        {"matern",
         [] {
             settings made;
             for (const double nu : {0.5, 1.5, 2.5})
                 for (const double length : {1.0, 4.0})
                     made.push_back(
                         {read("matern(nu=" + number(nu) + ", length_scale=" + number(length) + ")"),
                          [=](const object& x, const object& z) { return matern_reference(x, z, nu, length); }});
             return made;
         }},
        {"rational_quadratic",
         [] {
             settings made;
             for (const auto& [alpha, length] : std::vector<std::pair<double, double>>{{1, 1}, {0.25, 2}, {1000, 0.5}})
                 made.push_back({read("rational_quadratic(" + number(alpha) + ", " + number(length) + ")"),
                                 [=](const object& x, const object& z) {
                                     const approx t = squared_distance_of(x, z);
                                     const long double s = t.value / (2 * alpha * length * length),
                                                       value = std::pow(1 + s, -alpha), l = alpha * std::log1p(s);
                                     return propagate_error(t, value, value / (2 * length * length),
                                                            (6 + 4 * l) * value);
                                 }});
             return made;
         }},
        {"periodic",
         [] {
             settings made;
             for (const auto& [length, period] : std::vector<std::pair<double, double>>{{1, 1}, {2, 0.5}, {0.75, 3}})
                 made.push_back({read("periodic(" + number(length) + ", " + number(period) + ")"),
                                 [=](const object& x, const object& z) {
                                     const approx t = sum_over(x, z, [p = period](long double a, long double b) {
                                         const long double s = std::sin(std::numbers::pi_v<long double> * (a - b) / p);
                                         return s * s;
                                     });
                                     // Coordinates are rounded after the division by the period, and the points lie on
                                     // circles of radius 1.
                                     long double size = 1;
                                     for (std::size_t a = 0; a < x.vector.size(); ++a)
                                         size += std::abs(x.vector[a] / period) + std::abs(z.vector[a] / period);
                                     const approx wide{t.value, 32 * static_cast<long double>(x.vector.size()) * size};
                                     return x.vector == z.vector
                                                ? approx{1, 0}
                                                : decay(wide, 2 / (static_cast<long double>(length) * length));
                                 }});
             return made;
         }},
        {"set_intersection",
         [] {
             return settings{{read("set_intersection()"), [](const object& a, const object& b) {
                                  return approx{static_cast<long double>(common(a, b)), 0};
                              }}};
         }},
        {"set_power",
         [] {
             return settings{{read("set_power()"), [](const object& a, const object& b) {
                                  const auto n = static_cast<long double>(common(a, b));
                                  return approx{
                                      std::exp2(n),
                                      (2 + n) * std::exp2(n)};  // the second term: normalisation uses logarithms
                              }}};
         }},
        {"set_exp",
         [] {
             return settings{{read("set_exp()"), [](const object& a, const object& b) {
                                  const auto n = static_cast<long double>(common(a, b));
                                  return approx{std::exp(n), (4 + n) * std::exp(n)};
                              }}};
         }},
        {"jaccard",
         [] {
             return settings{{read("jaccard()"), [](const object& a, const object& b) {
                                  const auto both = static_cast<long double>(common(a, b)),
                                             any = static_cast<long double>(a.set.size() + b.set.size()) - both;
                                  const long double value = any == 0 ? 1 : both / any;
                                  return approx{value, value};
                              }}};
         }},
        {"spectrum",
         [] {
             settings made;
             for (const int k : {1, 2, 3, 8})
                 made.push_back({read("spectrum(k=" + std::to_string(k) + ")"), [k](const object& s, const object& t) {
                                     return spectrum_reference(s, t, static_cast<std::size_t>(k));
                                 }});
             return made;
         }},
    };
    return all;
}

}  // namespace

definition::definition(const std::string& name, std::function<std::vector<kernel_case>()> settings) {
    definitions().emplace(name, std::move(settings));
}

std::vector<kernel_case> kernel_cases_of(const std::string& name) {
    const auto found = definitions().find(name);
    return found == definitions().end() ? settings{} : found->second();
}

}  // namespace mercer::testing
