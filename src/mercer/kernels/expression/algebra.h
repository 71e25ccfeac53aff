// Kernels from kernels. Given kernels k₁, k₂ these are kernels again, each by a rule that its proof names:
//   c·k₁ (c >= 0) · k₁+k₂ · k₁k₂ · k₁^m (m whole) · Σ cᵢk₁^i (cᵢ >= 0) · exp(k₁) · h(x)k₁(x,z)h(z) · k₁(φ(x),φ(z)) ·
//   k₁(x,z)/√(k₁(x,x)k₁(z,z)).
// Anything else that can be written (a difference, a negative factor, a broken power) is built too, but its proof says
// which node no rule covers. All act on tiles, so they work alike over vectors, strings, sets and whatever comes later.
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
kernel operator+(const kernel& a, double c);  // + the constant kernel c
kernel operator+(double c, const kernel& a);
kernel pow(const kernel& a, double exponent);
kernel exp(const kernel& a);
// c₀ + c₁k + c₂k² + …
kernel polynomial_of(const kernel& a, std::vector<double> coefficients);
// k(x, z)/√(k(x, x)·k(z, z)); 0 where an object has k(x, x) = 0. On logarithms where the kernel is an exponential.
kernel normalise(const kernel& a);
// h(x)·k(x, z)·h(z); the name stands for h in the text form.
kernel conjugate(std::string name, object_function h, const kernel& a);
// k(φ(x), φ(z)); the name stands for φ in the text form.
kernel pull_back(std::string name, feature phi, const kernel& a, domain from = domain::vectors);
// The same for the explicit features φ of a kernel φ(x)ᵀφ(z): words, gradients of images, k-mers. Fails for one that
// has none.
kernel pull_back(const kernel& map, const kernel& a);
// k on some coordinates only (0-based).
kernel columns(const kernel& a, std::vector<index> which);
// k of vectors whose columns are multiplied by these numbers: k(s∘x, s∘z).
kernel scaled(const kernel& a, std::vector<double> factors);

// A kernel from a user's code. Nothing is known about it, so nothing is proven; the Mercer test decides on data.
kernel from_function(std::string name, std::function<double(std::span<const double>, std::span<const double>)> k);
// k of one field of records: k(x.name, z.name).
kernel field(const std::string& name, const kernel& k);
kernel from_block_function(std::string name, block_function k, domain where);
// φ(x)ᵀφ(z) for a map the user writes: always a kernel.
kernel from_feature_map(std::string name, std::function<std::vector<double>(std::span<const double>)> phi);

kernel from_feature_map(std::string name, feature phi);

// What each field of records is compared as.

// {"title": "strings", "price": "vectors"} for field(title, words()) + field(price, rbf()), by the parts of a kernel.
std::map<std::string, std::string> kinds_of_fields(const kernel& k);

}  // namespace mercer
