#include "mercer/kernels/proof.h"

namespace mercer {
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
