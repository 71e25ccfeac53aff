// Fills string_ops of subsequences.h. Compiled once per instruction set, like kernels/evaluation/formula_loops.cpp, so
// all functions are in the namespace of the instruction set.
#include <hwy/highway.h>

#include "mercer/kernels/strings/subsequences.h"

namespace mercer::MERCER_SIMD_TARGET {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using size = std::int64_t;
using numbers = hn::ScalableTag<double>;
using vector = hn::Vec<numbers>;
constexpr size lanes = static_cast<size>(hn::MaxLanes(numbers()));

// One row of the dynamic programme, with levels = k - 1. P_l(i, j) is the sum over pairs of subsequences of length l
// that end at i and at j:
//     P_l(i, j) = [sᵢ = tⱼ]·S_(l-1)(i-1, j-1),    S_l(i, j) = Σ over i' <= i, j' <= j of decay^(i-i'+j-j')·P_l(i', j').
// S is computed row by row: R_l(i, j) = decay·R_l(i, j-1) + P_l(i, j),  S_l(i, j) = decay·S_l(i-1, j) + R_l(i, j). The
// result is Σ P_k(i, j). Vector before[j·levels + l-1] holds S_l(i-1, j) on entry and S_l(i, j) on return.
template <int levels>
HWY_INLINE vector row_of(vector letter, const double* t, size m, vector decay, double* before, vector total) {
    const numbers d;
    vector run[levels + (levels == 0)], corner[levels + (levels == 0)];
    for (int l = 0; l < levels; ++l) run[l] = corner[l] = hn::Zero(d);
    const vector one = hn::Set(d, 1.0);
    for (size j = 0; j < m; ++j, before += levels * lanes) {
        const auto same = hn::Eq(letter, hn::LoadU(d, t + j * lanes));
        vector here = hn::IfThenElseZero(same, one);
        for (int l = 0; l < levels; ++l) {
            const vector old = hn::LoadU(d, before + l * lanes);
            run[l] = hn::MulAdd(run[l], decay, here);
            hn::StoreU(hn::MulAdd(old, decay, run[l]), d, before + l * lanes);
            here = hn::IfThenElseZero(same, corner[l]);
            corner[l] = old;
        }
        total = hn::Add(total, here);
    }
    return total;
}

// The same for any number of levels; run and corner are stored in `before`, after the sums.
HWY_INLINE vector long_row_of(int levels, vector letter, const double* t, size m, vector decay, double* before,
                              vector total) {
    const numbers d;
    double* const run = before + m * levels * lanes;
    double* const corner = run + levels * lanes;
    for (size l = 0; l < size{2} * levels * lanes; l += lanes) hn::StoreU(hn::Zero(d), d, run + l);
    const vector one = hn::Set(d, 1.0);
    for (size j = 0; j < m; ++j, before += levels * lanes) {
        const auto same = hn::Eq(letter, hn::LoadU(d, t + j * lanes));
        vector here = hn::IfThenElseZero(same, one);
        for (size l = 0; l < levels * lanes; l += lanes) {
            const vector old = hn::LoadU(d, before + l), along = hn::MulAdd(hn::LoadU(d, run + l), decay, here);
            hn::StoreU(along, d, run + l);
            hn::StoreU(hn::MulAdd(old, decay, along), d, before + l);
            here = hn::IfThenElseZero(same, hn::LoadU(d, corner + l));
            hn::StoreU(old, d, corner + l);
        }
        total = hn::Add(total, here);
    }
    return total;
}

void subsequences(const double* s, size n, const double* t, size m, int k, double decay, double* work, double* out,
                  void (*pause)()) {
    const numbers d;
    const vector by = hn::Set(d, decay);
    for (size at = 0; at < m * (k - 1) * lanes; at += lanes) hn::StoreU(hn::Zero(d), d, work + at);
    vector total = hn::Zero(d);
    size steps = 0;
    for (size i = 0; i < n; ++i) {
        if ((steps += m * k) > size{1} << 16) steps = 0, pause();
        const vector letter = hn::Set(d, s[i]);
        switch (k) {
            case 1: total = row_of<0>(letter, t, m, by, work, total); break;
            case 2: total = row_of<1>(letter, t, m, by, work, total); break;
            case 3: total = row_of<2>(letter, t, m, by, work, total); break;
            case 4: total = row_of<3>(letter, t, m, by, work, total); break;
            case 5: total = row_of<4>(letter, t, m, by, work, total); break;
            case 6: total = row_of<5>(letter, t, m, by, work, total); break;
            default: total = long_row_of(k - 1, letter, t, m, by, work, total);
        }
    }
    hn::StoreU(total, d, out);
}

const string_ops table{lanes, subsequences};

}  // namespace

const string_ops& string_ops_table() { return table; }

}  // namespace mercer::MERCER_SIMD_TARGET
