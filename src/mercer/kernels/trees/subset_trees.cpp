#include "mercer/kernels/trees/subset_trees.h"

#include <algorithm>

#include "mercer/base/context.h"
#include "mercer/base/workspace.h"
#include "mercer/kernels/object_pairs.h"

namespace mercer {
namespace {

// The production rule of a node with children: its label and theirs, each preceded by its length, so that different
// rules have different texts.
struct rule {
    std::string text;
    index node = 0;
};

struct rules_of_tree {
    const tree* of = nullptr;
    std::vector<rule> by_text;  // sorted by text, then by node
};

void append_with_length(std::string& to, const std::string& label) {
    to += std::to_string(label.size());
    to += ':';
    to += label;
}

rules_of_tree rules(const tree& of) {
    rules_of_tree out{&of, {}};
    for (index v = 0; v < of.size(); ++v) {
        if (of.is_leaf(v)) continue;
        rule one{{}, v};
        append_with_length(one.text, of[v].label);
        for (index c = v + 1; c < of.subtree_end(v); c = of.subtree_end(c)) append_with_length(one.text, of[c].label);
        out.by_text.push_back(std::move(one));
    }
    std::ranges::stable_sort(out.by_text, {}, &rule::text);
    return out;
}

// The pairs of nodes (v of x, w of z) with the same rule, sorted by descending v, so that the pairs of children come
// before those of their parents, and then by ascending w.
std::vector<std::pair<index, index>> same_rules(const rules_of_tree& x, const rules_of_tree& z, workspace& held) {
    // Bytes of a pair: its nodes, in a vector whose capacity may be twice its size, and its value.
    constexpr std::size_t per_pair = 40;
    std::vector<std::pair<index, index>> out;
    cancellation_check stop_check;
    auto right = z.by_text.begin();
    for (auto left = x.by_text.begin(); left != x.by_text.end(); ++left) {
        while (right != z.by_text.end() && right->text < left->text) ++right;
        auto same = right;
        for (; same != z.by_text.end() && same->text == left->text; ++same) out.emplace_back(left->node, same->node);
        stop_check.count(10 * static_cast<std::size_t>(same - right) + 10);
        held.grow_to(per_pair * out.size());
    }
    std::ranges::sort(
        out, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    return out;
}

double common_fragments(const rules_of_tree& x, const rules_of_tree& z, double lambda) {
    workspace held;
    const auto pairs = same_rules(x, z, held);
    std::vector<double> value(pairs.size());
    // The pairs of node v are first[v] … last[v] - 1.
    std::vector<std::size_t> first(static_cast<std::size_t>(x.of->size()) + 1, pairs.size()), last(first);
    for (std::size_t p = pairs.size(); p-- > 0;) first[static_cast<std::size_t>(pairs[p].first)] = p;
    for (std::size_t p = 0; p < pairs.size(); ++p) last[static_cast<std::size_t>(pairs[p].first)] = p + 1;
    const auto known = [&](index c, index d) {
        const auto begin = pairs.begin() + static_cast<std::ptrdiff_t>(first[static_cast<std::size_t>(c)]),
                   end = pairs.begin() + static_cast<std::ptrdiff_t>(last[static_cast<std::size_t>(c)]);
        const auto found = std::lower_bound(begin, end, d, [](const auto& pair, index w) { return pair.second < w; });
        return found != end && found->second == d ? value[static_cast<std::size_t>(found - pairs.begin())] : 0.0;
    };
    double sum = 0;
    cancellation_check stop_check;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        stop_check.count(50);
        const auto [v, w] = pairs[p];
        double product = lambda;
        for (index c = v + 1, d = w + 1; c < x.of->subtree_end(v); c = x.of->subtree_end(c), d = z.of->subtree_end(d))
            product *= 1 + known(c, d);
        sum += value[p] = product;
    }
    return sum;
}

}  // namespace

int subset_trees::emit(plan_builder& code) const {
    return emit_ordered_pairs<trees>(
        code, "subset_trees", [](const tree& one) { return rules(one); },
        [weight = lambda](const rules_of_tree& x, std::span<const rules_of_tree* const> others, double* out) {
            for (std::size_t p = 0; p < others.size(); ++p) out[p] = common_fragments(x, *others[p], weight);
        });
}

}  // namespace mercer
