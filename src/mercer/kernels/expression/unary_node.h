// A kernel made of one other: what its nodes share. Internal to the algebra.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mercer/kernels/kernel.h"

namespace mercer {

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
