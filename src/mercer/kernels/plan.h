// What a kernel expression asks of a tile: statistics of pairs, then maps and arithmetic on whole tiles.
//
// A kernel tree is compiled once into a flat plan; an evaluator<T> binds the plan to data and runs it tile by tile. A
// leaf on vectors is a statistic (dot product, squared distance, …) and a scalar map; a statistic is computed once per
// tile and shared by every leaf that wants it. Leaves on other objects turn their objects into (sparse) vectors first:
// the `feature`.
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

// Objects turned into vectors: X and, for two different data sets, Z together (they may need a common dictionary).
// Called with z == nullptr when both sides are the same data.
struct feature {
    std::string key;  // equal keys mean equal features
    std::function<std::pair<dataset, dataset>(const dataset& x, const dataset* z)>
        apply;  // empty: the data as they are
};

// A user's kernel, asked for whole blocks: out(i, j) = k(x[rows[i]], z[cols[j]]).
using block_function = std::function<void(const dataset& x, const selection& rows, const dataset& z,
                                          const selection& cols, matrix_view<double> out)>;

// One number per object, h: X → R, for all objects of a data set.
using object_function = std::function<std::vector<double>(const dataset& x)>;

// φ₂ ∘ φ₁
feature compose(feature first, feature second);

struct pair_statistic {
    statistic what = statistic::dot;
    int source = 0;        // index into plan::features
    bool centred = false;  // only distances are asked of it, so the mean may be subtracted first
    block_function user;   // for statistic::user
};

struct plan;

// One operation on tiles; registers are tiles.
struct instruction {
    enum class op { fill, map, affine, add, multiply, power, polynomial, exponential, outer_multiply, outer_add };
    op what = op::fill;
    int to = 0;
    int a = 0;
    int b = 0;
    map_call formula{};                  // map: the scalar map
    map_input input = map_input::value;  // map: what it is applied to
    double scale =
        1;  // affine: to = scale·a + shift; power: the exponent is shift; outer_add: what a is multiplied by later
    double shift = 0;
    std::vector<double> coefficients;  // polynomial: c₀ + c₁a + c₂a² + …
    object_function weight;            // outer_*: per-object numbers u = weight(x), v = weight(z)
    std::shared_ptr<const plan> self;  // outer_*: or from the kernel's own diagonal k(x, x), by self_rule
    enum class self_use { none, inverse_root, minus_half } self_rule = self_use::none;
};

struct plan {
    std::vector<feature> features;
    std::vector<pair_statistic> statistics;  // statistic s is in register s
    std::vector<instruction> code;           // the last one leaves the result in register `result`
    int registers = 0;
    int result = 0;
    bool check_range = false;  // values grow like 2^|A|: refuse data on which they leave the range of T
};

// Collects a plan while a kernel tree emits itself. Registers returned by emit belong to the caller and may be
// overwritten, except those of statistics.
class plan_builder {
public:
    int use_feature(feature wanted);
    int use_statistic(pair_statistic wanted);
    int push(instruction step);  // allocates step.to, returns it
    void check_range() { made_.check_range = true; }
    // While it lives, all features are taken of φ(x) instead of x.
    class inside {
    public:
        inside(plan_builder& code, feature phi) : code_(code), before_(code.outer_) {
            code.outer_ = compose(code.outer_, std::move(phi));
        }
        ~inside() { code_.outer_ = std::move(before_); }

    private:
        plan_builder& code_;
        feature before_;
    };
    const feature& outer() const { return outer_; }
    // What a plan computes of a part of the kernel.
    enum class computed { value, logarithm };
    // The plan of a part alone over the same (possibly pulled-back) objects, for its diagonal; `emit` leaves its result
    // in the register that it returns. A part has one such plan however often it is emitted: else those of parts within
    // each other, each with its own, would double with every level.
    std::shared_ptr<const plan> plan_of_part(const void* part, computed what,
                                             const std::function<int(plan_builder&)>& emit);

    plan_builder() = default;
    std::shared_ptr<const plan> finish(int result);

private:
    using part_key = std::tuple<const void*, computed, std::string>;  // the last is the key of the outer feature
    std::shared_ptr<std::map<part_key, std::shared_ptr<const plan>>> parts_ =
        std::make_shared<std::map<part_key, std::shared_ptr<const plan>>>();
    plan made_;
    feature outer_;
    int temporaries_ = 0;
};

}  // namespace mercer
