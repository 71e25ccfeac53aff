// A plan bound to data: the vectors of every statistic with their norms, shift and doubts, and the numbers of objects
// that the plan asks for. Internal to this folder.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "mercer/kernels/evaluation/doubt.h"
#include "mercer/kernels/evaluation/evaluator.h"
#include "mercer/kernels/evaluation/evaluator_parts.h"

namespace mercer::evaluation {

// k(x, x) of all objects of a data set by the plans of parts, which plans share.
template <class T>
using part_diagonals = std::map<const plan*, std::vector<T>>;

template <class T>
class bound_plan {
public:
    bound_plan(std::shared_ptr<const plan> plan_, dataset x_, const dataset* z_, const evaluator_memory& memory);
    // K(x, x) of a part of another plan over the same data; `known`: diagonals of that data.
    bound_plan(std::shared_ptr<const plan> part, dataset x_, part_diagonals<T>& known);
    // The rows of a plan bound to K(x, x) against other columns: only these are looked at. Values have the bits that
    // K(z, x) has. `takes` says whether it can be done.
    bound_plan(const bound_plan& ready, dataset z_);
    bool takes(const dataset& z) const;

    std::shared_ptr<const plan> code;
    bool same = false;  // z is x
    dataset x, z;
    index rows = 0, cols = 0;
    std::vector<source<T>> sources;
    std::vector<outer_factors<T>> factors;  // per instruction
    bool users = false;                     // a statistic is a user's function
    buffer<T> table;  // of what the plan makes of a squared distance 0, 1, … of bits; empty where it is another one

    const buffer<T>& right_norms(const source<T>& s) const { return same ? s.x_norms : s.z_norms; }
    const buffer<T>& right_doubt(const source<T>& s) const { return same ? s.x_doubt : s.z_doubt; }
    const bit_rows& right_bits(const source<T>& s) const { return same ? s.x_bits : s.z_bits; }
    // The statistic behind the table.
    std::size_t table_source() const { return static_cast<std::size_t>(code->code.back().a); }

private:
    void bind_sources();
    void bind_vectors(source<T>& one, const pair_statistic& wanted, int at, const dataset& left, const dataset& right);
    void bind_bits(source<T>& one, const dataset& left, const dataset& right) const;
    void bind_norms(source<T>& one, const dataset& left, const dataset& right) const;
    void bind_doubt(source<T>& one, int at) const;
    void bind_columns(source<T>& one, std::size_t at) const;
    doubt<T> doubt_of(int at) const;
    void choose_slices(source<T>& one) const;
    int twin_of(const source<T>& one, std::size_t at) const;
    void copy_vectors(source<T>& one, std::size_t& room) const;
    void bind_all(part_diagonals<T>& of_x);
    void bind_factors(part_diagonals<T>& of_x);
    void bind_table();

    evaluator_memory memory_;
};

extern template class bound_plan<float>;
extern template class bound_plan<double>;

// out[i] = k(x[i], x[i]) by a plan that is bound to the same data on both sides.
template <class T>
void diagonal_of(const bound_plan<T>& bound, std::span<T> out);

}  // namespace mercer::evaluation
