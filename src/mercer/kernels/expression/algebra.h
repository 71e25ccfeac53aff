// Kernels from kernels. Given kernels k₁, k₂ these are kernels again, each by a rule that its proof names:
//   c·k₁ (c >= 0) · k₁+k₂ · k₁k₂ · k₁^m (m whole) · Σ cᵢk₁^i (cᵢ >= 0) · exp(k₁) · h(x)k₁(x,z)h(z) · k₁(φ(x),φ(z)) ·
//   k₁(x,z)/√(k₁(x,x)k₁(z,z)).
// Anything else that can be written (a difference, a negative factor, a broken power) is built too, but its proof says
// which node no rule covers. All act on tiles, so they work alike over vectors, strings, sets and whatever comes later.
#pragma once

#include <functional>
#include <map>
#include <memory>
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

// Names for functions, so that text forms with conjugate(name, k), pullback(name, k), user(name), map(name) can be read
// back.
void register_weight(const std::string& name, object_function h);
void register_map(const std::string& name, std::function<std::vector<double>(std::span<const double>)> phi);
void register_kernel(const std::string& name, const kernel& k);
// While it lives, user(name) in a text that this thread reads means one of these before any that is registered: for a
// model that brings its own.
class local_kernels {
public:
    explicit local_kernels(std::vector<std::pair<std::string, kernel>> known);
    ~local_kernels();
    local_kernels(const local_kernels&) = delete;
    local_kernels& operator=(const local_kernels&) = delete;
};
// The text form for a file. Fails where two functions of one name stand in the kernel, since the text would be read as
// one of them twice.
std::string lasting_text(const kernel& k);

// What each field of records is compared as.

// {"title": "strings", "price": "vectors"} for field(title, words()) + field(price, rbf()), by the parts of a kernel.
std::map<std::string, std::string> kinds_of_fields(const kernel& k);

// A kernel made of one other: what its nodes share. Internal to the algebra.

using node_ptr = std::shared_ptr<const kernel_node>;

// A node with one part: domain, and a proof that stands when its own condition and the part's proof do.
class unary_node : public kernel_node {
public:
    explicit unary_node(node_ptr part) : part_(std::move(part)) {}
    domain where() const override { return part_->where(); }

protected:
    mercer::proof rest_on_part(bool rule_holds, std::string rule, std::vector<std::string> conditions = {}) const {
        mercer::proof below = part_->prove();
        const bool valid = rule_holds && below.valid;
        return {valid, text(), std::move(rule), std::move(conditions), {std::move(below)}, !rule_holds};
    }
    node_ptr part_;
};

template <class Node, class... Args>
kernel make(Args&&... args) {
    return kernel(std::make_shared<const Node>(std::forward<Args>(args)...));
}

}  // namespace mercer
