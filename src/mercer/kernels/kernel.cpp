#include "mercer/kernels/kernel.h"

#include <fmt/format.h>

#include "mercer/base/error.h"
#include "mercer/kernels/monomial_expansion.h"

namespace mercer {

// Emits exp(c·(a(x, z) - ½a(x, x) - ½a(z, z))) for the value a that `emit` computes. The diagonal a(x, x) comes from a
// separate plan of the part.
template <class Emit>
static int emit_difference(plan_builder& code, const kernel_node& node, plan_builder::quantity what, double c,
                           Emit emit) {
    instruction outer, scale, exponential;
    outer.operation = instruction::op::outer_add;
    outer.self = code.plan_of_part(&node, what, emit);
    outer.diagonal_rule = instruction::diagonal_use::minus_half;
    outer.scale = c;
    outer.a = emit(code);
    scale.a = code.push(std::move(outer));
    scale.operation = instruction::op::affine;
    scale.scale = c;
    exponential.a = code.push(std::move(scale));
    exponential.operation = instruction::op::exponential;
    return code.push(std::move(exponential));
}

int kernel_node::emit_gaussian_of(plan_builder& code, double c) const {
    return emit_difference(code, *this, plan_builder::quantity::value, c, [&](plan_builder& to) { return emit(to); });
}
int kernel_node::emit_normalised_power(plan_builder& code, double c) const {
    return emit_difference(code, *this, plan_builder::quantity::logarithm, c,
                           [&](plan_builder& to) { return emit_log(to); });
}

expansion kernel_node::expand(expansion_builder&) const {
    fail(errc::unsupported, fmt::format("feature_map: {} has no explicit feature map of finite dimension", text()));
}

std::shared_ptr<const plan> kernel::compile() const {
    plan_builder code;
    return code.finish(node_->emit(code));
}

namespace {

void print(const proof& node, const std::string& lead, const std::string& below, std::string& out) {
    out += lead + (node.valid ? "✓ " : "✗ ") + node.claim + "   — " + node.rule;
    for (const auto& condition : node.conditions) out += "; " + condition;
    out += '\n';
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
        const bool last = i + 1 == node.parts.size();
        print(node.parts[i], below + (last ? "└─ " : "├─ "), below + (last ? "   " : "│  "), out);
    }
}

void collect(const proof& node, std::vector<const proof*>& found) {
    if (node.at_fault) found.push_back(&node);
    for (const auto& part : node.parts) collect(part, found);
}

}  // namespace

std::string proof::text() const {
    std::string out;
    print(*this, "", "", out);
    return out;
}

std::vector<const proof*> proof::faults() const {
    std::vector<const proof*> found;
    collect(*this, found);
    return found;
}

}  // namespace mercer
