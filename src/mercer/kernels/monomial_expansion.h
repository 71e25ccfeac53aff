// Kernels of finite dimension written out: k(x, z) = Σₜ wₜ mₜ(x) mₜ(z), each mₜ a monomial in a few numbers of x (its
// coordinates, those of a map φ(x), a factor h(x)). Sums add the weights of equal monomials, products multiply
// monomials, so that every rule of the algebra stays within this form and the feature map t ↦ √wₜ mₜ(x) has no feature
// twice.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mercer/kernels/plan.h"

namespace mercer {

// A product of atoms by number, ascending, repeated for powers; empty: the constant 1.
using monomial = std::vector<int>;

// By degree, then x1² before x1·x2 before x2².
struct graded_order {
    bool operator()(const monomial& a, const monomial& b) const {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    }
};

struct expansion {
    std::map<monomial, double, graded_order> terms;
    static expansion constant(double c);
    friend expansion operator*(double c, expansion e);
};

// What an expansion's atoms are, collected while a kernel tree expands itself. Refuses more than `limit` terms, and
// more than `most_steps` of work, of which every product of two terms is one and every 16 atoms in them another.
class map_builder {
public:
    map_builder(index dims, index limit, double most_steps);

    // How atoms are computed: source s is a map of the data to vectors, or a number for each object; atom (s, c) is
    // coordinate c.
    struct source {
        std::string key;
        feature phi;        // with an empty `apply`: the data themselves
        object_function h;  // when set, used instead of phi
    };
    struct atom {
        int from;
        index coordinate;
        std::string name;
    };
    const std::vector<source>& sources() const { return sources_; }
    const std::vector<atom>& atoms() const { return atoms_; }

    expansion add(expansion a, const expansion& b) const;
    expansion multiply(const expansion& a, const expansion& b);
    // (γ xᵀz + r)^degree over the coordinates of x, or of φ(x) inside a pull-back.
    expansion multinomial(double gamma, double r, int degree);
    // ∏ₐ (1 + xₐzₐ)
    expansion subsets();
    // h(x)·h(z); equal keys mean equal functions.
    expansion factor(const std::string& key, const std::string& name, object_function h);

    // While it lives, the coordinates are those of φ(x).
    class inside {
    public:
        inside(map_builder& build, const feature& phi, const std::string& name);
        inside(map_builder& build, const feature& phi, const std::vector<index>& columns);
        ~inside();
        inside(const inside&) = delete;
        inside& operator=(const inside&) = delete;

    private:
        map_builder& build_;
        feature outer_before_;
        std::vector<int> here_before_;
    };

private:
    void require_room(double terms) const;
    void require_work(double products, double atoms);
    int source_number(source wanted);
    int atom_number(int from, index coordinate, std::string name);

    index dims_;
    index limit_;
    double steps_left_;
    feature outer_;
    std::vector<int> here_;  // the atoms that are the coordinates at this place of the tree
    std::vector<source> sources_;
    std::vector<atom> atoms_;
};

}  // namespace mercer
