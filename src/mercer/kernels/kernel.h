// A kernel: a small immutable value without data. It knows its text form, its domain, its traits and its proof of
// validity, and compiles itself into a plan that fills tiles of a Gram matrix.
//
//     kernel k = 0.5 * gaussian{0.1} + polynomial{.degree = 3};
//     k.text();    // "0.5*rbf(gamma=0.1) + poly(degree=3, gamma=1, coef0=0)"
//     k.proof().valid;
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/kernels/plan.h"

namespace mercer {

// Proofs of validity: which rule makes an expression a kernel, as a tree that can be printed.

struct proof {
    bool valid = false;
    std::string claim;                    // the expression this node is about
    std::string rule;                     // why it is a kernel, or why no rule applies
    std::vector<std::string> conditions;  // the side conditions, with their values
    std::vector<proof> parts;             // the proofs this one rests on
    bool at_fault = false;                // this very node, not one of its parts, breaks the proof

    // An indented tree, one line a node.
    std::string text() const;
    // The nodes at fault, by their claim; empty when the proof holds.
    std::vector<const proof*> faults() const;
};

// Properties that follow from the form of the expression.
struct traits {
    bool stationary = false;  // a function of x - z
    bool radial = false;      // a function of ‖x - z‖
    bool normalised = false;  // k(x, x) = 1 for all x
};

class map_builder;  // monomial_expansion.h
struct expansion;

// One argument of the text form: a number, a list of numbers, or a list of lists.
using argument = std::variant<double, std::vector<double>, std::vector<std::vector<double>>>;

class kernel_node;

// An expression taken apart, for front ends that build their own trees.
struct kernel_form {
    std::string what;  // a name of the registry, or sum, product, scale, power, exp, normalize, polynomial_of, columns,
                       // conjugate, pullback, map, user
    std::vector<std::pair<std::string, argument>> arguments;
    std::string who;  // the registered function of conjugate, pullback, map, user
    std::vector<std::shared_ptr<const kernel_node>> parts;
};

// How tightly an expression binds in the text form.
enum class binding { sum, product, power, atom };

// A node of an expression tree. A new kind of node implements these.
class kernel_node {
public:
    virtual ~kernel_node() = default;
    virtual domain where() const = 0;
    virtual std::string text() const = 0;
    virtual binding binds() const { return binding::atom; }
    virtual traits properties() const { return {}; }
    virtual mercer::proof prove() const = 0;
    // Emits the code that leaves k(x, z) in a register of its own; returns that register.
    virtual int emit(plan_builder& code) const = 0;
    // Emits log k(x, z) where that is at hand without overflow (2^|A∩B|, exp(k)); -1 where it is not.
    virtual int emit_log(plan_builder&) const { return -1; }
    virtual bool has_log() const { return false; }
    // Emits exp(c·(k(x, z) - ½k(x, x) - ½k(z, z))) = exp(-c/2·‖φ(x)-φ(z)‖²), which is normalize(exp(c·k)). The default
    // subtracts; where the distance is at hand, nothing is lost.
    virtual int emit_gaussian_of(plan_builder& code, double c) const;
    // Emits normalize(k^c) of a kernel that has a logarithm.
    virtual int emit_normalised_power(plan_builder& code, double c) const;
    // What it is made of; the default says nothing but the text.
    virtual kernel_form form() const { return {text(), {}, {}, {}}; }
    // The kernel as a finite sum of products of features (monomial_expansion.h); the default refuses, naming this node.
    virtual expansion expand(map_builder& build) const;
};

template <class F>
std::shared_ptr<const kernel_node> make_leaf(F formula);  // kernel_info.h

class kernel {
public:
    explicit kernel(std::shared_ptr<const kernel_node> node) : node_(std::move(node)) {}
    // Any of the kernels that are a file of this folder: kernel k = gaussian{0.1};
    template <class F>
        requires requires { F::info(); }
    kernel(F formula) : node_(make_leaf(std::move(formula))) {}  // NOLINT: a formula is a kernel
    // From the text form (expression.h); fails with a caret under the place that is wrong.
    static kernel parse(std::string_view text);

    std::string text() const { return node_->text(); }
    domain where() const { return node_->where(); }
    mercer::traits properties() const { return node_->properties(); }
    mercer::proof proof() const { return node_->prove(); }
    std::shared_ptr<const mercer::plan> compile() const;
    const kernel_node& node() const { return *node_; }
    std::shared_ptr<const kernel_node> shared() const { return node_; }

private:
    std::shared_ptr<const kernel_node> node_;
};

// k(xᵢ, xᵢ) for all objects, in double. Defined in kernels/evaluation/evaluator.cpp, which evaluates kernels.
std::vector<double> self_values(const kernel& k, const dataset& x);

}  // namespace mercer
