// The plan of a kernel expression: statistics of pairs of vectors, then maps and arithmetic on whole tiles.
//
// A kernel tree is compiled once into a flat plan; an evaluator<T> binds the plan to data and runs it tile by tile. A
// leaf on vectors consists of a statistic (dot product, squared distance, …) and a scalar map. A statistic is computed
// once per tile and shared by all leaves that use it. Leaves on other kinds of objects first embed their objects as
// (sparse) vectors: the `embedding`.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "mercer/data/dataset.h"
#include "mercer/kernels/formula_call.h"

namespace mercer {

// An embedding of objects as vectors. X and Z are embedded together, because they may need a common dictionary of
// coordinates; z is null if both sides of the Gram matrix are the same data.
struct embedding {
    std::string key;  // equal keys mean equal embeddings
    // Maps the objects of x and of z to vectors. The second data set of the result is empty if z is null. An empty
    // function is the identity: the data are used unchanged.
    std::function<std::pair<dataset, dataset>(const dataset& x, const dataset* z)> apply;
};

// A user's kernel, which computes whole blocks: out(i, j) = k(x[rows[i]], z[cols[j]]).
using block_function = std::function<void(const dataset& x, const row_set& rows, const dataset& z, const row_set& cols,
                                          matrix_view<double> out)>;

// A function h of one object, evaluated for all objects of a data set: element i of the result is h(xᵢ).
using object_function = std::function<std::vector<double>(const dataset& x)>;

// The composition x ↦ second(first(x)).
embedding compose(embedding first, embedding second);

// A statistic that a plan computes for every pair of a tile.
struct plan_statistic {
    pair_statistic statistic = pair_statistic::dot;
    int embedding = 0;     // the embedding of its vectors: an index into plan::embeddings
    bool centred = false;  // used for distances only, so that the vectors may be translated first
    block_function user;   // the function of pair_statistic::user
};

struct plan;

// One operation on tiles. A register contains a tile.
struct instruction {
    enum class op { fill, map, affine, add, multiply, power, polynomial, exponential, outer_multiply, outer_add };
    op operation = op::fill;
    int to = 0;
    int a = 0;
    int b = 0;
    formula_call formula{};              // map: the scalar map
    map_input input = map_input::value;  // map: the argument of the formula
    // affine: to = scale·a + shift. power: the exponent is shift. fill: the constant is shift. outer_add: the factor by
    // which a later instruction multiplies a.
    double scale = 1;
    double shift = 0;
    std::vector<double> coefficients;  // polynomial: c₀ + c₁a + c₂a² + …
    object_function weight;            // outer_*: one number per object, u = weight(x), v = weight(z)
    std::shared_ptr<const plan> self;  // outer_*: if set, diagonal_rule makes u and v of k(x, x) of this plan
    enum class diagonal_use { none, inverse_root, minus_half } diagonal_rule = diagonal_use::none;
};

// A compiled kernel expression, independent of the data.
struct plan {
    std::vector<embedding> embeddings;
    std::vector<plan_statistic> statistics;  // statistic s is in register s
    std::vector<instruction> code;           // in order; register `result` holds the kernel values at the end
    int registers = 0;                       // number of registers, statistics included
    int result = 0;
    bool check_range = false;  // values may overflow, as 2^|A|: evaluators throw if a value leaves the range of T
};

// Builds a plan while a kernel tree emits its code. The caller owns a register that emit returns and may overwrite it,
// except a register of a statistic.
class plan_builder {
public:
    // The index of an embedding or a statistic in the plan; an equal one is used again.
    int use_embedding(embedding wanted);
    int use_statistic(plan_statistic wanted);
    int push(instruction step);  // allocates the register step.to and returns it
    void check_range() { made_.check_range = true; }
    // While an object of this class exists, all embeddings are applied to φ(x) instead of x.
    class pull_back_scope {
    public:
        pull_back_scope(plan_builder& code, embedding phi) : code_(code), before_(code.outer_) {
            code.outer_ = compose(code.outer_, std::move(phi));
        }
        ~pull_back_scope() { code_.outer_ = std::move(before_); }

    private:
        plan_builder& code_;
        embedding before_;
    };
    const embedding& outer() const { return outer_; }
    // The quantity that plan_of_part computes: the kernel of the part or its logarithm.
    enum class quantity { value, logarithm };
    // Returns a separate plan that computes `what` for one part of the kernel, for example for k in normalize(k), which
    // needs the diagonal of k; inside a pull-back k(φ(x), φ(z)) it is evaluated on the objects φ(x). `part` is the
    // address of the part's node and is used only as a key. emit(plan) appends the instructions of the part to the plan
    // and returns the register of its value. A second call with the same part, quantity and pull-back returns the same
    // plan: otherwise the number of plans would double with every level of nested parts.
    std::shared_ptr<const plan> plan_of_part(const void* part, quantity what,
                                             const std::function<int(plan_builder&)>& emit);

    plan_builder() = default;
    std::shared_ptr<const plan> finish(int result);

private:
    using part_key = std::tuple<const void*, quantity, std::string>;  // node, quantity, key of the outer embedding
    std::shared_ptr<std::map<part_key, std::shared_ptr<const plan>>> parts_ =
        std::make_shared<std::map<part_key, std::shared_ptr<const plan>>>();
    plan made_;
    embedding outer_;
    int temporaries_ = 0;
};

}  // namespace mercer
