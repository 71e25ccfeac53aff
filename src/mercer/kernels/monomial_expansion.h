// Kernels of finite dimension as k(x, z) = Σₜ wₜ mₜ(x) mₜ(z), each mₜ a monomial in numbers computed from x, the atoms:
// the coordinates of x, the coordinates of a map φ(x), or a factor h(x). A sum of kernels adds the weights of equal
// monomials and a product multiplies the monomials, so the algebra of kernels stays within this form, and no feature of
// the map x ↦ (√wₜ mₜ(x))ₜ occurs twice.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mercer/kernels/plan.h"

namespace mercer {

// A product of atoms, given by their numbers in ascending order; powers repeat a number. Empty: the constant 1.
using monomial = std::vector<int>;

// Orders monomials by ascending degree, then lexicographically: 1, x1, x2, x1², x1·x2, x2².
struct graded_order {
    bool operator()(const monomial& a, const monomial& b) const {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    }
};

// The monomials of a kernel with their weights.
struct expansion {
    std::map<monomial, double, graded_order> terms;
    static expansion constant(double c);
    friend expansion operator*(double c, expansion e);
};

// Collects the atoms of an expansion while a kernel tree expands itself. Throws errc::memory for more than `limit`
// terms and for more than `max_steps` steps of work; a product of two terms counts one step plus one for every 16
// atoms.
class expansion_builder {
public:
    expansion_builder(index dims, index limit, double max_steps);

    // A source computes vectors, or one number, for each object; an atom is one of its coordinates.
    struct source {
        std::string key;
        embedding phi;      // the vectors φ(x); an empty `apply` means the data themselves
        object_function h;  // if set, the number h(x) instead of φ(x)
    };
    struct atom {
        int from;  // the number of its source
        index coordinate;
        std::string name;
    };
    const std::vector<source>& sources() const { return sources_; }
    const std::vector<atom>& atoms() const { return atoms_; }

    expansion add(expansion a, const expansion& b) const;
    expansion multiply(const expansion& a, const expansion& b);
    // (γ xᵀz + r)^degree over the coordinates of x, or those of φ(x) inside a pull-back.
    expansion multinomial(double gamma, double r, int degree);
    // ∏ₐ (1 + xₐzₐ)
    expansion subsets();
    // h(x)·h(z). Equal keys mean equal functions.
    expansion factor(const std::string& key, const std::string& name, object_function h);

    // While an object of this class exists, the coordinates are those of φ(x): all of them, named "name[1]", …, or, for
    // the projection φ onto `columns`, those coordinates.
    class pull_back_scope {
    public:
        pull_back_scope(expansion_builder& build, const embedding& phi, const std::string& name);
        pull_back_scope(expansion_builder& build, const embedding& phi, const std::vector<index>& columns);
        ~pull_back_scope();
        pull_back_scope(const pull_back_scope&) = delete;
        pull_back_scope& operator=(const pull_back_scope&) = delete;

    private:
        expansion_builder& build_;
        embedding outer_before_;
        std::vector<int> coordinates_before_;
    };

private:
    void require_term_limit(double terms) const;
    void require_work(double products, double atoms);
    int source_number(source wanted);
    int atom_number(int from, index coordinate, std::string name);

    index dims_;
    index limit_;
    double steps_left_;
    embedding outer_;
    std::vector<int> coordinates_;  // the atoms that are the coordinates at the current node of the tree
    std::vector<source> sources_;
    std::vector<atom> atoms_;
};

}  // namespace mercer
