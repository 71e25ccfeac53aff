// The algebra of kernels. If k₁ and k₂ are kernels, the following expressions are kernels too, each by a rule that its
// proof names:
//   - c·k₁ for c >= 0
//   - k₁ + k₂ and k₁k₂
//   - k₁^m for whole m >= 0, and Σ cᵢk₁^i for cᵢ >= 0
//   - exp(k₁)
//   - h(x)·k₁(x, z)·h(z) and k₁(φ(x), φ(z)) for any functions h and φ
//   - k₁(x, z)/√(k₁(x, x)·k₁(z, z))
// Other expressions (a difference, a negative factor, a fractional power) can be built too; their proof names the node
// to which no rule applies. The operations act on tiles of kernel values, so they work for every kind of object. They
// throw errc::invalid_argument for a parameter that is not finite and errc::unsupported for kernels on different kinds
// of objects. Vectors of a wrong length are found when the kernel is evaluated.
//
// Example:
//
//     const kernel k = pow(linear{} + 1, 2) * gaussian{0.5};
//     assert(k.proof().valid);  // sums, products and powers of kernels are kernels
//     const kernel d = gaussian{0.5} - gaussian{2};
//     assert(!d.proof().valid);  // there is no rule for a difference
//     std::cout << d.proof().text();
//
//     const kernel own = from_function("hat", [](auto x, auto z) { return std::max(0.0, 1 - std::abs(x[0] - z[0])); });
//     const kernel both = field("title", words{}) + field("size", own);  // for records with the fields title and size
//     assert(both.text() == "field(title, words(ngram=1, lower=1, min_length=2, binary=0, sublinear=0)) + "
//                           "field(size, user(hat))");
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/embedding.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

kernel operator+(const kernel& a, const kernel& b);
kernel operator-(const kernel& a, const kernel& b);
kernel operator*(const kernel& a, const kernel& b);
kernel operator*(double c, const kernel& a);
kernel operator*(const kernel& a, double c);
kernel operator+(const kernel& a, double c);  // a(x, z) + c
kernel operator+(double c, const kernel& a);
// a(x, z)^exponent and e^a(x, z).
kernel pow(const kernel& a, double exponent);
kernel exp(const kernel& a);
// c₀ + c₁a + c₂a² + … for the coefficients c, of which there must be at least one.
kernel polynomial_of(const kernel& a, std::vector<double> coefficients);
// Normalises a kernel: a(x, z)/√(a(x, x)·a(z, z)), or 0 if a(x, x) = 0 or a(z, z) = 0. Computed from logarithms if the
// kernel has one (kernel_node::has_log), so that large values do not overflow.
kernel normalise(const kernel& a);
// h(x)·a(x, z)·h(z); `name` is the name of h in the text form. h is called with a data set of n objects and returns n
// numbers, possibly from several threads.
kernel conjugate(std::string name, object_function h, const kernel& a);
// a(φ(x), φ(z)) for objects of kind `from`; `name` is the name of φ in the text form. kernels/embedding.h and
// kernels/plan.h describe embeddings.
kernel pull_back(std::string name, embedding phi, const kernel& a, object_kind from = object_kind::vectors);
// a(φ(x), φ(z)) for a kernel a on vectors, with the features φ of the kernel map(x, z) = φ(x)ᵀφ(z), such as words,
// spectrum or gradients. Throws errc::unsupported if `map` has no such features.
kernel pull_back(const kernel& map, const kernel& a);
// The kernel a on vectors, applied to the features `which` only, which are numbered from 0.
kernel columns(const kernel& a, std::vector<index> which);
// a(s∘x, s∘z): feature j of the vectors is multiplied by factors[j]; there must be one factor for each feature.
kernel scaled(const kernel& a, std::vector<double> factors);

// A kernel on vectors from a user's function k(x, z), which gets all d features of both vectors. Its proof is not
// valid, because nothing is known about the function; the Mercer test (kernel_analysis/mercer_test.h) can show on data
// that it is not positive semidefinite. The function is called from several threads at once. `name` is its name in the
// text form user(name).
kernel from_function(std::string name, std::function<double(std::span<const double>, std::span<const double>)> k);
// The kernel k on one field of records: k(x.name, z.name).
kernel field(const std::string& name, const kernel& k);
// A kernel on objects of kind `where` from a user's function that computes whole blocks of kernel values
// (kernels/plan.h). Its proof is not valid.
kernel from_block_function(std::string name, block_function k, object_kind where);
// φ(x)ᵀφ(z) for a user's function φ that maps a vector to features, always of the same number. This is positive
// semidefinite for every φ.
kernel from_feature_map(std::string name, std::function<std::vector<double>(std::span<const double>)> phi);
kernel from_feature_map(std::string name, embedding phi);

// The kind of objects in each field of records that a kernel uses: {"title": "strings", "price": "vectors"} for
// field(title, words()) + field(price, rbf()). Readers of tables convert the fields to these kinds.
std::map<std::string, std::string> kinds_of_fields(const kernel& k);

}  // namespace mercer
