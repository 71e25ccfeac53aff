#include "mercer/kernels/expression/algebra.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/data/records.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/object_pairs.h"
#include "mercer/kernels/vectors/constant.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {
namespace {

using op = instruction::op;
using node_ptr = std::shared_ptr<const kernel_node>;

// A node with one part. It has the domain of the part; its proof is valid if its own rule holds and the part's proof is
// valid.
class unary_node : public kernel_node {
public:
    explicit unary_node(node_ptr part) : part_(std::move(part)) {}
    object_kind kind() const override { return part_->kind(); }

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

object_kind common_kind(const kernel_node& a, const kernel_node& b) {
    if (a.kind() == object_kind::any) return b.kind();
    if (b.kind() == object_kind::any || a.kind() == b.kind()) return a.kind();
    fail(errc::unsupported,
         fmt::format(
             "{} is a kernel on {}, but {} is a kernel on {}: kernels on different kinds of objects cannot be combined",
             a.text(), name(a.kind()), b.text(), name(b.kind())));
}

// The text of a part, in parentheses if it binds less tightly than its position in the text requires.
std::string part_text(const kernel_node& part, binding place) {
    return part.binds() < place ? fmt::format("({})", part.text()) : part.text();
}

int unary(plan_builder& code, op what, int a) {
    instruction step;
    step.operation = what;
    step.a = a;
    return code.push(std::move(step));
}

int affine(plan_builder& code, int a, double scale, double shift) {
    instruction step;
    step.operation = op::affine;
    step.a = a;
    step.scale = scale;
    step.shift = shift;
    return code.push(std::move(step));
}

class scale_node final : public unary_node {
public:
    scale_node(double c, node_ptr part) : unary_node(std::move(part)), c_(c) {}
    // Parentheses also around a part that begins with a number: 2*3*k would be parsed as 6*k.
    std::string text() const override {
        const std::string part = part_text(*part_, binding::product);
        const bool number_first = part.front() == '-' || (part.front() >= '0' && part.front() <= '9');
        return number_first ? fmt::format("{}*({})", number_text(c_), part)
                            : fmt::format("{}*{}", number_text(c_), part);
    }
    binding binds() const override { return binding::product; }
    traits properties() const override {
        traits t = part_->properties();
        t.normalised = t.normalised && c_ == 1;
        return t;
    }
    mercer::proof prove() const override {
        if (c_ >= 0) return rest_on_part(true, "scale: c·k is a kernel for c >= 0", {"c = " + number_text(c_)});
        return rest_on_part(false, "no rule: the factor c = " + number_text(c_) + " is negative");
    }
    kernel_form form() const override { return {"scale", {{"factor", c_}}, {}, {part_}}; }
    int emit(plan_builder& code) const override { return affine(code, part_->emit(code), c_, 0); }
    bool has_log() const override { return c_ > 0 && part_->has_log(); }
    int emit_log(plan_builder& code) const override {
        return has_log() ? affine(code, part_->emit_log(code), 1, std::log(c_)) : -1;
    }
    int emit_gaussian_of(plan_builder& code, double c) const override { return part_->emit_gaussian_of(code, c_ * c); }
    int emit_normalised_power(plan_builder& code, double c) const override {
        return part_->emit_normalised_power(code, c);
    }
    expansion expand(expansion_builder& build) const override { return c_ * part_->expand(build); }

private:
    double c_;
};

// The sum or the product of two kernels.
class binary_node final : public kernel_node {
public:
    binary_node(bool product, node_ptr a, node_ptr b)
        : product_(product), a_(std::move(a)), b_(std::move(b)), where_(common_kind(*a_, *b_)) {}
    object_kind kind() const override { return where_; }
    // The right part gets parentheses if it is a sum (or product) itself, so that a + (b + c) is parsed to the same
    // tree.
    std::string text() const override {
        return product_ ? part_text(*a_, binding::product) + "*" + part_text(*b_, binding::power)
                        : a_->text() + " + " + part_text(*b_, binding::product);
    }
    binding binds() const override { return product_ ? binding::product : binding::sum; }
    traits properties() const override {
        const traits a = a_->properties(), b = b_->properties();
        return {a.stationary && b.stationary, a.radial && b.radial, product_ && a.normalised && b.normalised};
    }
    mercer::proof prove() const override {
        mercer::proof a = a_->prove(), b = b_->prove();
        const bool valid = a.valid && b.valid;
        return {valid,
                text(),
                product_ ? "product: k₁k₂ is a kernel (Schur)" : "sum: k₁ + k₂ is a kernel",
                {},
                {std::move(a), std::move(b)},
                false};
    }
    kernel_form form() const override { return {product_ ? "product" : "sum", {}, {}, {a_, b_}}; }
    int emit(plan_builder& code) const override {
        return combine(code, product_ ? op::multiply : op::add, a_->emit(code), b_->emit(code));
    }
    bool has_log() const override { return product_ && a_->has_log() && b_->has_log(); }
    int emit_log(plan_builder& code) const override {
        return has_log() ? combine(code, op::add, a_->emit_log(code), b_->emit_log(code)) : -1;
    }
    int emit_gaussian_of(plan_builder& code, double c) const override {
        return product_ ? kernel_node::emit_gaussian_of(code, c)
                        : combine(code, op::multiply, a_->emit_gaussian_of(code, c), b_->emit_gaussian_of(code, c));
    }
    int emit_normalised_power(plan_builder& code, double c) const override {
        return combine(code, op::multiply, a_->emit_normalised_power(code, c), b_->emit_normalised_power(code, c));
    }
    expansion expand(expansion_builder& build) const override {
        return product_ ? build.multiply(a_->expand(build), b_->expand(build))
                        : build.add(a_->expand(build), b_->expand(build));
    }

private:
    static int combine(plan_builder& code, op what, int a, int b) {
        instruction step;
        step.operation = what;
        step.a = a;
        step.b = b;
        return code.push(std::move(step));
    }
    bool product_;
    node_ptr a_, b_;
    object_kind where_;
};

class power_node final : public unary_node {
public:
    power_node(node_ptr part, double exponent) : unary_node(std::move(part)), exponent_(exponent) {}
    std::string text() const override { return part_text(*part_, binding::atom) + "^" + number_text(exponent_); }
    binding binds() const override { return binding::power; }
    traits properties() const override { return part_->properties(); }
    mercer::proof prove() const override {
        const bool whole = exponent_ >= 0 && exponent_ == std::floor(exponent_);
        if (whole)
            return rest_on_part(true, "power: k^m is a product of kernels for integer m >= 0",
                                {"m = " + number_text(exponent_)});
        return rest_on_part(
            false, "no rule: k^m with m = " + number_text(exponent_) + ", not an integer >= 0, need not be a kernel");
    }
    kernel_form form() const override { return {"power", {{"exponent", exponent_}}, {}, {part_}}; }
    int emit(plan_builder& code) const override {
        instruction step;
        step.operation = op::power;
        step.a = part_->emit(code);
        step.shift = exponent_;
        return code.push(std::move(step));
    }
    bool has_log() const override { return part_->has_log(); }
    int emit_log(plan_builder& code) const override {
        return has_log() ? affine(code, part_->emit_log(code), exponent_, 0) : -1;
    }
    int emit_normalised_power(plan_builder& code, double c) const override {
        return part_->emit_normalised_power(code, exponent_ * c);
    }
    expansion expand(expansion_builder& build) const override {
        if (!(exponent_ >= 0) || exponent_ != std::floor(exponent_) || exponent_ > 1e6)
            return kernel_node::expand(build);
        const expansion base = part_->expand(build);
        expansion result = expansion::constant(1);
        for (int i = 0; i < static_cast<int>(exponent_); ++i) result = build.multiply(result, base);
        return result;
    }

private:
    double exponent_;
};

class polynomial_node final : public unary_node {
public:
    polynomial_node(node_ptr part, std::vector<double> c) : unary_node(std::move(part)), c_(std::move(c)) {
        if (c_.empty()) fail(errc::invalid_argument, "polynomial_of: at least one coefficient is needed");
        for (const double each : c_)
            if (!std::isfinite(each))
                fail(errc::invalid_argument, fmt::format("polynomial_of: coefficients must be finite, got {}", each));
    }
    std::string text() const override {
        std::string list;
        for (const double each : c_) list += (list.empty() ? "" : ", ") + number_text(each);
        return "polynomial_of(" + part_->text() + ", [" + list + "])";
    }
    traits properties() const override {
        traits t = part_->properties();
        t.normalised = false;
        return t;
    }
    mercer::proof prove() const override {
        for (std::size_t i = 0; i < c_.size(); ++i)
            if (c_[i] < 0)
                return rest_on_part(false,
                                    fmt::format("no rule: coefficient c{} = {} is negative", i, number_text(c_[i])));
        return rest_on_part(true, "polynomial with non-negative coefficients of a kernel: sums of scaled powers",
                            {"all coefficients >= 0"});
    }
    kernel_form form() const override { return {"polynomial_of", {{"coefficients", c_}}, {}, {part_}}; }
    int emit(plan_builder& code) const override {
        instruction step;
        step.operation = op::polynomial;
        step.a = part_->emit(code);
        step.coefficients = c_;
        return code.push(std::move(step));
    }
    expansion expand(expansion_builder& build) const override {
        const expansion base = part_->expand(build);
        expansion result;
        for (std::size_t i = c_.size(); i-- > 0;)
            result = build.add(build.multiply(result, base), expansion::constant(c_[i]));
        return result;
    }

private:
    std::vector<double> c_;
};

class exp_node final : public unary_node {
public:
    using unary_node::unary_node;
    std::string text() const override { return "exp(" + part_->text() + ")"; }
    traits properties() const override {
        traits t = part_->properties();
        t.normalised = false;
        return t;
    }
    mercer::proof prove() const override {
        return rest_on_part(true, "exp: the limit of polynomials Σ kⁱ/i! with non-negative coefficients");
    }
    kernel_form form() const override { return {"exp", {}, {}, {part_}}; }
    int emit(plan_builder& code) const override {
        code.check_range();
        return unary(code, op::exponential, part_->emit(code));
    }
    bool has_log() const override { return true; }
    int emit_log(plan_builder& code) const override { return part_->emit(code); }
    int emit_normalised_power(plan_builder& code, double c) const override { return part_->emit_gaussian_of(code, c); }
};

class normalised_node final : public unary_node {
public:
    using unary_node::unary_node;
    std::string text() const override { return "normalize(" + part_->text() + ")"; }
    traits properties() const override {
        // The normalised kernel has k(x, x) = 0 if the part has, so it is 1 for all x only if the part is known to be
        // positive.
        traits t = part_->properties();
        t.normalised = t.normalised || part_->has_log();
        return t;
    }
    mercer::proof prove() const override {
        return rest_on_part(true, "normalised: conjugation by h(x) = 1/√k(x,x), 0 where k(x,x) = 0");
    }
    kernel_form form() const override { return {"normalize", {}, {}, {part_}}; }
    int emit(plan_builder& code) const override {
        // exp(log k(x,z) - ½ log k(x,x) - ½ log k(z,z)) does not overflow for large k.
        if (part_->has_log()) return part_->emit_normalised_power(code, 1);
        instruction step;
        step.self = code.plan_of_part(part_.get(), plan_builder::quantity::value,
                                      [&](plan_builder& own) { return part_->emit(own); });
        step.operation = op::outer_multiply;
        step.diagonal_rule = instruction::diagonal_use::inverse_root;
        step.a = part_->emit(code);
        return code.push(std::move(step));
    }
    expansion expand(expansion_builder& build) const override {
        // The features are φ(x)/‖φ(x)‖: every monomial gets the additional factor 1/‖φ(x)‖.
        const kernel part(part_);
        const auto inverse_norm = [part](const dataset& x) {
            std::vector<double> h = kernel_diagonal(part, x);
            for (double& each : h) each = each > 0 ? 1 / std::sqrt(each) : 0.0;
            return h;
        };
        return build.multiply(part_->expand(build), build.factor("norm " + part_->text(), "(1/|phi|)", inverse_norm));
    }
};

}  // namespace

kernel operator+(const kernel& a, const kernel& b) { return make<binary_node>(false, a.shared(), b.shared()); }
kernel operator-(const kernel& a, const kernel& b) { return a + (-1.0) * b; }
kernel operator*(const kernel& a, const kernel& b) { return make<binary_node>(true, a.shared(), b.shared()); }
kernel operator*(double c, const kernel& a) {
    if (!std::isfinite(c))
        fail(errc::invalid_argument, fmt::format("the factor of a kernel must be finite, got {}", c));
    return make<scale_node>(c, a.shared());
}
kernel operator*(const kernel& a, double c) { return c * a; }
// A negative constant gives a difference, which has no valid proof.
kernel operator+(const kernel& a, double c) { return c >= 0 ? a + kernel(constant{c}) : a - kernel(constant{-c}); }
kernel operator+(double c, const kernel& a) {
    return c >= 0 ? kernel(constant{c}) + a : (-1.0) * kernel(constant{-c}) + a;
}
kernel pow(const kernel& a, double exponent) {
    if (!std::isfinite(exponent))
        fail(errc::invalid_argument, fmt::format("the exponent of a kernel must be finite, got {}", exponent));
    return make<power_node>(a.shared(), exponent);
}
kernel exp(const kernel& a) { return make<exp_node>(a.shared()); }
kernel polynomial_of(const kernel& a, std::vector<double> coefficients) {
    return make<polynomial_node>(a.shared(), std::move(coefficients));
}
kernel normalise(const kernel& a) { return make<normalised_node>(a.shared()); }

// Nodes with transformed arguments, h(x)·k(x, z)·h(z) and k(φ(x), φ(z)), and nodes of users' functions.

namespace {

using op = instruction::op;

class conjugate_node final : public unary_node {
public:
    conjugate_node(std::string name, object_function h, node_ptr part)
        : unary_node(std::move(part)), name_(std::move(name)), h_(std::move(h)) {}
    std::string text() const override { return "conjugate(" + name_ + ", " + part_->text() + ")"; }
    mercer::proof prove() const override {
        return rest_on_part(true, "conjugation: h(x)·k(x,z)·h(z) is a kernel for any function h", {"h = " + name_});
    }
    kernel_form form() const override { return {"conjugate", {}, name_, {part_}}; }
    int emit(plan_builder& code) const override {
        instruction step;
        step.operation = op::outer_multiply;
        step.weight = h_;
        if (const embedding phi = code.outer(); phi.apply)
            step.weight = [phi, h = h_](const dataset& x) { return h(phi.apply(x, nullptr).first); };
        step.a = part_->emit(code);
        return code.push(std::move(step));
    }
    // Two functions may have the same name, so the key is the address of the node.
    expansion expand(expansion_builder& build) const override {
        return build.multiply(part_->expand(build),
                              build.factor(fmt::format("conjugate {}", fmt::ptr(this)), name_ + "(x)", h_));
    }

private:
    std::string name_;
    object_function h_;
};

class pull_back_node final : public unary_node {
public:
    pull_back_node(std::string name, std::string text, std::string rule, embedding phi, node_ptr part, object_kind from,
                   std::vector<index> columns = {}, node_ptr map = nullptr, std::vector<double> factors = {})
        : unary_node(std::move(part)),
          name_(std::move(name)),
          text_(std::move(text)),
          rule_(std::move(rule)),
          phi_(std::move(phi)),
          from_(from),
          columns_(std::move(columns)),
          map_(std::move(map)),
          factors_(std::move(factors)) {}
    object_kind kind() const override { return from_; }
    std::string text() const override { return text_; }
    traits properties() const override { return {false, false, part_->properties().normalised}; }
    mercer::proof prove() const override { return rest_on_part(true, rule_); }
    kernel_form form() const override {
        if (map_) return {"pullback", {}, {}, {map_, part_}};
        if (!factors_.empty()) return {"scaled", {{"factors", factors_}}, {}, {part_}};
        if (!columns_.empty())
            return {"columns", {{"columns", std::vector<double>(columns_.begin(), columns_.end())}}, {}, {part_}};
        return {text_.substr(0, text_.find('(')), {}, name_, {part_}};
    }
    int emit(plan_builder& code) const override {
        const plan_builder::pull_back_scope mapped(code, phi_);
        return part_->emit(code);
    }
    bool has_log() const override { return part_->has_log(); }
    int emit_log(plan_builder& code) const override {
        const plan_builder::pull_back_scope mapped(code, phi_);
        return part_->emit_log(code);
    }
    int emit_gaussian_of(plan_builder& code, double c) const override {
        const plan_builder::pull_back_scope mapped(code, phi_);
        return part_->emit_gaussian_of(code, c);
    }
    int emit_normalised_power(plan_builder& code, double c) const override {
        const plan_builder::pull_back_scope mapped(code, phi_);
        return part_->emit_normalised_power(code, c);
    }
    expansion expand(expansion_builder& build) const override {
        const expansion_builder::pull_back_scope mapped =
            columns_.empty() ? expansion_builder::pull_back_scope(build, phi_, name_ + "(x)")
                             : expansion_builder::pull_back_scope(build, phi_, columns_);
        return part_->expand(build);
    }

private:
    std::string name_;  // of φ
    std::string text_;
    std::string rule_;
    embedding phi_;
    object_kind from_;
    std::vector<index> columns_;   // if not empty, φ is the projection onto these coordinates
    node_ptr map_;                 // if not null, φ are the features of this kernel
    std::vector<double> factors_;  // if not empty, φ multiplies the coordinates by these
};

class user_node final : public kernel_node {
public:
    user_node(std::string name, block_function k, object_kind where)
        : name_(std::move(name)), k_(std::move(k)), where_(where) {}
    object_kind kind() const override { return where_; }
    std::string text() const override { return "user(" + name_ + ")"; }
    mercer::proof prove() const override {
        return {false, text(), "no rule: nothing is known about a user's function; test it on data", {}, {}, true};
    }
    kernel_form form() const override { return {"user", {}, name_, {}}; }
    int emit(plan_builder& code) const override {
        instruction step;
        step.operation = op::map;
        step.a = code.use_statistic({pair_statistic::user, code.use_embedding({}), false, k_});
        return code.push(std::move(step));
    }

private:
    std::string name_;
    block_function k_;
    object_kind where_;
};

}  // namespace

// The name of a field in the text form: in quotes unless it is a single word.
static std::string field_text(const std::string& name) {
    const auto plain = [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_'); };
    if (!name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && std::ranges::all_of(name, plain))
        return name;
    std::string out = "\"";
    for (const char c : name) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return out + '"';
}

kernel conjugate(std::string name, object_function h, const kernel& a) {
    return make<conjugate_node>(std::move(name), std::move(h), a.shared());
}

kernel pull_back(std::string name, embedding phi, const kernel& a, object_kind from) {
    std::string text = "pullback(" + name + ", " + a.text() + ")",
                proof = "pull-back: k(φ(x), φ(z)) is a kernel for any map φ; φ = " + name;
    return make<pull_back_node>(std::move(name), std::move(text), std::move(proof), std::move(phi), a.shared(), from);
}

kernel pull_back(const kernel& map, const kernel& a) {
    std::optional<embedding> phi = explicit_embedding(map);
    if (!phi)
        fail(errc::unsupported,
             fmt::format("pullback: {} has no explicit features (kernels such as words, spectrum and gradients have)",
                         map.text()));
    if (a.kind() != object_kind::vectors && a.kind() != object_kind::any)
        fail(errc::unsupported, fmt::format("pullback: {} is a kernel on {}, but the features of {} are vectors",
                                            a.text(), name(a.kind()), map.text()));
    return make<pull_back_node>(map.text(), "pullback(" + map.text() + ", " + a.text() + ")",
                                "pull-back: k(φ(x), φ(z)) is a kernel for any map φ; φ = the features of " + map.text(),
                                *std::move(phi), a.shared(), map.kind(), std::vector<index>{}, map.shared());
}

kernel columns(const kernel& a, std::vector<index> which) {
    if (a.kind() != object_kind::vectors && a.kind() != object_kind::any)
        fail(errc::unsupported,
             fmt::format("columns: expected a kernel on vectors, got {} on {}", a.text(), name(a.kind())));
    return make<pull_back_node>("columns", fmt::format("columns({}, [{}])", a.text(), join(which, ", ")),
                                "pull-back: k of a projection onto some features is a kernel", column_map(which),
                                a.shared(), object_kind::vectors, std::move(which));
}

kernel scaled(const kernel& a, std::vector<double> factors) {
    if (a.kind() != object_kind::vectors && a.kind() != object_kind::any)
        fail(errc::unsupported,
             fmt::format("scaled: expected a kernel on vectors, got {} on {}", a.text(), name(a.kind())));
    std::vector<std::string> texts;
    for (const double each : factors) {
        require(std::isfinite(each), "scaled", "|factor| < infinity", each);
        texts.push_back(number_text(each));
    }
    if (factors.empty()) fail(errc::invalid_argument, "scaled: a factor for each column is needed, got none");
    embedding times = scale_map(factors);
    return make<pull_back_node>("scaled", fmt::format("scaled({}, [{}])", a.text(), join(texts, ", ")),
                                "pull-back: k of vectors with rescaled features is a kernel", std::move(times),
                                a.shared(), object_kind::vectors, std::vector<index>{}, nullptr, std::move(factors));
}

kernel field(const std::string& who, const kernel& k) {
    embedding value{"field " + who, [who](const dataset& x, const dataset* z) {
                        const auto of = [&](const dataset& all) { return objects_of<records>(all, "field").of(who); };
                        return std::pair(of(x), z ? of(*z) : dataset());
                    }};
    return make<pull_back_node>(who, "field(" + field_text(who) + ", " + k.text() + ")",
                                "pull-back: k of one field is a kernel on records", std::move(value), k.shared(),
                                records::kind);
}

kernel from_block_function(std::string name, block_function k, object_kind where) {
    return make<user_node>(std::move(name), std::move(k), where);
}

kernel from_function(std::string name, std::function<double(std::span<const double>, std::span<const double>)> k) {
    return from_block_function(
        std::move(name),
        [k](const dataset& x, const row_set& rows, const dataset& z, const row_set& cols, matrix_view<double> out) {
            const dense<double> a = as_dense<double>(gather(x, rows)), b = as_dense<double>(gather(z, cols));
            parallel_for(a.size(), [&](index i) {
                for (index j = 0; j < b.size(); ++j)
                    out(i, j) = k({a.row(i), static_cast<std::size_t>(a.dims())},
                                  {b.row(j), static_cast<std::size_t>(b.dims())});
            });
        },
        object_kind::vectors);
}

kernel from_feature_map(std::string name, embedding phi) {
    std::string text = "map(" + name + ")",
                proof = "explicit map: φ(x)ᵀφ(z), the linear kernel pulled back by φ = " + name;
    return make<pull_back_node>(std::move(name), std::move(text), std::move(proof), std::move(phi),
                                kernel(linear{}).shared(), object_kind::vectors);
}

kernel from_feature_map(std::string name, std::function<std::vector<double>(std::span<const double>)> phi) {
    embedding map = vector_map("map " + name, std::move(phi));
    return from_feature_map(std::move(name), std::move(map));
}

namespace {

void add_kinds(const kernel_node& k, std::map<std::string, std::string>& kinds) {
    const kernel_form form = k.form();
    for (const auto& part : form.parts) {
        if (form.operation == "field" && part->kind() != object_kind::any)
            kinds[form.function_name] = name(part->kind());
        add_kinds(*part, kinds);
    }
}

}  // namespace

std::map<std::string, std::string> kinds_of_fields(const kernel& k) {
    std::map<std::string, std::string> kinds;
    add_kinds(k.node(), kinds);
    return kinds;
}

}  // namespace mercer
