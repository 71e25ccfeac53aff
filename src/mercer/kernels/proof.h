// Proofs of validity: which rule makes an expression a kernel, as a tree that can be printed.
#pragma once

#include <string>
#include <vector>

namespace mercer {

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

}  // namespace mercer
