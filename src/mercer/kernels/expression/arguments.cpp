// Kernels of changed arguments, h(x)k(x, z)h(z) and k(φ(x), φ(z)), and those that are a user's function.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/threads.h"
#include "mercer/data/records.h"
#include "mercer/kernels/expression/algebra.h"
#include "mercer/kernels/expression/listed_kernels.h"
#include "mercer/kernels/expression/unary_node.h"
#include "mercer/kernels/kernel_info.h"
#include "mercer/kernels/object_pairs.h"
#include "mercer/kernels/vectors/linear.h"

namespace mercer {
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
        step.what = op::outer_multiply;
        step.weight = h_;
        if (const feature phi = code.outer(); phi.apply)
            step.weight = [phi, h = h_](const dataset& x) { return h(phi.apply(x, nullptr).first); };
        step.a = part_->emit(code);
        return code.push(std::move(step));
    }
    // Two functions may go by one name, so the node itself is the key.
    expansion expand(map_builder& build) const override {
        return build.multiply(part_->expand(build),
                              build.factor(fmt::format("conjugate {}", fmt::ptr(this)), name_ + "(x)", h_));
    }

private:
    std::string name_;
    object_function h_;
};

class pull_back_node final : public unary_node {
public:
    pull_back_node(std::string name, std::string text, std::string rule, feature phi, node_ptr part, domain from,
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
    domain where() const override { return from_; }
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
        const plan_builder::inside mapped(code, phi_);
        return part_->emit(code);
    }
    bool has_log() const override { return part_->has_log(); }
    int emit_log(plan_builder& code) const override {
        const plan_builder::inside mapped(code, phi_);
        return part_->emit_log(code);
    }
    int emit_gaussian_of(plan_builder& code, double c) const override {
        const plan_builder::inside mapped(code, phi_);
        return part_->emit_gaussian_of(code, c);
    }
    int emit_normalised_power(plan_builder& code, double c) const override {
        const plan_builder::inside mapped(code, phi_);
        return part_->emit_normalised_power(code, c);
    }
    expansion expand(map_builder& build) const override {
        const map_builder::inside mapped = columns_.empty() ? map_builder::inside(build, phi_, name_ + "(x)")
                                                            : map_builder::inside(build, phi_, columns_);
        return part_->expand(build);
    }

private:
    std::string name_;  // of φ
    std::string text_;
    std::string rule_;
    feature phi_;
    domain from_;
    std::vector<index> columns_;   // φ is the projection onto these; empty: it is something else
    node_ptr map_;                 // the kernel of which φ are the features, where it is one
    std::vector<double> factors_;  // φ multiplies the coordinates by these; empty: it is something else
};

class user_node final : public kernel_node {
public:
    user_node(std::string name, block_function k, domain where)
        : name_(std::move(name)), k_(std::move(k)), where_(where) {}
    domain where() const override { return where_; }
    std::string text() const override { return "user(" + name_ + ")"; }
    mercer::proof prove() const override {
        return {false, text(), "no rule: nothing is known about a user's function; test it on data", {}, {}, true};
    }
    kernel_form form() const override { return {"user", {}, name_, {}}; }
    int emit(plan_builder& code) const override {
        instruction step;
        step.what = op::map;
        step.a = code.use_statistic({statistic::user, code.use_feature({}), false, k_});
        return code.push(std::move(step));
    }

private:
    std::string name_;
    block_function k_;
    domain where_;
};

}  // namespace

// A name as it stands in a kernel's text: in quotes where it is not one word.
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

kernel pull_back(std::string name, feature phi, const kernel& a, domain from) {
    std::string text = "pullback(" + name + ", " + a.text() + ")",
                proof = "pull-back: k(φ(x), φ(z)) is a kernel for any map φ; φ = " + name;
    return make<pull_back_node>(std::move(name), std::move(text), std::move(proof), std::move(phi), a.shared(), from);
}

kernel pull_back(const kernel& map, const kernel& a) {
    std::optional<feature> phi = explicit_features(map);
    if (!phi)
        fail(errc::unsupported, fmt::format("pullback: {} is no kernel of explicit features, as words, spectrum or "
                                            "gradients are",
                                            map.text()));
    if (a.where() != domain::vectors && a.where() != domain::any)
        fail(errc::unsupported, fmt::format("pullback: {} is a kernel on {}, the features of {} are vectors", a.text(),
                                            name(a.where()), map.text()));
    return make<pull_back_node>(map.text(), "pullback(" + map.text() + ", " + a.text() + ")",
                                "pull-back: k(φ(x), φ(z)) is a kernel for any map φ; φ = the features of " + map.text(),
                                *std::move(phi), a.shared(), map.where(), std::vector<index>{}, map.shared());
}

kernel columns(const kernel& a, std::vector<index> which) {
    if (a.where() != domain::vectors && a.where() != domain::any)
        fail(errc::unsupported, fmt::format("columns: {} is a kernel on {}", a.text(), name(a.where())));
    return make<pull_back_node>("columns", fmt::format("columns({}, [{}])", a.text(), joined(which, ", ")),
                                "pull-back by the projection onto some coordinates", column_map(which), a.shared(),
                                domain::vectors, std::move(which));
}

kernel scaled(const kernel& a, std::vector<double> factors) {
    if (a.where() != domain::vectors && a.where() != domain::any)
        fail(errc::unsupported, fmt::format("scaled: {} is a kernel on {}", a.text(), name(a.where())));
    std::vector<std::string> texts;
    for (const double each : factors) {
        require(std::isfinite(each), "scaled", "|factor| < infinity", each);
        texts.push_back(number_text(each));
    }
    if (factors.empty()) fail(errc::invalid_argument, "scaled: a factor for each column is needed, got none");
    feature times = scale_map(factors);
    return make<pull_back_node>("scaled", fmt::format("scaled({}, [{}])", a.text(), joined(texts, ", ")),
                                "pull-back by multiplying the coordinates", std::move(times), a.shared(),
                                domain::vectors, std::vector<index>{}, nullptr, std::move(factors));
}

kernel field(const std::string& who, const kernel& k) {
    feature value{"field " + who, [who](const dataset& x, const dataset* z) {
                      const auto of = [&](const dataset& all) { return objects_of<records>(all, "field").of(who); };
                      return std::pair(of(x), z ? of(*z) : dataset());
                  }};
    return make<pull_back_node>(who, "field(" + field_text(who) + ", " + k.text() + ")",
                                "pull-back: k of one field is a kernel on records", std::move(value), k.shared(),
                                records::where);
}

kernel from_block_function(std::string name, block_function k, domain where) {
    return make<user_node>(std::move(name), std::move(k), where);
}

kernel from_function(std::string name, std::function<double(std::span<const double>, std::span<const double>)> k) {
    return from_block_function(
        std::move(name),
        [k](const dataset& x, const selection& rows, const dataset& z, const selection& cols, matrix_view<double> out) {
            const dense<double> a = as_dense<double>(gather(x, rows)), b = as_dense<double>(gather(z, cols));
            parallel_for(a.size(), [&](index i) {
                for (index j = 0; j < b.size(); ++j)
                    out(i, j) = k({a.row(i), static_cast<std::size_t>(a.dims())},
                                  {b.row(j), static_cast<std::size_t>(b.dims())});
            });
        },
        domain::vectors);
}

kernel from_feature_map(std::string name, feature phi) {
    std::string text = "map(" + name + ")",
                proof = "explicit map: φ(x)ᵀφ(z), the linear kernel pulled back by φ = " + name;
    return make<pull_back_node>(std::move(name), std::move(text), std::move(proof), std::move(phi),
                                kernel(linear{}).shared(), domain::vectors);
}

kernel from_feature_map(std::string name, std::function<std::vector<double>(std::span<const double>)> phi) {
    feature map = vector_map("map " + name, std::move(phi));
    return from_feature_map(std::move(name), std::move(map));
}

}  // namespace mercer
