// A kernel k(x, z) as a small immutable value without data; copies share their expression tree. A kernel has a text
// form, the kind of objects that it compares, traits, and a proof that it is positive semidefinite (or the reason why
// there is none). It is compiled into a plan (plan.h), which kernels/evaluation runs on tiles of a Gram matrix. The
// struct of each kernel (vectors/gaussian.h and others) converts to `kernel`; expression/algebra.h combines kernels;
// make_gram() and the fit functions evaluate them.
//
// Example:
//
//     const kernel k = 0.5 * gaussian{0.1} + polynomial{.degree = 3};
//     assert(k.text() == "0.5*rbf(gamma=0.1) + poly(degree=3, gamma=1, coef0=0)");
//     assert(k.proof().valid);
//     const kernel same = kernel::parse("0.5*rbf(gamma=0.1) + poly()");  // omitted parameters have their defaults
//     assert(same.text() == k.text());
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mercer/base/variant_list.h"
#include "mercer/data/dataset.h"
#include "mercer/kernels/plan.h"

namespace mercer {

// The proof that an expression is a kernel (symmetric and positive semidefinite): a tree with one node for each part of
// the expression.
struct proof {
    bool valid = false;
    std::string claim;                    // the text form of the expression that this node proves
    std::string rule;                     // the rule that makes it a kernel, or the reason why no rule applies
    std::vector<std::string> conditions;  // the conditions of the rule, with their values
    std::vector<proof> parts;             // the proofs that this proof uses
    bool at_fault = false;                // the proof fails at this node, not only at one of its parts

    // The tree as indented text, one line for each node.
    std::string text() const;
    // The nodes with at_fault, in the order of the tree; empty if the proof holds.
    std::vector<const proof*> faults() const;
};

// Properties of k that follow from the form of the expression. A flag is true only if the property is proven.
struct traits {
    bool stationary = false;  // a function of x - z
    bool radial = false;      // a function of ‖x - z‖
    bool normalised = false;  // k(x, x) = 1 for all x
};

class expansion_builder;  // monomial_expansion.h
struct expansion;

// A list of lists of numbers. A variant with this type survives a failed copy (base/variant_list.h).
using number_table = variant_list<std::vector<double>>;
// The value of one argument of the text form: a number, a list of numbers, or a list of lists.
using argument = std::variant<double, std::vector<double>, number_table>;

class kernel_node;

// The outermost operation of an expression and its parts, for programs that convert kernels to trees of their own.
struct kernel_form {
    std::string
        operation;  // the name of a listed kernel, or sum, product, scale, power, exp, normalize, polynomial_of,
                    // columns, scaled, field, conjugate, pullback, map, user
    std::vector<std::pair<std::string, argument>> arguments;
    std::string function_name;  // the name of the registered function (conjugate, pullback, map, user) or of the field
    std::vector<std::shared_ptr<const kernel_node>> parts;
};

// The precedence of an expression's outermost operator in the text form, in ascending order.
enum class binding { sum, product, power, atom };

// A node of an expression tree. A new kind of node implements the pure virtual functions, and overrides the others if
// it can be more accurate or faster than their defaults. Functions named emit… append instructions to a plan and return
// the register of their result.
class kernel_node {
public:
    virtual ~kernel_node() = default;
    virtual object_kind kind() const = 0;
    virtual std::string text() const = 0;
    virtual binding binds() const { return binding::atom; }
    virtual traits properties() const { return {}; }
    virtual mercer::proof prove() const = 0;
    // Emits code that computes k(x, z) in a register which the caller may overwrite.
    virtual int emit(plan_builder& code) const = 0;
    // Emits code for log k(x, z) if the node computes the logarithm without overflow (has_log() is true), as the nodes
    // of 2^|A∩B| and exp(k) do; returns -1 otherwise.
    virtual int emit_log(plan_builder&) const { return -1; }
    virtual bool has_log() const { return false; }
    // Emits exp(c·(k(x, z) - ½k(x, x) - ½k(z, z))) = exp(-c/2·‖φ(x)-φ(z)‖²), which is normalize(exp(c·k)). The default
    // subtracts the diagonal, which cancels digits; a node that computes the distance directly avoids this.
    virtual int emit_gaussian_of(plan_builder& code, double c) const;
    // Emits normalize(k^c) from log k; requires has_log().
    virtual int emit_normalised_power(plan_builder& code, double c) const;
    // The outermost operation and its parts; the default gives the text form as the operation and no parts.
    virtual kernel_form form() const { return {text(), {}, {}, {}}; }
    // The kernel as a finite sum Σₜ wₜ mₜ(x) mₜ(z) over monomials mₜ (monomial_expansion.h). The default throws
    // errc::unsupported and names this node.
    virtual expansion expand(expansion_builder& build) const;
};

template <class F>
std::shared_ptr<const kernel_node> make_leaf(F formula);  // kernel_info.h

class kernel {
public:
    explicit kernel(std::shared_ptr<const kernel_node> node) : node_(std::move(node)) {}
    // From the struct of a listed kernel (expression/all_kernels.h): kernel k = gaussian{0.1};
    template <class F>
        requires requires { F::info(); }
    kernel(F formula) : node_(make_leaf(std::move(formula))) {}  // NOLINT: a formula is a kernel
    // Parses the text form (expression/parse_kernel.h). Throws errc::parse, with a caret under the error, if the text
    // does not follow the grammar, and errc::invalid_argument for a parameter out of range.
    static kernel parse(std::string_view text);

    // The text form, from which parse() makes the same kernel if all functions in it are registered
    // (registered_functions.h).
    std::string text() const { return node_->text(); }
    object_kind kind() const { return node_->kind(); }  // the kind of objects that the kernel compares
    mercer::traits properties() const { return node_->properties(); }
    mercer::proof proof() const { return node_->prove(); }
    std::shared_ptr<const mercer::plan> compile() const;
    const kernel_node& node() const { return *node_; }
    std::shared_ptr<const kernel_node> shared() const { return node_; }

private:
    std::shared_ptr<const kernel_node> node_;
};

// Returns k(xᵢ, xᵢ) for all objects of x, in double. Throws errc::unsupported if x contains objects of another kind
// than k compares. Defined in kernels/evaluation/evaluator.cpp; declared here so that the algebra of kernels can
// normalise without including the evaluator.
std::vector<double> kernel_diagonal(const kernel& k, const dataset& x);

}  // namespace mercer
